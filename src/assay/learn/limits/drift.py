"""Find slow drift: a metric that rises or falls a little in each batch, from some batch on.

A limit for single batches cannot see a ramp of 0.5 % a day, because each batch is close to the ones
before. `find_drift` compares all batches of a window at once. It fits a straight line that bends at
one batch, for every batch of the window::

    x(t) = level + trend · t + slope · max(t - start, 0) + e(t),   e(t) = φ · e(t - 1) + noise

The best bend is tested: its slope divided by its standard error, with correlated errors. A trend
of the whole window is not a bend, and is not reported. A bend is a drift if

- the statistic is beyond the threshold for the false-alarm rate (`threshold`);
- no sudden step at any batch fits better, and each third of the ramp goes on;
- the metric moved away from where it was, and did not only return there;
- it moves several times as far as it did before in the same number of batches;
- the change is large enough to matter.

Weekdays are removed first if that lowers the variance of the series. A single odd batch is replaced
by the median of its neighbours.

>>> rng = np.random.default_rng(1)
>>> values = 200 + rng.normal(scale=1.0, size=60)
>>> find_drift(values, rate=0.001) is None
True
>>> values[40:] *= 1.005 ** np.arange(1, 21)
>>> drift = find_drift(values, rate=0.001)
>>> drift.rises, 36 <= drift.start <= 44, round(drift.relative_change, 2)
(True, True, 0.11)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np

from assay.learn.fingerprint.column_stats import Floats

__all__ = ["MIN_BATCHES", "MIN_RAMP", "MIN_REFERENCE", "Drift", "find_drift", "threshold"]

#: batches before a drift, from which the usual level and noise are known
MIN_REFERENCE = 14
#: batches of a drift; fewer are a burst, such as a storm (`benchmarks.drift`)
MIN_RAMP = 14
MIN_BATCHES = MIN_REFERENCE + MIN_RAMP
#: Factor of the false-alarm rate. In 4,000 windows of 60 batches of normal noise, a statistic of
#: 2.5 was exceeded in 4.5 % of the windows, and one of 3 in 1.1 %.
_CROSSINGS = 0.5
#: Correlation of errors is never assumed to be larger: a random walk has no level to leave.
_MAX_CORRELATION = 0.98
#: The correlation is assumed to be this many standard errors larger than its estimate.
_CORRELATION_ERRORS = 2.0
#: A value this many scales from the median of its neighbours is a single odd batch.
_MAX_DEVIATIONS = 5.0
_NEIGHBOURS = 2
#: Weekdays are removed only if the variance falls to less than this share.
_MAX_VARIANCE_SHARE = 0.7
_MIN_PER_PHASE = 3
#: The medians of a ramp's parts rise one after the other, and not mostly at once.
_PARTS = 3
#: A metric that always moves, such as a running total, has a ramp only if it moves this many times
#: as far as before. The waves of an epidemic move up to 2.1 times as far (benchmarks.judgement).
_MIN_ACCELERATION = 2.5
_MAX_PART_OF_RAMP = 0.65
#: A normal variable's standard deviation, in units of the median absolute deviation.
_NORMAL_MAD = 1.4826


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """A ramp that ends with the latest value.

    Parameters
    ----------
    start : int
        Place of the first value of the ramp.
    before, now : float
        The fitted values at the start and at the end, without season.
    false_alarm_rate : float
        The probability of such a statistic in a batch without drift.
    statistic : float
        The slope of the ramp in standard errors.
    """

    start: int
    before: float
    now: float
    false_alarm_rate: float
    statistic: float

    @property
    def rises(self) -> bool:
        """Return whether the metric rises."""
        return self.now > self.before

    @property
    def relative_change(self) -> float:
        """Return the change since the start as a share of the value at the start."""
        if not self.before:
            return math.copysign(math.inf, self.now - self.before)
        return (self.now - self.before) / abs(self.before)


@dataclass(frozen=True, slots=True)
class _Fit:
    """The line that bends at a place.

    `statistic` is the slope of the bend in standard errors, with `degrees` of freedom. The slope
    after the bend is ``slope + trend``.
    """

    place: int
    statistic: float
    degrees: float
    slope: float
    trend: float
    line: Floats


@dataclass(frozen=True, slots=True)
class _Scale:
    """A scale on which all values are at most 1, or their logarithms at most 0."""

    factor: float
    logs: bool

    @staticmethod
    def of(x: Floats, *, relative: bool) -> _Scale:
        """Return the scale of a series; that of logarithms if all values have one sign."""
        logs = relative and bool((x > 0).all() or (x < 0).all())
        sign = -1.0 if logs and x[0] < 0 else 1.0
        return _Scale(sign * float(np.abs(x).max()), logs)

    def apply(self, x: Floats) -> Floats:
        """Return a series on this scale."""
        scaled: Floats = x / self.factor
        return np.log(scaled) if self.logs else scaled

    def invert(self, value: float) -> float:
        """Return a value in the unit of the series."""
        return self.factor * (math.exp(value) if self.logs else value)


def find_drift(
    values: Sequence[float] | Floats,
    *,
    rate: float,
    phases: Sequence[int] = (),
    min_change: float = 0.0,
    relative: bool = True,
) -> Drift | None:
    """Return the drift that ends with the latest value, or None.

    Parameters
    ----------
    values
        A metric of consecutive batches, the latest last. NaN is left out. If the latest value is
        NaN, the result is None.
    rate
        The share of batches without drift in which one may be reported.
    phases
        The weekday of each value, or another phase of a season.
    min_change
        The smallest change since the start that matters: a share of the value before if `relative`
        is true, otherwise a difference.
    relative
        True for metrics that grow by factors, such as a mean. Positive values are then compared by
        their logarithms. False for shares.
    """
    series = np.asarray(values, dtype=np.float64)
    kept = np.flatnonzero(np.isfinite(series))
    if len(kept) < MIN_BATCHES or kept[-1] != len(series) - 1:
        return None
    x = series[kept]
    scale = _Scale.of(x, relative=relative)
    changes = float(np.ptp(x / scale.factor)) if scale.factor else 0.0
    smallest = float(np.abs(x).min()) if relative else 1.0
    if not changes or changes * abs(scale.factor) < min_change * smallest:
        return None
    y = scale.apply(x)
    if phases:
        y = _without_season(y, np.asarray(phases)[kept])
    y = _without_odd_values(y)
    fit = _best_bend(y)
    if fit is None or not _is_ramp(y, fit):
        return None
    tail = _false_alarm_rate(abs(fit.statistic), fit.degrees)
    if tail > rate:
        return None
    before, now = (scale.invert(float(end)) for end in (fit.line[fit.place], fit.line[-1]))
    if not abs(now - before) >= min_change * (abs(before) if relative else 1.0):
        return None
    start = int(kept[min(fit.place + 1, len(kept) - 1)])
    return Drift(
        start=start,
        before=before,
        now=now,
        false_alarm_rate=tail,
        statistic=fit.statistic,
    )


def threshold(rate: float) -> float:
    """Return the statistic that normal noise exceeds in a share `rate` of the batches.

    Notes
    -----
    A scan statistic crosses a high level c at a rate that is proportional to ``c φ(c)`` (Siegmund,
    *Sequential Analysis*, 1985, section IX). The factor is measured by simulation.

    Examples
    --------
    >>> round(threshold(0.001), 2), round(threshold(0.00001), 2)
    (3.83, 4.94)
    """
    low, high = 1.0, 40.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (middle, high) if _normal_rate(middle) > rate else (low, middle)
    return high


def _normal_rate(statistic: float) -> float:
    """Return the share of batches of normal noise whose statistic is at least so far from zero."""
    if statistic < 1:
        return 1.0
    density = math.exp(-statistic * statistic / 2) / math.sqrt(2 * math.pi)
    return min(1.0, 2 * _CROSSINGS * statistic * density)


def _false_alarm_rate(statistic: float, degrees: float) -> float:
    """Return the rate of a t statistic: that of a normal one with the same tail.

    The transformation to a normal variable is Wallace's (1959), which is exact to 1 % here.
    """
    scale = (8 * degrees + 1) / (8 * degrees + 3)
    normal = scale * math.sqrt(degrees * math.log1p(statistic * statistic / degrees))
    return _normal_rate(normal)


def _without_season(y: Floats, phases: np.ndarray) -> Floats:
    """Remove the mean of each phase if the values then vary far less around their moving mean."""
    names, places, counts = np.unique(phases, return_inverse=True, return_counts=True)
    if len(names) < 2 or counts.min() < _MIN_PER_PHASE:
        return y
    n_phases = len(names)
    width = min(2 * (n_phases // 2) + 1, len(y))
    padded = np.pad(y, width // 2, mode="reflect")
    around = y - np.convolve(padded, np.full(width, 1 / width), mode="valid")[: len(y)]
    effects = np.array([np.median(around[places == phase]) for phase in range(n_phases)])
    without = around - effects[places]
    share = float(np.sum(without**2) / (len(y) - n_phases)) / max(float(np.var(around)), 1e-300)
    return y - (effects - effects.mean())[places] if share < _MAX_VARIANCE_SHARE else y


def _without_odd_values(y: Floats) -> Floats:
    """Replace single values that are far from their neighbours by the median of these."""
    padded = np.pad(y, _NEIGHBOURS, mode="reflect")
    windows = np.lib.stride_tricks.sliding_window_view(padded, 2 * _NEIGHBOURS + 1)
    medians = np.median(windows, axis=1)
    distances = np.abs(y - medians)
    scale = _NORMAL_MAD * float(np.median(distances[distances > 0])) if distances.any() else 0.0
    return np.where(distances > _MAX_DEVIATIONS * scale, medians, y)


@lru_cache(maxsize=64)
def _designs(n: int) -> tuple[Floats, Floats, Floats]:
    """Return level and trend, and the parts of all bends and all steps that these do not explain.

    The parts are rows of unit length, so that a product with a series is its projection.
    """
    t = np.arange(n, dtype=np.float64)
    base, _ = np.linalg.qr(np.stack([np.ones(n), t], axis=1))
    bends = np.maximum(t[None, :] - np.arange(MIN_REFERENCE - 1, n - MIN_RAMP)[:, None], 0)
    steps = (t[None, :] >= np.arange(1, n)[:, None]).astype(np.float64)
    return base, _unexplained(bends, base), _unexplained(steps, base)


def _unexplained(rows: Floats, base: Floats) -> Floats:
    unexplained = rows - (rows @ base) @ base.T
    unit: Floats = unexplained / np.linalg.norm(unexplained, axis=1, keepdims=True)
    return unit


def _best_bend(y: Floats) -> _Fit | None:
    """Return the bend that explains most, tested with correlated errors."""
    n = len(y)
    base, bends, _ = _designs(n)
    residuals = y - base @ (base.T @ y)
    if float(np.abs(residuals).max()) <= 1e-9 * max(float(np.abs(y).max()), 1e-300):
        return None
    place = int(np.argmax(np.abs(bends @ residuals))) + MIN_REFERENCE - 1
    t = np.arange(n, dtype=np.float64)
    design = np.stack([np.ones(n), t, np.maximum(t - place, 0)], axis=1)
    correlation = _correlation(y - design @ np.linalg.lstsq(design, y, rcond=None)[0])
    white = _whiten(np.column_stack([design, y]), correlation)
    inverse = np.linalg.inv(white[:, :3].T @ white[:, :3])
    coefficients = inverse @ (white[:, :3].T @ white[:, 3])
    errors = white[:, 3] - white[:, :3] @ coefficients
    degrees = float(n - 4)
    variance = float(errors @ errors) / degrees * float(inverse[2, 2])
    if not variance > 0:
        return None
    return _Fit(
        place=place,
        statistic=float(coefficients[2]) / math.sqrt(variance),
        degrees=degrees,
        slope=float(coefficients[2]),
        trend=float(coefficients[1]),
        line=design @ coefficients,
    )


def _correlation(errors: Floats) -> float:
    """Return an upper bound of the correlation of errors with the ones before.

    The estimate is too low in short series (Kendall, 1954), the more so with fitted lines. Its
    standard error is ``sqrt((1 - φ²) / n)``.
    """
    total = float(errors @ errors)
    estimate = float(errors[1:] @ errors[:-1]) / total if total else 0.0
    n = len(errors)
    unbiased = min(max(estimate + (2 + 4 * estimate) / n, 0.0), 1.0)
    margin = _CORRELATION_ERRORS * math.sqrt((1 - unbiased**2) / n)
    return min(unbiased + margin, _MAX_CORRELATION)


def _whiten(columns: Floats, correlation: float) -> Floats:
    """Return columns whose errors are independent (Prais and Winsten, 1954)."""
    white: Floats = columns.copy()
    white[1:] -= correlation * columns[:-1]
    white[0] *= math.sqrt(1 - correlation**2)
    return white


def _usual_change(y: Floats, place: int) -> float:
    """Return the largest change before a ramp, over as many values as the ramp has.

    If there are fewer values before the ramp, the change is extrapolated.
    """
    padded = np.pad(y[: place + 1], _NEIGHBOURS, mode="reflect")
    smooth = np.median(
        np.lib.stride_tricks.sliding_window_view(padded, 2 * _NEIGHBOURS + 1), axis=1
    )
    length = len(y) - 1 - place
    width = min(length, place)
    return float(np.abs(smooth[width:] - smooth[:-width]).max()) * length / width


def _is_ramp(y: Floats, fit: _Fit) -> bool:
    """Return whether a bend is a drift: no step, and away from the values before."""
    _, bends, steps = _designs(len(y))
    of_bend = float(np.abs(bends[fit.place - MIN_REFERENCE + 1] @ y))
    if float(np.abs(steps @ y).max()) >= of_bend:
        return False
    slope_now = fit.slope + fit.trend
    if slope_now * fit.slope <= 0 or abs(slope_now) < abs(fit.trend):
        return False
    if abs(slope_now) * (len(y) - 1 - fit.place) < _MIN_ACCELERATION * _usual_change(y, fit.place):
        return False
    direction = math.copysign(1.0, fit.slope)
    before, ramp = direction * y[: fit.place + 1], direction * y[fit.place + 1 :]
    parts = [float(np.median(part)) for part in np.array_split(ramp, _PARTS)]
    is_steady = all(earlier < later for earlier, later in pairwise(parts))
    jump = max(later - earlier for earlier, later in pairwise(parts))
    return (
        is_steady
        and jump <= _MAX_PART_OF_RAMP * (parts[-1] - parts[0])
        and parts[-1] > float(before.max())
    )
