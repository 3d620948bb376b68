"""What was said of a batch before: the same data under the same key is judged no second time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from assay.analyzers.analyzer import Analyzer
from assay.analyzers.state import State
from assay.dataset.proposal import Proposal
from assay.gate.decide import decision_of
from assay.gate.finding import Finding
from assay.gate.quarantine import record_of
from assay.gate.stored_findings import findings_of
from assay.gate.verdict import Verdict
from assay.learn.fingerprint.column_stats import ColumnStats, Fingerprint
from assay.learn.fingerprint.from_states import fingerprint_of
from assay.store.batch import QUARANTINED, Batch, BatchStatus, Selection
from assay.store.protocol import Store
from assay.store.verdict import Decision, MarkKind, VerdictRecord

__all__ = ["is_of", "previous_verdict"]

#: of values that are not all known, what is the same of the same in whatever order they come
_COUNTED = ("rows", "values", "distinct", "characters", "letters", "digits", "spaces", "symbols")


def previous_verdict(
    store: Store, batch: Batch, proposal: Proposal, budget: float
) -> Verdict | None:
    """The verdict on this key, if what was measured then is what is measured now."""
    dataset, key = batch.dataset, batch.key
    said = store.verdicts(Selection.one(dataset, key))
    held = store.batches(Selection.one(dataset, key, QUARANTINED))
    for status in (BatchStatus.ACCEPTED, QUARANTINED) if said else ():
        known = store.batches(Selection.one(dataset, key, status))
        states = store.states(Selection.one(dataset, key, status))
        if not known or not _same(next(iter(states.values()), {}), proposal.measured.states):
            continue
        here = status is BatchStatus.ACCEPTED
        # of the version that was let in; that one is kept apart is another's story
        own = [each for each in said if not (here and held) or each.decision != Decision.HOLD]
        # a held one that is part of the dataset was released
        released = here and (not own or own[-1].decision is Decision.HOLD)
        findings = findings_of(store, own[-1]) if own else ()
        bad = _marked_bad(store, batch) if here else ()
        decision = Decision.ACCEPT if released else own[-1].decision
        return Verdict(
            replace(known[0], status=BatchStatus.ACCEPTED),
            decision_of(bad) if bad and decision is Decision.ACCEPT else decision,
            (*bad, *findings),
            record_of(store, dataset),
            budget,
            len(store.batches(Selection(dataset, but=key))),
            again=True,
        )
    return None


def is_of(said: VerdictRecord, verdict: Verdict) -> bool:
    """Whether this was said, segments aside, which are found out later."""
    told = verdict.remembered()
    every = [[dict(each) | {"where": None} for each in of.findings] for of in (said, told)]
    return said.decision is told.decision and every[0] == every[1]


def _marked_bad(store: Store, batch: Batch) -> tuple[Finding, ...]:
    marks = store.marks(Selection.one(batch.dataset, batch.key))
    if not marks or marks[-1].kind is not MarkKind.BAD:
        return ()
    reason = f"{marks[-1].author} marked it as bad: {marks[-1].reason}"
    return (Finding("gate", Decision.WARN, reason),)


def _same(then: Mapping[Analyzer, State], now: Mapping[Analyzer, State]) -> bool:
    """Whether a batch has what another had, column by column, in whatever order."""
    before, own = fingerprint_of(then), fingerprint_of(now)
    alike = before.rows == own.rows and before.columns.keys() == own.columns.keys()
    if not alike or not then or _nulls(before) != _nulls(own):
        return False
    return all(_known(each) == _known(own.columns[name]) for name, each in before.columns.items())


def _known(stats: ColumnStats) -> object:
    """Its mark; of a column that has none, as some before had, what is counted of it."""
    return (
        stats.digest if stats.digest is not None else [stats.numbers.get(each) for each in _COUNTED]
    )


def _nulls(batch: Fingerprint) -> Mapping[str, int]:
    """Which columns are null together, if all such combinations are known."""
    return batch.nulls if sum(batch.nulls.values()) == batch.rows else {}
