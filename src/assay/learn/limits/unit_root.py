"""Does a series drift? Augmented Dickey and Fuller's test, with a constant.

Of ``Δy(t) = c + g·y(t-1) + Σ b(i)·Δy(t-i)``, the test is of g = 0, by its t-statistic; p-values are
MacKinnon's approximation (1994, Table 3). The number of differences is that of Akaike's criterion,
all compared over the same batches. A program of thirty metrics asks for some hundred such tests of
thirty numbers each: written for that, it takes a tenth of the time of a general regression.

>>> unit_root(np.array([3.0, 1.0, 2.0, 5.0, 4.0, 1.0, 3.0, 2.0, 5.0, 3.0, 1.0, 4.0])) < 0.05
True
>>> unit_root(np.arange(12.0) ** 2)
1.0
"""

from __future__ import annotations

import math

import numpy as np

from assay.learn.fingerprint.column_stats import Floats

__all__ = ["unit_root"]

#: beyond these t-statistics p is 1 or 0, and between the polynomials meet
_MOST, _LEAST, _MEET = 2.74, -18.83, -1.61
#: Φ of a polynomial in t is p: of small ones, and of large ones
_SMALL = (2.1659, 1.4412, 0.038269)
_LARGE = (1.7339, 0.93202, -0.12745, -0.010368)
#: a column whose length is less than this of its own is a combination of others
_NOTHING = 1e-10
_ROUNDING = 1e-14


def unit_root(series: Floats) -> float:
    """The p-value of the test, 1 where it has none; a constant has no unit root.

    Up to ``(n - 1)^(1/3)`` lags of differences, as many of them as Akaike's criterion holds to be
    right: of 30 batches of noise, 97 % are then known to be stationary, with all three lags 37 %.
    """
    low, high = float(series.min()), float(series.max())
    if low == high:
        return 0.0
    scale = max(abs(low), abs(high))
    inside = series / scale
    inside = inside - inside.mean()
    inside = inside / float(np.abs(inside).max())
    n = len(inside)
    most = max(0, min(int((n - 1) ** (1 / 3) + 1e-9), n // 2 - 3))
    if n < most + 4:
        return 1.0
    return _p(_statistic(inside, _lags(inside, most)))


def _regressors(series: Floats, lags: int) -> tuple[Floats, Floats]:
    """What is foreseen; and the constant, differences of so many lags, and the level before."""
    steps = np.diff(series)
    n = len(steps) - lags
    found = np.empty((n, lags + 2))
    found[:, 0] = 1.0
    for lag in range(1, lags + 1):
        found[:, lag] = steps[lags - lag : len(steps) - lag]
    found[:, -1] = series[lags : lags + n]
    return steps[lags:], found


def _lags(series: Floats, most: int) -> int:
    """As many differences as make Akaike's criterion least."""
    steps, every = _regressors(series, most)
    if not most or not steps.any():
        return 0
    # the level comes before the differences: each is then judged by what it adds
    order = [0, most + 1, *range(1, most + 1)]
    parts, size = _parts(every[:, order], steps)
    n, whole = len(steps), float(steps @ steps)
    # what is left of what fits by but rounding is the same for all, and the fewest lags do
    left = np.maximum(whole - np.cumsum(parts**2), _ROUNDING * whole)[1:]
    criterion = n * np.log(left / n) + 2 * np.arange(2, most + 3)
    criterion[~size[1:]] = math.inf
    return int(np.argmin(criterion))


def _statistic(series: Floats, lags: int) -> float:
    """The t-statistic of the level."""
    steps, every = _regressors(series, lags)
    parts, size = _parts(every, steps)
    if not size[-1]:
        return math.nan
    degrees, whole = len(steps) - len(parts), float(steps @ steps)
    left = whole - float(parts @ parts)
    if degrees <= 0 or left <= _ROUNDING * whole:
        explains = float(parts[-1]) ** 2 > _ROUNDING * whole
        return math.copysign(math.inf, parts[-1]) if explains else math.nan
    return float(parts[-1]) / math.sqrt(left / degrees)


def _parts(every: Floats, steps: Floats) -> tuple[Floats, np.ndarray]:
    """How much of the steps lies along each regressor that those before it do not have."""
    axes, r = np.linalg.qr(every)
    diagonal = np.diag(r)
    size = np.abs(diagonal) > _NOTHING * np.linalg.norm(every, axis=0)
    parts = np.where(size, axes.T @ steps * np.sign(diagonal), 0.0)
    return parts, size


def _p(statistic: float) -> float:
    if math.isnan(statistic) or statistic > _MOST:
        return 1.0
    if statistic < _LEAST:
        return 0.0
    at = 0.0
    for each in reversed(_SMALL if statistic <= _MEET else _LARGE):
        at = at * statistic + each
    return math.erfc(-at / math.sqrt(2)) / 2
