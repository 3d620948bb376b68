"""Show a card per column: its statistics in this batch and in the previous one.

Cards of private columns show no values, only counts and lengths.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from assay.checks.formatting import whole_seconds
from assay.learn.fingerprint.column_stats import ColumnStats, Fingerprint
from assay.report.html.distribution import distribution
from assay.report.html.markup import Html, bidi_text, element, join
from assay.report.html.page import Tone, badge
from assay.report.html.size_budget import fit, omission
from assay.report.number_format import percent, short_number
from assay.store.verdict import Decision

__all__ = ["ColumnComparison", "column_cards"]

#: cards of columns without findings
_MAX_WITHOUT_FINDINGS = 60
#: frequent values on a card, and characters of each
_MAX_FREQUENT, _MAX_VALUE = 5, 40
_MAX_BYTES = 250_000
_BADGES: Mapping[Decision, tuple[Tone, str]] = {
    Decision.HOLD: ("bad", "✕ held"),
    Decision.WARN: ("warn", "! warning"),
}


@dataclass(frozen=True)
class ColumnComparison:
    """A column in this batch and in the previous one.

    Parameters
    ----------
    level
        The worst level of its findings.
    private
        True if values are withheld.
    """

    name: str
    type: str
    now: ColumnStats | None
    before: ColumnStats | None = None
    level: Decision = Decision.ACCEPT
    private: bool = False


def column_cards(
    now: Fingerprint,
    before: Fingerprint | None,
    types: Mapping[str, str],
    levels: Mapping[str, Decision],
    private: Collection[str] = (),
) -> Html:
    """Show the cards of a batch, columns with findings first.

    Parameters
    ----------
    now, before
        Statistics of this batch and of the previous one.
    types
        Column types by name.
    levels
        The worst level of each column with findings.
    private
        Columns whose values are withheld.
    """
    stats_before = {} if before is None else before.columns
    columns = [
        ColumnComparison(
            name,
            types.get(name, ""),
            stats,
            stats_before.get(name),
            levels.get(name, Decision.ACCEPT),
            name in private,
        )
        for name, stats in now.columns.items()
    ]
    with_findings = [column for column in columns if column.level is not Decision.ACCEPT]
    with_findings.sort(key=lambda column: column.level is not Decision.HOLD)
    others = [column for column in columns if column.level is Decision.ACCEPT]
    candidates = [*with_findings, *others[:_MAX_WITHOUT_FINDINGS]]
    cards, n_omitted = fit(_card, candidates, _MAX_BYTES)
    n_omitted += len(columns) - len(candidates)
    return join((element("div", *cards, class_="cards"), omission(n_omitted, "column")))


def _card(column: ColumnComparison) -> Html:
    level = _BADGES.get(column.level)
    return element(
        "article",
        element(
            "h3",
            bidi_text(column.name),
            badge(*level) if level else None,
            element("span", "private", class_="badge") if column.private else None,
        ),
        element("p", _type_name(column), class_="quiet"),
        _picture(column),
        _statistics(column),
        _frequent_values(column),
        class_="card",
    )


def _type_name(column: ColumnComparison) -> str:
    if column.type:
        return column.type
    is_numeric = column.now is not None and column.now.kind == "numeric"
    return "numbers" if is_numeric else "not numeric"


def _picture(column: ColumnComparison) -> Html | None:
    if column.private or column.now is None:
        return None
    return distribution(column.now.sample, None if column.before is None else column.before.sample)


def _statistics(column: ColumnComparison) -> Html:
    now = dict(_numbers(column.now, private=column.private))
    before = dict(_numbers(column.before, private=column.private))
    head = element(
        "tr",
        element("td"),
        element("th", "now", scope="col"),
        element("th", "before", scope="col") if before else None,
    )
    rows = (
        element(
            "tr",
            element("th", name, scope="row"),
            element("td", value),
            element("td", before.get(name, "-")) if before else None,
        )
        for name, value in now.items()
    )
    return element("table", element("thead", head), element("tbody", *rows), class_="numbers")


def _numbers(stats: ColumnStats | None, *, private: bool) -> Iterator[tuple[str, str]]:
    if stats is None:
        return
    n_rows, n_values = stats["rows"], stats["values"]
    yield "nulls", percent(n_rows - n_values, n_rows)
    yield "distinct", _count(stats["distinct"])
    if stats.kind == "categorical":
        yield "empty", percent(stats["empty"], n_values)
        yield "mean length", short_number(stats.per_value("characters"))
    elif not private:
        quartiles = [math.nan] * 3
        if stats.sample is not None and stats.sample.total:
            quartiles = stats.sample.quantiles(np.array([0.25, 0.5, 0.75])).tolist()
        yield "mean", short_number(stats.mean)
        yield "lowest", short_number(stats["min"])
        yield from zip(("25 %", "median", "75 %"), map(short_number, quartiles), strict=True)
        yield "highest", short_number(stats["max"])
        yield "zeros", percent(stats["zeros"], n_values)


def _count(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:,.0f}"


def _frequent_values(column: ColumnComparison) -> Html | None:
    """Show the most frequent values; the most frequent shapes if values rarely repeat."""
    stats = column.now
    if stats is None or stats.kind == "numeric" or column.private or not stats["values"]:
        return None
    repeats = bool(stats.value_counts) and stats["distinct"] <= stats["values"] / 2
    title, counts = ("value", stats.value_counts) if repeats else ("shape", stats.shape_counts)
    counts_before: Mapping[str, int] = {}
    n_before = math.nan
    if column.before is not None:
        counts_before = column.before.value_counts if repeats else column.before.shape_counts
        n_before = column.before["values"]
    if not counts:
        return None
    missing = [value for value in _most_frequent(counts_before) if value not in counts]
    head = element(
        "tr",
        element("th", title, scope="col"),
        element("th", "now", scope="col"),
        element("th", "before", scope="col") if counts_before else None,
    )
    rows = (
        element(
            "tr",
            element("th", _value(value), scope="row"),
            _share_cell(counts.get(value, 0), stats["values"]),
            _share_cell(counts_before.get(value, 0), n_before) if counts_before else None,
        )
        for value in [*_most_frequent(counts), *missing]
    )
    return element("table", element("thead", head), element("tbody", *rows), class_="values")


def _most_frequent(counts: Mapping[str, int]) -> list[str]:
    return sorted(counts, key=lambda value: (-counts[value], value))[:_MAX_FREQUENT]


def _value(value: str) -> Html:
    return bidi_text(whole_seconds(value), _MAX_VALUE) if value else element("i", "empty")


def _share_cell(part: float, total: float) -> Html:
    return element("td", percent(part, total), _bar(part, total))


def _bar(part: float, total: float) -> Html | None:
    if not total or math.isnan(total):
        return None
    width = f"{min(1.0, part / total):.1%}"
    return element(
        "svg", element("rect", width=width, height="100%"), class_="bar", aria_hidden="true"
    )
