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
from collections.abc import Callable, Iterable, Iterator

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
    low, high = interval.low, interval.high
    low_bound = None if low <= metric.low or math.isinf(low) else low
    high_bound = None if high >= metric.high or math.isinf(high) else high
    if not constraint.constant:
        low_bound = None if low_bound is None else _rounded(low_bound, math.floor)
        high_bound = None if high_bound is None else _rounded(high_bound, math.ceil)
    arguments = [] if column is None else [column]
    if low_bound is not None and high_bound is not None:
        return ConstraintCall.of(method, *arguments, between=(low_bound, high_bound))
    if low_bound is not None:
        return ConstraintCall.of(method, *arguments, at_least=low_bound)
    return None if high_bound is None else ConstraintCall.of(method, *arguments, at_most=high_bound)


def _rounded(bound: float, round_to: Callable[[float], int]) -> float:
    """Return a bound with six digits, rounded outwards so that the limits do not get narrower.

    >>> _rounded(51.04851967776543, math.floor), _rounded(150.95148032223457, math.ceil)
    (51.0485, 150.952)
    """
    if not bound or math.isinf(bound):
        return bound
    n_decimals = 5 - math.floor(math.log10(abs(bound)))
    if n_decimals < 0:
        unit = 10.0**-n_decimals
        return round_to(bound / unit) * unit
    unit = 10.0**n_decimals
    return round_to(bound * unit) / unit


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
