"""What one row can do to a metric that never changed: nothing to tell anybody of.

That a number has been the same in all batches says little where one row more or less changes it.
The greatest value may be in one row, which is missing today; of a share that is neither none nor
all, as many rows more or less as chance has it make another share. What lies outside of what was,
a value that is greater than any before, the first null, a category that is new, is a change however
few the rows.

>>> from assay.learn.fingerprint.from_rows import fingerprint, numbers
>>> last = fingerprint({"n": numbers([1.0, 2.0, 3.0, 9.0])}).columns["n"]
>>> [by_one_row("max", 9.0, value, last, 4) for value in (3.0, 2.5, 10.0)]
[True, False, False]
>>> [by_one_row("complete_ratio", share, share + 0.02, last, 50) for share in (0.8, 0.98)]
[True, False]
"""

from __future__ import annotations

import math

from assay.learn.fingerprint.column_stats import ColumnStats, WeightedSample

__all__ = ["explained_by_one_row"]

_SHARES = frozenset(
    ("complete_ratio", "unique_ratio", "zero_ratio", "negative_ratio", "empty_ratio")
)
#: chance seldom moves a share by more standard errors
_ERRORS = 3.0
_ROUNDING = 1e-9


def explained_by_one_row(
    metric: str, constant: float, observed: float, last: ColumnStats, rows: int
) -> bool:
    """Whether what was `constant` up to the `last` batch is another by one row, or by chance."""
    if not rows or not math.isfinite(observed):
        return False
    apart = observed - constant
    if metric in _SHARES:
        error = math.sqrt(max(0.0, constant * (1 - constant)) / rows)
        inside = 0 < constant < 1 and 0 < observed < 1
        return inside and abs(apart) <= max(1 / rows, _ERRORS * error) + _ROUNDING
    if metric == "dist_val_count":
        return 0 <= -apart <= sum(count == 1 for count in last.value_counts.values())
    if metric in {"min", "max", "range"} and last.sample is not None:
        inwards = apart if metric == "min" else -apart
        gaps = _gaps(last.sample)
        gap = max(gaps) if metric == "range" else gaps[metric == "max"]
        return 0 <= inwards <= gap + _ROUNDING * max(abs(constant), abs(observed))
    return False


def _gaps(ranked: WeightedSample) -> tuple[float, float]:
    """How far it is from the least number to the next, and from the greatest to the one before.

    None where more than one row is there, or where a sketch has left out what is next to it.
    """
    if len(ranked.values) < 2:
        return 0.0, 0.0
    below = ranked.values[1] - ranked.values[0] if ranked.weights[0] == 1 else 0.0
    above = ranked.values[-1] - ranked.values[-2] if ranked.weights[-1] == 1 else 0.0
    return float(below), float(above)
