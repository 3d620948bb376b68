"""The judge of declared checks: constraints that failed on the batch, or on the whole dataset."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from assay.checks.constraint import Level
from assay.checks.result import NOT_SERIOUS, ConstraintResult, Outcome, Result
from assay.gate.context import BatchContext
from assay.gate.finding import Finding
from assay.gate.measured_batch import MeasuredBatch
from assay.store.verdict import Decision

__all__ = ["ChecksJudge", "judge_checks"]


@dataclass(frozen=True)
class ChecksJudge:
    """Reports the constraints that failed on the batch, or on the whole dataset with it."""

    name: str = "checks"
    holds_alone: bool = True
    spends_budget: bool = False

    def judge(self, context: BatchContext, batch: MeasuredBatch) -> list[Finding]:
        """Return one finding for each constraint that did not pass."""
        if batch.proposal is None:
            return []
        return judge_checks(
            batch.proposal.delta, batch.proposal.whole, closed=context.settings.closed
        )


def judge_checks(batch: Result, whole: Result, *, closed: bool) -> list[Finding]:
    """Report the constraints that failed on the batch, or on the whole dataset with it.

    Only keys and anomalies of the whole are evaluated on the whole. A constraint that fails on
    both is reported once.
    """
    found = list(_of_result(batch, closed=closed))
    told = {each.metric for each in found if each.alarm}
    found += (
        replace(each, reason=f"of the whole, with this batch: {each.reason}")
        for each in _of_result(_about_whole(whole), closed=closed)
        if each.alarm and each.metric not in told
    )
    return found


def _about_whole(result: Result) -> Result:
    meant = tuple(each for each in result.results if "whole" in each.constraint.scopes(gate=True))
    return replace(result, results=meant)


def _of_result(result: Result, *, closed: bool) -> Iterator[Finding]:
    for each in result.results:
        if each.outcome is Outcome.PASSED:
            continue
        if each.outcome is Outcome.FAILED:
            level = Decision.HOLD if each.level is Level.ERROR else Decision.WARN
        elif each.problem is not None and each.problem.code in NOT_SERIOUS:
            level = Decision.ACCEPT
        else:
            level = Decision.HOLD if closed and each.serious else Decision.WARN
        yield _of_constraint(each, level)


def _of_constraint(result: ConstraintResult, level: Decision) -> Finding:
    subject = getattr(result.constraint.analyzer, "column", None)
    column = subject if isinstance(subject, str) else None
    return Finding("checks", level, result.message, column, result.constraint.name)
