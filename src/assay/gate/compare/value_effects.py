"""The changes of a column of text, dates or other values: which occur, how often, and how long."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping

import numpy as np

from assay.checks.formatting import percent, visible
from assay.gate.compare.continued import has_open_values, is_same_format
from assay.gate.compare.effect import (
    CHANCE_DEVIATIONS,
    CHANCE_KS,
    MAX_ABSENT_SHARE,
    MIN_HOLDING_SHARE,
    MIN_KS,
    Effect,
    exceeds_chance,
    is_category,
)
from assay.learn.fingerprint import metrics
from assay.learn.fingerprint.column_stats import ColumnStats, Floats, Stat

__all__ = ["compare_lengths", "compare_shapes", "compare_values"]

#: Share of rows that became null, or have a value or a shape that the older table lacks. One row in
#: fifty is the least that the causes name.
MIN_SHARE = 0.02
#: Share by which one of several values became more or less frequent. Such shares differ by some
#: percent between two ordinary days (benchmarks.compare).
MIN_VALUE_SHARE = 0.05
#: Times of fewer different hours are those of a process, such as a nightly export.
MIN_HOURS = 3
_HOUR = re.compile(r"[T ](\d{1,2}):\d\d")
#: share of rows in a new format that holds a table; a format changes for all rows, or for some
MIN_HOLDING_FORMAT = 0.5
#: relative difference of two mean lengths
MIN_LENGTH_CHANGE = 0.2
#: values that must be counted before the spread of their lengths is known
MIN_COUNTED_VALUES = 30


def compare_values(now: ColumnStats, before: ColumnStats) -> Iterator[Effect]:
    """Compare which values occur, and how often each does."""
    if not now.mostly_counted or not before.mostly_counted:
        return
    if has_open_values(before) and is_same_format(now, before):
        yield from _moved_times(now, before)
        return
    yield from _unseen(
        now, before, metrics.UNSEEN_VALUES, now.value_counts, before.value_counts, "a value"
    )
    yield from _moved_share(now, before)


def compare_shapes(now: ColumnStats, before: ColumnStats) -> Iterator[Effect]:
    """Compare which formats occur."""
    yield from _unseen(
        now, before, metrics.UNSEEN_SHAPES, now.shape_counts, before.shape_counts, "a format"
    )


def compare_lengths(now: ColumnStats, before: ColumnStats) -> Iterator[Effect]:
    """Compare the mean lengths of text."""
    mean, mean_before = now.per_value(Stat.CHARACTERS), before.per_value(Stat.CHARACTERS)
    if not mean_before or not abs(mean / mean_before - 1) >= MIN_LENGTH_CHANGE:
        return
    variances = [_length_variance(stats) for stats in (now, before)]
    error = math.sqrt(variances[0] / now.n_values + variances[1] / before.n_values)
    if abs(mean - mean_before) > CHANCE_DEVIATIONS * error:
        lengths = f"{mean:,.1f} characters; it was {mean_before:,.1f}"
        yield Effect(
            metric=metrics.MEAN_LENGTH,
            size=min(1.0, abs(mean / mean_before - 1)),
            actual=mean,
            before=mean_before,
            reason=f"the mean length is {lengths}.",
            may_hold=True,
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

    The expected share is that of the values that occur once (Good and Turing's estimate). The
    share of the values that a sketch of the older table has dropped is added.
    """
    if not counts or not counts_before:
        return
    n, m = now.n_values, before.n_values
    share = sum(count for value, count in counts.items() if value not in counts_before) / n
    once = sum(1 for count in counts_before.values() if count == 1)
    expected = min(1.0, (once + before.uncounted(counts_before)) / m)
    excess = share - expected
    if excess >= MIN_SHARE and exceeds_chance(share, expected, n, m):
        yield Effect(
            metric=metric,
            size=excess,
            actual=share,
            before=expected,
            reason=f"{percent(share)} of the rows have {noun} that was not there before.",
            may_hold=(excess >= MIN_HOLDING_SHARE and is_category(before))
            or (metric == metrics.UNSEEN_SHAPES and excess >= MIN_HOLDING_FORMAT),
        )


def _moved_times(now: ColumnStats, before: ColumnStats) -> Iterator[Effect]:
    """Compare the hours of times. Their days move on from table to table."""
    hours, hours_before = (_hour_counts(stats.value_counts) for stats in (now, before))
    if min(np.count_nonzero(hours), np.count_nonzero(hours_before)) < MIN_HOURS:
        return
    shares, shares_before = (np.cumsum(h) / h.sum() for h in (hours, hours_before))
    distance = float(np.abs(shares - shares_before).max())
    if distance >= max(MIN_KS, CHANCE_KS * math.sqrt(1 / now.n_values + 1 / before.n_values)):
        yield Effect(
            metric=metrics.L1,
            size=distance,
            actual=distance,
            reason=f"the hours of the day moved by {percent(distance)} of the rows.",
        )


def _hour_counts(counts: Mapping[str, int]) -> Floats:
    """Return the number of rows by hour of the day; zeros if a value has no time."""
    hours: Floats = np.zeros(24)
    for value, count in counts.items():
        match = _HOUR.search(value)
        if match is None or int(match[1]) > 23:
            return np.zeros(24)
        hours[int(match[1])] += count
    return hours


def _moved_share(now: ColumnStats, before: ColumnStats) -> Iterator[Effect]:
    """Report the value whose share changed most."""
    names = list(before.value_counts.keys() | now.value_counts.keys())
    n, m = now.n_values, before.n_values
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
        may_hold=now.n_distinct == 1
        or (shares_before[place] < MAX_ABSENT_SHARE and shares[place] >= MIN_HOLDING_SHARE),
    )


def _length_variance(stats: ColumnStats) -> float:
    """Return the variance of the lengths of the counted values; infinity if few are counted."""
    counts = np.fromiter(stats.value_counts.values(), np.float64, len(stats.value_counts))
    if counts.sum() < MIN_COUNTED_VALUES:
        return math.inf
    lengths = np.fromiter(map(len, stats.value_counts), np.float64, len(stats.value_counts))
    mean = float(lengths @ counts) / float(counts.sum())
    return float((lengths - mean) ** 2 @ counts) / float(counts.sum())
