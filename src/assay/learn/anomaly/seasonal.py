"""Weekly, yearly and other seasons by the calendar."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from statistics import median

from assay.checks.anomalies import Expectation, NotEnough, Point
from assay.checks.assertion import instant
from assay.learn.anomaly.deviations import Deviations, constant
from assay.learn.anomaly.history import usable
from assay.learn.anomaly.units import Units
from assay.learn.anomaly.wording import about
from assay.learn.dependency import needs

__all__ = ["Seasonal"]

_DAY = 86_400.0


@dataclass(frozen=True, kw_only=True)
class Seasonal(Deviations):
    """A level that may wander or rise, and seasons of the calendar (`periods`, in days).

    Goes by the time of the batches: days may be missing, and the longer the gap, the wider the
    range. A period counts once the history spans it twice; with a week and daily batches that is
    from 14 batches on. Each is a sum of up to `harmonics` waves, never shorter than two batches.
    How fast the level wanders is learned; single strange values hardly move it, three in a row on
    one side are a new level. See `structural.py` for the model.
    """

    periods: tuple[float, ...] = (7.0, 365.25)
    harmonics: int = 3
    need: int = 14

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "periods", tuple(self.periods))
        if not all(0 < period < math.inf for period in self.periods):
            raise ValueError(f"periods are positive numbers of days, not {self.periods!r}.")
        if self.harmonics < 1:
            raise ValueError(f"harmonics is 1 or more, not {self.harmonics!r}.")
        if self.need < 5:
            raise ValueError(f"need is 5 batches or more, not {self.need!r}.")

    def expect(self, history: Sequence[Point], time: datetime) -> Expectation | NotEnough:
        """The value foreseen ± so many standard errors of the forecast."""
        points = usable(history)
        known = [float(point.value) for point in points]
        if len(known) < self.need:
            return NotEnough(len(known), self.need)
        if min(known) == max(known):
            return constant(known[0], len(known))
        days = [instant(each).timestamp() / _DAY for each in (*(p.time for p in points), time)]
        spacing = median([b - a for a, b in pairwise(days) if b > a] or [1.0])
        waves = self._waves(days[-1] - days[0], spacing)
        with needs("numpy"):
            import numpy as np

            from assay.learn.anomaly.structural import follow

        clock = np.array(days)
        angles = 2 * np.pi * np.outer(clock, [n / period for period, n in waves])
        units = Units.of(known)
        foreseen = follow(
            (clock - clock[0]) / spacing,
            np.array(units.without(known)),
            np.hstack([np.cos(angles), np.sin(angles)]),
        )
        value, error = units.value(foreseen.value), units.spread(foreseen.error)
        seasons = " and ".join(f"{period:g}" for period in dict.fromkeys(p for p, _ in waves))
        reason = (
            f"{about(value)} foreseen {self._allowed} sd {about(error)} from {len(known)} batches,"
            f" {f'seasons of {seasons} days' if waves else 'no season yet'}"
        )
        return self._widened(value, error, df=foreseen.df, reason=reason)

    def _waves(self, span: float, spacing: float) -> list[tuple[float, int]]:
        """The periods that the history tells of, each with the numbers of its waves."""
        return [
            (period, n)
            for period in self.periods
            # batches are seldom on the minute
            if span >= 2 * period - spacing / 2
            for n in range(1, min(self.harmonics, int(period / spacing / 2 + 0.1)) + 1)
        ]
