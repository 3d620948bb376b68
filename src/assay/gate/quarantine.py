"""Quarantine: the held batches of a dataset, and how each ends: released or rejected by a person.

A held batch is stored with the status *held*, outside of its dataset. A release changes the
status, without reading the batch again. A rejected batch never becomes part of the dataset.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from assay.dataset.dataset import Dataset
from assay.engine.measurement import Measurement
from assay.errors import StoreError, did_you_mean
from assay.gate.decide.lasting import OF_CHANGES, changed_subjects
from assay.gate.finding import Finding
from assay.gate.history import load_history
from assay.gate.problem import Problem
from assay.gate.stored_verdicts import last_verdict, recorded_fingerprint, time_after
from assay.learn.fingerprint.column_stats import Fingerprint
from assay.store.batch import Batch, BatchStatus, Selection, require_key
from assay.store.protocol import Store
from assay.store.verdict import Mark, MarkKind

__all__ = ["HeldBatch", "Inspection", "Quarantine"]


@dataclass(frozen=True)
class HeldBatch:
    """A batch that waits for a decision, and why it is held."""

    batch: Batch
    problems: tuple[Problem, ...]

    @property
    def reason(self) -> str:
        """The worst problem, in a sentence."""
        return str(self.problems[0]) if self.problems else "no reason is recorded"


@dataclass(frozen=True)
class Inspection:
    """A held batch, with the statistics of its columns and of those of the last accepted batch."""

    held: HeldBatch
    now: Fingerprint
    before: Fingerprint | None


@dataclass(frozen=True)
class Quarantine:
    """The held batches of a dataset."""

    dataset: str
    store: Store

    def waiting(self) -> tuple[HeldBatch, ...]:
        """Return the batches that wait for a decision, oldest first."""
        held = self.store.batches(Selection(self.dataset, status=BatchStatus.HELD))
        return tuple(HeldBatch(batch, self._problems(batch.key)) for batch in held)

    def held(self, key: str) -> HeldBatch:
        """Return a held batch.

        Raises
        ------
        StoreError
            If no batch of this key is held.
        """
        selection = Selection.one(self.dataset, require_key(key), BatchStatus.HELD)
        batches = self.store.batches(selection)
        if not batches:
            waiting = self.store.batches(Selection(self.dataset, status=BatchStatus.HELD))
            hint = did_you_mean(key, [batch.key for batch in waiting])
            raise StoreError(f"batch {key!r} of {self.dataset} is not held{hint}")
        return HeldBatch(batches[0], self._problems(key))

    def inspect(self, key: str) -> Inspection:
        """Compare the columns of a held batch with those of the last accepted batch."""
        with self.store.snapshot():
            held = self.held(key)
            history = load_history(self.store, self.dataset, until=held.batch.time)
            states = self.store.states(Selection.one(self.dataset, key, BatchStatus.HELD))
            fingerprint = recorded_fingerprint(
                self.store, held.batch, next(iter(states.values()), {})
            )
        return Inspection(held, fingerprint, history.metrics.last)

    def release(
        self, key: str, author: str, reason: str, kind: MarkKind = MarkKind.RELEASED
    ) -> Batch:
        """Accept a held batch. It becomes part of the dataset and of the history."""
        _require_author(self.dataset, key, author, reason)
        with self.store.transaction():
            held = self.held(key)
            selection = Selection.one(self.dataset, key, BatchStatus.HELD)
            recorded = self.store.metrics(selection)
            if not recorded:
                raise StoreError(
                    f"batch {key!r} of {self.dataset} cannot be released: it could not be read."
                    " Deliver it again."
                )
            metrics = {record.metric.analyzer: record.metric for record in recorded}
            states = next(iter(self.store.states(selection).values()), {})
            totaled = self.store.totals(self.dataset, metrics) or metrics
            dataset = Dataset(self.dataset, self.store, analyzers=totaled)
            totals = dataset.propose_measured(held.batch, Measurement(metrics, states)).totals
            self._add_mark(key, kind, author, reason)
            return self.store.set_status(held.batch, BatchStatus.ACCEPTED, totals)

    def reject(self, key: str, author: str, reason: str) -> Batch:
        """Reject a held batch for good."""
        _require_author(self.dataset, key, author, reason)
        with self.store.transaction():
            held = self.held(key)
            self._add_mark(key, MarkKind.REJECTED, author, reason)
            return self.store.set_status(held.batch, BatchStatus.REJECTED)

    def mark(self, key: str, kind: MarkKind, author: str, reason: str) -> tuple[str, ...]:
        """Mark a batch. A held batch is released by it, or rejected if the mark is *bad*.

        The mark *new normal* also releases later batches that are held for the same changes and for
        nothing else. They are marked as *expected*. Return the keys of these batches.
        """
        _require_author(self.dataset, key, author, reason)
        with self.store.transaction():
            followers = self._held_for_the_same(key) if kind is MarkKind.NEW_NORMAL else ()
            self._mark(key, kind, author, reason)
            for follower in followers:
                self.release(follower, author, reason, MarkKind.EXPECTED)
        return followers

    def _mark(self, key: str, kind: MarkKind, author: str, reason: str) -> None:
        with self.store.transaction():
            if self.store.batches(Selection.one(self.dataset, require_key(key), BatchStatus.HELD)):
                if kind.usable_for_learning:
                    self.release(key, author, reason, kind)
                else:
                    self.reject(key, author, reason)
                return
            if not self.store.batches(Selection.one(self.dataset, key)):
                raise StoreError(f"batch {key!r} of {self.dataset} does not exist.")
            self._add_mark(key, kind, author, reason)

    def _held_for_the_same(self, key: str) -> tuple[str, ...]:
        """Return the later batches that are held for changes of this batch, and nothing else."""
        batches = self.store.batches(
            Selection.one(self.dataset, require_key(key), (BatchStatus.ACCEPTED, BatchStatus.HELD))
        )
        changes = changed_subjects(_findings(self._problems(key)))
        if not batches or not changes:
            return ()
        return tuple(
            held.batch.key
            for held in self.waiting()
            if held.batch.time > batches[0].time
            and changed_subjects(_findings(held.problems)) <= changes
            and all(finding.judge in OF_CHANGES for finding in _findings(held.problems))
        )

    def _add_mark(self, key: str, kind: MarkKind, author: str, reason: str) -> None:
        time = time_after(self.store, self.dataset, key)
        self.store.add_mark(Mark(self.dataset, key, kind, author, reason, time))

    def _problems(self, key: str) -> tuple[Problem, ...]:
        verdict = last_verdict(self.store, self.dataset, key)
        return () if verdict is None else verdict.problems


def _findings(problems: Iterable[Problem]) -> list[Finding]:
    return [finding for problem in problems for finding in problem.findings]


def _require_author(dataset: str, key: str, author: str, reason: str) -> None:
    if not author or not reason:
        raise StoreError(
            f"cannot decide on batch {key!r} of {dataset}: expected an author and a reason, got"
            f" author={author!r}, reason={reason!r}."
        )
