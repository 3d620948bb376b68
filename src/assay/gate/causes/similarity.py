"""Similarity of two columns: do they hold about the same values?"""

from __future__ import annotations

import math
import re
from collections.abc import Callable

import numpy as np

from assay.learn.fingerprint import pair_distances
from assay.learn.fingerprint.column_stats import ColumnStats, Pair, Stat, WeightedSample

__all__ = ["are_exchanged", "is_similar", "may_hold", "sample_distance", "tolerance"]

#: columns with at most this many distinct values are compared value by value
MAX_DISTINCT_VALUES = 30
#: distances below which two columns hold about the same numbers or values
MAX_NUMBER_DISTANCE, MAX_VALUE_DISTANCE = 0.3, 0.6
#: Kolmogorov-Smirnov distance between two ordinary batches of one column
MAX_ORDINARY_DISTANCE = 0.2
#: columns that changed less are not exchanged
MIN_DISTANCE = 0.1
#: Columns that changed more have nothing in common with before. The values of an identifier are
#: others in each batch, and still nearer to those of the other column.
MIN_DISJOINT_DISTANCE = 0.9
#: a column of text holds numbers if this share of its values are numbers
MIN_SHARE_OF_NUMBERS = 0.8
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)")
_Measure = Callable[[ColumnStats, ColumnStats], float]


def sample_distance(now: WeightedSample, before: WeightedSample) -> float:
    """Return the Kolmogorov-Smirnov distance of two distributions of numbers."""
    this, other = (ColumnStats("numeric", {}, sample=sample) for sample in (now, before))
    return pair_distances.kolmogorov_smirnov(Pair(this, other).cumulative_shares)


def tolerance(now: WeightedSample, before: WeightedSample) -> float:
    """Return the distance up to which two samples are alike. Few numbers differ by chance."""
    by_chance = math.sqrt(1 / now.total + 1 / before.total) / 2
    return max(MAX_ORDINARY_DISTANCE, by_chance)


def may_hold(now: ColumnStats, before: ColumnStats) -> bool:
    """Return whether a column may have the earlier values of another column.

    Text in a column of numbers is read as null.
    """
    if now.kind == before.kind:
        return is_similar(now, before, shapes_suffice=True)
    if now.kind == "numeric":
        return not now.n_values
    numbers = [
        (float(value), count)
        for value, count in now.value_counts.items()
        if _NUMBER.fullmatch(value)
    ]
    n_numbers = sum(count for _, count in numbers)
    if before.sample is None or not n_numbers or n_numbers < MIN_SHARE_OF_NUMBERS * now.n_values:
        return False
    values, counts = np.array(sorted(numbers)).T
    as_numbers = ColumnStats(
        "numeric", {Stat.VALUES: float(n_numbers)}, sample=WeightedSample(values, counts)
    )
    return is_similar(as_numbers, before)


def is_similar(now: ColumnStats, before: ColumnStats, *, shapes_suffice: bool = False) -> bool:
    """Return whether two columns hold about the same values, or values of the same shapes."""
    if now.kind != before.kind or not now.n_values or not before.n_values:
        return False
    pair = Pair(now, before)
    if now.kind == "numeric":
        return pair_distances.kolmogorov_smirnov(pair.cumulative_shares) < MAX_NUMBER_DISTANCE
    distance = (
        pair_distances.l1(pair.value_counts)
        if now.mostly_counted and before.mostly_counted
        else math.inf
    )
    if shapes_suffice or not before.is_category(MAX_DISTINCT_VALUES):
        distance = min(distance, pair_distances.l1(pair.shape_counts))
    return distance < MAX_VALUE_DISTANCE


def are_exchanged(
    now: tuple[ColumnStats, ColumnStats], before: tuple[ColumnStats, ColumnStats]
) -> float:
    """Return how much better two columns fit if they are exchanged, from 0 (no better) to 1.

    Parameters
    ----------
    now, before
        The statistics of both columns in each batch.
    """
    kinds = {stats.kind for stats in (*now, *before)}
    if len(kinds) > 1:
        is_new_kind = now[0].kind != before[0].kind or now[1].kind != before[1].kind
        fits = may_hold(now[0], before[1]) and may_hold(now[1], before[0])
        return float(is_new_kind and fits)
    of_text = (_value_distance, _shape_distance, _writing_distance)
    measures = (_number_distance,) if kinds == {"numeric"} else of_text
    return max(_gain(measure, now, before) for measure in measures)


def _gain(
    measure: _Measure,
    now: tuple[ColumnStats, ColumnStats],
    before: tuple[ColumnStats, ColumnStats],
) -> float:
    kept = [measure(now[0], before[0]), measure(now[1], before[1])]
    if not min(kept) > MIN_DISTANCE:
        return 0.0
    exchanged = [measure(now[0], before[1]), measure(now[1], before[0])]
    gains = [one - other for one, other in zip(kept, exchanged, strict=True)]
    fits = all(
        other < one / 2 and (other < MAX_NUMBER_DISTANCE or one > MIN_DISJOINT_DISTANCE)
        for one, other in zip(kept, exchanged, strict=True)
    )
    return min(gains) if fits else 0.0


def _number_distance(now: ColumnStats, before: ColumnStats) -> float:
    return pair_distances.kolmogorov_smirnov(Pair(now, before).cumulative_shares)


def _value_distance(now: ColumnStats, before: ColumnStats) -> float:
    if not (now.mostly_counted and before.mostly_counted):
        return 1.0
    return pair_distances.l1(Pair(now, before).value_counts) / 2


def _shape_distance(now: ColumnStats, before: ColumnStats) -> float:
    if not (now.shape_counts and before.shape_counts):
        return 1.0
    return pair_distances.l1(Pair(now, before).shape_counts) / 2


def _writing_distance(now: ColumnStats, before: ColumnStats) -> float:
    """Return how much the length and the kinds of characters differ, from 0 to 1."""
    if not (now.n_characters > 0 and before.n_characters > 0):
        return 1.0
    longer = abs(math.log(now.per_value(Stat.CHARACTERS) / before.per_value(Stat.CHARACTERS)))
    classes = (
        abs(now[name] / now.n_characters - before[name] / before.n_characters)
        for name in (Stat.LETTERS, Stat.DIGITS, Stat.SPACES, Stat.SYMBOLS)
    )
    return 1 - math.exp(-longer - sum(classes) / 2)
