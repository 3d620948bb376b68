"""A store that lives as long as its process."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping

from assay.analyzers.analyzer import Analyzer
from assay.analyzers.state import State
from assay.engine.groupings import FrequencyTable
from assay.engine.measurement import Measurement
from assay.store.batch import Batch, Selection
from assay.store.protocol import Recorded

__all__ = ["MemoryStore"]


class MemoryStore:
    """Remembers in this process. Tables of frequencies are collected, so keep them small."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._written: dict[tuple[str, str], tuple[Batch, Measurement]] = {}

    def write(self, batch: Batch, measurement: Measurement) -> None:
        """Remember a batch, in place of what was remembered of it."""
        states: dict[Analyzer, State] = {
            analyzer: state.collect() if isinstance(state, FrequencyTable) else state
            for analyzer, state in measurement.states.items()
        }
        with self._lock:
            kept = Measurement(dict(measurement.metrics), states)
            self._written[batch.dataset, batch.key] = (batch, kept)

    def remove(self, dataset: str, key: str) -> bool:
        """Forget a batch; whether there was one."""
        with self._lock:
            return self._written.pop((dataset, key), None) is not None

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

    def metrics(
        self, selection: Selection, analyzers: Iterable[Analyzer] | None = None
    ) -> tuple[Recorded, ...]:
        """Their metrics, oldest first: a history."""
        wanted = None if analyzers is None else set(analyzers)
        return tuple(
            Recorded(batch, metric)
            for batch, measured in self._selected(selection)
            for analyzer, metric in measured.metrics.items()
            if wanted is None or analyzer in wanted
        )

    def _selected(self, selection: Selection) -> list[tuple[Batch, Measurement]]:
        with self._lock:
            written = dict(self._written)
        meant = selection.of(batch for batch, _ in written.values())
        return [written[batch.dataset, batch.key] for batch in meant]
