"""Decide whether one row explains the first change of a metric.

Adding or removing one row changes some metrics. Such a change is not reported:

- the row with the minimum or maximum is missing, so that the next value takes its place;
- a share between 0 and 1 moves by no more than chance allows;
- values that occurred once are missing, so that there are fewer distinct values.

A value that no earlier batch had is always reported, even in one row: a larger maximum, the first
null, a new category.

>>> from assay.learn.fingerprint.from_rows import fingerprint, numbers
>>> last = fingerprint({"n": numbers([1.0, 2.0, 3.0, 9.0])}).columns["n"]
>>> [explained_by_one_row(catalogue.MAX, 9.0, value, last, 4) for value in (3.0, 2.5, 10.0)]
[True, False, False]
>>> shares = (0.8, 0.98)
>>> [explained_by_one_row(catalogue.COMPLETENESS, s, s + 0.02, last, 50) for s in shares]
[True, False]
"""

from __future__ import annotations

import math

from assay.learn.fingerprint import metrics as catalogue
from assay.learn.fingerprint.column_stats import ColumnStats, WeightedSample

__all__ = ["explained_by_one_row"]

#: Chance moves a share by more than 3 standard errors in about 1 of 370 batches.
_MAX_STANDARD_ERRORS = 3.0
_ROUNDING = 1e-9


def explained_by_one_row(
    metric: str, constant: float, observed: float, last: ColumnStats, rows: int
) -> bool:
    """Return whether one row, or chance, explains the change of an unchanged metric.

    Parameters
    ----------
    metric
        The name of the metric.
    constant
        Its value in all batches so far.
    observed
        Its value in this batch.
    last
        The column in the last batch.
    rows
        The number of rows in this batch.
    """
    entry = catalogue.find(metric)
    if entry is None or not rows or not math.isfinite(observed):
        return False
    change = observed - constant
    if entry.is_share:
        error = math.sqrt(max(0.0, constant * (1 - constant)) / rows)
        inside = 0 < constant < 1 and 0 < observed < 1
        return inside and abs(change) <= max(1 / rows, _MAX_STANDARD_ERRORS * error) + _ROUNDING
    if entry.name == catalogue.DISTINCT_COUNT:
        return 0 <= -change <= sum(count == 1 for count in last.value_counts.values())
    if last.sample is not None:
        below, above = _gaps_at_the_ends(last.sample)
        room = _ROUNDING * max(abs(constant), abs(observed))
        if entry.name == catalogue.MIN:
            return 0 <= change <= below + room
        if entry.name == catalogue.MAX:
            return 0 <= -change <= above + room
        if entry.name == catalogue.RANGE:
            return 0 <= -change <= max(below, above) + room
    return False


def _gaps_at_the_ends(sample: WeightedSample) -> tuple[float, float]:
    """Return the distances from the minimum and the maximum to the next value.

    A distance is 0 if several rows hold the minimum or maximum. It is an upper bound if a sketch
    has dropped the next value.
    """
    values, weights = sample.values, sample.weights
    if len(values) < 2:
        return 0.0, 0.0
    below = values[1] - values[0] if weights[0] == 1 else 0.0
    above = values[-1] - values[-2] if weights[-1] == 1 else 0.0
    return float(below), float(above)
