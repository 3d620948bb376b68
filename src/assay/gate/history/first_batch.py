"""Recognize a first batch that is unlike all later batches.

It is often cut off, or it is the load of all earlier data. Then it is left out of learning: its row
count would widen the limits for months.

>>> def batch(rows):
...     return {ROW_COUNT: ROW_COUNT.to_scale(rows)}
>>> days = [batch(1000.0 + day) for day in range(8)]
>>> [is_unlike_others([batch(rows), *days]) for rows in (90.0, 960.0, 90_000.0)]
[True, False, True]
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from assay.learn.novelty.features import ROW_COUNT, Features

__all__ = ["is_unlike_others"]

#: The smallest number of batches to compare the first one with.
_MIN_OTHERS = 8
#: It is unlike the others with less than half of their fewest, or more than twice their most rows.
_MAX_FACTOR = 2.0


def is_unlike_others(batches: Sequence[Features]) -> bool:
    """Return whether the first batch has far fewer or far more rows than all others.

    Parameters
    ----------
    batches
        The features of all batches of a dataset, oldest first.
    """
    if len(batches) <= _MIN_OTHERS:
        return False
    first, *others = (ROW_COUNT.from_scale(b.get(ROW_COUNT, math.nan)) for b in batches)
    others = [rows for rows in others if rows > 0]
    if not first > 0 or len(others) < _MIN_OTHERS:
        return False
    return first * _MAX_FACTOR < min(others) or first > _MAX_FACTOR * max(others)
