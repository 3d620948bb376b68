"""The mean hour of the day of the times in a column: a wrong time zone moves it.

>>> from assay.learn.fingerprint.column_stats import ColumnStats
>>> times = {"2026-11-14 05:00:00": 3, "2026-11-14T07:30:00Z": 1}
>>> mean_hour(ColumnStats("categorical", {"values": 4.0}, value_counts=times))
5.625
>>> mean_hour(ColumnStats("categorical", {"values": 4.0}, value_counts={"2026-11-14": 4}))
nan
"""

from __future__ import annotations

import math
import re

from assay.learn.fingerprint.column_stats import ColumnStats

__all__ = ["mean_hour"]

_TIME = re.compile(r"\d{4}-\d{2}-\d{2}[T ](\d{2}):(\d{2})")


def mean_hour(stats: ColumnStats) -> float:
    """Return the mean hour of the known values; NaN if one of them has no time, or all are equal.

    A column with one value per batch has the time of its delivery, which differs.
    """
    counts = stats.value_counts
    if len(counts) < 2 or not _TIME.match(next(iter(counts))):
        return math.nan
    total = 0.0
    for value, count in counts.items():
        match = _TIME.match(value)
        if match is None:
            return math.nan
        total += count * (int(match[1]) + int(match[2]) / 60)
    return total / sum(counts.values())
