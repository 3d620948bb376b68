"""`MetricHistory`: the metrics of a dataset's latest batches, from which limits are learned.

The metrics of a batch are computed once, from its states and those of the batch before. The store
keeps them as a derived record. To learn again after one more batch, Assay reads these records and
the states of two batches.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, ClassVar

from assay.learn.fingerprint import metrics as catalogue
from assay.learn.fingerprint.analyzers import FingerprintPlan
from assay.learn.fingerprint.column_stats import ColumnStats, Fingerprint
from assay.learn.fingerprint.from_states import fingerprint_of
from assay.learn.fingerprint.metrics import MetricValues
from assay.store.batch import Batch, Selection
from assay.store.derived import DerivedRecord
from assay.store.protocol import Store

__all__ = [
    "FingerprintReader",
    "MetricHistory",
    "build_metric_history",
    "load_metric_history",
    "metrics_of",
]

#: The number of batches to learn limits from, by default.
WINDOW = 60


@dataclass(frozen=True)
class MetricHistory:
    """The metrics of a dataset's latest accepted batches, oldest first.

    Parameters
    ----------
    dataset : str
        Name of the dataset.
    batches : tuple of Batch
        The batches.
    metrics : tuple of mapping
        The metrics of each batch, by column and name.
    last, before : Fingerprint, optional
        Statistics of the last batch, and of the one before it.
    """

    dataset: str
    batches: tuple[Batch, ...] = ()
    metrics: tuple[Mapping[str, MetricValues], ...] = ()
    last: Fingerprint | None = None
    before: Fingerprint | None = None
    _by_column: dict[str, tuple[MetricValues, ...]] = field(
        default_factory=dict, repr=False, compare=False
    )
    _metrics_of_next: list[tuple[Fingerprint, Mapping[str, MetricValues]]] = field(
        default_factory=list, repr=False, compare=False
    )

    def measured(self, batch: Fingerprint) -> Mapping[str, MetricValues]:
        """Return the metrics of the next batch. They are computed once and cached."""
        if not self._metrics_of_next or self._metrics_of_next[0][0] is not batch:
            self._metrics_of_next[:] = [(batch, metrics_of(batch, self.last))]
        return self._metrics_of_next[0][1]

    def of(self, column: str) -> tuple[MetricValues, ...]:
        """Return a column's metrics, from the first batch that has it.

        A later batch without the column has an empty mapping.
        """
        if column not in self._by_column:
            values = [by_column.get(column, {}) for by_column in self.metrics]
            first = next((place for place, metrics in enumerate(values) if metrics), len(values))
            self._by_column[column] = tuple(values[first:])
        return self._by_column[column]

    def plus(self, batch: Batch, fingerprint: Fingerprint) -> MetricHistory:
        """Return the history with one more accepted batch."""
        metrics = (*self.metrics, self.measured(fingerprint))
        return MetricHistory(self.dataset, (*self.batches, batch), metrics, fingerprint, self.last)

    def latest(self, number: int) -> MetricHistory:
        """Return the history of the latest batches only."""
        return replace(
            self, batches=self.batches[-number:], metrics=self.metrics[-number:], _by_column={}
        )

    def since(self, starts: Mapping[str | None, int]) -> MetricHistory:
        """Leave out the metrics of each column before its start position; None is the row count."""
        if not starts:
            return self
        first_row_count = starts.get(None, 0)
        metrics = tuple(
            {
                column: {
                    metric: value
                    for metric, value in values.items()
                    if metric != catalogue.ROW_COUNT or place >= first_row_count
                }
                for column, values in by_column.items()
                if place >= starts.get(column, 0)
            }
            for place, by_column in enumerate(self.metrics)
        )
        return replace(self, metrics=metrics, _by_column={})

    def without(self, left_out: Mapping[str, frozenset[str | None]]) -> MetricHistory:
        """Leave out columns of some batches, by batch key; None is the row count."""
        if not any(batch.key in left_out for batch in self.batches):
            return self
        empty: frozenset[str | None] = frozenset()
        metrics = tuple(
            _without_columns(by_column, left_out.get(batch.key, empty))
            for batch, by_column in zip(self.batches, self.metrics, strict=True)
        )
        return replace(self, metrics=metrics, _by_column={})


def _without_columns(
    by_column: Mapping[str, MetricValues], columns: frozenset[str | None]
) -> Mapping[str, MetricValues]:
    if not columns:
        return by_column
    kept = {name: values for name, values in by_column.items() if name not in columns}
    if None not in columns:
        return kept
    return {
        name: {metric: value for metric, value in values.items() if metric != catalogue.ROW_COUNT}
        for name, values in kept.items()
    }


def metrics_of(batch: Fingerprint, before: Fingerprint | None) -> dict[str, MetricValues]:
    """Compute the metrics of all columns of a batch, compared with the batch before it."""
    columns_before = {} if before is None else before.columns
    return {
        name: catalogue.compute(stats, _comparable(columns_before.get(name), stats))
        for name, stats in batch.columns.items()
    }


def _comparable(before: ColumnStats | None, now: ColumnStats) -> ColumnStats | None:
    return before if before is not None and before.kind == now.kind else None


def load_metric_history(
    store: Store,
    dataset: str,
    *,
    until: datetime | None = None,
    but: str | None = None,
    latest: int = WINDOW,
) -> MetricHistory:
    """Load the metrics of the latest batches before a moment, except those marked bad.

    Metrics that the store lacks are computed, and stored.
    """
    selection = Selection(dataset, until=until, but=but, learnable=True, latest=latest)
    batches = store.batches(selection)
    reader = FingerprintReader(store, dataset)
    history, new = build_metric_history(store, dataset, batches, reader)
    if new:
        with store.transaction():
            for key, record in new:
                store.save(dataset, key, record)
    return history


def build_metric_history(
    store: Store, dataset: str, batches: Sequence[Batch], fingerprints: FingerprintReader
) -> tuple[MetricHistory, list[tuple[str, DerivedRecord]]]:
    """Return the metrics of batches, and pairs of batch key and record that the store lacks."""
    if not batches:
        return MetricHistory(dataset), []
    records = store.derived(_BatchMetrics, dataset, [batch.key for batch in batches])
    all_metrics: list[Mapping[str, MetricValues]] = []
    new: list[tuple[str, DerivedRecord]] = []
    for before, batch in zip([None, *batches], batches, strict=False):
        stamp = _stamp(batch, before)
        record = records.get(batch.key)
        # The batch before the first one may have been deleted. The record of the first stays valid.
        if record is not None and (
            record.stamp == stamp or (before is None and record.stamp[0] == stamp[0])
        ):
            all_metrics.append(record.columns)
            continue
        earlier = None if before is None else fingerprints.read(before)
        all_metrics.append(metrics_of(fingerprints.read(batch), earlier))
        new.append((batch.key, _BatchMetrics(stamp, all_metrics[-1])))
    previous = fingerprints.read(batches[-2]) if len(batches) > 1 else None
    last = fingerprints.read(batches[-1])
    return MetricHistory(dataset, tuple(batches), tuple(all_metrics), last, previous), new


class FingerprintReader:
    """Reads the fingerprints of accepted batches from their states, and keeps the latest two."""

    def __init__(self, store: Store, dataset: str) -> None:
        self._store = store
        self._dataset = dataset
        self._kept: dict[str, Fingerprint] = {}

    def read(self, batch: Batch) -> Fingerprint:
        """Return the fingerprint of a batch."""
        if batch.key not in self._kept:
            states = self._store.states(Selection.one(self._dataset, batch.key))
            for key in list(self._kept)[:-1]:
                del self._kept[key]
            plans = self._store.derived(FingerprintPlan, self._dataset, [batch.key])
            self._kept[batch.key] = fingerprint_of(
                next(iter(states.values()), {}), plans.get(batch.key)
            )
        return self._kept[batch.key]


def _stamp(batch: Batch, before: Batch | None) -> list[Any]:
    """Return the versions of the batches that metrics are computed from."""
    if before is None:
        return [batch.change, None, None]
    return [batch.change, before.key, before.change]


@dataclass(frozen=True)
class _BatchMetrics:
    """The metrics of a batch by column, and the versions that they are computed from."""

    kind: ClassVar[str] = "batch metrics"
    version: ClassVar[int] = 2

    stamp: list[Any]
    columns: Mapping[str, MetricValues]

    def to_json(self) -> Any:
        columns = {
            name: {metric: value for metric, value in values.items() if not math.isnan(value)}
            for name, values in self.columns.items()
        }
        return {"stamp": self.stamp, "columns": columns}

    @classmethod
    def from_json(cls, document: Any) -> _BatchMetrics:
        return cls(document["stamp"], document["columns"])
