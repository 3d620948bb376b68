"""Replaying a history: every batch judged with only what came before it, in order.

The states of all batches are computed first, in as few queries as there are schemas; judging reads
no rows. What becomes of held batches is up to a reviewer: without one they stay held.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from assay.analyzers.analyzer import Analyzer
from assay.dataset.dataset import Dataset
from assay.engine.frequency_table import FrequencyTable, collect_segments
from assay.engine.measurement import Measurement
from assay.gate.context import BatchContext, learn_limits
from assay.gate.finding import Finding
from assay.gate.history import GateHistory
from assay.gate.measured_batch import MeasuredBatch
from assay.gate.quarantine import record_of
from assay.gate.submit import verdict_on
from assay.gate.verdict import Verdict
from assay.learn.limits.column_limits import Mode
from assay.learn.limits.metric_history import MetricHistory
from assay.learn.limits.table_limits import TableLimits
from assay.store.batch import Selection
from assay.store.memory import MemoryStore
from assay.store.verdict import Decision

if TYPE_CHECKING:
    from assay.gate.gate import Gate

__all__ = ["Backtest", "Review", "replay"]

#: says of a held batch whether it is let in after all
Review = Callable[[Verdict], bool]
#: limits are learned anew once there is a fifth more history; sooner where it belies them
_ANEW = 5
#: so many of the latest batches are learned from
_LATEST = 60


@dataclass(frozen=True)
class Backtest:
    """The verdicts of a history, oldest first."""

    verdicts: tuple[Verdict, ...]

    def __iter__(self) -> Iterator[Verdict]:
        return iter(self.verdicts)

    def __len__(self) -> int:
        return len(self.verdicts)

    @property
    def counts(self) -> Mapping[Decision, int]:
        """How many batches were accepted, warned of and held."""
        found = Counter(each.decision for each in self.verdicts)
        return {each: found.get(each, 0) for each in Decision}

    def to_dicts(self) -> list[dict[str, Any]]:
        """A row a batch."""
        return [
            {
                "batch": each.batch.key,
                "time": each.batch.time.isoformat(),
                "decision": each.decision.value,
                "findings": len(each.alarms),
                "reason": str(each.alarms[0]) if each.alarms else "",
            }
            for each in self.verdicts
        ]

    def __str__(self) -> str:
        counts = ", ".join(f"{n} {each.value}" for each, n in self.counts.items())
        lines = [f"{len(self)} batches: {counts}."]
        lines += (
            f"  {row['batch']:<24} {row['decision']:<6} {row['reason']}"
            for row in self.to_dicts()
            if row["decision"] != Decision.ACCEPT.value
        )
        return "\n".join(lines)


def replay(
    gate: Gate, deliveries: Iterable[MeasuredBatch], review: Review | None = None
) -> Backtest:
    """Judge deliveries in their order; a held one that the reviewer lets in is learned from."""
    store = MemoryStore()
    own = gate.on(store)
    known = GateHistory(MetricHistory(gate.dataset))
    limits: Mapping[Mode, TableLimits] | None = None
    accepted = learned = 0
    belied: set[str | None] = set()
    found: list[Verdict] = []
    dataset = Dataset(gate.dataset, store, *gate.checks)
    wanted = set(dataset.analyzers)
    for each in _collected(deliveries):
        if each.measurement is None or each.schema is None:
            found.append(_unreadable(own, each, len(known.metrics.batches)))
            store.add_verdict(found[-1].remembered())
            known = known.after(each.batch, accepted=False)
            continue
        try:
            if limits is None or accepted - learned >= max(1, min(accepted, _LATEST) // _ANEW):
                limits, learned = learn_limits(known, own.budget, own.settings), accepted
            elif belied:
                later = learn_limits(known, own.budget, own.settings, belied)
                limits = {mode: each.renewed(later[mode]) for mode, each in limits.items()}
        except Exception:  # which the judge of history will meet again, and tell
            limits = None
        proposal = dataset.propose_measured(each.batch, _only(wanted, each.measurement))
        context = BatchContext(
            settings=own.settings,
            budget=own.budget,
            history=known,
            verdicts=store.verdicts(Selection(gate.dataset, but=each.batch.key)),
            record=record_of(store, gate.dataset, but=each.batch.key),
            learned_limits=limits,
            load_index=own.load_index,
        )
        notes = _not_of_the_whole(wanted, each.measurement)
        verdict = verdict_on(context, replace(each, proposal=proposal), notes)
        found.append(verdict)
        store.add_verdict(verdict.remembered())
        belied = set()
        let_in = verdict.accepted or (review is not None and review(verdict))
        if let_in:
            belied = {each.column for each in verdict.alarms if each.judge in ("limits", "empty")}
            proposal.accept()
            known = known.plus(each.batch, each.fingerprint, each.schema).latest(_LATEST)
            accepted += 1
        known = known.after(each.batch, each.schema, accepted=let_in)
    return Backtest(tuple(found))


def _collected(deliveries: Iterable[MeasuredBatch]) -> list[MeasuredBatch]:
    """With all tables of frequencies that are small enough: a job for each grouping and schema."""
    every = list(deliveries)
    states = collect_segments(
        [each.measurement.states if each.measurement else {} for each in every]
    )
    return [
        replace(each, measurement=each.measurement and Measurement(each.measurement.metrics, own))
        for each, own in zip(every, states, strict=True)
    ]


def _only(wanted: Set[Analyzer], measured: Measurement) -> Measurement:
    """What the checks need: of the rest, which learners have, no running totals are kept."""
    large = _large(measured)
    return Measurement(
        {each: metric for each, metric in measured.metrics.items() if each in wanted},
        {
            each: state
            for each, state in measured.states.items()
            if each in wanted and each not in large
        },
    )


def _large(measured: Measurement) -> list[Analyzer]:
    """Whose tables of frequencies stayed in Spark: of the batch they are summed up already."""
    return [each for each, state in measured.states.items() if isinstance(state, FrequencyTable)]


def _not_of_the_whole(wanted: Set[Analyzer], measured: Measurement) -> Iterator[Finding]:
    for each in _large(measured):
        if each in wanted:
            reason = f"of the whole, {each.key} is not replayed: it has too many keys."
            yield Finding("gate", Decision.ACCEPT, reason)


def _unreadable(gate: Gate, delivery: MeasuredBatch, history: int) -> Verdict:
    reason = delivery.unreadable or "it could not be read."
    return Verdict(
        delivery.batch,
        Decision.HOLD,
        (Finding("schema", Decision.HOLD, reason, strength=float("inf")),),
        record_of(gate.store, gate.dataset, but=delivery.batch.key),
        float(gate.settings.budget),
        history,
    )
