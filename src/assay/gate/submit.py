"""A batch's way through the gate, from top to bottom.

The steps are: load the context, measure the batch, judge, diagnose, decide, commit, notify. The
functions for measure, commit and notify are in this module. The other steps are in `context`,
`judges.registry`, `diagnose` and `decide`. Backtests and comparisons share the steps from judge to
decide (`judge_measured`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

from assay.analyzers.metric import Problem as MetricProblem
from assay.dataset.dataset import Dataset
from assay.engine.failure import capture_failure
from assay.engine.frame import schema_of
from assay.engine.measurement import Measurement
from assay.engine.reference_tables import ReferenceTables
from assay.errors import CheckError, SourceError, require_instance
from assay.gate.attempt import attempt
from assay.gate.causes.cause import CauseCode
from assay.gate.causes.usual_rows import usual_rows
from assay.gate.context import BatchContext, load_context
from assay.gate.decide import decide
from assay.gate.decide.team_budget import apply_team_budget, load_team_budget, save_team_budget
from assay.gate.diagnose import Comparison, diagnose, group_findings
from assay.gate.finding import Finding
from assay.gate.history.provisional_suite import save_suite
from assay.gate.judges.registry import judge_batch
from assay.gate.measured_batch import MeasuredBatch
from assay.gate.mutes import mute_findings
from assay.gate.observe import observe
from assay.gate.privacy import private_columns, protect_proposal
from assay.gate.problem import Problem
from assay.gate.segments.measure_segments import add_segments
from assay.gate.selection import require_columns
from assay.gate.spec import GateSpec
from assay.gate.stored_verdicts import time_after
from assay.gate.table_schema import TableSchema
from assay.gate.unreadable import is_file_problem, problem_of_batch
from assay.gate.verdict import Verdict
from assay.gate.verdict_evidence import collect_evidence
from assay.io.file_dialect import FileDialect
from assay.store.batch import QUARANTINED, Batch, BatchStatus, Selection
from assay.store.dataset_info import save_dataset_info
from assay.store.protocol import Store
from assay.store.verdict import Decision

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["Submission", "judge_measured", "refuse", "submit", "unreadable_verdict"]


@dataclass(frozen=True, kw_only=True)
class Submission:
    """A batch as a user submits it."""

    batch: Batch
    df: DataFrame
    allow_multiple_reads: bool | None = None
    reference_tables: ReferenceTables | None = None
    dialect: FileDialect | None = None

    def __post_init__(self) -> None:
        key, df, dialect = self.batch.key, self.df, self.dialect
        if not hasattr(df, "sparkSession"):
            raise CheckError(f"batch {key!r} must be a pyspark DataFrame, got {type(df).__name__}.")
        if dialect is not None:
            remedy = "dialect_of_file(…) returns one."
            what = f"invalid dialect of batch {key!r}"
            require_instance(dialect, FileDialect, what, "a FileDialect", remedy)


def submit(spec: GateSpec, submission: Submission) -> Verdict:
    """Judge a batch and record the decision.

    The store is read in one snapshot and written in one transaction. Submitting the same rows
    under the same key again returns the recorded verdict.
    """
    batch = submission.batch
    with spec.store.snapshot():
        context = load_context(spec.store, batch, spec.settings, spec.budget, spec.load_index)
        measured = _measure(spec, submission, context)
    if measured.unreadable is not None:
        return _refuse(spec, context, batch, measured.unreadable)
    recorded = context.earlier_delivery.verdict_on(measured.fingerprint)
    if recorded is not None:
        return recorded

    measured = add_segments(measured, submission.df, spec.settings, is_first=not context.segments)
    verdict = judge_measured(context, measured)
    verdict = _commit(spec, context, measured, verdict)
    return _notify(spec, verdict)


def judge_measured(context: BatchContext, measured: MeasuredBatch) -> Verdict:
    """Judge, diagnose and decide. Neither the batch nor the store is read or written."""
    if measured.schema is not None:
        private = private_columns(measured.schema, context.settings.private)
        if private != context.settings.private:
            context = replace(context, settings=replace(context.settings, private=private))
    findings = mute_findings(judge_batch(context, measured), context.mutes)
    findings += observe(context, measured)
    problems = _diagnose(findings, context, measured)
    decision, problems, observations = decide(problems, context, measured)
    batches = context.history.metrics.batches
    verdict = Verdict(
        measured.batch,
        decision,
        problems,
        (*(finding for finding in findings if not finding.alarm), *observations),
        row_count=measured.fingerprint.rows,
        column_count=None if measured.schema is None else len(measured.schema.types),
        n_history=len(batches),
        history_start=batches[0].key if batches else None,
        history_end=batches[-1].key if batches else None,
        similar_dataset=context.similar_dataset,
        budget=float(context.settings.budget_share),
        track_record=context.track_record,
        proposal=measured.proposal,
    )
    return _with_evidence(verdict, context, measured)


def _diagnose(
    findings: Sequence[Finding], context: BatchContext, measured: MeasuredBatch
) -> tuple[Problem, ...]:
    batch, history = measured.fingerprint, context.history
    compared = Comparison(
        batch,
        context.previous,
        is_small=batch.rows < history.min_comparable_rows,
        private=frozenset(context.settings.private),
        history=history.seen_values,
        usual_rows=usual_rows(history.metrics, measured.batch.time),
    )
    level = context.settings.level_on_error
    problems = attempt(
        "the diagnosis", level, lambda: diagnose(findings, compared, context.verdicts)
    )
    if isinstance(problems, Finding):  # the diagnosis failed: report the alarms without causes
        return group_findings([problems, *(finding for finding in findings if finding.alarm)])
    return problems


def _with_evidence(verdict: Verdict, context: BatchContext, measured: MeasuredBatch) -> Verdict:
    evidence = attempt(
        "collecting the evidence for reports",
        Decision.ACCEPT,
        lambda: collect_evidence(context, measured, verdict.alarms),
    )
    if isinstance(evidence, Finding):  # it failed: return the verdict without charts for reports
        return replace(verdict, observations=(*verdict.observations, evidence))
    if context.calibration.factor > 1:
        evidence = {**evidence, "calibration": str(context.calibration)}
    return replace(verdict, evidence=evidence)


def refuse(spec: GateSpec, batch: Batch, reason: str) -> Verdict:
    """Judge a delivery that was not read as a table: hold it, record the verdict, notify.

    The caller found that it is not a table, such as an HTML page. `submit` finds the other faults.
    """
    context = load_context(spec.store, batch, spec.settings, spec.budget, spec.load_index)
    return _refuse(spec, context, batch, reason)


def _refuse(spec: GateSpec, context: BatchContext, batch: Batch, reason: str) -> Verdict:
    """Record and notify the verdict on an unreadable delivery, after the context was loaded."""
    verdict = unreadable_verdict(context, batch, reason)
    verdict = _commit(spec, context, MeasuredBatch(batch, None, None, reason), verdict)
    return _notify(spec, verdict)


def _notify(spec: GateSpec, verdict: Verdict) -> Verdict:
    """Notify people. If this fails, the returned verdict says so, and nothing else changes."""
    if spec.notify is None:
        return verdict
    failure = attempt("the notification", Decision.ACCEPT, partial(spec.notify, verdict))
    if not isinstance(failure, Finding):
        return verdict
    return replace(verdict, observations=(*verdict.observations, failure))


def unreadable_verdict(context: BatchContext, batch: Batch, reason: str) -> Verdict:
    """Return a verdict that holds an unreadable delivery. It is not recorded."""
    finding = Finding(
        "schema",
        Decision.HOLD,
        reason,
        severity=math.inf,
        cause_code=CauseCode.UNREADABLE,
    )
    return Verdict(
        batch,
        Decision.HOLD,
        group_findings([finding]),
        n_history=len(context.history.metrics.batches),
        budget=float(context.settings.budget_share),
        track_record=context.track_record,
    )


def _measure(spec: GateSpec, submission: Submission, context: BatchContext) -> MeasuredBatch:
    """Measure what the checks and the judges need, as one plan, in one scan of the batch."""
    batch, df = submission.batch, submission.df
    # Spark Connect finds a missing file only when it needs the schema
    schema = capture_failure(lambda: schema_of(df))()
    if isinstance(schema, MetricProblem):
        if is_file_problem(schema) or schema.code == "session_closed":
            return _unreadable(batch, schema)
        schema = schema_of(df)  # a fault of the query: raise it as Spark does
    private = spec.settings.private
    recorded = context.history.schema
    require_columns(spec.settings, (*schema.names, *(() if recorded is None else recorded.names)))
    plan = spec.plan_fingerprint(schema, context.previous, context.history.relations)
    dataset = Dataset(
        spec.dataset,
        spec.store,
        *spec.checks,
        analyzers=plan.analyzers,
        private=private,
        in_gate=True,
    )
    proposal = dataset.propose(
        df,
        batch.key,
        time=batch.time,
        tags=batch.tags,
        allow_multiple_reads=submission.allow_multiple_reads,
        reference_tables=submission.reference_tables,
    )
    problem = problem_of_batch(proposal.measured)
    if problem is not None:
        return _unreadable(batch, problem)
    columns = TableSchema.of(schema)
    if submission.dialect is not None:
        before = context.history.schema
        dialect = submission.dialect.after(None if before is None else before.writing)
        columns = replace(columns, writing=dialect)
    proposal = protect_proposal(
        proposal, columns, private, are_hashed=spec.store.tables is not None
    )
    measured = MeasuredBatch(
        proposal.batch, proposal.measured, columns, plan=plan, proposal=proposal
    )
    if submission.dialect is None:
        return measured
    columns = columns.mark_empty(measured.fingerprint, context.history.schema)
    return replace(measured, schema=columns)


def _unreadable(batch: Batch, problem: MetricProblem) -> MeasuredBatch:
    """Return a batch without a measurement, with the reason why it cannot be read.

    Raises
    ------
    SourceError
        If the Spark session is closed: the data is not at fault, so no batch is held.
    """
    if problem.code == "session_closed":
        raise SourceError.unreadable(batch.dataset, problem.reason)
    return MeasuredBatch(batch, None, None, f"it cannot be read: {problem.reason}", problem.code)


def _commit(
    spec: GateSpec, context: BatchContext, measured: MeasuredBatch, verdict: Verdict
) -> Verdict:
    """Write the batch, its derived records and the verdict in one transaction.

    The budget of the team is a part of it, since batches of other datasets use the same budget.
    Return the verdict within that budget.
    """
    store, batch = spec.store, verdict.batch
    with store.transaction():
        verdict = _within_team_budget(store, context, verdict)
        status = BatchStatus.ACCEPTED if verdict.accepted else BatchStatus.HELD
        save_dataset_info(store, spec.dataset, spec.settings.info)
        for key, record in context.unsaved:
            store.save(spec.dataset, key, record)
        if verdict.accepted and measured.proposal is not None:
            measured.proposal.accept()
            _remove_quarantined(spec, context, batch)
            if not context.history.keys:
                save_suite(store, batch, measured.fingerprint)
        else:
            held = replace(batch, status=BatchStatus.HELD)
            store.write(held, measured.measurement or Measurement({}, {}))
        if measured.schema is not None:
            store.save(spec.dataset, batch.key, measured.schema, status)
        if measured.plan is not None:
            store.save(spec.dataset, batch.key, measured.plan, status)
        if measured.segments is not None:
            store.save(spec.dataset, batch.key, measured.segments, status)
        time = time_after(store, spec.dataset, batch.key)
        store.add_verdict(replace(verdict.to_record(), time=time))
    return verdict


def _within_team_budget(store: Store, context: BatchContext, verdict: Verdict) -> Verdict:
    if context.settings.share_false is None:
        return verdict
    before, day = load_team_budget(store), datetime.now(UTC).date().isoformat()
    verdict, after = apply_team_budget(
        verdict, context, before, n_datasets=len(store.datasets()), day=day
    )
    if after is not before:
        save_team_budget(store, after)
    return verdict


def _remove_quarantined(spec: GateSpec, context: BatchContext, batch: Batch) -> None:
    """Remove the held or rejected version that this accepted batch replaces.

    It was stored when the batch was submitted. A version that another process stored since then
    stays.
    """
    before = context.earlier_delivery.quarantined
    held = spec.store.batches(Selection.one(spec.dataset, batch.key, QUARANTINED))
    if before is not None and [version.change for version in held] == [before[0].change]:
        spec.store.remove(spec.dataset, batch.key, status=QUARANTINED)
