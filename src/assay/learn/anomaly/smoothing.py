"""Additive Holt-Winters smoothing, for many smoothing factors at once.

With level l, slope b and a season s of m batches, each value x is foreseen as ``l + b + s`` and
corrects them by its error e (Hyndman et al., Forecasting with Exponential Smoothing, 2008, AAA):
``l ← l + b + alpha·e``, ``b ← b + alpha·beta·e``, ``s ← s + gamma·e``.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

__all__ = ["Smoothed", "candidates", "smooth"]

Floats = NDArray[np.float64]

_ALPHA = (0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.9)
_BETA = (0.0, 0.03, 0.1, 0.3)
_GAMMA = (0.0, 0.05, 0.1, 0.2, 0.4)


@dataclass(frozen=True)
class Smoothed:
    """The next value for each combination of factors, and the errors made on the way to it."""

    forecast: Floats
    errors: Floats


def candidates() -> Floats:
    """Factors (alpha, beta, gamma) to choose from, with ``gamma ≤ 1 - alpha``."""
    grid = product(_ALPHA, _BETA, _GAMMA)
    return np.array([each for each in grid if each[2] <= 1 - each[0]])


def smooth(series: Floats, period: int, factors: Floats) -> Smoothed:
    """Go along the series with each row of factors.

    The first period is the first season; its errors are none. The slope starts as the one between
    the first and the second third of the periods, if there are three.
    """
    alpha, beta, gamma = factors.T
    slope = _slope(series, period)
    first = series[:period] - slope * (np.arange(period) - (period - 1) / 2)
    season = np.tile((first - first.mean())[:, None], len(factors))
    level = np.full(len(factors), series[:period].mean() + slope * (period - 1) / 2)
    trend = np.full(len(factors), slope)
    errors = np.empty((len(series) - period, len(factors)))
    for at, value in enumerate(series[period:]):
        phase = at % period
        error = value - level - trend - season[phase]
        level = level + trend + alpha * error
        trend = trend + alpha * beta * error
        season[phase] += gamma * error
        errors[at] = error
    return Smoothed(level + trend + season[len(errors) % period], errors)


def _slope(series: Floats, period: int) -> float:
    """The slope between two stretches of whole periods, which seasons do not disturb."""
    periods = len(series) // period
    if periods < 3:
        return 0.0
    stretch = period * (periods // 3)
    rise = series[stretch : 2 * stretch].mean() - series[:stretch].mean()
    return float(rise / stretch)
