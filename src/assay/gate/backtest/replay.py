"""Replay a history: judge each batch, in order, by the batches before it only.

All batches are measured first, in as few queries as there are schemas. Judging reads no rows.
Held batches stay held, unless the review accepts them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from assay.analyzers.analyzer import Analyzer
from assay.dataset.batch_keys import names_of
from assay.dataset.dataset import Dataset
from assay.engine.frequency_table import FrequencyTable
from assay.engine.measurement import Measurement
from assay.errors import CheckError
from assay.gate.backtest.limit_cache import LimitCache
from assay.gate.backtest.result import Backtest
from assay.gate.backtest.review import Review, review_of
from assay.gate.budget.track_record import load_track_record
from assay.gate.context import VERDICT_WINDOW, BatchContext
from assay.gate.decide.team_budget import TeamBudget, apply_team_budget
from assay.gate.finding import Finding
from assay.gate.history import WINDOW, GateHistory
from assay.gate.measure_many import collect_frequencies, measure_frames, measure_table
from assay.gate.measured_batch import MeasuredBatch
from assay.gate.mutes import Mute, load_mutes
from assay.gate.segments.batch_segments import BatchSegments
from assay.gate.segments.measure_segments import require_segments
from assay.gate.spec import GateSpec
from assay.gate.submit import judge_measured, unreadable_verdict
from assay.gate.verdict import Verdict
from assay.learn.limits.approved_limits import approved
from assay.learn.limits.metric_history import MetricHistory
from assay.learn.limits.table_limits import TableLimits
from assay.store.batch import Batch, Selection
from assay.store.memory import MemoryStore
from assay.store.verdict import Decision, Mark, MarkKind

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["backtest", "replay"]

#: looks at a batch and at what is known before it
Inspect = Callable[[BatchContext, MeasuredBatch], None]


def backtest(
    spec: GateSpec,
    batches: DataFrame | Mapping[str, DataFrame],
    by: str | Sequence[str] = (),
    *,
    review: Review | str | None = None,
    allow_multiple_reads: bool | None = None,
) -> Backtest:
    """Measure the parts of a table by the `by` columns, or DataFrames by key, and replay them."""
    if isinstance(batches, Mapping):
        return replay(spec, measure_frames(spec, batches), review)
    by = names_of(by)
    if not by:
        raise CheckError(
            "cannot split the table into batches: expected the columns that name the batch of"
            " each row, got none. Give by=[…]."
        )
    measured = measure_table(spec, batches, by, allow_multiple_reads=allow_multiple_reads)
    return replay(spec, measured, review)


def replay(
    spec: GateSpec,
    batches: Iterable[MeasuredBatch],
    review: Review | str | None = None,
    *,
    inspect: Inspect | None = None,
) -> Backtest:
    """Judge measured batches in their order.

    Parameters
    ----------
    review
        A policy (`ReviewPolicy`), or a function that says whether a held batch is accepted after
        all. Accepted batches are learned from. By default none is.
    inspect
        Called with each readable batch, and with the context in which it is judged.
    """
    review = review_of(review)
    decided = _Decided(approved(spec.store, spec.dataset), load_mutes(spec.store, spec.dataset))
    store, n_datasets = MemoryStore(), len(spec.store.datasets())
    spec = spec.in_store(store)
    history = GateHistory(MetricHistory(spec.dataset))
    limits = LimitCache(spec)
    dataset = Dataset(spec.dataset, store, *spec.checks, in_gate=True)
    wanted = set(dataset.analyzers)
    verdicts: list[Verdict] = []
    released: list[str] = []
    team = TeamBudget()
    segments: list[tuple[Batch, BatchSegments]] = []
    all_batches = collect_frequencies(batches)
    require_segments(all_batches, spec.settings)
    for measured in all_batches:
        context = _context(spec, measured, history, limits, decided)
        context = replace(context, segments=tuple(segments))
        if measured.measurement is None or measured.schema is None:
            reason = measured.unreadable or "the batch cannot be read."
            verdict = unreadable_verdict(context, measured.batch, reason)
            verdicts.append(verdict)
            store.add_verdict(verdict.to_record())
            history = history.after(measured.batch, accepted=False)
            continue
        proposal = dataset.propose_measured(
            measured.batch, _for_checks(wanted, measured.measurement)
        )
        proposed = replace(measured, proposal=proposal)
        day = measured.batch.time.date().isoformat()
        verdict, team = apply_team_budget(
            judge_measured(context, proposed), context, team, n_datasets=n_datasets, day=day
        )
        if inspect is not None:
            inspect(context, proposed)
        observations = (*verdict.observations, *_not_replayed(wanted, measured.measurement))
        verdict = replace(verdict, observations=observations)
        verdicts.append(verdict)
        store.add_verdict(verdict.to_record())
        is_released = not verdict.accepted and review(verdict)
        if is_released:
            released.append(measured.batch.key)
            store.add_mark(Mark(spec.dataset, measured.batch.key, MarkKind.RELEASED, "review"))
        accepted = verdict.accepted or is_released
        if accepted:
            limits.add_accepted(verdict)
            proposal.accept()
            held = frozenset(f.column for f in verdict.alarms if f.level is Decision.HOLD)
            history = history.plus(
                measured.batch, proposed.fingerprint, measured.schema, released=held
            ).latest()
            if measured.segments is not None:
                segments = [*segments, (measured.batch, measured.segments)][-WINDOW:]
        history = history.after(measured.batch, measured.schema, accepted=accepted)
    return Backtest(tuple(verdicts), tuple(released))


@dataclass(frozen=True)
class _Decided:
    """Decisions of persons about the dataset. They apply to replayed batches, too."""

    approved_limits: TableLimits | None
    mutes: tuple[Mute, ...]


def _context(
    spec: GateSpec,
    measured: MeasuredBatch,
    history: GateHistory,
    limits: LimitCache,
    decided: _Decided,
) -> BatchContext:
    key = measured.batch.key
    return BatchContext(
        settings=spec.settings,
        budget=spec.budget,
        history=history,
        verdicts=spec.store.verdicts(Selection(spec.dataset, but=key, latest=VERDICT_WINDOW)),
        track_record=load_track_record(spec.store, spec.dataset, but=key),
        approved_limits=decided.approved_limits,
        mutes=decided.mutes,
        learn=lambda: limits.learn(history),
        load_index=spec.load_index,
    )


def _for_checks(wanted: Set[Analyzer], measured: Measurement) -> Measurement:
    """Return the metrics and states that the checks need. Others need no running totals."""
    large = _large_tables(measured)
    return Measurement(
        {analyzer: metric for analyzer, metric in measured.metrics.items() if analyzer in wanted},
        {
            analyzer: state
            for analyzer, state in measured.states.items()
            if analyzer in wanted and analyzer not in large
        },
    )


def _large_tables(measured: Measurement) -> list[Analyzer]:
    """Return the analyzers whose frequency tables are too large to collect."""
    return [
        analyzer for analyzer, state in measured.states.items() if isinstance(state, FrequencyTable)
    ]


def _not_replayed(wanted: Set[Analyzer], measured: Measurement) -> Iterator[Finding]:
    for analyzer in _large_tables(measured):
        if analyzer in wanted:
            reason = f"{analyzer.key} of the whole dataset is not replayed: it has too many keys."
            yield Finding("gate", Decision.ACCEPT, reason)
