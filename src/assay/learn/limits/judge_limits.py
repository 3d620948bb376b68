"""Compare the metrics of a batch with learned limits: one result per limit."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from assay.checks.assertions.expectation import NotEnough
from assay.checks.formatting import visible
from assay.learn.fingerprint import metrics as catalogue
from assay.learn.fingerprint.metric_format import format_metric
from assay.learn.fingerprint.metrics import MetricValues
from assay.learn.limits.column_limits import ColumnLimits, series
from assay.learn.limits.metric_limit import Constraint

__all__ = ["LimitResult", "Status", "judge", "judge_table"]

Status = Literal["kept", "broken", "unknown", "not enough history"]


@dataclass(frozen=True)
class LimitResult:
    """The observed value of a metric, and its limits.

    Parameters
    ----------
    column
        The column; None for the row count.
    status
        True if the limit is kept or broken, or why it cannot be judged.
    reason
        The result as a sentence.
    metric
        The name of the metric.
    observed
        Its value in the batch.
    low, high
        The limits of the value.
    batches
        The number of batches that the limits were learned from.
    rate
        The false-alarm rate of the limits.
    share
        `rate` divided by the column's δ. Limits on an unchanged metric may exceed 1.
    constant
        True if the metric had never changed.
    """

    column: str | None
    status: Status
    reason: str
    metric: str | None = None
    observed: float | None = None
    low: float | None = None
    high: float | None = None
    batches: int = 0
    rate: float = 0.0
    share: float = 0.0
    constant: bool = False

    @property
    def broken(self) -> bool:
        """True if the limit is broken."""
        return self.status == "broken"

    def __str__(self) -> str:
        prefix = "" if self.column is None else f"{visible(self.column)}: "
        return f"{prefix}{self.reason}"


def judge(
    limits: ColumnLimits | NotEnough,
    history: Sequence[MetricValues],
    observed: MetricValues,
    *,
    column: str | None = None,
) -> tuple[LimitResult, ...]:
    """Compare one column of a batch with its limits. Broken limits come first.

    Parameters
    ----------
    limits
        The limits of the column.
    history
        The metrics of the batches right before this one, oldest first.
    observed
        The metrics of this batch.
    column
        The name of the column, for a column without limits.
    """
    if isinstance(limits, NotEnough):
        return (LimitResult(column, "not enough history", f"{limits}.", batches=limits.have),)
    results = [_compare(limits, constraint, history, observed) for constraint in limits.constraints]
    if not results:
        subject = "the number of rows has" if limits.column is None else "there are"
        reason = f"{subject} no limits after {limits.batches} batches."
        if limits.left_out:
            reason = f"{reason[:-1]}; {limits.left_out[0]}"
        results = [LimitResult(limits.column, "unknown", reason, batches=limits.batches)]
    order: tuple[Status, ...] = ("broken", "unknown", "kept")
    return tuple(sorted(results, key=lambda result: order.index(result.status)))


def judge_table(
    limits: Mapping[str | None, ColumnLimits | NotEnough],
    histories: Mapping[str, Sequence[MetricValues]],
    observed: Mapping[str, MetricValues],
) -> tuple[LimitResult, ...]:
    """Compare all columns of a batch with their limits. A missing column breaks its limits.

    Parameters
    ----------
    limits
        The limits of each column and, under None, of the row count.
    histories
        The metrics of earlier batches of each column, oldest first.
    observed
        The metrics of each column of this batch.
    """
    results: list[LimitResult] = []
    # Every column has the row count as a metric. It is read from the one with the longest history.
    longest = max(observed, key=lambda name: len(histories.get(name, ())), default=None)
    for column, column_limits in limits.items():
        name = longest if column is None else column
        if name is None or name not in observed:
            reason = (
                "the batch has no columns." if name is None else "the batch has no such column."
            )
            results.append(LimitResult(column, "broken", reason))
            continue
        results += judge(column_limits, histories.get(name, ()), observed[name], column=column)
    return tuple(results)


def _compare(
    limits: ColumnLimits,
    constraint: Constraint,
    history: Sequence[MetricValues],
    observed: MetricValues,
) -> LimitResult:
    earlier_values = series(history, constraint.metric)
    value = float(observed.get(constraint.metric, math.nan))
    # A metric that was not measured, such as the minimum of a private column, is not compared.
    is_measured = not observed or constraint.metric in observed
    holds = constraint.holds(earlier_values, value) if is_measured else None
    low, high = constraint.limits(earlier_values)
    label = catalogue.label(constraint.metric)
    bounds = (low, high, low / 2 + high / 2)
    is_undefined = math.isnan(value)
    shown = "undefined" if is_undefined else format_metric(constraint.metric, value, limits=bounds)
    status: Status
    if holds is None:
        status = "unknown"
        reason = f"{label} is {shown}, and cannot be compared with earlier batches."
    else:
        status = "kept" if holds else "broken"
        expected = f"expected {constraint.between(low, high)} ({constraint.origin})"
        reason = f"{label} is {shown}, {expected}."
    return LimitResult(
        limits.column,
        status,
        reason,
        constraint.metric,
        value,
        low,
        high,
        constraint.batches,
        constraint.interval.rate,
        constraint.interval.rate / limits.delta,
        constraint.constant,
    )
