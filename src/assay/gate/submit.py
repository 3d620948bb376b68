"""A batch's way through the gate, from top to bottom: load, plan, measure, judge, diagnose,
decide, commit, notify.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from assay.analyzers.metric import Problem
from assay.dataset.dataset import Dataset
from assay.engine.failure import problem_of
from assay.engine.frame import schema_of
from assay.engine.measurement import Measurement
from assay.engine.reference_tables import ReferenceTables
from assay.errors import SourceError
from assay.gate.context import BatchContext, load_context
from assay.gate.decide import decide
from assay.gate.diagnose import diagnose
from assay.gate.finding import Finding
from assay.gate.history import note_columns
from assay.gate.judges.registry import judge_batch
from assay.gate.measured_batch import MeasuredBatch
from assay.gate.notes import batch_notes
from assay.gate.quarantine import after, record_of
from assay.gate.resubmission import previous_verdict
from assay.gate.table_schema import TableSchema
from assay.gate.unreadable import is_of_files, unread
from assay.gate.verdict import Verdict
from assay.io.dialect import FileDialect
from assay.store.batch import QUARANTINED, Batch, Selection
from assay.store.verdict import Decision

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from assay.gate.gate import Gate

__all__ = ["Submission", "refuse", "submit", "verdict_on"]


@dataclass(frozen=True, kw_only=True)
class Submission:
    """A batch as a user submits it."""

    batch: Batch
    df: DataFrame
    allow_multiple_reads: bool | None = None
    reference_tables: ReferenceTables | None = None
    dialect: FileDialect | None = None


def submit(gate: Gate, submission: Submission) -> Verdict:
    """Judge a batch and remember it, as accepted or as held.

    Each step is one call. The same batch submitted again is not judged a second time.
    """
    batch = submission.batch
    held = _held_versions(gate, batch)
    context = load_context(gate.store, batch, gate.settings, gate.budget, gate.load_index)
    measured = _plan_and_measure(gate, submission, context)
    if measured.unreadable is not None:
        return refuse(gate, batch, measured.unreadable)
    assert measured.proposal is not None
    earlier = previous_verdict(gate.store, batch, measured.proposal, float(gate.settings.budget))
    if earlier is not None:
        return earlier
    notes = batch_notes(gate.store, batch, _schema(measured), gate.settings.private)
    verdict = verdict_on(context, measured, notes)
    _commit(gate, verdict, measured, held)
    gate.notify(verdict)
    return verdict


def verdict_on(
    context: BatchContext, measured: MeasuredBatch, notes: Iterable[Finding] = ()
) -> Verdict:
    """Judge, diagnose and decide. Nothing is read and nothing is remembered."""
    findings = judge_batch(context, measured)
    try:
        findings = diagnose(findings, measured.fingerprint, context.previous, context.verdicts)
    except Exception as error:  # findings without a cause are better than no findings
        level = Decision.HOLD if context.settings.closed else Decision.WARN
        reason = f"the diagnosis failed: {type(error).__name__}: {error}"
        findings = [*findings, Finding("gate", level, reason)]
    decision, findings_by_level = decide([*findings, *notes], context, measured)
    return Verdict(
        measured.batch,
        decision,
        findings_by_level,
        context.record,
        float(context.settings.budget),
        len(context.history.metrics.batches),
        proposal=measured.proposal,
    )


def refuse(gate: Gate, batch: Batch, reason: str) -> Verdict:
    """Hold a delivery that cannot be read as a table."""
    verdict = Verdict(
        batch,
        Decision.HOLD,
        (Finding("schema", Decision.HOLD, reason, strength=math.inf),),
        record_of(gate.store, gate.dataset, but=batch.key),
        float(gate.settings.budget),
    )
    gate.quarantine.hold(batch, Measurement({}, {}))
    _add_verdict(gate, verdict)
    gate.notify(verdict)
    return verdict


def _plan_and_measure(gate: Gate, submission: Submission, context: BatchContext) -> MeasuredBatch:
    """Measure what the checks and the learners need, as one plan, in one scan."""
    batch, df = submission.batch, submission.df
    try:
        schema = schema_of(df)
    except Exception as error:  # with Connect, a missing file shows only here
        problem = problem_of(error)
        if not is_of_files(problem):
            raise
        return _unreadable(batch, problem)
    dataset = Dataset(gate.dataset, gate.store, *gate.checks, analyzers=gate.analyzers(schema))
    proposal = dataset.propose(
        df,
        batch.key,
        time=batch.time,
        tags=batch.tags,
        allow_multiple_reads=submission.allow_multiple_reads,
        reference_tables=submission.reference_tables,
    )
    problem_of_batch = unread(proposal.measured)
    if problem_of_batch is not None:
        return _unreadable(batch, problem_of_batch)
    columns = TableSchema.of(schema)
    if submission.dialect is not None:
        before = context.history.schema
        dialect = submission.dialect.after(None if before is None else before.writing)
        columns = replace(columns, writing=dialect)
    return MeasuredBatch(proposal.batch, proposal.measured, columns, proposal=proposal)


def _unreadable(batch: Batch, problem: Problem) -> MeasuredBatch:
    """Return a batch without a measurement; a closed session is the user's error instead."""
    if problem.code == "session_closed":
        raise SourceError.unreadable(batch.dataset, problem.reason)
    return MeasuredBatch(batch, None, None, f"it cannot be read: {problem.reason}", problem.code)


def _commit(gate: Gate, verdict: Verdict, measured: MeasuredBatch, held: Sequence[Batch]) -> None:
    """Accept the batch in place of the version that was `held` when it came; or hold it."""
    batch, proposal, schema = verdict.batch, measured.proposal, _schema(measured)
    assert proposal is not None
    if not verdict.accepted:
        gate.quarantine.hold(batch, proposal.measured, schema)
        _add_verdict(gate, verdict)
        return
    # a batch without a verdict is judged again, and so is a verdict without its batch
    _add_verdict(gate, verdict)
    proposal.accept()
    note_columns(gate.store, batch, schema)
    held_now = _held_versions(gate, batch)
    # a version that another process has held in the meantime stays held
    if [version.change for version in held_now] == [version.change for version in held]:
        gate.store.remove(gate.dataset, batch.key, status=QUARANTINED)


def _add_verdict(gate: Gate, verdict: Verdict) -> None:
    time = after(gate.store, gate.dataset, verdict.batch.key)
    gate.store.add_verdict(replace(verdict.remembered(), time=time))


def _held_versions(gate: Gate, batch: Batch) -> tuple[Batch, ...]:
    return gate.store.batches(Selection.one(gate.dataset, batch.key, QUARANTINED))


def _schema(measured: MeasuredBatch) -> TableSchema:
    assert measured.schema is not None
    return measured.schema
