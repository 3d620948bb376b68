"""A program as a check: those of its limits that are the same for every batch to come.

What is compared with the batch before, or changes from batch to batch, has no limits that could be
written down once and for all; such constraints are remarks.

>>> from assay.learn.limits.tail_bounds import Interval
>>> from assay.learn.limits.column_limits import Settings
>>> limits = Interval(90.0, 110.0, rate=0.0027, inequality="student", deviations=3.0)
>>> program = Program(None, (Constraint("row_count", limits, batches=30),), Settings(), 0.01, 30)
>>> print(to_yaml(program, name="orders"))
version: 1
dataset: orders
checks:
  - name: orders
    constraints:
      # the number of rows is 90.0 to 110.0 (3 deviations of 30 batches, false alarms 0.0027)
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
from assay.learn.limits.column_limits import ColumnLimits
from assay.learn.limits.kinds import kind_of
from assay.learn.limits.metric_limit import Constraint
from assay.learn.limits.stationary import AS_IS

__all__ = ["check_constraint_of", "check_of", "to_python", "to_yaml"]

#: the demands on the metrics that checks know
_METHODS = {
    "row_count": "has_size",
    "complete_ratio": "has_completeness",
    "min": "has_min",
    "max": "has_max",
    "mean": "has_mean",
    "median": "has_median",
    "sum": "has_sum",
    "range": "has_range",
    "sd": "has_standard_deviation",
    "str_len": "has_mean_length",
    "dist_val_count": "has_approx_count_distinct",
}


def check_constraint_of(column: str | None, constraint: Constraint) -> ConstraintCall | None:
    """The call with a constraint's limits, if there is one."""
    method = _METHODS.get(constraint.metric)
    if method is None or constraint.transformation != AS_IS:
        return None
    kind, limits = kind_of(constraint.metric), constraint.interval
    low = None if limits.low <= kind.low or math.isinf(limits.low) else limits.low
    high = None if limits.high >= kind.high or math.isinf(limits.high) else limits.high
    named = [] if column is None else [column]
    if low is not None and high is not None:
        return ConstraintCall.of(method, *named, between=(low, high))
    if low is not None:
        return ConstraintCall.of(method, *named, at_least=low)
    return None if high is None else ConstraintCall.of(method, *named, at_most=high)


def check_of(programs: ColumnLimits | Iterable[ColumnLimits], *, name: str) -> Check:
    """The check."""
    grown = Check(name)
    for _, call in _calls(programs):
        grown = grown if call is None else call.add_to(grown)
    return grown


def to_python(programs: ColumnLimits | Iterable[ColumnLimits], *, name: str) -> str:
    """The check as code that runs."""
    found = _calls(programs)
    return python_of(name, ((remark, call.python if call else "") for remark, call in found))


def to_yaml(programs: ColumnLimits | Iterable[ColumnLimits], *, name: str) -> str:
    """The check as a suite of the dataset of this name."""
    found = _calls(programs)
    return yaml_of(name, ((remark, call.yaml if call else "") for remark, call in found))


def _calls(
    programs: ColumnLimits | Iterable[ColumnLimits],
) -> Iterator[tuple[str, ConstraintCall | None]]:
    for program in (programs,) if isinstance(programs, ColumnLimits) else programs:
        whose = "" if program.column is None else f"{visible(program.column)}: "
        for each in program.constraints:
            call = check_constraint_of(program.column, each)
            yield f"{'' if call else 'only from history: '}{whose}{each}", call
