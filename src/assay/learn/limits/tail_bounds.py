"""Limits on a metric, and how often a batch that is fine would break them (section 4.2).

With mean and standard deviation of the history, limits are ``mean ± k · sd``; the paper's β is
``k · sd``. The expected rate of false alarms is at most

- ``1/k²`` for any metric (Chebyshev, Proposition 1),
- ``1/(1 + k²)`` for a distance, of which only large values are suspicious (Cantelli, 2),
- ``erfc(k/√2)`` for a mean or a sum over rows (central limit theorem, 3),

and, as alternatives to all three, Student's t: with ``n - 1`` degrees of freedom for the distance
of a new value from the mean of n, ``k / sqrt(1 + 1/n)``, which holds if the metric is normal; or
with 3, which is how heavy the tails of real metrics are.

Of fewer than 30 batches, both are themselves uncertain: the normal distribution is then Student's,
and the other inequalities are those for a variable with Student's variance. A metric that has never
changed has no deviation: its rate is ε, as measured.

>>> round(chebyshev(5.0), 3), round(cantelli(5.0), 4), round(normal(2.0), 4)
(0.04, 0.0385, 0.0455)
>>> example_4 = Spread(mean=0.9, deviation=0.01, batches=30, low=0.88, high=0.92)
>>> print(interval(example_4, 10.0, "chebyshev", reach=(0.0, 1.0)))
0.8 to 1.0, false alarms 0.01
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Literal

import numpy as np

from assay.checks.formatting import format_value
from assay.learn.dependency import import_optional
from assay.learn.fingerprint.column_stats import Floats
from assay.learn.fingerprint.metrics import MetricKind

__all__ = [
    "EPSILON",
    "Family",
    "Inequality",
    "Interval",
    "Spread",
    "at_rate",
    "cantelli",
    "chebyshev",
    "constant",
    "constant_rate",
    "heavy",
    "heavy_inverse",
    "inequality_of",
    "interval",
    "normal",
    "rate",
    "steps",
    "student",
    "unchanging",
]

Inequality = Literal["chebyshev", "cantelli", "clt", "student", "heavy", "constant"]
#: which inequalities: those of Propositions 1 to 3, or for all metrics Student's t or heavy tails
Family = Literal["paper", "student", "heavy"]

#: so often a metric changes in a batch that is fine, after 30 batches in which it did not
EPSILON = 0.0015
#: from so many batches on, mean and deviation count as known
_MANY = 30
#: the degrees of freedom of the tails of real metrics
_TAIL = 3
#: no rate is known to be less
_LEAST_RATE = 1e-9
#: the widest limits, in deviations, unless the budget asks for wider ones
_WIDEST = 110.0
#: what differs by no more than this, relatively, differs by rounding
_ROUNDING = 1e-9
#: beyond it squares overflow, and vanish below its inverse
_LARGEST = 1e150


@dataclass(frozen=True, slots=True)
class Spread:
    """Mean and deviation of a metric's history, how many batches they are of, and both extremes."""

    mean: float
    deviation: float
    batches: int
    low: float
    high: float

    @staticmethod
    def of(series: Floats) -> Spread:
        """Of one value or more, all finite; equal but for rounding, they have no deviation."""
        low, high = float(series.min()), float(series.max())
        if _same(low, high):
            return Spread(float(series[-1]), 0.0, len(series), low, high)
        scale = max(abs(low), abs(high))
        unit = 1.0 if 1 / _LARGEST < scale < _LARGEST else scale
        inside = series / unit
        mean = float(inside.mean())
        apart = inside - mean
        deviation = math.sqrt(float(apart @ apart) / (len(series) - 1)) * unit
        return Spread(mean * unit, max(deviation, math.ulp(0.0)), len(series), low, high)

    def furthest(self, *, one_sided: bool = False) -> float:
        """How many deviations from the mean it has ever been."""
        above, below = self.high - self.mean, self.mean - self.low
        return (above if one_sided else max(above, below)) / self.deviation

    @property
    def constant(self) -> bool:
        """Whether it has never changed."""
        return self.deviation == 0


@dataclass(frozen=True, slots=True)
class Interval:
    """Limits of a metric, both included, and the rate of false alarms that comes with them."""

    low: float
    high: float
    rate: float
    inequality: Inequality
    deviations: float

    def __str__(self) -> str:
        ends = f"{format_value(self.low)} to {format_value(self.high)}"
        return f"{ends}, false alarms {format_value(self.rate)}"


def chebyshev(k: float) -> float:
    """How much lies k deviations or more from the mean, at most (equation 5)."""
    return min(1.0, 1.0 / (k * k))


def cantelli(k: float) -> float:
    """How much lies k deviations or more above the mean, at most (equation 6)."""
    return 1.0 / (1.0 + k * k)


def normal(k: float) -> float:
    """How much of a normal distribution lies k deviations or more from the mean (equation 7)."""
    return math.erfc(k / math.sqrt(2))


