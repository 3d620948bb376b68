"""Remove drift and season from the history of a metric (Algorithms 4 and 5, Appendix E, avh-kdd23).

A series stays as it is if the augmented Dickey-Fuller test rejects a unit root, unless a declared
season predicts it better than its mean.

Otherwise the series is replaced by its differences over a lag, if the test rejects a unit root for
them. They are differences of the values or of their logarithms. A test of every lag at 5 % would
accept some lags by chance. The lag is therefore 1, the declared season, or a lag whose predictions
have at most half the error of these. The lag with the smallest error is chosen. If the mean
predicts better than all lags, the series stays as it is.

>>> weekly = np.tile([100.0, 103.0, 105.0, 101.0, 99.0, 60.0, 55.0], 5) + 5 * np.arange(35)
>>> transformation = stationary(weekly)
>>> print(transformation)
difference to 7 batches before
>>> weekly[-7], transformation.of_next(weekly, 275.0)
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

#: The test needs at least this many values.
LEAST = 8
_SIGNIFICANCE = 0.05
#: Another lag must have at most half the error of the usual lags.
_BETTER = 0.5


@dataclass(frozen=True, slots=True)
class Transformation:
    """The metric itself (lag 0), or its difference to an earlier batch.

    Parameters
    ----------
    lag
        The number of batches between the two values of a difference.
    log
        True if logarithms are taken first. Values that are not positive become NaN.
    """

    lag: int = 0
    log: bool = False

    def of(self, series: Floats) -> Floats:
        """Transform a series, oldest value first. The result is shorter by the lag."""
        values = self._logs(series)
        if not self.lag:
            return values
        with np.errstate(invalid="ignore", over="ignore"):
            differences: Floats = values[self.lag :] - values[: -self.lag]
        return differences

    def of_next(self, history: Floats, value: float) -> float:
        """Transform the next value: ``M(new) - M(K + 1 - lag)``."""
        if not self.lag:
            return float(self._logs(np.array([value]))[0])
        if len(history) < self.lag:
            return math.nan
        return float(self.of(np.append(history[-self.lag :], value))[0])

    def undo(self, history: Floats, limit: float) -> float:
        """Return the next value whose transformation is this limit."""
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
            logarithms: Floats = np.where(series > 0, np.log(series), np.nan)
        return logarithms

    def __str__(self) -> str:
        if not self.lag:
            return "logarithm" if self.log else "as it is"
        batches = "the batch" if self.lag == 1 else f"{self.lag} batches"
        return f"{'relative ' if self.log else ''}difference to {batches} before"


AS_IS = Transformation()


def stationary(
    series: Floats, season: int | None = None, *, any_lag: bool = False
) -> Transformation | None:
    """Return the transformation that makes a series stationary, or None (Algorithm 5).

    Parameters
    ----------
    series
        The values, oldest first. NaN and infinite values are ignored. A series with fewer than 8
        finite values stays as it is.
    season
        The number of batches after which values repeat.
    any_lag
        True to take the first of all lags that passes the test, as the paper does.
    """
    usable = series[np.isfinite(series)]
    if len(usable) < LEAST:
        return AS_IS
    if _is_stationary(series):
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
        candidates = (Transformation(lag, log) for lag in lags)
        chosen = next((t for t in candidates if _is_stationary(t.of(series))), None)
        if chosen is not None:
            return chosen
    return None


def _seasonal(series: Floats, season: int) -> Transformation:
    """Return the difference over the season if it predicts better than the mean."""
    seasonal = Transformation(season)
    better = _error(series, season, season) < _error(series, 0, season)
    return seasonal if better and _is_stationary(seasonal.of(series)) else AS_IS


def _lags(series: Floats, season: int | None) -> list[int]:
    """Return the lags to try, the one with the smallest error first."""
    longest = int(np.isfinite(series).sum()) - LEAST
    usual = [lag for lag in dict.fromkeys((1, season or 1)) if lag <= longest]
    most = min(longest, len(series) // 3)
    error = {lag: _error(series, lag, most) for lag in {*usual, *range(1, most + 1)}}
    by_mean = _error(series, 0, most)
    limit = _BETTER * min((error[lag] for lag in usual), default=math.inf)
    candidates = [lag for lag in error if error[lag] < (by_mean if lag in usual else limit)]
    return sorted(
        (lag for lag in candidates if error[lag] < by_mean), key=lambda at: (error[at], at)
    )


def _error(series: Floats, lag: int, start: int) -> float:
    """Return the error of predicting values from those one lag earlier; lag 0 is their mean.

    Only batches from `start` on are used, so that all lags can be compared. A constant drift is
    not an error.
    """
    with np.errstate(invalid="ignore", over="ignore"):
        if lag:
            errors = series[max(start, lag) :] - series[max(start, lag) - lag : -lag]
        else:
            errors = series[start:]
    errors = errors[np.isfinite(errors)]
    return Spread.of(errors).deviation if len(errors) > 1 else math.inf


def _is_stationary(series: Floats) -> bool:
    usable = series[np.isfinite(series)]
    if len(usable) < LEAST:
        return False
    if unchanging(usable):
        return True
    steps = np.diff(usable / float(np.abs(usable).max()))
    if unchanging(steps) and steps[-1] != 0:
        return False  # A straight line: the test would see rounding errors only.
    return unit_root(usable) < _SIGNIFICANCE
