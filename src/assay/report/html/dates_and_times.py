"""Dates, timestamps and times of day among the counted values of a column.

The fingerprint of a batch counts such values as text. Their range and distribution follow from the
counts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta

import numpy as np

from assay.learn.fingerprint.column_stats import ColumnStats, WeightedSample

__all__ = ["Moments", "moments_of"]

#: the share of the counted values that must be moments
_MIN_SHARE = 0.9
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ].*)?")
_TIME = re.compile(r"\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DAY = 86_400.0


@dataclass(frozen=True)
class Moments:
    """The moments of a column as seconds.

    Parameters
    ----------
    sample
        Seconds since 1970, or since midnight, with their counts.
    is_time_of_day
        True for times without a date.
    is_complete
        True if all values of the column are counted. Otherwise the range is that of a sample.
    """

    sample: WeightedSample
    is_time_of_day: bool
    is_complete: bool

    @property
    def ends(self) -> tuple[str, str]:
        """The earliest and the latest moment in words."""
        low, high = float(self.sample.values[0]), float(self.sample.values[-1])
        return self.format(low), self.format(high)

    def format(self, seconds: float) -> str:
        """Write a moment; days without a time if all moments are whole days."""
        moment = _EPOCH + timedelta(seconds=seconds)
        if self.is_time_of_day:
            return f"{moment:%H:%M}"
        if np.all(self.sample.values % _DAY == 0):
            return f"{moment:%Y-%m-%d}"
        return f"{moment:%Y-%m-%d %H:%M}"


def moments_of(stats: ColumnStats | None) -> Moments | None:
    """Return the moments of a column; None if its values are not dates or times.

    Parameters
    ----------
    stats
        The statistics of a column.
    """
    if stats is None or stats.kind != "categorical" or not stats.value_counts:
        return None
    for pattern, is_time_of_day in ((_DATE, False), (_TIME, True)):
        matching = {v: n for v, n in stats.value_counts.items() if pattern.fullmatch(v)}
        if sum(matching.values()) >= _MIN_SHARE * sum(stats.value_counts.values()):
            sample = _sample(matching, is_time_of_day=is_time_of_day)
            is_complete = not stats.uncounted(stats.value_counts)
            return None if sample is None else Moments(sample, is_time_of_day, is_complete)
    return None


def _sample(counts: Mapping[str, int], *, is_time_of_day: bool) -> WeightedSample | None:
    seconds: dict[float, float] = {}
    for value, count in counts.items():
        second = _seconds(value, is_time_of_day=is_time_of_day)
        if second is not None:
            seconds[second] = seconds.get(second, 0.0) + count
    if not seconds:
        return None
    ordered = sorted(seconds)
    weights = [seconds[second] for second in ordered]
    return WeightedSample(np.array(ordered), np.array(weights, dtype=np.float64))


def _seconds(value: str, *, is_time_of_day: bool) -> float | None:
    """Return seconds since 1970, or since midnight; None for a day such as 2026-02-30."""
    try:
        if is_time_of_day:
            moment = time.fromisoformat(value)
            return moment.hour * 3600.0 + moment.minute * 60.0 + moment.second
        parsed = datetime.fromisoformat(value)
    except ValueError:
        return None
    aware = parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)
    return (aware - _EPOCH).total_seconds()
