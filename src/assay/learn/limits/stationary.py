"""A metric that drifts or has a season, made one that does not (Algorithms 4 and 5, Appendix E).

A series is left as it is if Augmented Dickey and Fuller's test rejects that it has a unit root, and
no season was declared that foresees it better than its mean does.

Else differences are taken over a lag, of the values or of their logarithms, if the test rejects it
of them. Trying every lag at 5 % finds some by chance. So the lag is 1, or the season that was
declared, or one over which the values are foreseen twice as well as over those. Of several, that of
the least error counts. Where the mean foresees better than all, the test of so few batches was too
weak, and the series is left as it is.

>>> weekly = np.tile([100.0, 103.0, 105.0, 101.0, 99.0, 60.0, 55.0], 5) + 5 * np.arange(35)
>>> found = stationary(weekly)
>>> print(found)
difference to 7 batches before
>>> weekly[-7], found.of_next(weekly, 275.0)
(np.float64(240.0), 35.0)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assay.learn.fingerprint.column_stats import Floats
from assay.learn.limits.tail_bounds import Spread, unchanging
from assay.learn.limits.unit_root import unit_root

__all__ = ["AS_IS", "LEAST", "Transformation", "stationary"]

#: no test of fewer points
LEAST = 8
_SIGNIFICANCE = 0.05
#: how much better than the usual lags another must foresee
_BETTER = 0.5


@dataclass(frozen=True, slots=True)
class Transformation:
    """The metric itself (lag 0), or its difference to so many batches before, of logarithms or not.

    Logarithms are of positive values; what is not positive has none, and neither has a difference
    to it.
    """

    lag: int = 0
    log: bool = False

    def of(self, series: Floats) -> Floats:
        """The series that is left, oldest first: shorter by the lag."""
        values = self._logs(series)
        if not self.lag:
            return values
        with np.errstate(invalid="ignore", over="ignore"):
            found: Floats = values[self.lag :] - values[: -self.lag]
        return found

    def of_next(self, history: Floats, value: float) -> float:
        """The same of the value that comes next: ``M(new) - M(K + 1 - lag)``."""
        if not self.lag:
            return float(self._logs(np.array([value]))[0])
        if len(history) < self.lag:
            return math.nan
        return float(self.of(np.append(history[-self.lag :], value))[0])

    def undone(self, history: Floats, limit: float) -> float:
        """The value that comes next of which the transformation is this limit."""
        if not self.lag:
            return math.exp(limit) if self.log else limit
        if len(history) < self.lag:
            return math.nan
        before = float(history[-self.lag])
        if not self.log:
            return before + limit
        return before * math.exp(min(limit, 700.0)) if before > 0 else math.nan

    def _logs(self, series: Floats) -> Floats:
        if not self.log:
            return series
        with np.errstate(divide="ignore", invalid="ignore"):
            found: Floats = np.where(series > 0, np.log(series), np.nan)
        return found

    def __str__(self) -> str:
        if not self.lag:
            return "logarithm" if self.log else "as it is"
        batches = "the batch" if self.lag == 1 else f"{self.lag} batches"
        return f"{'relative ' if self.log else ''}difference to {batches} before"


AS_IS = Transformation()


def stationary(
    series: Floats, season: int | None = None, *, any_lag: bool = False
) -> Transformation | None:
    """What makes the series stationary, or None if nothing does (Algorithm 5).

    With `any_lag` as in the paper: the first lag of all that passes the test.

    Values that are NaN or infinite are gaps; a series of fewer than 8 others is left as it is.
    """
    usable = series[np.isfinite(series)]
    if len(usable) < LEAST:
        return AS_IS
    if _steady(series):
        return AS_IS if season is None or any_lag else _seasonal(series, season)
    for log in (False, True):
        if log and not (usable > 0).all():
            break
        values = Transformation(log=log).of(series)
        lags: Sequence[int] = range(1, len(usable) - LEAST + 1)
        if not any_lag:
            lags = _lags(values, season)
            if not lags and not log:
                return AS_IS
        found = (Transformation(lag, log) for lag in lags)
        steady = next((each for each in found if _steady(each.of(series))), None)
        if steady is not None:
            return steady
    return None


def _seasonal(series: Floats, season: int) -> Transformation:
    """The difference over the season if it foresees better than the mean does."""
    found = Transformation(season)
    better = _error(series, season, season) < _error(series, 0, season)
    return found if better and _steady(found.of(series)) else AS_IS


def _lags(series: Floats, season: int | None) -> list[int]:
    """The lags that may be tried, the one that foresees best first."""
    longest = int(np.isfinite(series).sum()) - LEAST
    usual = [lag for lag in dict.fromkeys((1, season or 1)) if lag <= longest]
    most = min(longest, len(series) // 3)
    error = {lag: _error(series, lag, most) for lag in {*usual, *range(1, most + 1)}}
    by_mean = _error(series, 0, most)
    limit = _BETTER * min((error[lag] for lag in usual), default=math.inf)
    found = [lag for lag in error if error[lag] < (by_mean if lag in usual else limit)]
    return sorted((lag for lag in found if error[lag] < by_mean), key=lambda at: (error[at], at))


def _error(series: Floats, lag: int, start: int) -> float:
    """The error of foreseeing values by those a lag before, or for lag 0 by their mean.

    Over the batches from `start` on, where all lags can be compared; a steady drift is no error.
    """
    with np.errstate(invalid="ignore", over="ignore"):
        if lag:
            apart = series[max(start, lag) :] - series[max(start, lag) - lag : -lag]
        else:
            apart = series[start:]
    apart = apart[np.isfinite(apart)]
    return Spread.of(apart).deviation if len(apart) > 1 else math.inf


def _steady(series: Floats) -> bool:
    usable = series[np.isfinite(series)]
    if len(usable) < LEAST:
        return False
    if unchanging(usable):
        return True
    steps = np.diff(usable / float(np.abs(usable).max()))
    if unchanging(steps) and steps[-1] != 0:
        return False  # a straight line, of which rounding is all that the test would see
    return unit_root(usable) < _SIGNIFICANCE
