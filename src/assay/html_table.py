"""A small HTML table for notebooks. Every value is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from assay.text import visible

__all__ = ["html_table"]

#: rows shown; more would slow the notebook down
MAX_ROWS = 200


def html_table(headings: Sequence[str], rows: Iterable[Iterable[str]], *, caption: str) -> str:
    """Return a table as HTML.

    Parameters
    ----------
    headings
        The names of the columns; none for a table without a head.
    rows
        The cells as plain text. They may hold data of other people: markup in them is escaped.
    caption
        Text above the table.

    Examples
    --------
    >>> html_table(["x"], [["1"]], caption="a<b")
    '<table><caption>a&lt;b</caption><tr><th>x</th></tr><tr><td>1</td></tr></table>'
    """
    listed = list(rows)
    lines = [_row("th", headings)] if headings else []
    lines += (_row("td", row) for row in listed[:MAX_ROWS])
    if len(listed) > MAX_ROWS:
        lines.append(_row("td", [f"… {len(listed) - MAX_ROWS:,} more"]))
    return f"<table><caption>{_cell(caption)}</caption>{''.join(lines)}</table>"


def _row(tag: str, cells: Iterable[str]) -> str:
    return f"<tr>{''.join(f'<{tag}>{_cell(cell)}</{tag}>' for cell in cells)}</tr>"


def _cell(text: str) -> str:
    return escape(visible(text))
