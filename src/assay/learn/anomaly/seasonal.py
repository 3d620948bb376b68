"""Detect anomalies with a level and seasons that follow the calendar."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from statistics import median

from assay.checks.assertions.bounds import instant
from assay.checks.assertions.expectation import Expectation, NotEnough, Point
from assay.errors import InvalidValueError
from assay.learn.anomaly.deviation_range import Deviations, constant
from assay.learn.anomaly.format_estimate import format_estimate
from assay.learn.anomaly.series import usable
from assay.learn.anomaly.units import Units
from assay.learn.dependency import require_extra

__all__ = ["Seasonal"]

_SECONDS_PER_DAY = 86_400.0


@dataclass(frozen=True, kw_only=True)
class Seasonal(Deviations):
    """Forecast with a changing level and calendar seasons (`periods`, in days).

    The forecast uses the times of the batches. Batches may be missing; a longer gap gives a wider
    range. A period is used once the history spans it twice: 14 daily batches for a week. A season
    is a sum of up to `harmonics` waves, none shorter than two batches.

    The speed at which the level changes is learned. A single outlier hardly moves the level;
    three in a row on the same side set a new level. See `structural.py` for the model.
    """

    periods: tuple[float, ...] = (7.0, 365.25)
    harmonics: int = 3
    need: int = 14

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "periods", tuple(self.periods))
        if not all(0 < period < math.inf for period in self.periods):
            raise InvalidValueError.unexpected(
                "invalid periods", "positive numbers of days", self.periods
            )
        if self.harmonics < 1:
            raise InvalidValueError.unexpected("invalid harmonics", "at least 1", self.harmonics)
        if self.need < 5:
            raise InvalidValueError.unexpected("invalid need", "at least 5 batches", self.need)

    def expect(self, history: Sequence[Point], time: datetime) -> Expectation | NotEnough:
        """Return the forecast ± `lower` and `upper` standard errors of the forecast."""
        points = usable(history)
        metric_values = [float(point.value) for point in points]
        if len(metric_values) < self.need:
            return NotEnough(len(metric_values), self.need)
        if min(metric_values) == max(metric_values):
            return constant(metric_values[0], len(metric_values))
        times = (*(point.time for point in points), time)
        days = [instant(moment).timestamp() / _SECONDS_PER_DAY for moment in times]
        spacing = median([b - a for a, b in pairwise(days) if b > a] or [1.0])
        waves = self._waves(days[-1] - days[0], spacing)
        with require_extra("numpy"):
            import numpy as np

            from assay.learn.anomaly.structural import follow

        clock = np.array(days)
        angles = 2 * np.pi * np.outer(clock, [n / period for period, n in waves])
        units = Units.of(metric_values)
        forecast = follow(
            (clock - clock[0]) / spacing,
            np.array(units.scaled(metric_values)),
            np.hstack([np.cos(angles), np.sin(angles)]),
        )
        value, error = units.value(forecast.value), units.spread(forecast.error)
        seasons = " and ".join(f"{period:g}" for period in dict.fromkeys(p for p, _ in waves))
        reason = (
            f"{format_estimate(value)} foreseen {self._allowed} sd {format_estimate(error)}"
            f" from {len(metric_values)} batches,"
            f" {f'seasons of {seasons} days' if waves else 'no season yet'}"
        )
        return self._student_width(value, error, df=forecast.df, reason=reason)

    def _waves(self, span: float, spacing: float) -> list[tuple[float, int]]:
        """Return (period, harmonic) pairs for the periods that the history spans twice."""
        return [
            (period, n)
            for period in self.periods
            # Batches rarely arrive at exactly the same time of day.
            if span >= 2 * period - spacing / 2
            for n in range(1, min(self.harmonics, int(period / spacing / 2 + 0.1)) + 1)
        ]
