"""The judge of declared checks: constraints that failed on the batch, or on the whole dataset."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from itertools import starmap

from assay.analyzers.schema import Field, Schema
from assay.checks.constraint import Level
from assay.checks.examples import named_columns
from assay.checks.result import NOT_SERIOUS, ConstraintResult, Outcome, Result
from assay.gate.context import BatchContext
from assay.gate.finding import Finding
from assay.gate.measured_batch import MeasuredBatch
from assay.gate.privacy import exposed_columns
from assay.gate.table_schema import TableSchema
from assay.store.verdict import Decision

__all__ = ["ChecksJudge", "judge_checks"]


@dataclass(frozen=True)
class ChecksJudge:
    """Reports the constraints that failed on the batch, or on the whole dataset with it."""

    name: str = "checks"
    holds_alone: bool = True

    def judge(self, context: BatchContext, batch: MeasuredBatch) -> list[Finding]:
        """Return one finding for each constraint that did not pass."""
        if batch.proposal is None:
            return []
        findings = judge_checks(
            batch.proposal.delta,
            batch.proposal.whole,
            batch.schema,
            level_on_error=context.settings.level_on_error,
        )
        private = context.settings.private
        return [_withhold_values(finding, batch, private) for finding in findings]


def judge_checks(
    batch: Result, dataset: Result, schema: TableSchema | None, *, level_on_error: Decision
) -> list[Finding]:
    """Return one finding for each constraint that did not pass.

    The whole dataset is judged by the constraints whose scope includes it, such as keys. A
    constraint that fails on both is reported once. Constraints whose states do not merge are
    evaluated on the batch alone, and one observation names them. A finding has the columns that
    its constraint names.
    """
    columns = Schema(()) if schema is None else Schema(tuple(starmap(Field, schema.types)))
    findings = list(_findings_of(batch, columns, level_on_error))
    failed = {finding.metric for finding in findings if finding.alarm}
    about_dataset = tuple(
        result for result in dataset.results if "whole" in result.constraint.scopes(gate=True)
    )
    findings += (
        replace(finding, reason=f"on the whole dataset, with this batch: {finding.reason}")
        for finding in _findings_of(
            replace(dataset, results=about_dataset), columns, level_on_error
        )
        if finding.alarm and finding.metric not in failed
    )
    return [*findings, *_note_unmerged(about_dataset)]


def _note_unmerged(results: Collection[ConstraintResult]) -> Iterator[Finding]:
    """Name the constraints on the whole dataset that only the batch could be judged by."""
    names = dict.fromkeys(
        result.constraint.name
        for result in results
        if result.problem is not None and result.problem.code == "not_incremental"
    )
    if names:
        are = "is" if len(names) == 1 else "are"
        sentence = (
            f"{', '.join(names)} {are} evaluated on this batch alone, not on the whole dataset:"
            " the states of its batches cannot be merged."
        )
        yield Finding("checks", Decision.ACCEPT, sentence)


def _findings_of(results: Result, schema: Schema, level_on_error: Decision) -> Iterator[Finding]:
    for result in results.results:
        if result.outcome is Outcome.PASSED:
            continue
        if result.outcome is Outcome.FAILED:
            level = Decision.HOLD if result.level is Level.ERROR else Decision.WARN
        elif result.problem is not None and result.problem.code in NOT_SERIOUS:
            level = Decision.ACCEPT
        else:
            level = level_on_error if result.serious else Decision.WARN
        yield _to_finding(result, schema, level)


def _withhold_values(finding: Finding, batch: MeasuredBatch, private: Collection[str]) -> Finding:
    """Replace the reason of a finding that may quote values of a private column."""
    assert batch.proposal is not None
    results = [
        result
        for result in (*batch.proposal.delta.results, *batch.proposal.whole.results)
        if result.constraint.name == finding.metric
    ]
    problems = [result.problem for result in results if result.problem is not None]
    if private and any(problem.may_quote_values for problem in problems):
        codes = ", ".join(dict.fromkeys(problem.code for problem in problems))
        reason = (
            f"{finding.metric} could not be evaluated ({codes})."
            " The error may quote values of private columns and is not shown."
        )
        return replace(finding, reason=reason)
    if len(problems) == len(results):  # nothing was measured, and the reasons quote no values
        return finding
    columns = [
        column
        for result in results[:1]
        for column in exposed_columns(result.constraint, batch.schema, private)
    ]
    if not columns:
        return finding
    names = ", ".join(columns)
    reason = f"{finding.metric} does not hold. Values of the private column {names} are not shown."
    return replace(finding, reason=reason)


def _to_finding(result: ConstraintResult, schema: Schema, level: Decision) -> Finding:
    constraint = result.constraint
    column, *related = named_columns(constraint.analyzer, schema) or (None,)
    return Finding("checks", level, result.message, column, constraint.name, related=tuple(related))
