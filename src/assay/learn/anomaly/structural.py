"""A level, a slope and seasons that wander, followed through a series with gaps.

The basic structural model (Harvey, Forecasting, Structural Time Series Models and the Kalman
Filter, 1989, chapter 2) with seasons as sines and cosines of calendar time, whose coefficients
walk randomly. All variances are relative to that of the noise, which is learned along with the
rest (West and Harrison, Bayesian Forecasting and Dynamic Models, 1997, section 4.6): what is
foreseen has Student's distribution, however few the points. Several speeds of wandering are
followed side by side; which is best is read off how likely each held what came next.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

__all__ = ["Foreseen", "follow"]

Floats = NDArray[np.float64]

#: variances by which level and season wander per step, and that of the first slope
_LEVEL = (0.0, 0.01, 0.1, 0.7)
_SEASON = (0.0, 0.003, 0.03)
_SLOPE = (0.0, 1.0)
#: what is supposed at first: level, seasons, noise (of a series with variance 1)
_FIRST_LEVEL, _FIRST_SEASON, _FIRST_NOISE = 100.0, 25.0, 0.05
#: values farther off count as though they were this far off ...
_FAR = 4.0
#: ... unless so many in a row are far off on one side: then the level has moved
_MOVED = 3
#: the noise is that of about so many last values
_MEMORY = 100


@dataclass(frozen=True)
class Foreseen:
    """The next value, its standard error with degrees of freedom, and whether there is a slope."""

    value: float
    error: float
    df: float
    slope: bool


def follow(steps: Floats, series: Floats, waves: Floats) -> Foreseen:
    """Foresee the value of the last step.

    `steps` and the rows of `waves` (sines and cosines) have one entry more than `series`, that of
    the value to foresee.
    """
    models = np.array(list(product(_LEVEL, _SLOPE, _SEASON)))
    count, size = len(models), 2 + waves.shape[1]
    wander = np.zeros((count, size))
    wander[:, 0], wander[:, 2:] = models[:, 0], models[:, 2:]
    every = np.arange(size)
    state = np.zeros((count, size))
    spread = np.zeros((count, size, size))
    spread[:, every, every] = _FIRST_SEASON
    spread[:, 0, 0], spread[:, 1, 1] = _FIRST_LEVEL, models[:, 1]
    noise, df = np.full(count, _FIRST_NOISE), np.ones(count)
    likelihood, streak = np.zeros(count), np.zeros(count)
    sight = np.zeros(size)
    sight[0] = 1.0
    for at in range(len(steps)):
        if at:
            gap = max(0.0, steps[at] - steps[at - 1])
            state[:, 0] += gap * state[:, 1]
            spread[:, 0, :] += gap * spread[:, 1, :]
            spread[:, :, 0] += gap * spread[:, :, 1]
            spread[:, every, every] += gap * wander
        sight[2:] = waves[at]
        toward = spread @ sight
        variance = 1.0 + toward @ sight
        foreseen = state @ sight
        if at == len(series):
            break
        error = series[at] - foreseen
        sd = np.sqrt(variance * noise)
        off = error / sd
        likelihood -= np.log(sd) + (df + 1) / 2 * np.log1p(off * off / df)
        far = np.abs(off) > _FAR
        if far.any():
            side = np.where(far, np.sign(off), 0.0)
            streak = np.where(streak * side > 0, streak + side, side)
            moved = np.abs(streak) >= _MOVED
            spread[moved, 0, 0] += error[moved] ** 2 / noise[moved]
            streak[moved] = 0.0
            toward = spread @ sight
            variance = 1.0 + toward @ sight
            sd = np.sqrt(variance * noise)
            off = np.clip(error / sd, -_FAR, _FAR)
            error = off * sd
        else:
            streak[:] = 0.0
        gain = toward / variance[:, None]
        state += gain * error[:, None]
        spread -= gain[:, :, None] * toward[:, None, :]
        # while the states are still unknown, an error tells little of the noise
        told = 1.0 / variance
        noise *= (df + told * off * off) / (df + told)
        df = np.minimum(df + told, _MEMORY)
    best = int(likelihood.argmax())
    return Foreseen(
        float(foreseen[best]),
        math.sqrt(variance[best] * noise[best]),
        float(df[best]),
        bool(models[best, 1]),
    )