def student(k: float, batches: int, *, sides: int = 2) -> float:
    """How often a new value lies k estimated deviations or more from the mean of so many."""
    if batches < 2:
        return 1.0
    t = k / math.sqrt(1 + 1 / batches)
    return min(1.0, sides * float(_special().stdtr(batches - 1, -t)))


def heavy(k: float, batches: int, *, sides: int = 2) -> float:
    """The same for metrics as they are, with Student's t of 3 degrees of freedom.

    Of 18,000 metrics of the next batches of six recurring tables, 2.4 % lay beyond 3 deviations,
    .9 % beyond 5 and .3 % beyond 8. By this it is 6.5, 1.8 and .5 %; were they normal, .6 %, .003 %
    and nothing.
    """
    if batches < 4:
        return 1.0
    return min(1.0, sides * float(_special().stdtr(_TAIL, -_worth(k, batches))))


def heavy_inverse(share: float, batches: int, *, sides: int = 2) -> float:
    """The deviations beyond which a new value lies so often; the inverse of `heavy`."""
    if batches < 4:
        return math.inf
    return -float(_special().stdtrit(_TAIL, share / sides)) / _worth(1.0, batches)


def inequality_of(law: MetricKind, family: Family, *, one_sided: bool) -> Inequality:
    """What bounds the rate: a distance is one-sided unless it was differenced."""
    if family != "paper":
        return family
    if law == "mean":
        return "clt"
    return "cantelli" if law == "distance" and one_sided else "chebyshev"


@lru_cache(maxsize=10_000)
def rate(k: float, batches: int, inequality: Inequality, *, one_sided: bool = False) -> float:
    """The expected rate of false alarms of limits k deviations from the mean."""
    found: float
    match inequality:
        case "student":
            found = student(k, batches, sides=1 if one_sided else 2)
        case "heavy":
            found = heavy(k, batches, sides=1 if one_sided else 2)
        case "clt":
            found = normal(k) if batches >= _MANY else student(k, batches)
        case "constant":
            found = constant_rate(batches)
        case "chebyshev" | "cantelli":
            k = k if batches >= _MANY else _worth(k, batches)
            bound = chebyshev if inequality == "chebyshev" else cantelli
            found = bound(k) if k > 0 else 1.0
    return max(_LEAST_RATE, found)


def constant_rate(batches: int) -> float:
    """How often what has been constant changes: ε after 30 batches, more after fewer."""
    return EPSILON * max(1.0, _MANY / max(1, batches))


def steps(budget: float) -> Floats:
    """The deviations k that are tried: 1 to 9.5 by halves, then in equal ratios up to 110.

    Chebyshev's bound falls below the budget only from ``1/√budget`` deviations on: they reach so
    far.
    """
    furthest = max(_WIDEST, 1.01 / math.sqrt(budget))
    ratios = math.ceil(math.log(furthest / 10.0) / math.log(1.1))
    return np.concatenate((np.arange(2, 20) / 2, np.geomspace(10.0, furthest, ratios + 1)))


def interval(
    spread: Spread,
    k: float,
    inequality: Inequality,
    *,
    reach: tuple[float, float] = (-math.inf, math.inf),
    one_sided: bool = False,
) -> Interval:
    """The limits k deviations from the mean; no wider than the metric's own range.

    Limits that the history itself has broken are broken as often as that at least, but for the
    paper's inequalities, which do not look at it.
    """
    low = reach[0] if one_sided else max(reach[0], spread.mean - k * spread.deviation)
    high = min(reach[1], spread.mean + k * spread.deviation)
    expected = rate(k, spread.batches, inequality, one_sided=one_sided)
    if inequality == "heavy" and (spread.low < low or spread.high > high):
        expected = max(expected, 1 / spread.batches)
    return Interval(low, high, expected, inequality, k)


def at_rate(
    spread: Spread,
    share: float,
    *,
    reach: tuple[float, float] = (-math.inf, math.inf),
    one_sided: bool = False,
) -> Interval:
    """The limits that real metrics break with this rate, and within which the history lies."""
    k = heavy_inverse(share, spread.batches, sides=1 if one_sided else 2)
    k = max(k, spread.furthest(one_sided=one_sided))
    found = interval(spread, k, "heavy", reach=reach, one_sided=one_sided)
    return Interval(found.low, found.high, share, "heavy", k)


def constant(spread: Spread) -> Interval:
    """What has never changed must not change; rounding is no change."""
    room = _ROUNDING * max(abs(spread.low), abs(spread.high))
    low, high = spread.low - room, spread.high + room
    return Interval(low, high, constant_rate(spread.batches), "constant", 0.0)


def unchanging(series: Floats) -> bool:
    """Whether all values, one or more, are equal but for rounding."""
    return _same(float(series.min()), float(series.max()))


def _same(low: float, high: float) -> bool:
    return high - low <= _ROUNDING * max(abs(low), abs(high))


def _worth(k: float, batches: int) -> float:
    """Estimated deviations in those of their own distribution: t's variance is d / (d - 2)."""
    if batches < 4:
        return 0.0
    return k / math.sqrt((1 + 1 / batches) * (batches - 1) / (batches - 3))


@cache
def _special() -> Any:
    return import_optional("scipy.special")
