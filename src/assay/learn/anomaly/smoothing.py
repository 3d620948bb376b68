"""Additive Holt-Winters smoothing, for many smoothing factors at once.

The model has a level l, a slope b and a season s of m batches. The forecast is ``l + b + s``.
Its error e updates them: ``l ← l + b + alpha·e``, ``b ← b + alpha·beta·e``, ``s ← s + gamma·e``
(Hyndman et al., Forecasting with Exponential Smoothing, 2008, model AAA).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

__all__ = ["Smoothed", "candidates", "smooth"]

Floats = NDArray[np.float64]

_ALPHAS = (0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.9)
_BETAS = (0.0, 0.03, 0.1, 0.3)
_GAMMAS = (0.0, 0.05, 0.1, 0.2, 0.4)


@dataclass(frozen=True)
class Smoothed:
    """Forecast of the next value and errors of the earlier forecasts, per row of factors."""

    forecast: Floats
    errors: Floats


def candidates() -> Floats:
    """Return the grid of factors (alpha, beta, gamma) with ``gamma ≤ 1 - alpha``."""
    grid = product(_ALPHAS, _BETAS, _GAMMAS)
    return np.array([(alpha, beta, gamma) for alpha, beta, gamma in grid if gamma <= 1 - alpha])


def smooth(series: Floats, period: int, factors: Floats) -> Smoothed:
    """Smooth the series once for each row of factors.

    The first period gives the initial season, so it has no forecast errors. With three periods or
    more, the initial slope is the one between the first and the second third of them.
    """
    alpha, beta, gamma = factors.T
    slope = _slope(series, period)
    first = series[:period] - slope * (np.arange(period) - (period - 1) / 2)
    season = np.tile((first - first.mean())[:, None], len(factors))
    level = np.full(len(factors), series[:period].mean() + slope * (period - 1) / 2)
    trend = np.full(len(factors), slope)
    errors = np.empty((len(series) - period, len(factors)))
    for index, value in enumerate(series[period:]):
        phase = index % period
        error = value - level - trend - season[phase]
        level = level + trend + alpha * error
        trend = trend + alpha * beta * error
        season[phase] += gamma * error
        errors[index] = error
    return Smoothed(level + trend + season[len(errors) % period], errors)


def _slope(series: Floats, period: int) -> float:
    """Return the slope between two stretches of complete periods, where seasons cancel out."""
    periods = len(series) // period
    if periods < 3:
        return 0.0
    stretch = period * (periods // 3)
    rise = series[stretch : 2 * stretch].mean() - series[:stretch].mean()
    return float(rise / stretch)
