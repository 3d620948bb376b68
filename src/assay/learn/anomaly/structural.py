"""Forecast a series with gaps by a Kalman filter over level, slope and seasons.

The model is the basic structural model (Harvey, Forecasting, Structural Time Series Models and
the Kalman Filter, 1989, chapter 2). Seasons are sines and cosines of calendar time; their
coefficients follow random walks. All variances are relative to the noise variance, which is
learned as well (West and Harrison, Bayesian Forecasting and Dynamic Models, 1997, section 4.6).
The forecast therefore has Student's t distribution, even for short histories. Several variances
of the random walks are tried at once; the one with the greatest likelihood makes the forecast.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

__all__ = ["Forecast", "follow"]

Floats = NDArray[np.float64]

#: candidate variances: of the level and the season per step, and of the initial slope
_LEVEL_VARIANCES = (0.0, 0.01, 0.1, 0.7)
_SEASON_VARIANCES = (0.0, 0.003, 0.03)
_SLOPE_VARIANCES = (0.0, 1.0)
#: variances before the first value (of a series with variance 1): level, seasons, noise
_FIRST_LEVEL_VARIANCE, _FIRST_SEASON_VARIANCE, _FIRST_NOISE_VARIANCE = 100.0, 25.0, 0.05
#: larger errors are clipped to this number of deviations ...
_MAX_DEVIATIONS = 4.0
#: ... unless this number of values in a row is beyond it on one side: then the level has moved
_NEW_LEVEL_BATCHES = 3
#: the noise variance is estimated from about this number of recent values
_MAX_DF = 100


@dataclass(frozen=True)
class Forecast:
    """Forecast with its standard error and degrees of freedom; `slope` if the model has one."""

    value: float
    error: float
    df: float
    slope: bool


def follow(steps: Floats, series: Floats, waves: Floats) -> Forecast:
    """Forecast the value of the last step.

    `steps` and the rows of `waves` (sines and cosines) have one entry more than `series`: the
    last entry belongs to the forecast.
    """
    models = np.array(list(product(_LEVEL_VARIANCES, _SLOPE_VARIANCES, _SEASON_VARIANCES)))
    count, size = len(models), 2 + waves.shape[1]
    drift = np.zeros((count, size))
    drift[:, 0], drift[:, 2:] = models[:, 0], models[:, 2:]
    diagonal = np.arange(size)
    state = np.zeros((count, size))
    spread = np.zeros((count, size, size))
    spread[:, diagonal, diagonal] = _FIRST_SEASON_VARIANCE
    spread[:, 0, 0], spread[:, 1, 1] = _FIRST_LEVEL_VARIANCE, models[:, 1]
    noise, df = np.full(count, _FIRST_NOISE_VARIANCE), np.ones(count)
    likelihood, streak = np.zeros(count), np.zeros(count)
    observation = np.zeros(size)
    observation[0] = 1.0
    for index in range(len(steps)):
        if index:
            gap = max(0.0, steps[index] - steps[index - 1])
            state[:, 0] += gap * state[:, 1]
            spread[:, 0, :] += gap * spread[:, 1, :]
            spread[:, :, 0] += gap * spread[:, :, 1]
            spread[:, diagonal, diagonal] += gap * drift
        observation[2:] = waves[index]
        covariance = spread @ observation
        variance = 1.0 + covariance @ observation
        forecast = state @ observation
        if index == len(series):
            break
        error = series[index] - forecast
        sd = np.sqrt(variance * noise)
        deviations = error / sd
        likelihood -= np.log(sd) + (df + 1) / 2 * np.log1p(deviations * deviations / df)
        is_far = np.abs(deviations) > _MAX_DEVIATIONS
        streak = _count_far_values(streak, deviations, is_far)
        if is_far.any():
            moved = np.abs(streak) >= _NEW_LEVEL_BATCHES
            spread[moved, 0, 0] += error[moved] ** 2 / noise[moved]
            streak[moved] = 0.0
            covariance = spread @ observation
            variance = 1.0 + covariance @ observation
            sd = np.sqrt(variance * noise)
            deviations = np.clip(error / sd, -_MAX_DEVIATIONS, _MAX_DEVIATIONS)
            error = deviations * sd
        gain = covariance / variance[:, None]
        state += gain * error[:, None]
        spread -= gain[:, :, None] * covariance[:, None, :]
        # An error says little about the noise while the states are still uncertain.
        information = 1.0 / variance
        noise *= (df + information * deviations * deviations) / (df + information)
        df = np.minimum(df + information, _MAX_DF)
    best = int(likelihood.argmax())
    return Forecast(
        float(forecast[best]),
        math.sqrt(variance[best] * noise[best]),
        float(df[best]),
        bool(models[best, 1]),
    )


def _count_far_values(streak: Floats, deviations: Floats, is_far: NDArray[np.bool_]) -> Floats:
    """Count the far values in a row for each model; below zero if they lie below the forecast."""
    side = np.where(is_far, np.sign(deviations), 0.0)
    return np.where(streak * side > 0, streak + side, side)
