"""A table of values with their shares as bars, for one or two batches."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assay.html.markup import Html, bidi_text, element
from assay.text import percent

__all__ = ["ShareColumn", "share_table"]

#: characters of a value
_MAX_VALUE = 40


@dataclass(frozen=True)
class ShareColumn:
    """A column of shares: its title, the counts by value, and the number of all values."""

    title: str
    counts: Mapping[str, float]
    total: float


def share_table(title: str, values: Sequence[str], columns: Sequence[ShareColumn]) -> Html:
    """Show the share of each value, with a bar.

    Parameters
    ----------
    title
        The heading of the values.
    values
        The values, in their order. An empty one is shown as *empty*.
    columns
        The shares, such as those before and now.
    """
    head = element(
        "tr",
        element("th", title, scope="col"),
        *(element("th", column.title, scope="col") for column in columns),
    )
    rows = (
        element(
            "tr",
            element("th", _value(value), scope="row"),
            *(_share_cell(column.counts.get(value, 0), column.total) for column in columns),
        )
        for value in values
    )
    return element("table", element("thead", head), element("tbody", *rows), class_="values")


def _value(value: str) -> Html:
    return bidi_text(value, _MAX_VALUE) if value else element("i", "empty")


def _share_cell(part: float, total: float) -> Html:
    return element("td", percent(part, total), _bar(part, total))


def _bar(part: float, total: float) -> Html | None:
    if not total or math.isnan(total):
        return None
    width = f"{min(1.0, part / total):.1%}"
    return element(
        "svg", element("rect", width=width, height="100%"), class_="bar", aria_hidden="true"
    )
