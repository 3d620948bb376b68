"""Does a batch keep to what its column's history lets demand? One finding per constraint."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from assay.checks.assertions.expectation import NotEnough
from assay.checks.formatting import format_value, visible
from assay.learn.limits.column_limits import ColumnLimits, series
from assay.learn.limits.kinds import Measured, kind_of
from assay.learn.limits.metric_limit import Constraint

__all__ = ["LimitResult", "Status", "judge", "judge_table"]

Status = Literal["kept", "broken", "unknown", "not enough history"]


@dataclass(frozen=True)
class LimitResult:
    """What was observed of a metric, and what was expected.

    `share` is the part of δ that the constraint was given; one that watches what never changed
    (`constant`) may take more than all of it. Of what is unknown, the reason says why.
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
        """Whether it is an alarm."""
        return self.status == "broken"

    def __str__(self) -> str:
        whose = "" if self.column is None else f"{visible(self.column)}: "
        return f"{whose}{self.reason}"


def judge(
    program: ColumnLimits | NotEnough,
    history: Sequence[Measured],
    observed: Measured,
    *,
    column: str | None = None,
) -> tuple[LimitResult, ...]:
    """All findings of a batch, the broken constraints first.

    `history` are the metrics of the batches right before it, oldest first. `column` names the one
    that there is no program of yet.
    """
    if isinstance(program, NotEnough):
        return (LimitResult(column, "not enough history", f"{program}.", batches=program.have),)
    found = [_finding(program, each, history, observed) for each in program.constraints]
    if not found:
        reason = f"nothing is demanded after {program.batches} batches."
        if program.left_out:
            reason = f"{reason[:-1]}; {program.left_out[0]}"
        found = [LimitResult(program.column, "unknown", reason, batches=program.batches)]
    order: tuple[Status, ...] = ("broken", "unknown", "kept")
    return tuple(sorted(found, key=lambda each: order.index(each.status)))


def judge_table(
    programs: Mapping[str | None, ColumnLimits | NotEnough],
    histories: Mapping[str, Sequence[Measured]],
    observed: Mapping[str, Measured],
) -> tuple[LimitResult, ...]:
    """All findings of a table's batch; one without a column that was learned is broken."""
    found: list[LimitResult] = []
    # the number of rows is a metric of every column
    known = max(observed, key=lambda each: len(histories.get(each, ())), default=None)
    for column, program in programs.items():
        name = known if column is None else column
        if name is None or name not in observed:
            reason = (
                "the batch has no columns." if name is None else "the batch has no such column."
            )
            found.append(LimitResult(column, "broken", reason))
            continue
        found += judge(program, histories.get(name, ()), observed[name], column=column)
    return tuple(found)


def _finding(
    program: ColumnLimits, constraint: Constraint, history: Sequence[Measured], observed: Measured
) -> LimitResult:
    past = series(history, constraint.metric)
    value = float(series([observed], constraint.metric)[0])
    holds = constraint.holds(past, value)
    low, high = constraint.limits(past)
    says = kind_of(constraint.metric).says
    status: Status
    if holds is None:
        status = "unknown"
        reason = f"{says} is {_value(value)}, and cannot be compared to what it was before."
    else:
        status = "kept" if holds else "broken"
        expected = f"expected {constraint.between(low, high)} ({constraint.origin})"
        reason = f"{says} is {_value(value)}, {expected}."
    return LimitResult(
        program.column,
        status,
        reason,
        constraint.metric,
        value,
        low,
        high,
        constraint.batches,
        constraint.interval.rate,
        constraint.interval.rate / program.delta,
        constraint.constant,
    )


def _value(value: float) -> str:
    return "undefined" if value != value else format_value(value)
