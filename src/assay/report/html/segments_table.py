"""Show the row counts of the segments of a batch, and those of earlier batches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.html.markup import Html, bidi_text, element, join
from assay.html.page import table
from assay.text import count_noun, percent

__all__ = ["segments_table"]


def segments_table(recorded: Mapping[str, Any]) -> Html:
    """Show a row for each recorded segment, those that changed most first.

    Parameters
    ----------
    recorded
        The segments in the evidence of a verdict.
    """
    by, n_segments = str(recorded["by"]), int(recorded["n_segments"])
    shown = recorded["segments"]
    summary = element(
        "p",
        join((bidi_text(by), Html(f" splits the batch into {count_noun(n_segments, 'segment')}."))),
        " The table begins with the largest changes." if len(shown) > 1 else "",
    )
    rows = [_row(name, rows, usual) for name, rows, usual in shown]
    titles = (by, "rows", "usual rows", "share of usual")
    n_others, other_rows = recorded["others"]
    others = (
        f"{count_noun(n_others, 'smaller segment')} had {count_noun(other_rows, 'row')} together."
    )
    parts = [summary, table("Segments", titles, rows)]
    return join([*parts, element("p", others)] if n_others else parts)


def _row(name: str | None, rows: int, usual: float | None) -> Html:
    label = element("i", "null") if name is None else bidi_text(name)
    cells = (
        f"{rows:,}",
        "-" if usual is None else f"{usual:,.0f}",
        "-" if not usual else percent(rows, usual),
    )
    return element("tr", element("th", label, scope="row"), *(element("td", c) for c in cells))
