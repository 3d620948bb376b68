"""A small HTML table for notebooks. Every value is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from assay.checks.formatting import visible

__all__ = ["html_table"]

#: rows shown; more would slow the notebook down
MAX_ROWS = 200


def html_table(caption: str, headings: Sequence[str], rows: Sequence[Iterable[str]]) -> str:
    """Return a table as HTML.

    Parameters
    ----------
    caption
        Text above the table.
    headings
        The names of the columns.
    rows
        The cells as plain text. They may hold data of other people: markup in them is escaped.

    Examples
    --------
    >>> html_table("a<b", ["x"], [["1"]])
    '<table><caption>a&lt;b</caption><tr><th>x</th></tr><tr><td>1</td></tr></table>'
    """
    lines = [_row("th", headings), *(_row("td", row) for row in rows[:MAX_ROWS])]
    if len(rows) > MAX_ROWS:
        lines.append(_row("td", [f"… {len(rows) - MAX_ROWS:,} more"]))
    return f"<table><caption>{_cell(caption)}</caption>{''.join(lines)}</table>"


def _row(tag: str, cells: Iterable[str]) -> str:
    return f"<tr>{''.join(f'<{tag}>{_cell(cell)}</{tag}>' for cell in cells)}</tr>"


def _cell(text: str) -> str:
    return escape(visible(text))
