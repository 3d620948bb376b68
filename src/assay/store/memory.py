"""`MemoryStore`: a store that lives as long as its process."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TypeVar

from assay.analyzers.analyzer import Analyzer
from assay.analyzers.state import State
from assay.deprecation import renamed_arguments
from assay.engine.frequency_table import collect_tables
from assay.engine.measurement import Measurement, Metric
from assay.errors import StoreError
from assay.store.batch import Batch, BatchStatus, Selection
from assay.store.derived import DerivedRecord
from assay.store.protocol import (
    DatasetTotals,
    DatasetVersion,
    MergedStates,
    RecordedMetric,
    Scope,
)
from assay.store.transactions import Transactional
from assay.store.verdict import Mark, MarkKind, VerdictCounts, VerdictRecord
from assay.store.versions import count_verdicts, keys_marked_bad
from assay.text import count_noun

__all__ = ["MemoryStore"]

D = TypeVar("D", bound=DerivedRecord)

#: dataset, key, and whether the batch is in quarantine
_Place = tuple[str, str, bool]


@dataclass(frozen=True, slots=True)
class _StoredBatch:
    batch: Batch
    measurement: Measurement
    dataset_metrics: Mapping[Analyzer, Metric]


@dataclass(slots=True)
class _Contents:
    """Everything in the store. Contents that were committed are never changed."""

    batches: dict[_Place, _StoredBatch] = field(default_factory=dict)
    versions: dict[str, DatasetVersion] = field(default_factory=dict)
    quarantine_changes: dict[str, int] = field(default_factory=dict)
    totals: dict[tuple[str, Analyzer], tuple[int, State]] = field(default_factory=dict)
    #: version and JSON, by place and kind
    derived: dict[tuple[_Place, str], tuple[int, str]] = field(default_factory=dict)
    verdicts: dict[tuple[str, str, datetime], VerdictRecord] = field(default_factory=dict)
    marks: dict[tuple[str, str, datetime], Mark] = field(default_factory=dict)

    def copy(self) -> _Contents:
        return _Contents(
            dict(self.batches),
            dict(self.versions),
            dict(self.quarantine_changes),
            dict(self.totals),
            dict(self.derived),
            dict(self.verdicts),
            dict(self.marks),
        )

    def insert(
        self, batch: Batch, measurement: Measurement, dataset_metrics: Mapping[Analyzer, Metric]
    ) -> int:
        """Put a batch in place of the one in its slot. Return the number of the change."""
        place = _place(batch)
        change = self.next_change(place, removes=self.delete(place))
        self.batches[place] = _StoredBatch(
            replace(batch, change=change), measurement, dataset_metrics
        )
        return change

    def delete(self, place: _Place) -> bool:
        """Delete a batch and the derived records about it. Return whether there was one."""
        for about in [about for about in self.derived if about[0] == place]:
            del self.derived[about]
        return self.batches.pop(place, None) is not None

    def next_change(self, place: _Place, *, removes: bool) -> int:
        dataset, _, in_quarantine = place
        if in_quarantine:
            change = self.quarantine_changes.get(dataset, 0) + 1
            self.quarantine_changes[dataset] = change
            return change
        before = self.versions.get(dataset, DatasetVersion())
        change = before.latest + 1
        self.versions[dataset] = DatasetVersion(change, change if removes else before.removed)
        return change

    def add_totals(self, dataset: str, change: int, states: Mapping[Analyzer, State]) -> None:
        for analyzer, state in states.items():
            self.totals[dataset, analyzer] = (change, state)


class MemoryStore(Transactional[_Contents]):
    """A store in the memory of this process.

    Frequency tables are collected, so they must be small.

    Examples
    --------
    >>> from assay import Dataset
    >>> Dataset("orders", MemoryStore())
    Dataset('orders', MemoryStore(0 datasets))
    """

    def __init__(self) -> None:
        super().__init__()
        self._contents = _Contents()

    def __repr__(self) -> str:
        return f"MemoryStore({count_noun(len(self.datasets()), 'dataset')})"

    @property
    def tables(self) -> str | None:
        """None: frequency tables are collected."""
        return None

    @contextmanager
    def _open_snapshot(self) -> Iterator[_Contents]:
        self._counters.snapshots += 1
        yield self._contents

    @contextmanager
    def _open_transaction(self) -> Iterator[_Contents]:
        with self._lock:
            contents = self._contents.copy()
            yield contents
            self._contents = contents
            self._counters.commits += 1

    @renamed_arguments(whole="totals")
    def write(
        self, batch: Batch, measurement: Measurement, totals: DatasetTotals | None = None
    ) -> None:
        """Store a batch in place of the accepted, or of the quarantined, batch of its key."""
        self.load({batch: measurement}, totals)

    @renamed_arguments(whole="totals")
    def load(
        self, measured: Mapping[Batch, Measurement], totals: DatasetTotals | None = None
    ) -> None:
        """Store many batches of one dataset at once: all of them or none."""
        kept = {
            batch: Measurement(dict(measurement.metrics), collect_tables(measurement.states))
            for batch, measurement in measured.items()
        }
        total_states = collect_tables({} if totals is None else totals.measurement.states)
        with self._writing() as contents:
            first = last = 0
            for batch, measurement in kept.items():
                has_totals = len(kept) == 1 and not batch.status.in_quarantine
                metrics = totals.measurement.metrics if totals is not None and has_totals else {}
                change = contents.insert(batch, measurement, dict(metrics))
                if not batch.status.in_quarantine:
                    last = change
                    first = first or last
            if totals is not None and last and totals.as_of == first - 1:
                contents.add_totals(next(iter(kept)).dataset, last, total_states)

    @renamed_arguments(whole="totals")
    def remove(
        self,
        dataset: str,
        key: str,
        totals: DatasetTotals | None = None,
        status: BatchStatus | tuple[BatchStatus, ...] = BatchStatus.ACCEPTED,
    ) -> bool:
        """Remove the batch of this key and status. Return whether there was one."""
        total_states = collect_tables({} if totals is None else totals.measurement.states)
        with self._writing() as contents:
            removed = False
            for one in Selection(dataset, status=status).statuses:
                place = (dataset, key, one.in_quarantine)
                stored = contents.batches.get(place)
                if stored is None or stored.batch.status is not one:
                    continue
                removed = contents.delete(place)
                if one.in_quarantine:
                    continue
                change = contents.next_change(place, removes=True)
                if totals is not None and totals.as_of == change - 1:
                    contents.add_totals(dataset, change, total_states)
        return removed

    @renamed_arguments(whole="totals")
    def set_status(
        self, batch: Batch, status: BatchStatus, totals: DatasetTotals | None = None
    ) -> Batch:
        """Accept or reject a quarantined batch, or hold it again. Return it as stored."""
        total_states = collect_tables({} if totals is None else totals.measurement.states)
        held, accepted = (batch.dataset, batch.key, True), (batch.dataset, batch.key, False)
        with self._writing() as contents:
            stored = contents.batches.get(held)
            if stored is None or batch.change not in (0, stored.batch.change):
                raise StoreError.not_in_quarantine(batch.dataset, batch.key)
            decided = replace(stored.batch, status=status)
            if status.in_quarantine:
                contents.batches[held] = replace(stored, batch=decided)
                return decided
            metrics = {} if totals is None else dict(totals.measurement.metrics)
            change = contents.insert(decided, stored.measurement, metrics)
            for (place, kind), record in list(contents.derived.items()):
                if place == held:
                    contents.derived[accepted, kind] = record
            contents.delete(held)
            if totals is not None and totals.as_of == change - 1:
                contents.add_totals(batch.dataset, change, total_states)
            return replace(decided, change=change)

    def datasets(self) -> tuple[str, ...]:
        """Return the names of all datasets that have batches, quarantined ones included."""
        with self._reading() as contents:
            return tuple(sorted({dataset for dataset, _, _ in contents.batches}))

    def batches(self, selection: Selection) -> tuple[Batch, ...]:
        """Return the selected batches, oldest first."""
        return tuple(stored.batch for stored in self._selected(selection))

    def states(
        self, selection: Selection, analyzers: Iterable[Analyzer] | None = None
    ) -> Mapping[Batch, Mapping[Analyzer, State]]:
        """Return the states of the selected batches, of all analyzers or of some."""
        wanted = None if analyzers is None else set(analyzers)
        return {
            stored.batch: {
                analyzer: state
                for analyzer, state in stored.measurement.states.items()
                if wanted is None or analyzer in wanted
            }
            for stored in self._selected(selection)
        }

    def merged_states(
        self, selection: Selection, analyzers: Iterable[Analyzer]
    ) -> tuple[int, Mapping[Analyzer, MergedStates]]:
        """Return the number of selected batches, and their states for each analyzer."""
        selected = [stored.measurement.states for stored in self._selected(selection)]
        states_of = {
            analyzer: [states[analyzer] for states in selected if analyzer in states]
            for analyzer in analyzers
        }
        return len(selected), {
            analyzer: MergedStates(len(states), states) for analyzer, states in states_of.items()
        }

    def metrics(
        self,
        selection: Selection,
        analyzers: Iterable[Analyzer] | None = None,
        scope: Scope = "batch",
    ) -> tuple[RecordedMetric, ...]:
        """Return the metrics of the selected batches, oldest first."""
        wanted = None if analyzers is None else set(analyzers)
        return tuple(
            RecordedMetric(stored.batch, metric)
            for stored in self._selected(selection)
            for analyzer, metric in (
                stored.measurement.metrics if scope == "batch" else stored.dataset_metrics
            ).items()
            if wanted is None or analyzer in wanted
        )

    def changes(self, dataset: str) -> DatasetVersion:
        """Return how often the dataset has changed. Quarantined batches do not count."""
        with self._reading() as contents:
            return contents.versions.get(dataset, DatasetVersion())

    def totals(
        self, dataset: str, analyzers: Iterable[Analyzer]
    ) -> Mapping[Analyzer, tuple[int, State]]:
        """Return the running totals, each with the change that it includes last."""
        with self._reading() as contents:
            return {
                analyzer: contents.totals[dataset, analyzer]
                for analyzer in analyzers
                if (dataset, analyzer) in contents.totals
            }

    def save(
        self,
        dataset: str,
        key: str,
        record: DerivedRecord,
        status: BatchStatus = BatchStatus.ACCEPTED,
    ) -> None:
        """Store a derived record about a batch, or about the dataset (key ``""``)."""
        document = json.dumps(record.to_json())
        with self._writing() as contents:
            place = (dataset, key, status.in_quarantine)
            contents.derived[place, record.kind] = (record.version, document)

    def derived(
        self,
        record_type: type[D],
        dataset: str,
        keys: Collection[str] | None = None,
        status: BatchStatus = BatchStatus.ACCEPTED,
    ) -> Mapping[str, D]:
        """Return derived records by key: all of a type, or those about some batches."""
        wanted = None if keys is None else set(keys)
        with self._reading() as contents:
            return {
                key: record_type.from_json(json.loads(document))
                for ((name, key, in_quarantine), kind), (version, document) in (
                    contents.derived.items()
                )
                if (name, kind, version) == (dataset, record_type.kind, record_type.version)
                and in_quarantine == status.in_quarantine
                and (wanted is None or key in wanted)
            }

    def add_verdict(self, verdict: VerdictRecord) -> None:
        """Store a verdict. Raises a `StoreError` if a different one has its key and time."""
        place = (verdict.dataset, verdict.key, verdict.time)
        with self._writing() as contents:
            stored = contents.verdicts.setdefault(place, verdict)
            if not stored.is_identical(verdict):
                raise StoreError.verdict_exists(*place)

    def verdicts(self, selection: Selection) -> tuple[VerdictRecord, ...]:
        """Return the selected verdicts, oldest first."""
        with self._reading() as contents:
            return selection.about(contents.verdicts.values())

    def remove_verdicts(self, dataset: str, keys: Collection[str]) -> int:
        """Remove the verdicts on the batches of these keys. Return their number. Marks stay."""
        wanted = set(keys)
        with self._writing() as contents:
            removed = [
                place for place in contents.verdicts if place[0] == dataset and place[1] in wanted
            ]
            for place in removed:
                del contents.verdicts[place]
        return len(removed)

    def verdict_counts(self, dataset: str, but: str | None = None) -> VerdictCounts:
        """Count the verdicts on a dataset by decision, and the alarms that were false."""
        selection = Selection(dataset, but=but)
        with self._reading() as contents:
            return count_verdicts(
                selection.about(contents.verdicts.values()),
                selection.about(contents.marks.values()),
            )

    def add_mark(self, mark: Mark) -> None:
        """Store a mark."""
        with self._writing() as contents:
            contents.marks[mark.dataset, mark.key, mark.time] = mark

    def marks(
        self, selection: Selection, kinds: Collection[MarkKind] | None = None
    ) -> tuple[Mark, ...]:
        """Return the selected marks, oldest first: of all kinds or of some."""
        with self._reading() as contents:
            marks = contents.marks.values()
            return selection.about(mark for mark in marks if kinds is None or mark.kind in kinds)

    def _selected(self, selection: Selection) -> list[_StoredBatch]:
        with self._reading() as contents:
            batches = [stored.batch for stored in contents.batches.values()]
            if selection.learnable:
                excluded = keys_marked_bad(
                    selection.dataset, contents.verdicts.values(), contents.marks.values()
                )
                batches = [
                    batch
                    for batch in batches
                    if not batch.status.in_quarantine and batch.key not in excluded
                ]
            return [contents.batches[_place(batch)] for batch in selection.of(batches)]


def _place(batch: Batch) -> _Place:
    return batch.dataset, batch.key, batch.status.in_quarantine
