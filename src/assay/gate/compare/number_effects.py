"""The changes of a column of numbers: its distribution and its mean."""

from __future__ import annotations

import math
from collections.abc import Iterator

from assay.checks.formatting import format_value, percent
from assay.gate.compare.effect import CHANCE_DEVIATIONS, CHANCE_KS, MIN_KS, Effect
from assay.learn.fingerprint import metrics, pair_distances
from assay.learn.fingerprint.column_stats import ColumnStats, Pair

__all__ = ["compare_distributions", "compare_means"]

#: rank error of two quantile sketches together (k = 200, in 99 % of the cases)
SKETCH_ERROR = 0.033
#: ratio of two means, for columns of which most values are zero: their distance stays small
MIN_MEAN_RATIO = 2.0
#: difference of two means in standard deviations; the only one for private columns, which have no
#: distribution
MIN_MEAN_SHIFT = 0.1


def compare_distributions(now: ColumnStats, before: ColumnStats) -> Iterator[Effect]:
    """Compare the distributions of numbers."""
    distance = pair_distances.kolmogorov_smirnov(Pair(now, before).cumulative_shares)
    n, m = now.n_values, before.n_values
    chance = CHANCE_KS * math.sqrt(1 / n + 1 / m) + _sketch_error(now) + _sketch_error(before)
    if distance < max(MIN_KS, chance) or math.isnan(distance):
        return
    middle, middle_before = format_value(now.median), format_value(before.median)
    low, high, low_before, high_before = (
        format_value(value) for value in (now.minimum, now.maximum, before.minimum, before.maximum)
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


def compare_means(now: ColumnStats, before: ColumnStats) -> Iterator[Effect]:
    """Compare means: of private columns, and of columns whose values are mostly zero."""
    mean, mean_before = now.mean, before.mean
    error = math.sqrt(now.sd**2 / now.n_values + before.sd**2 / before.n_values)
    if not abs(mean - mean_before) > CHANCE_DEVIATIONS * error:
        return
    shift = pair_distances.cohen_d(now, before)
    ratio = mean / mean_before if mean_before else math.inf
    is_scaled = not 1 / MIN_MEAN_RATIO < ratio < MIN_MEAN_RATIO
    if shift >= MIN_MEAN_SHIFT and (is_scaled or now.sample is None):
        yield Effect(
            metric=metrics.MEAN,
            size=min(1.0, shift),
            actual=mean,
            before=mean_before,
            reason=f"the mean moved by {format_value(round(shift, 2))} standard deviations.",
            quote=f"the mean is {format_value(mean)}; it was {format_value(mean_before)}.",
            may_hold=True,
        )


def _sketch_error(stats: ColumnStats) -> float:
    """Return the rank error of a distribution; 0 if all its numbers are known."""
    is_complete = stats.sample is None or len(stats.sample.values) > 0.9 * stats.n_distinct
    return 0.0 if is_complete else SKETCH_ERROR / 2
