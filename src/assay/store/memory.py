"""A store that lives as long as its process."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from assay.analyzers.analyzer import Analyzer
from assay.analyzers.state import State
from assay.engine.measurement import Measurement
from assay.engine.tables import collected
from assay.store.batch import Batch, Selection
from assay.store.protocol import DatasetTotals, DatasetVersion, MergedStates, RecordedMetric, Scope
from assay.store.verdict import Mark, VerdictRecord

__all__ = ["MemoryStore"]


class MemoryStore:
    """Remembers in this process. Tables of frequencies are collected, so keep them small."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._written: dict[tuple[str, str], tuple[Batch, Measurement]] = {}
        self._wholes: dict[tuple[str, str], Measurement] = {}
        self._changes: dict[str, DatasetVersion] = {}
        self._totals: dict[tuple[str, Analyzer], tuple[int, State]] = {}
        self._notes: dict[tuple[str, str, str], str] = {}
        self._verdicts: dict[tuple[str, str, object], VerdictRecord] = {}
        self._marks: dict[tuple[str, str, object], Mark] = {}

    @property
    def tables(self) -> str | None:
        """Nowhere: they are collected."""
        return None

    def write(
        self, batch: Batch, measurement: Measurement, whole: DatasetTotals | None = None
    ) -> None:
        """Remember a batch, in place of what was remembered of it."""
        self.load({batch: measurement}, whole)

    def load(
        self, measured: Mapping[Batch, Measurement], whole: DatasetTotals | None = None
    ) -> None:
        """Remember many batches at once."""
        kept = {
            batch: Measurement(dict(each.metrics), collected(each.states))
            for batch, each in measured.items()
        }
        totals = collected({} if whole is None else whole.measurement.states)
        with self._lock:
            first = last = 0
            for batch, measurement in kept.items():
                own = _own(batch)
                last = self._changed(batch.dataset, removes=own in self._written)
                first = first or last
                self._written[own] = (replace(batch, change=last), measurement)
                self._forget(own)
                if whole is not None and len(kept) == 1:
                    self._wholes[own] = Measurement(dict(whole.measurement.metrics), {})
            if whole is not None and whole.seen == first - 1:
                self._keep(next(iter(kept)).dataset, last, totals)

    def remove(self, dataset: str, key: str, whole: DatasetTotals | None = None) -> bool:
        """Forget a batch; whether there was one."""
        totals = collected({} if whole is None else whole.measurement.states)
        with self._lock:
            if self._written.pop((dataset, key), None) is None:
                return False
            self._forget((dataset, key))
            change = self._changed(dataset, removes=True)
            if whole is not None and whole.seen == change - 1:
                self._keep(dataset, change, totals)
            return True

    def datasets(self) -> tuple[str, ...]:
        """The datasets there are."""
        with self._lock:
            return tuple(sorted({dataset for dataset, _ in self._written}))

    def batches(self, selection: Selection) -> tuple[Batch, ...]:
        """The batches that are meant, oldest first."""
        with self._lock:
            known = [batch for batch, _ in self._written.values()]
        return selection.of(known)

    def states(
        self, selection: Selection, analyzers: Iterable[Analyzer] | None = None
    ) -> Mapping[Batch, Mapping[Analyzer, State]]:
        """Their states, of all analyzers or of some."""
        wanted = None if analyzers is None else set(analyzers)
        return {
            batch: {a: s for a, s in measured.states.items() if wanted is None or a in wanted}
            for batch, measured in self._selected(selection)
        }

    def merged_states(
        self, selection: Selection, analyzers: Iterable[Analyzer]
    ) -> tuple[int, Mapping[Analyzer, MergedStates]]:
        """How many batches are meant, and each analyzer's states of them."""
        meant = [measured.states for _, measured in self._selected(selection)]
        found = {each: [states[each] for states in meant if each in states] for each in analyzers}
        return len(meant), {
            each: MergedStates(len(states), states) for each, states in found.items()
        }

    def metrics(
        self,
        selection: Selection,
        analyzers: Iterable[Analyzer] | None = None,
        scope: Scope = "batch",
    ) -> tuple[RecordedMetric, ...]:
        """Their metrics, oldest first: a history."""
        wanted = None if analyzers is None else set(analyzers)
        nothing = Measurement({}, {})
        return tuple(
            RecordedMetric(batch, metric)
            for batch, own in self._selected(selection)
            for measured in [own if scope == "batch" else self._wholes.get(_own(batch), nothing)]
            for analyzer, metric in measured.metrics.items()
            if wanted is None or analyzer in wanted
        )

    def changes(self, dataset: str) -> DatasetVersion:
        """How far the dataset has come."""
        with self._lock:
            return self._changes.get(dataset, DatasetVersion())

    def totals(
        self, dataset: str, analyzers: Iterable[Analyzer]
    ) -> Mapping[Analyzer, tuple[int, State]]:
        """The running totals, and the change each of them knows of."""
        with self._lock:
            asked = [(dataset, each) for each in analyzers]
            return {own[1]: self._totals[own] for own in asked if own in self._totals}

    def note(self, dataset: str, name: str, notes: Mapping[str, str]) -> None:
        """Remember texts about batches, or about the dataset."""
        with self._lock:
            for key, text in notes.items():
                self._notes[dataset, name, key] = text

    def notes(
        self, dataset: str, name: str, keys: Collection[str] | None = None
    ) -> Mapping[str, str]:
        """The texts of this name, all or those about some batches, by their keys."""
        with self._lock:
            return {
                key: text
                for (*own, key), text in self._notes.items()
                if own == [dataset, name] and (keys is None or key in keys)
            }

    def add_verdict(self, verdict: VerdictRecord) -> None:
        """Remember a verdict."""
        with self._lock:
            self._verdicts[verdict.dataset, verdict.key, verdict.time] = verdict

    def verdicts(self, selection: Selection) -> tuple[VerdictRecord, ...]:
        """The verdicts on batches of these keys and times, oldest first."""
        with self._lock:
            return selection.about(list(self._verdicts.values()))

    def add_mark(self, mark: Mark) -> None:
        """Remember what somebody said of a batch."""
        with self._lock:
            self._marks[mark.dataset, mark.key, mark.time] = mark

    def marks(self, selection: Selection) -> tuple[Mark, ...]:
        """What was said of batches of these keys, oldest first."""
        with self._lock:
            return selection.about(list(self._marks.values()))

    def _changed(self, dataset: str, *, removes: bool) -> int:
        before = self._changes.get(dataset, DatasetVersion())
        change = before.latest + 1
        self._changes[dataset] = DatasetVersion(change, change if removes else before.removed)
        return change

    def _forget(self, own: tuple[str, str]) -> None:
        """What is remembered beside a batch."""
        self._wholes.pop(own, None)
        for each in [each for each in self._notes if (each[0], each[2]) == own]:
            del self._notes[each]

    def _keep(self, dataset: str, change: int, states: Mapping[Analyzer, State]) -> None:
        for analyzer, state in states.items():
            self._totals[dataset, analyzer] = (change, state)

    def _selected(self, selection: Selection) -> list[tuple[Batch, Measurement]]:
        with self._lock:
            written = dict(self._written)
        meant = selection.of(batch for batch, _ in written.values())
        return [written[_own(batch)] for batch in meant]


def _own(batch: Batch) -> tuple[str, str]:
    return batch.dataset, batch.key
