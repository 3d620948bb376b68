"""Practical effects: the changes between two columns that matter, with few rows or with many.

Two tables differ by chance. A change is reported if it is both

- *larger than chance*: `CHANCE_DEVIATIONS` standard errors of the smaller table, and
- *large enough to matter*: a share of the rows, or a distance between distributions.

With one older table nothing else is known. With eight or more, the gate learns its limits instead.

>>> from assay.learn.fingerprint.from_rows import column_stats, numbers
>>> before, now = column_stats(numbers([1, 2, 3, 4] * 99)), column_stats(numbers([3, 4, 5, 6] * 99))
>>> [(effect.metric, effect.size) for effect in find_effects(now, before)]
[('KS_dist', 0.5)]
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from assay.checks.formatting import format_value, percent, visible
from assay.learn.fingerprint import distances, metrics
from assay.learn.fingerprint.column_stats import ColumnStats, Pair

__all__ = ["Effect", "find_effects", "is_continued"]

#: Standard errors beyond which a difference is not chance. A column has up to some hundred values
#: that could differ, and a table a hundred columns: 4.5 errors occur once in 150,000 comparisons.
CHANCE_DEVIATIONS = 4.5
#: the same rarity for the Kolmogorov-Smirnov distance, in units of sqrt(1/n + 1/m)
CHANCE_KS = 2.47
#: rank error of two quantile sketches together (k = 200, in 99 % of the cases)
SKETCH_ERROR = 0.033
#: Share of rows that became null, or have a value or a shape that the older table lacks. One row in
#: fifty is the least that the causes name (`assay.gate.causes`).
MIN_SHARE = 0.02
#: share by which zeros, negative numbers, empty strings or one of several values became more
#: frequent: such shares differ by some percent between two ordinary days (benchmarks.compare)
MIN_VALUE_SHARE = 0.05
#: Kolmogorov-Smirnov distance: a tenth of the rows would have to move
MIN_KS = 0.1
#: ratio of two means, for columns of which most values are zero: their distance stays small
MIN_MEAN_RATIO = 2.0
#: difference of two means in standard deviations, for private columns, which have no distribution
MIN_MEAN_SHIFT = 0.2
#: relative difference of two mean lengths
MIN_LENGTH_CHANGE = 0.2
#: values that must be counted before the spread of their lengths is known
MIN_COUNTED_VALUES = 30
#: A column is a key if nearly all its values differ. The distinct count is an estimate in large
#: tables, with an error of 1.6 %.
MIN_KEY_SHARE = 0.97
#: share of repeated values that a former key must have: a random half of a nearly unique column
#: can have none, and the other half some
MIN_REPEATED = 0.05
#: a column with at most this many values holds categories, such as carriers
MAX_CATEGORIES = 30
#: a date or a time has at least this many numbers
MIN_DATE_NUMBERS = 2
#: Null rows, and rows with a kind of value or a value that was absent before, that hold a table.
#: Smaller shares occur on ordinary days (benchmarks.compare).
MIN_HOLDING_NULLS, MIN_HOLDING_SHARE = 0.1, 0.1
#: share of rows in a new format that holds a table; a format changes for all rows, or for some
MIN_HOLDING_FORMAT = 0.5
#: a counter may take this many times as many numbers as before
MAX_RANGE_RATIO = 3
#: a kind of value was absent before if it had less than this share
MAX_ABSENT_SHARE = 0.01
_NUMBER = re.compile(r"\d+")
#: a table of fewer values differs by chance in every way
MIN_VALUES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """One change of a column.

    Parameters
    ----------
    metric : str
        Name of the batch metric that changed.
    size : float
        How much: the share of rows, or the distance, from 0 to 1.
    actual, before : float
        The metric in the new and in the older table. A distance has no value before.
    reason : str
        The change in one sentence, without values of the column.
    quote : str
        The same with values of the column; empty if there is no such sentence.
    may_hold : bool
        True if a gate with enough history would hold the table, given a cause that explains it.
    """

    metric: str
    size: float
    actual: float
    before: float = math.nan
    reason: str
    quote: str = ""
    may_hold: bool = False


def find_effects(now: ColumnStats, before: ColumnStats) -> list[Effect]:
    """Return the changes of a column, nulls first."""
    if not now["rows"] or not before["rows"]:
        return []
    effects = list(_nulls(now, before))
    if min(now["values"], before["values"]) >= MIN_VALUES and now.kind == before.kind:
        rules = _NUMBER_RULES if now.kind == "numeric" else _VALUE_RULES
        if is_continued(now, before):
            rules = ()
        for rule in (*rules, _repeated_keys):
            effects += rule(now, before)
    return effects


def is_continued(now: ColumnStats, before: ColumnStats) -> bool:
    """Return whether a column has other values, as a counter, a day or an identifier has.

    - A column with one value in each table is a label, such as the day of a batch.
    - Whole numbers continue if the gap is smaller than the earlier range, and the ranges are alike.
    - Text and times have only new values, which are identifiers or come after the earlier ones.

    The format is the same in all cases.
    """
    if now.kind == "numeric":
        gap = now["min"] - before["max"]
        width, width_before = now["max"] - now["min"], before["max"] - before["min"]
        is_whole = all(stats["integers"] == stats["values"] for stats in (now, before))
        is_next = 0 < gap <= width_before + 1 and width <= MAX_RANGE_RATIO * (width_before + 1)
        return is_whole and (is_next or (_is_label(now, before) and gap != 0))
    if not now.value_counts or not before.value_counts or not _is_same_format(now, before):
        return False
    if now.value_counts.keys() & before.value_counts.keys():
        return False
    is_later = min(now.value_counts) > max(before.value_counts)
    is_identifier = not _is_category(before)
    return is_later or is_identifier or _is_label(now, before)


def _is_label(now: ColumnStats, before: ColumnStats) -> bool:
    return now["distinct"] == 1 and before["distinct"] == 1


def _is_category(stats: ColumnStats) -> bool:
    return stats.is_category(MAX_CATEGORIES) and stats["distinct"] <= stats["values"] / 2


def _has_open_values(stats: ColumnStats) -> bool:
    """Return whether new values are usual: dates, times, numbers in text.

    The values of private columns are hashes, without shapes. New ones are usual unless they are
    few.
    """
    if not stats.shape_counts and "characters" in stats.numbers:
        return not _is_category(stats)
    return all(
        value.isdigit() or len(_NUMBER.findall(value)) >= MIN_DATE_NUMBERS
        for value in stats.value_counts
    )


def _is_same_format(now: ColumnStats, before: ColumnStats) -> bool:
    if not now.shape_counts or not before.shape_counts:
        return now.kind == "numeric" or not (now.shape_counts or before.shape_counts)
    return distances.l1(Pair(now, before).shape_counts) < MIN_VALUE_SHARE


def _standard_error(share: float, now: float, before: float) -> float:
    return math.sqrt(max(share * (1 - share), 0.0) * (1 / now + 1 / before))


def _exceeds_chance(share: float, share_before: float, now: float, before: float) -> bool:
    pooled = (share * now + share_before * before) / (now + before)
    return abs(share - share_before) > CHANCE_DEVIATIONS * _standard_error(pooled, now, before)


def _nulls(now: ColumnStats, before: ColumnStats) -> Iterator[Effect]:
    share, share_before = (1 - stats["values"] / stats["rows"] for stats in (now, before))
    if abs(share - share_before) >= MIN_SHARE and _exceeds_chance(
        share, share_before, now["rows"], before["rows"]
    ):
        yield Effect(
            metric=metrics.COMPLETENESS,
            size=share - share_before,
            actual=1 - share,
            before=1 - share_before,
            reason=f"{percent(share)} of the rows are null; {percent(share_before)} before.",
            may_hold=share - share_before >= MIN_HOLDING_NULLS,
        )


def _share(name: str, metric: str, noun: str) -> Callable[[ColumnStats, ColumnStats], list[Effect]]:
    """Return the rule for the share of one kind of value."""

    def rule(now: ColumnStats, before: ColumnStats) -> list[Effect]:
        share, share_before = now.per_value(name), before.per_value(name)
        if not abs(share - share_before) >= MIN_VALUE_SHARE or not _exceeds_chance(
            share, share_before, now["values"], before["values"]
        ):
            return []
        reason = f"{percent(share)} of the values are {noun}; {percent(share_before)} before."
        size = abs(share - share_before)
        return [Effect(metric=metric, size=size, actual=share, before=share_before, reason=reason)]

    return rule


def _numbers(now: ColumnStats, before: ColumnStats) -> Iterator[Effect]:
    """Compare the distributions of numbers."""
    distance = distances.kolmogorov_smirnov(Pair(now, before).cumulative_shares)
    n, m = now["values"], before["values"]
    chance = CHANCE_KS * math.sqrt(1 / n + 1 / m) + _sketch_error(now) + _sketch_error(before)
    if distance < max(MIN_KS, chance) or math.isnan(distance):
        return
    middle, middle_before = format_value(now["median"]), format_value(before["median"])
    low, high, low_before, high_before = (
        format_value(value) for value in (now["min"], now["max"], before["min"], before["max"])
    )
    quote = f"the numbers moved: the median is {middle}; it was {middle_before}."
    if middle == middle_before:
        quote = f"the numbers moved: {low} to {high}; before, {low_before} to {high_before}."
    yield Effect(
        metric=metrics.KOLMOGOROV_SMIRNOV,
        size=distance,
        actual=distance,
        reason=f"the distribution of the numbers moved by {percent(distance)} of the rows.",
        quote=quote,
        may_hold=True,
    )


def _sketch_error(stats: ColumnStats) -> float:
    """Return the rank error of a distribution; 0 if all its numbers are known."""
    is_complete = stats.sample is None or len(stats.sample.values) > 0.9 * stats["distinct"]
    return 0.0 if is_complete else SKETCH_ERROR / 2


def _means(now: ColumnStats, before: ColumnStats) -> Iterator[Effect]:
    """Compare means: of private columns, and of columns whose values are mostly zero."""
    mean, mean_before = now.mean, before.mean
    error = math.sqrt(now["sd"] ** 2 / now["values"] + before["sd"] ** 2 / before["values"])
    if not abs(mean - mean_before) > CHANCE_DEVIATIONS * error:
        return
    shift = distances.cohen_d(now, before)
    ratio = mean / mean_before if mean_before else math.inf
    is_scaled = not 1 / MIN_MEAN_RATIO < ratio < MIN_MEAN_RATIO
    if is_scaled or (now.sample is None and shift >= MIN_MEAN_SHIFT):
        yield Effect(
            metric=metrics.MEAN,
            size=min(1.0, shift),
            actual=mean,
            before=mean_before,
            reason=f"the mean moved by {format_value(round(shift, 2))} standard deviations.",
            quote=f"the mean is {format_value(mean)}; it was {format_value(mean_before)}.",
            may_hold=True,
        )


def _values(now: ColumnStats, before: ColumnStats) -> Iterator[Effect]:
    """Compare which values occur, and how often each does."""
    if not now.mostly_counted or not before.mostly_counted:
        return
    if _has_open_values(before) and _is_same_format(now, before):
        return
    yield from _unseen(
        now, before, metrics.UNSEEN_VALUES, now.value_counts, before.value_counts, "a value"
    )
    yield from _moved_share(now, before)


def _shapes(now: ColumnStats, before: ColumnStats) -> Iterator[Effect]:
    yield from _unseen(
        now, before, metrics.UNSEEN_SHAPES, now.shape_counts, before.shape_counts, "a format"
    )


def _unseen(
    now: ColumnStats,
    before: ColumnStats,
    metric: str,
    counts: Mapping[str, int],
    counts_before: Mapping[str, int],
    noun: str,
) -> Iterator[Effect]:
    """Compare the share of unseen values with the share that is expected by chance.

    The expected share is that of the values that occur once (Good and Turing's estimate), plus
    that of the values that a sketch of the older table has dropped.
    """
    if not counts or not counts_before:
        return
    n, m = now["values"], before["values"]
    share = sum(count for value, count in counts.items() if value not in counts_before) / n
    once = sum(1 for count in counts_before.values() if count == 1)
    expected = min(1.0, (once + before.uncounted(counts_before)) / m)
    excess = share - expected
    if excess >= MIN_SHARE and _exceeds_chance(share, expected, n, m):
        yield Effect(
            metric=metric,
            size=excess,
            actual=share,
            before=expected,
            reason=f"{percent(share)} of the rows have {noun} that was not there before.",
            may_hold=(excess >= MIN_HOLDING_SHARE and _is_category(before))
            or (metric == metrics.UNSEEN_SHAPES and excess >= MIN_HOLDING_FORMAT),
        )


def _moved_share(now: ColumnStats, before: ColumnStats) -> Iterator[Effect]:
    """Report the value whose share changed most."""
    names = list(before.value_counts.keys() | now.value_counts.keys())
    n, m = now["values"], before["values"]
    shares = np.array([now.value_counts.get(name, 0) for name in names], np.float64) / n
    shares_before = np.array([before.value_counts.get(name, 0) for name in names], np.float64) / m
    differences = np.abs(shares - shares_before)
    pooled = (shares * n + shares_before * m) / (n + m)
    errors = np.sqrt(pooled * (1 - pooled) * (1 / n + 1 / m))
    # a sketch may have dropped a rare value of either table
    dropped = max(now.uncounted(now.value_counts) / n, before.uncounted(before.value_counts) / m)
    is_large = (differences >= MIN_VALUE_SHARE + dropped) & (
        differences > CHANCE_DEVIATIONS * errors
    )
    if not is_large.any():
        return
    place = int(np.argmax(np.where(is_large, differences, 0.0)))
    change = f"{percent(float(shares[place]))} of the rows; {percent(float(shares_before[place]))}"
    yield Effect(
        metric=metrics.L_INF,
        size=float(differences[place]),
        actual=float(shares[place]),
        before=float(shares_before[place]),
        reason=f"the share of one value is {change} before.",
        quote=f"{visible(names[place])!r} is the value of {change} before.",
    )


def _lengths(now: ColumnStats, before: ColumnStats) -> Iterator[Effect]:
    mean, mean_before = now.per_value("characters"), before.per_value("characters")
    if not mean_before or not abs(mean / mean_before - 1) >= MIN_LENGTH_CHANGE:
        return
    variances = [_length_variance(stats) for stats in (now, before)]
    error = math.sqrt(variances[0] / now["values"] + variances[1] / before["values"])
    if abs(mean - mean_before) > CHANCE_DEVIATIONS * error:
        lengths = f"{mean:,.1f} characters; it was {mean_before:,.1f}"
        yield Effect(
            metric=metrics.MEAN_LENGTH,
            size=min(1.0, abs(mean / mean_before - 1)),
            actual=mean,
            before=mean_before,
            reason=f"the mean length is {lengths}.",
        )


def _length_variance(stats: ColumnStats) -> float:
    """Return the variance of the lengths of the counted values; infinity if few are counted."""
    counts = np.fromiter(stats.value_counts.values(), np.float64, len(stats.value_counts))
    if counts.sum() < MIN_COUNTED_VALUES:
        return math.inf
    lengths = np.fromiter(map(len, stats.value_counts), np.float64, len(stats.value_counts))
    mean = float(lengths @ counts) / float(counts.sum())
    return float((lengths - mean) ** 2 @ counts) / float(counts.sum())


def _repeated_keys(now: ColumnStats, before: ColumnStats) -> Iterator[Effect]:
    share, share_before = (min(1.0, stats.per_value("distinct")) for stats in (now, before))
    is_key = share_before >= MIN_KEY_SHARE and share_before - share >= MIN_REPEATED
    if not is_key or not _exceeds_chance(share, share_before, now["values"], before["values"]):
        return
    yield Effect(
        metric=metrics.DISTINCT_RATIO,
        size=share_before - share,
        actual=share,
        before=share_before,
        reason=f"{percent(1 - share)} of the values are repetitions;"
        f" {percent(1 - share_before)} before.",
        may_hold=share_before == 1,
    )


Rule = Callable[[ColumnStats, ColumnStats], "Iterator[Effect] | list[Effect]"]
_NUMBER_RULES: tuple[Rule, ...] = (
    _share("zeros", metrics.ZERO_RATIO, "zeros"),
    _share("negatives", metrics.NEGATIVE_RATIO, "negative numbers"),
    _numbers,
    _means,
)
_VALUE_RULES: tuple[Rule, ...] = (
    _share("empty", metrics.EMPTY_RATIO, "empty strings"),
    _values,
    _shapes,
    _lengths,
)
