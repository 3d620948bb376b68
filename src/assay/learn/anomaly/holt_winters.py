"""Detect anomalies with Holt-Winters smoothing of level, slope and season."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from assay.checks.assertions.expectation import Expectation, NotEnough, Point
from assay.errors import InvalidValueError
from assay.learn.anomaly.deviation_range import Deviations, constant
from assay.learn.anomaly.format_estimate import format_estimate
from assay.learn.anomaly.series import values
from assay.learn.anomaly.units import Units
from assay.learn.dependency import require_extra

__all__ = ["HoltWinters"]


@dataclass(frozen=True, kw_only=True)
class HoltWinters(Deviations):
    """Forecast by exponential smoothing with an additive season of `period` batches.

    The season is counted in batches, so two periods without gaps are required. Use `Seasonal`,
    which follows the calendar, if batches can be missing or late.

    The smoothing factors come from a grid: those with the least squared error one batch ahead.
    The same errors give the standard deviation, ``sd² = Σ e² / (n - period - 3)``. The range is
    widened by Student's t distribution for short histories.
    """

    period: int = 7

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.period < 2:
            raise InvalidValueError.unexpected("invalid period", "at least 2 batches", self.period)

    @property
    def need(self) -> int:
        """Batches required: two periods, and at least six forecast errors."""
        return max(2 * self.period, self.period + 6)

    def expect(self, history: Sequence[Point], time: datetime) -> Expectation | NotEnough:
        """Return the forecast ± `lower` and `upper` standard deviations of earlier errors."""
        metric_values = values(history)
        if len(metric_values) < self.need:
            return NotEnough(len(metric_values), self.need)
        if min(metric_values) == max(metric_values):
            return constant(metric_values[0], len(metric_values))
        with require_extra("numpy"):
            import numpy as np

            from assay.learn.anomaly.smoothing import candidates, smooth

        units = Units.of(metric_values)
        factors = candidates()
        smoothed = smooth(np.array(units.scaled(metric_values)), self.period, factors)
        squares = (smoothed.errors**2).sum(axis=0)
        best = int(squares.argmin())
        df = len(smoothed.errors) - 3
        sd = units.spread(math.sqrt(squares[best] / df))
        forecast = units.value(float(smoothed.forecast[best]))
        level, slope, season = factors[best]
        reason = (
            f"{format_estimate(forecast)} foreseen {self._allowed} sd {format_estimate(sd)}"
            f" from {len(metric_values)} batches,"
            f" season of {self.period} (factors {level:g}, {slope:g}, {season:g})"
        )
        return self._student_width(forecast, sd, df=df, reason=reason)
