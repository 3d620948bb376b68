"""The space of constraints Q: limits on every metric, at every distance (Algorithm 3, Appendix D).

>>> row_counts = np.array([100.0, 103.0, 99.0, 101.0, 98.0, 102.0, 100.0, 97.0, 101.0, 99.0] * 3)
>>> prepared = prepare(kind_of("row_count"), row_counts)
>>> for each in space(prepared, 0.01)[4:6]:
...     print(each)
the number of rows is 94.715 to 105.285 (3 deviations of 30 batches, false alarms 0.0027)
the number of rows is 93.8342 to 106.1658 (3.5 deviations of 30 batches, false alarms 0.000465)
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from assay.checks.assertions.expectation import NotEnough
from assay.checks.formatting import format_value
from assay.learn.fingerprint.column_stats import Floats
from assay.learn.limits.kinds import Kind, kind_of
from assay.learn.limits.stationary import AS_IS, Transformation, stationary
from assay.learn.limits.tail_bounds import (
    Family,
    Interval,
    Spread,
    at_rate,
    constant,
    inequality_of,
    interval,
    steps,
)

__all__ = ["NEED", "Constraint", "LeftOut", "Prepared", "prepare", "space", "tested"]

#: fewer batches say nothing
NEED = 8


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A metric that nothing is demanded of, and why."""

    metric: str
    reason: str

    def __str__(self) -> str:
        return f"nothing is demanded of {kind_of(self.metric).says}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Prepared:
    """A metric's history made stationary; in `undefined` batches of it there was no value."""

    kind: Kind
    transformation: Transformation
    spread: Spread
    undefined: int

    @property
    def one_sided(self) -> bool:
        """Whether only large values are suspicious; of a difference, small ones are too."""
        return self.kind.law == "distance" and not self.transformation.lag

    @property
    def reach(self) -> tuple[float, float]:
        """The range of the metric as transformed."""
        if self.transformation == AS_IS:
            return self.kind.low, self.kind.high
        return -math.inf, math.inf


@dataclass(frozen=True, slots=True)
class Constraint:
    """Limits on a metric as transformed (Definitions 1 and 2), and where they come from."""

    metric: str
    interval: Interval
    transformation: Transformation = AS_IS
    batches: int = 0
    undefined: int = 0

    @property
    def constant(self) -> bool:
        """Whether the metric had never changed."""
        return self.interval.inequality == "constant"

    def holds(self, history: Floats, value: float) -> bool | None:
        """Whether a value keeps to it after this history; None where that cannot be told.

        An infinite value does not where it never was infinite, nor does one that is undefined where
        it never was. Where it sometimes was, or where the batch that it is compared to has none,
        nothing is known.
        """
        number = self.placed(history, value)
        return None if math.isnan(number) else self._within(number)

    def placed(self, history: Floats, value: float) -> float:
        """The number that is compared: infinite where it is broken anyway, NaN where unknown."""
        if math.isnan(value):
            return math.nan if self.undefined else math.inf
        if math.isinf(value):
            return math.nan if np.isinf(history).any() else math.inf
        if self.transformation.log and value <= 0:
            return math.inf
        number = self.transformation.of_next(history, value)
        return number if math.isfinite(number) else math.nan

    def _within(self, number: float) -> bool:
        return math.isfinite(number) and self.interval.low <= number <= self.interval.high

    def limits(self, history: Floats) -> tuple[float, float]:
        """The limits of the value that comes next, within the metric's own range.

        Those of what never changed leave room for rounding on either side.
        """
        kind = kind_of(self.metric)
        low = self.transformation.undone(history, self.interval.low)
        high = self.transformation.undone(history, self.interval.high)
        if self.constant:
            return low, high
        return max(low, kind.low), min(high, kind.high)

    @property
    def origin(self) -> str:
        """Where its limits come from, in a few words."""
        if self.constant:
            if self.transformation == AS_IS:
                return f"as in all of {self.batches} batches"
            return f"the {self.transformation} was the same in all of {self.batches}"
        of = "" if self.transformation == AS_IS else f" in the {self.transformation}"
        return (
            f"{self.interval.deviations:.3g} deviations of {self.batches} batches{of}, false alarms"
            f" {self.interval.rate:.3g}"
        )

    def between(self, low: float, high: float) -> str:
        """Limits in words; what is the end of the metric's own range is no limit."""
        kind = kind_of(self.metric)
        if self.constant:
            return format_value(low / 2 + high / 2)
        if low <= kind.low:
            return f"at most {format_value(high)}"
        if high >= kind.high:
            return f"at least {format_value(low)}"
        return f"{format_value(low)} to {format_value(high)}"

    def __str__(self) -> str:
        says = kind_of(self.metric).says
        low, high = self.interval.low, self.interval.high
        if self.transformation == AS_IS:
            return f"{says} is {self.between(low, high)} ({self.origin})"
        change = (
            format_value(low / 2 + high / 2)
            if self.constant
            else f"{format_value(low)} to {format_value(high)}"
        )
        return f"{says} changes by {change} ({self.origin})"


def prepare(
    kind: Kind,
    series: Floats,
    *,
    season: int | None = None,
    need: int = NEED,
    differencing: bool = True,
    any_lag: bool = False,
) -> Prepared | LeftOut | NotEnough:
    """Mean and deviation of a metric's history, oldest first, once it is stationary.

    Batches in which the metric is undefined or infinite are passed over. A distance has none in
    the first batch, and need not.
    """
    usable = series[np.isfinite(series)]
    undefined = len(series) - len(usable)
    if kind.pair and len(series) and math.isnan(series[0]):
        undefined -= 1
    if len(usable) < need:
        if len(series) - kind.pair < need:
            return NotEnough(len(usable), need)
        return LeftOut(kind.name, f"it has a value in only {len(usable)} of {len(series)} batches.")
    transformation: Transformation | None = AS_IS
    if differencing:
        transformation = stationary(series, season, any_lag=any_lag)
    if transformation is None:
        return LeftOut(kind.name, f"it does not settle in {len(series)} batches.")
    left = transformation.of(series)
    left = left[np.isfinite(left)]
    if len(left) < need:
        return LeftOut(kind.name, f"only {len(left)} of its batches can be compared.")
    return Prepared(kind, transformation, Spread.of(left), undefined)


def space(prepared: Prepared, budget: float, family: Family = "paper") -> tuple[Constraint, ...]:
    """The constraints of one metric, the narrowest first."""
    if prepared.spread.constant:
        return (_constraint(prepared, constant(prepared.spread)),)
    one_sided = prepared.one_sided
    inequality = inequality_of(prepared.kind.law, family, one_sided=one_sided)
    return tuple(
        _constraint(
            prepared,
            interval(prepared.spread, k, inequality, reach=prepared.reach, one_sided=one_sided),
        )
        for k in steps(budget).tolist()
    )


def tested(prepared: Prepared, rate: float) -> Constraint:
    """The constraint that is broken with this rate."""
    if prepared.spread.constant:
        return _constraint(prepared, constant(prepared.spread))
    found = at_rate(prepared.spread, rate, reach=prepared.reach, one_sided=prepared.one_sided)
    return _constraint(prepared, found)


def _constraint(prepared: Prepared, limits: Interval) -> Constraint:
    return Constraint(
        prepared.kind.name,
        limits,
        prepared.transformation,
        prepared.spread.batches,
        prepared.undefined,
    )
