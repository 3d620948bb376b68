"""Candidate limits of one metric: the space of constraints Q (Algorithm 3 and Appendix D, avh-kdd23).

>>> row_counts = np.array([100.0, 103.0, 99.0, 101.0, 98.0, 102.0, 100.0, 97.0, 101.0, 99.0] * 3)
>>> prepared = prepare(catalogue.get(catalogue.ROW_COUNT), row_counts)
>>> for constraint in candidate_constraints(prepared, 0.01)[4:6]:
...     print(constraint)
the number of rows is 95 to 105 (3 deviations of 30 batches, 1 false alarm in 370 batches)
the number of rows is 94 to 106 (3.5 deviations of 30 batches, 1 false alarm in 2,150 batches)
"""  # noqa: E501

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from assay.checks.assertions.expectation import NotEnough
from assay.checks.formatting import format_number
from assay.learn.fingerprint import metrics as catalogue
from assay.learn.fingerprint.column_stats import Floats
from assay.learn.fingerprint.metric_format import format_metric, format_range
from assay.learn.fingerprint.metrics import BatchMetric
from assay.learn.limits.stationary import AS_IS, Transformation, stationary
from assay.learn.limits.tail_bounds import (
    Family,
    Interval,
    Spread,
    at_rate,
    constant,
    false_alarms,
    inequality_of,
    interval,
    steps,
)

__all__ = [
    "MIN_BATCHES",
    "Constraint",
    "Prepared",
    "SkippedMetric",
    "candidate_constraints",
    "constraint_at_rate",
    "prepare",
]

#: The smallest number of batches to learn from. With 8 batches, the error of the standard
#: deviation is about 27 %, which is 1 / sqrt(2 (n - 1)).
MIN_BATCHES = 8


@dataclass(frozen=True, slots=True)
class SkippedMetric:
    """A metric without limits, and the reason."""

    metric: str
    reason: str

    def __str__(self) -> str:
        return f"no limits on {catalogue.label(self.metric)}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Prepared:
    """The history of a metric, made stationary.

    Parameters
    ----------
    metric
        The metric.
    transformation
        How its values are transformed.
    spread
        Mean and standard deviation of the transformed values.
    undefined
        The number of batches without a value.
    """

    metric: BatchMetric
    transformation: Transformation
    spread: Spread
    undefined: int

    @property
    def one_sided(self) -> bool:
        """True if only large values are suspicious, as for a distance that is not differenced."""
        return self.metric.kind == "distance" and not self.transformation.lag

    @property
    def reach(self) -> tuple[float, float]:
        """The smallest and largest possible transformed value."""
        if self.transformation == AS_IS:
            return self.metric.low, self.metric.high
        return -math.inf, math.inf


@dataclass(frozen=True, slots=True)
class Constraint:
    """Limits on a transformed metric (Definitions 1 and 2).

    Parameters
    ----------
    metric
        The name of the metric.
    interval
        The limits of the transformed value, with their false-alarm rate.
    transformation
        How values are transformed before they are compared.
    batches
        The number of batches that the limits were learned from.
    undefined
        The number of these batches in which the metric had no value.
    """

    metric: str
    interval: Interval
    transformation: Transformation = AS_IS
    batches: int = 0
    undefined: int = 0

    @property
    def constant(self) -> bool:
        """True if the metric has never changed."""
        return self.interval.inequality == "constant"

    def holds(self, history: Floats, value: float) -> bool | None:
        """Return whether a value keeps the limits; None if it cannot be compared.

        Parameters
        ----------
        history
            The metric in earlier batches, oldest first.
        value
            The metric in this batch.

        Notes
        -----
        An infinite or undefined value breaks the limits if no earlier batch had such a value.
        It cannot be compared if an earlier batch had one.
        """
        compared = self.compared_value(history, value)
        return None if math.isnan(compared) else self._within(compared)

    def compared_value(self, history: Floats, value: float) -> float:
        """Return the transformed value.

        It is infinite if the value breaks all possible limits, and NaN if it cannot be compared.
        """
        if math.isnan(value):
            return math.nan if self.undefined else math.inf
        if math.isinf(value):
            return math.nan if np.isinf(history).any() else math.inf
        if self.transformation.log and value <= 0:
            return math.inf
        transformed = self.transformation.of_next(history, value)
        return transformed if math.isfinite(transformed) else math.nan

    def _within(self, value: float) -> bool:
        return math.isfinite(value) and self.interval.low <= value <= self.interval.high

    def limits(self, history: Floats) -> tuple[float, float]:
        """Return the limits of the next value, within the range of the metric.

        The limits of an unchanged metric may exceed its range by a rounding error.
        """
        metric = catalogue.get(self.metric)
        low = self.transformation.undo(history, self.interval.low)
        high = self.transformation.undo(history, self.interval.high)
        if self.constant:
            return low, high
        return max(low, metric.low), min(high, metric.high)

    @property
    def origin(self) -> str:
        """The evidence for the limits, in a few words."""
        if self.interval.inequality == "stated":
            return "set by a person"
        if self.constant:
            if self.transformation == AS_IS:
                return f"as in all of {self.batches} batches"
            return f"the {self.transformation} was the same in all of {self.batches}"
        of = "" if self.transformation == AS_IS else f" in the {self.transformation}"
        alarms = false_alarms(self.interval.rate)
        return f"{self.interval.deviations:.3g} deviations of {self.batches} batches{of}, {alarms}"

    def between(self, low: float, high: float) -> str:
        """Return limits in words, without a limit that is the end of the metric's range."""
        if self.constant:
            return format_metric(self.metric, low / 2 + high / 2)
        return format_range(self.metric, low, high)

    def __str__(self) -> str:
        label = catalogue.label(self.metric)
        low, high = self.interval.low, self.interval.high
        if self.transformation == AS_IS:
            return f"{label} is {self.between(low, high)} ({self.origin})"
        change = (
            format_number(low / 2 + high / 2)
            if self.constant
            else f"{format_number(low)} to {format_number(high)}"
        )
        return f"{label} changes by {change} ({self.origin})"


