"""Quarantine: held batches, what they held, and how each ends: released or rejected, by somebody.

What was measured of a held batch is kept apart from its dataset, of which it is no part; when it is
released it moves there, without being read again. A rejected one never does.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from assay.dataset.dataset import Dataset
from assay.engine.measurement import Measurement
from assay.errors import StoreError, nearest
from assay.gate.finding import Finding
from assay.gate.history import columns_of, note_columns
from assay.gate.table_schema import TableSchema
from assay.gate.verdict import Record
from assay.learn.fingerprint.column_stats import Fingerprint
from assay.learn.fingerprint.from_states import fingerprint_of
from assay.learn.limits.metric_history import load_metric_history
from assay.store.batch import Batch, Selection, apart, keyed
from assay.store.protocol import Store
from assay.store.verdict import Decision, Mark, MarkKind
from assay.store.versions import versions

__all__ = ["Held", "Inspection", "Quarantine", "after", "apart", "record_of"]

_ALARMS = (Decision.HOLD, Decision.WARN)
_FALSE = (MarkKind.EXPECTED, MarkKind.RELEASED, MarkKind.NEW_NORMAL)


def after(store: Store, dataset: str, key: str) -> datetime:
    """Now, or right behind what was last said of a batch: clocks may run backwards."""
    one = Selection.one(dataset, key)
    said = [each.time for each in store.verdicts(one)] + [each.time for each in store.marks(one)]
    return max([datetime.now(UTC), *(each + timedelta(microseconds=1) for each in said)])


@dataclass(frozen=True)
class Held:
    """A batch that waits for somebody, and why."""

    batch: Batch
    findings: tuple[Finding, ...]

    @property
    def reason(self) -> str:
        """The worst of it."""
        return str(self.findings[0]) if self.findings else "nobody wrote down why."


@dataclass(frozen=True)
class Inspection:
    """A held batch, as it is now and as the last one was."""

    held: Held
    now: Fingerprint
    then: Fingerprint | None


@dataclass(frozen=True)
class Quarantine:
    """The held batches of a dataset."""

    dataset: str
    store: Store

    def waiting(self) -> tuple[Held, ...]:
        """Those that nobody has released or rejected, oldest first."""
        return tuple(
            Held(replace(batch, dataset=self.dataset), self._findings(batch.key))
            for batch in self.store.batches(Selection(apart(self.dataset)))
            if not self._rejected(batch)
        )

    def held(self, key: str) -> Held:
        """One of them; there must be one."""
        waiting = {each.batch.key: each for each in self.waiting()}
        if keyed(key) not in waiting:
            guess = nearest(key, waiting)
            hint = f"; did you mean {guess!r}?" if guess else "."
            raise StoreError(f"no batch {key!r} of {self.dataset} is held{hint}")
        return waiting[key]

    def inspect(self, key: str) -> Inspection:
        """A held batch beside the last one that was let in: what each column held then and now."""
        held = self.held(key)
        states = self.store.states(Selection.one(apart(self.dataset), key))
        last = load_metric_history(self.store, self.dataset, until=held.batch.time, latest=1).last
        return Inspection(held, fingerprint_of(next(iter(states.values()), {})), last)

    def hold(self, batch: Batch, measured: Measurement, columns: TableSchema | None = None) -> None:
        """Keep what was measured of a batch, in the place of an earlier version."""
        own = replace(batch, dataset=apart(self.dataset))
        self.store.write(own, measured)
        if columns is not None:
            note_columns(self.store, own, columns)

    def release(
        self, key: str, author: str, reason: str, kind: MarkKind = MarkKind.RELEASED
    ) -> Batch:
        """Let a batch in after all: it becomes part of the dataset, and of what is learned from."""
        held = self.held(key)
        if not self.store.metrics(Selection.one(apart(self.dataset), key)):
            raise StoreError(
                f"batch {key!r} of {self.dataset} could not be read: deliver it again."
            )
        self.mark(key, kind, author, reason)
        states = self.store.states(Selection.one(apart(self.dataset), key))
        recorded = self.store.metrics(Selection.one(apart(self.dataset), key))
        metrics = {each.metric.analyzer: each.metric for each in recorded}
        measured = Measurement(metrics, next(iter(states.values()), {}))
        Dataset(self.dataset, self.store, analyzers=metrics).proposed(held.batch, measured).accept()
        columns = columns_of(self.store, apart(self.dataset), key)
        if columns is not None:
            note_columns(self.store, held.batch, columns)
        self.store.remove(apart(self.dataset), key)
        return held.batch

    def reject(self, key: str, author: str, reason: str) -> Batch:
        """Never let it in."""
        held = self.held(key)
        self.mark(key, MarkKind.REJECTED, author, reason)
        return held.batch

    def mark(self, key: str, kind: MarkKind, author: str, reason: str) -> None:
        """Write down what somebody says of a batch, after all that was said of it."""
        if not author or not reason:
            raise StoreError(f"say who decides on batch {key!r} of {self.dataset}, and why.")
        time = after(self.store, self.dataset, key)
        self.store.add_mark(Mark(self.dataset, key, kind, author, reason, time))

    def mark_any(self, key: str, kind: MarkKind, author: str, reason: str) -> None:
        """Mark a batch; a held one is thereby released, or rejected if it is bad."""
        if keyed(key) in {held.batch.key for held in self.waiting()}:
            if kind.usable_for_learning:
                self.release(key, author, reason, kind)
            else:
                self.reject(key, author, reason)
            return
        if not self.store.batches(Selection.one(self.dataset, key)):
            raise StoreError(f"{self.dataset} has no batch {key!r}.")
        self.mark(key, kind, author, reason)

    def _findings(self, key: str) -> tuple[Finding, ...]:
        said = self.store.verdicts(Selection.one(self.dataset, key))
        return tuple(map(Finding.read, said[-1].findings)) if said else ()

    def _rejected(self, batch: Batch) -> bool:
        """Whether somebody rejected it, and it was not delivered again since."""
        marks = self.store.marks(Selection.one(self.dataset, batch.key))
        said = self.store.verdicts(Selection.one(self.dataset, batch.key))
        return (
            bool(marks)
            and marks[-1].kind is MarkKind.REJECTED
            and (not said or said[-1].time <= marks[-1].time)
        )


def record_of(store: Store, dataset: str, *, but: str | None = None) -> Record:
    """How the gate of a dataset has done so far, each version of a batch for itself."""
    everything = Selection(dataset)
    judged = [
        (each.verdict.decision, each.mark)
        for each in versions(store.verdicts(everything), store.marks(everything))
        if each.verdict is not None and each.key != but
    ]
    alarms = [(decision, mark) for decision, mark in judged if decision in _ALARMS]
    held = sum(decision is Decision.HOLD for decision, _ in alarms)
    false = sum(mark is not None and mark.kind in _FALSE for _, mark in alarms)
    return Record(len(judged), held, len(alarms) - held, false)
