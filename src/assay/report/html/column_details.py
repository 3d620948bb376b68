"""Show the statistics of columns in this batch and in the previous one.

Details of private columns show no values, only counts and lengths.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from assay.checks.formatting import percent, whole_seconds
from assay.html.markup import Html, bidi_text, element, join
from assay.html.page import badge
from assay.html.short_numbers import short_number
from assay.html.size_budget import fit, omission
from assay.html.value_table import ShareColumn, share_table
from assay.learn.fingerprint.column_stats import ColumnStats, Stat
from assay.report.html.all_columns import column_anchors
from assay.report.html.dates_and_times import moments_of
from assay.report.html.distribution_chart import distributions, most_frequent, repeats

if TYPE_CHECKING:
    from assay.report.html.report import Report

__all__ = ["column_cards", "comparison"]

#: frequent values
_MAX_FREQUENT = 5
_MAX_BYTES = 180_000


def column_cards(report: Report) -> Html:
    """Show a card for each column, those with problems first."""
    anchors = column_anchors(report)
    cards, n_omitted = fit(lambda pair: _card(report, *pair), list(anchors.items()), _MAX_BYTES)
    # the table of all columns has links to them
    omitted = list(anchors.values())[len(cards) :]
    n_more = report.n_columns - len(anchors) + n_omitted
    return join(
        (
            element("div", *cards, class_="cards"),
            omission(n_more, "column"),
            *(element("span", id=anchor) for anchor in omitted),
        )
    )


def comparison(report: Report, name: str, *, with_name: bool) -> Html | None:
    """Show the distribution of a column now and before: a picture, or its frequent values."""
    now, before = _stats(report, name)
    if now is None or name in report.private:
        return None
    compared = distributions(now, before)
    picture = None
    if compared is not None and compared.low:
        picture = compared.figure
    content = picture or _frequent_values(now, before)
    if content is None:
        return None
    title = element("p", bidi_text(name), class_="quiet") if with_name else None
    numbers = _numbers_table(now, before, private=False)
    return element("div", title, element("div", content, numbers, class_="pair"))


def _card(report: Report, name: str, anchor: str) -> Html:
    now, before = _stats(report, name)
    is_private = name in report.private
    types = {} if report.schema is None else dict(report.schema.types)
    compared = None if is_private else distributions(now, before)
    is_numeric = now is not None and now.kind == "numeric"
    # only numbers and moments have a lowest value; the chart of moments says more than a list
    has_figure = compared is not None and bool(compared.low)
    return element(
        "article",
        element("h3", bidi_text(name), badge("none", "private") if is_private else None),
        element("p", types.get(name) or ("numbers" if is_numeric else "text"), class_="quiet"),
        compared.figure if compared is not None and has_figure else None,
        _numbers_table(now, before, private=is_private),
        None if is_private or has_figure else _frequent_values(now, before),
        class_="card",
        id=anchor,
    )


def _stats(report: Report, name: str) -> tuple[ColumnStats | None, ColumnStats | None]:
    now, before = report.columns, report.previous_columns
    return (
        None if now is None else now.columns.get(name),
        None if before is None else before.columns.get(name),
    )


def _numbers_table(now: ColumnStats | None, before: ColumnStats | None, *, private: bool) -> Html:
    numbers = dict(_numbers(now, private=private))
    numbers_before = dict(_numbers(before, private=private))
    head = element(
        "tr",
        element("td"),
        element("th", "before", scope="col") if numbers_before else None,
        element("th", "now", scope="col"),
    )
    rows = (
        element(
            "tr",
            element("th", name, scope="row"),
            element("td", numbers_before.get(name, "-")) if numbers_before else None,
            element("td", value),
        )
        for name, value in numbers.items()
    )
    return element("table", element("thead", head), element("tbody", *rows), class_="numbers")


def _numbers(stats: ColumnStats | None, *, private: bool) -> Iterator[tuple[str, str]]:
    if stats is None:
        return
    n_rows, n_values = stats.n_rows, stats.n_values
    yield "nulls", percent(n_rows - n_values, n_rows)
    yield "distinct", _count(stats.n_distinct)
    if stats.kind == "categorical":
        if not math.isnan(stats.per_value(Stat.EMPTY)):
            yield "empty", percent(stats.per_value(Stat.EMPTY))
        moments = None if private else moments_of(stats)
        if moments is None:
            yield "mean length", short_number(stats.per_value(Stat.CHARACTERS))
        else:
            yield from zip(("earliest", "latest"), moments.ends, strict=True)
    elif not private:
        quartiles = [math.nan] * 3
        if stats.sample is not None and stats.sample.total:
            quartiles = stats.sample.quantiles(np.array([0.25, 0.5, 0.75])).tolist()
        yield "mean", short_number(stats.mean)
        yield "lowest", short_number(stats.minimum)
        yield from zip(("25 %", "median", "75 %"), map(short_number, quartiles), strict=True)
        yield "highest", short_number(stats.maximum)
        yield "zeros", percent(stats.per_value(Stat.ZEROS))


def _count(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:,.0f}"


def _frequent_values(now: ColumnStats | None, before: ColumnStats | None) -> Html | None:
    """Show the most frequent values; the most frequent shapes if values rarely repeat."""
    if now is None or now.kind == "numeric" or not now.n_values:
        return None
    is_repeated = repeats(now)
    title, counts = ("value", now.value_counts) if is_repeated else ("shape", now.shape_counts)
    counts_before: Mapping[str, int] = {}
    n_before = math.nan
    if before is not None:
        counts_before = before.value_counts if is_repeated else before.shape_counts
        n_before = before.n_values
    if not counts:
        return None
    frequent = most_frequent(counts, _MAX_FREQUENT)
    frequent_before = most_frequent(counts_before, _MAX_FREQUENT)
    missing = [value for value in frequent_before if value not in frequent]
    columns = [ShareColumn("now", _shown(counts), now.n_values)]
    if counts_before:
        columns.insert(0, ShareColumn("before", _shown(counts_before), n_before))
    return share_table(title, [*map(whole_seconds, (*frequent, *missing))], columns)


def _shown(counts: Mapping[str, int]) -> dict[str, int]:
    return {whole_seconds(value): count for value, count in counts.items()}