def prepare(
    metric: BatchMetric,
    series: Floats,
    *,
    season: int | None = None,
    need: int = MIN_BATCHES,
    differencing: bool = True,
    any_lag: bool = False,
) -> Prepared | SkippedMetric | NotEnough:
    """Make the history of a metric stationary, and compute its mean and standard deviation.

    Parameters
    ----------
    metric
        The metric.
    series
        Its values, oldest first. Undefined and infinite values are ignored. The first value of
        a distance may be missing, since the first batch has no batch before it.
    season
        The number of batches after which values repeat.
    need
        The smallest number of values.
    differencing
        True to remove drift and season.
    any_lag
        True to try all lags.
    """
    usable = series[np.isfinite(series)]
    undefined = len(series) - len(usable)
    if metric.compares_batches and len(series) and math.isnan(series[0]):
        undefined -= 1
    if len(usable) < need:
        if len(series) - metric.compares_batches < need:
            return NotEnough(len(usable), need)
        reason = f"only {len(usable)} of {len(series)} batches have a value."
        return SkippedMetric(metric.name, reason)
    transformation: Transformation | None = AS_IS
    if differencing:
        transformation = stationary(series, season, any_lag=any_lag)
    if transformation is None:
        return SkippedMetric(metric.name, f"it is not stationary in {len(series)} batches.")
    transformed = transformation.of(series)
    transformed = transformed[np.isfinite(transformed)]
    if len(transformed) < need:
        return SkippedMetric(metric.name, f"only {len(transformed)} batches can be compared.")
    return Prepared(metric, transformation, Spread.of(transformed), undefined)


def candidate_constraints(
    prepared: Prepared, budget: float, family: Family = "paper"
) -> tuple[Constraint, ...]:
    """Return the candidate constraints on one metric, the narrowest first."""
    if prepared.spread.constant:
        return (_constraint(prepared, constant(prepared.spread)),)
    one_sided = prepared.one_sided
    inequality = inequality_of(prepared.metric.kind, family, one_sided=one_sided)
    return tuple(
        _constraint(
            prepared,
            interval(prepared.spread, k, inequality, reach=prepared.reach, one_sided=one_sided),
        )
        for k in steps(budget).tolist()
    )


def constraint_at_rate(prepared: Prepared, rate: float) -> Constraint:
    """Return the constraint with this false-alarm rate."""
    if prepared.spread.constant:
        return _constraint(prepared, constant(prepared.spread))
    limits = at_rate(prepared.spread, rate, reach=prepared.reach, one_sided=prepared.one_sided)
    return _constraint(prepared, limits)


def _constraint(prepared: Prepared, limits: Interval) -> Constraint:
    return Constraint(
        prepared.metric.name,
        limits,
        prepared.transformation,
        prepared.spread.batches,
        prepared.undefined,
    )
