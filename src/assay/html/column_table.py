"""A table with one row for each column of a dataset: then and now, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.html.markup import Html, bidi_text, element, join
from assay.html.page import Tone, badge, searchable, table
from assay.html.size_budget import fit, omission
from assay.text import count_noun

__all__ = ["ColumnRow", "column_table"]

#: rows that are shown at once; the others open with a click
_MAX_OPEN = 40


@dataclass(frozen=True, kw_only=True)
class ColumnRow:
    """A row of the table.

    Parameters
    ----------
    name, type
        Name and type of the column.
    now, before
        The main facts about it, now and before: text or elements.
    picture
        Its distribution now and before.
    trend
        A sparkline of one metric.
    tone, verdict
        The verdict on the column, in a word or a sentence.
    link
        Anchor of the part of the page that has more about the column.
    """

    name: str
    type: str
    now: str
    before: str = ""
    picture: Html | None = None
    trend: Html | None = None
    tone: Tone = "none"
    verdict: str = ""
    link: str | None = None


def column_table(
    rows: Sequence[ColumnRow],
    *,
    titles: Sequence[str] = ("column", "trend", "before", "now", "distribution", "verdict"),
    max_bytes: int = 300_000,
    n_more: int = 0,
) -> Html:
    """Show a row for each column; a long table is folded, and has a search field.

    Parameters
    ----------
    rows
        The columns in the order of the table, those with problems first.
    titles
        The headings: column, trend, before, now, distribution, verdict. An empty heading leaves
        its cells out.
    max_bytes
        The budget; columns that do not fit are counted.
    n_more
        Columns that are not in `rows`.
    """
    shown, n_omitted = fit(lambda row: _row(row, titles), rows, max_bytes)
    headings = [title for title in titles if title]
    first, others = shown[:_MAX_OPEN], shown[_MAX_OPEN:]
    parts = [table("Columns", headings, first, f"columns of{len(headings)}")]
    if others:
        more = table("More columns", headings, others, f"columns of{len(headings)}")
        summary = element("summary", count_noun(len(others), "more column"))
        parts.append(element("details", summary, more, class_="more"))
    parts.append(omission(n_omitted + n_more, "column"))
    return searchable(join(parts), len(shown))


def _row(row: ColumnRow, titles: Sequence[str]) -> Html:
    name = bidi_text(row.name)
    if row.link is not None:
        name = element("a", name, href=f"#{row.link}")
    cells = (
        element("th", name, element("span", row.type, class_="type"), scope="row"),
        element("td", row.trend, class_="trend"),
        element("td", row.before or None, class_="before", data_title=titles[2]),
        element("td", row.now or None, class_="now", data_title=titles[3]),
        element("td", row.picture, class_="picture"),
        element("td", badge(row.tone, row.verdict) if row.verdict else None, class_="verdict"),
    )
    shown = (cell for cell, title in zip(cells, titles, strict=True) if title)
    return element("tr", *shown, class_=row.tone)
