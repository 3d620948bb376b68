"""Holt and Winters: level, slope and season, each smoothed exponentially."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from assay.checks.anomalies import Expectation, NotEnough, Point
from assay.learn.anomaly.deviations import Deviations, constant
from assay.learn.anomaly.history import values
from assay.learn.anomaly.units import Units
from assay.learn.anomaly.wording import about
from assay.learn.dependency import needs

__all__ = ["HoltWinters"]


@dataclass(frozen=True, kw_only=True)
class HoltWinters(Deviations):
    """Exponential smoothing with an additive season of `period` batches.

    The smoothing factors are those of a grid with the least squared error one batch ahead. From
    the same errors come the deviations, ``sd² = Σ e² / (n - period - 3)``, widened as Student's t
    demands for few. Needs two periods without gaps: the season is counted in batches. Where
    batches are missing or late, `Seasonal` goes by the calendar.
    """

    period: int = 7

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.period < 2:
            raise ValueError(f"period is 2 batches or more, not {self.period!r}.")

    @property
    def need(self) -> int:
        """Two periods, and a few errors to tell the spread from."""
        return max(2 * self.period, self.period + 6)

    def expect(self, history: Sequence[Point], time: datetime) -> Expectation | NotEnough:
        """The value foreseen ± so many deviations of what was foreseen wrongly."""
        known = values(history)
        if len(known) < self.need:
            return NotEnough(len(known), self.need)
        if min(known) == max(known):
            return constant(known[0], len(known))
        with needs("numpy"):
            import numpy as np

            from assay.learn.anomaly.smoothing import candidates, smooth

        units = Units.of(known)
        factors = candidates()
        smoothed = smooth(np.array(units.without(known)), self.period, factors)
        squares = (smoothed.errors**2).sum(axis=0)
        best = int(squares.argmin())
        df = len(smoothed.errors) - 3
        sd = units.spread(math.sqrt(squares[best] / df))
        foreseen = units.value(float(smoothed.forecast[best]))
        level, slope, season = factors[best]
        reason = (
            f"{about(foreseen)} foreseen {self._allowed} sd {about(sd)} from {len(known)} batches,"
            f" season of {self.period} (factors {level:g}, {slope:g}, {season:g})"
        )
        return self._widened(foreseen, sd, df=df, reason=reason)
