"""Quarantine: held batches, what they held, and how each ends: released or rejected, by somebody.

A held batch is stored with its status and is no part of its dataset. Releasing it changes the
status, without reading the batch again. A rejected batch never becomes part of the dataset.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from assay.dataset.dataset import Dataset
from assay.engine.measurement import Measurement
from assay.errors import StoreError, nearest
from assay.gate.finding import Finding
from assay.gate.history import note_columns
from assay.gate.stored_findings import findings_of
from assay.gate.table_schema import TableSchema
from assay.gate.verdict import Record
from assay.learn.fingerprint.column_stats import Fingerprint
from assay.learn.fingerprint.from_states import fingerprint_of
from assay.learn.limits.metric_history import load_metric_history
from assay.store.batch import Batch, BatchStatus, Selection, require_key
from assay.store.protocol import Store
from assay.store.verdict import Mark, MarkKind

__all__ = ["Held", "Inspection", "Quarantine", "after", "record_of"]


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
            Held(batch, self._findings(batch.key))
            for batch in self.store.batches(Selection(self.dataset, status=BatchStatus.HELD))
        )

    def held(self, key: str) -> Held:
        """One of them; there must be one."""
        waiting = {each.batch.key: each for each in self.waiting()}
        if require_key(key) not in waiting:
            guess = nearest(key, waiting)
            hint = f"; did you mean {guess!r}?" if guess else "."
            raise StoreError(f"no batch {key!r} of {self.dataset} is held{hint}")
        return waiting[key]

    def inspect(self, key: str) -> Inspection:
        """A held batch beside the last one that was let in: what each column held then and now."""
        held = self.held(key)
        last = load_metric_history(self.store, self.dataset, until=held.batch.time, latest=1).last
        states = self.store.states(Selection.one(self.dataset, key, BatchStatus.HELD))
        return Inspection(held, fingerprint_of(next(iter(states.values()), {})), last)

    def hold(self, batch: Batch, measured: Measurement, columns: TableSchema | None = None) -> None:
        """Keep what was measured of a batch, in the place of an earlier version."""
        own = replace(batch, status=BatchStatus.HELD)
        self.store.write(own, measured)
        if columns is not None:
            note_columns(self.store, own, columns)

    def release(
        self, key: str, author: str, reason: str, kind: MarkKind = MarkKind.RELEASED
    ) -> Batch:
        """Let a batch in after all: it becomes part of the dataset, and of what is learned from."""
        held = self.held(key)
        one = Selection.one(self.dataset, key, BatchStatus.HELD)
        recorded = self.store.metrics(one)
        if not recorded:
            raise StoreError(
                f"batch {key!r} of {self.dataset} could not be read: deliver it again."
            )
        _require_author(self.dataset, key, author, reason)
        metrics = {each.metric.analyzer: each.metric for each in recorded}
        measured = Measurement(metrics, next(iter(self.store.states(one).values()), {}))
        dataset = Dataset(self.dataset, self.store, analyzers=metrics)
        totals = dataset.propose_measured(held.batch, measured).totals
        with self.store.transaction():
            self.mark(key, kind, author, reason)
            return self.store.set_status(held.batch, BatchStatus.ACCEPTED, totals)

    def reject(self, key: str, author: str, reason: str) -> Batch:
        """Never let it in."""
        held = self.held(key)
        with self.store.transaction():
            self.mark(key, MarkKind.REJECTED, author, reason)
            return self.store.set_status(held.batch, BatchStatus.REJECTED)

    def mark(self, key: str, kind: MarkKind, author: str, reason: str) -> None:
        """Write down what somebody says of a batch, after all that was said of it."""
        _require_author(self.dataset, key, author, reason)
        time = after(self.store, self.dataset, key)
        self.store.add_mark(Mark(self.dataset, key, kind, author, reason, time))

    def mark_any(self, key: str, kind: MarkKind, author: str, reason: str) -> None:
        """Mark a batch; a held one is thereby released, or rejected if it is bad."""
        if require_key(key) in {held.batch.key for held in self.waiting()}:
            if kind.usable_for_learning:
                self.release(key, author, reason, kind)
            else:
                self.reject(key, author, reason)
            return
        if not self.store.batches(Selection.one(self.dataset, key)):
            raise StoreError(f"{self.dataset} has no batch {key!r}.")
        self.mark(key, kind, author, reason)

    def _findings(self, key: str) -> tuple[Finding, ...]:
        newest = replace(Selection.one(self.dataset, key), latest=1)
        return tuple(
            finding
            for verdict in self.store.verdicts(newest)
            for finding in findings_of(self.store, verdict)
        )


def _require_author(dataset: str, key: str, author: str, reason: str) -> None:
    if not author or not reason:
        raise StoreError(f"say who decides on batch {key!r} of {dataset}, and why.")


def record_of(store: Store, dataset: str, *, but: str | None = None) -> Record:
    """How the gate of a dataset has done so far, each version of a batch for itself."""
    counts = store.verdict_counts(dataset, but)
    return Record(counts.judged, counts.held, counts.warned, counts.false_alarms)
