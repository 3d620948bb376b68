"""Export learned limits as a check.

Limits that are the same for every batch can be exported. Limits on distances to the batch before,
and on changes between batches, become comments instead.

>>> from assay.learn.limits.tail_bounds import Interval
>>> from assay.learn.limits.column_limits import Settings
>>> interval = Interval(90.0, 110.0, rate=0.0027, inequality="student", deviations=3.0)
>>> constraint = Constraint(catalogue.ROW_COUNT, interval, batches=30)
>>> print(to_yaml(ColumnLimits(None, (constraint,), Settings(), 0.01, 30), name="orders"))
version: 1
dataset: orders
checks:
  - name: orders
    constraints:
      # the number of rows is 90 to 110 (3 deviations of 30 batches, 1 false alarm in 370 batches)
      - has_size: {between: [90.0, 110.0]}
<BLANKLINE>
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from assay.checks.check import Check
from assay.checks.codegen.constraint_call import ConstraintCall
from assay.checks.codegen.listing import python_of, yaml_of
from assay.checks.formatting import visible
from assay.learn.fingerprint import metrics as catalogue
from assay.learn.limits.column_limits import ColumnLimits
from assay.learn.limits.metric_limit import Constraint
from assay.learn.limits.stationary import AS_IS

__all__ = ["check_constraint_of", "check_of", "to_python", "to_yaml"]


def check_constraint_of(column: str | None, constraint: Constraint) -> ConstraintCall | None:
    """Return the method call of a check that sets the same limits, or None if there is none."""
    metric, interval = catalogue.get(constraint.metric), constraint.interval
    method = metric.check_method
    if method is None or constraint.transformation != AS_IS:
        return None
    low = None if interval.low <= metric.low or math.isinf(interval.low) else interval.low
    high = None if interval.high >= metric.high or math.isinf(interval.high) else interval.high
    arguments = [] if column is None else [column]
    if low is not None and high is not None:
        return ConstraintCall.of(method, *arguments, between=(low, high))
    if low is not None:
        return ConstraintCall.of(method, *arguments, at_least=low)
    return None if high is None else ConstraintCall.of(method, *arguments, at_most=high)


def check_of(limits: ColumnLimits | Iterable[ColumnLimits], *, name: str) -> Check:
    """Return a check with the limits that can be exported."""
    check = Check(name)
    for _, call in _calls(limits):
        check = check if call is None else call.on(check)
    return check


def to_python(limits: ColumnLimits | Iterable[ColumnLimits], *, name: str) -> str:
    """Return the check as Python code."""
    calls = _calls(limits)
    return python_of(name, ((comment, call.python if call else "") for comment, call in calls))


def to_yaml(limits: ColumnLimits | Iterable[ColumnLimits], *, name: str) -> str:
    """Return the check as a YAML suite of the dataset with this name."""
    calls = _calls(limits)
    return yaml_of(name, ((comment, call.yaml if call else "") for comment, call in calls))


def _calls(
    limits: ColumnLimits | Iterable[ColumnLimits],
) -> Iterator[tuple[str, ConstraintCall | None]]:
    """Iterate over comments and method calls, one pair per limit."""
    for column_limits in (limits,) if isinstance(limits, ColumnLimits) else limits:
        column = column_limits.column
        prefix = "" if column is None else f"{visible(column)}: "
        for constraint in column_limits.constraints:
            call = check_constraint_of(column, constraint)
            yield f"{'' if call else 'only from history: '}{prefix}{constraint}", call
