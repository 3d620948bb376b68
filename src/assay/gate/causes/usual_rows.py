"""The usual number of rows of a batch: that of its weekday, if weekdays differ.

>>> usual = UsualRows(2660.0, "median of 8 Saturdays")
>>> print(f"985 rows arrived; {usual}.")
985 rows arrived; usually 2,660 (median of 8 Saturdays).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import median

from assay.learn.fingerprint import metrics
from assay.learn.limits.metric_history import MetricHistory

__all__ = ["UsualRows", "usual_rows"]

#: batches from which a number of rows is usual
MIN_BATCHES = 5
#: latest batches that are considered: two weeks, or as many weekdays as are seen in two months
MAX_BATCHES, MAX_WEEKDAYS = 14, 8
#: a weekday is another one if its median is this many median absolute deviations from that of all
MIN_DEVIATIONS = 3.0


@dataclass(frozen=True, slots=True)
class UsualRows:
    """A median of earlier row counts, and the batches that it is of."""

    count: float
    batches: str

    def __str__(self) -> str:
        return f"usually {self.count:,.0f} ({self.batches})"


def usual_rows(history: MetricHistory, time: datetime) -> UsualRows | None:
    """Return the usual number of rows at a time; None if too few batches are known."""
    counts = [
        (batch.time.weekday(), row_count)
        for batch, by_column in zip(history.batches, history.metrics, strict=True)
        if math.isfinite(row_count := _row_count(by_column)) and row_count
    ]
    if len(counts) < MIN_BATCHES:
        return None
    latest = [row_count for _, row_count in counts][-MAX_BATCHES:]
    of_weekday = [row_count for day, row_count in counts if day == time.weekday()][-MAX_WEEKDAYS:]
    if len(of_weekday) >= MIN_BATCHES and _differs(of_weekday, latest):
        return UsualRows(median(of_weekday), f"median of {len(of_weekday)} {time:%A}s")
    return UsualRows(median(latest), f"median of {len(latest)} batches")


def _row_count(by_column: Mapping[str, metrics.MetricValues]) -> float:
    first = next(iter(by_column.values()), {})
    return first.get(metrics.ROW_COUNT, math.nan)


def _differs(of_weekday: Sequence[float], latest: Sequence[float]) -> bool:
    middle = median(of_weekday)
    deviation = median(abs(row_count - middle) for row_count in of_weekday)
    return abs(middle - median(latest)) > MIN_DEVIATIONS * deviation
