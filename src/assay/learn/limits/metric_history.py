"""The metrics of a dataset's batches, oldest first: what programs are learned from.

Those of a batch are worked out once, from its states and those of the batch before, and noted down
beside it: learning again after one more batch reads numbers, and the states of two batches.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, ClassVar

from assay.learn.fingerprint import metrics as catalogue
from assay.learn.fingerprint.column_stats import ColumnStats, Fingerprint
from assay.learn.fingerprint.from_states import fingerprint_of
from assay.learn.fingerprint.metrics import MetricValues
from assay.store.batch import Batch, Selection
from assay.store.protocol import Store

__all__ = ["MetricHistory", "learnable_batches", "load_metric_history", "metrics_of"]


@dataclass(frozen=True)
class MetricHistory:
    """What is known of a dataset's latest batches; `metrics` are those of each, by column.

    `last` and `before` are the fingerprints of the last batch and of the one before it.
    """

    dataset: str
    batches: tuple[Batch, ...] = ()
    metrics: tuple[Mapping[str, MetricValues], ...] = ()
    last: Fingerprint | None = None
    before: Fingerprint | None = None
    _own: dict[str, tuple[MetricValues, ...]] = field(
        default_factory=dict, repr=False, compare=False
    )
    _next: list[tuple[Fingerprint, Mapping[str, MetricValues]]] = field(
        default_factory=list, repr=False, compare=False
    )

    def measured(self, batch: Fingerprint) -> Mapping[str, MetricValues]:
        """The metrics of the batch that comes next, worked out once, whoever asks."""
        if not self._next or self._next[0][0] is not batch:
            self._next[:] = [(batch, metrics_of(batch, self.last))]
        return self._next[0][1]

    def of(self, column: str) -> tuple[MetricValues, ...]:
        """A column's metrics, from the first batch that has it; a batch without it has none."""
        if column not in self._own:
            known = [each.get(column, {}) for each in self.metrics]
            first = next((at for at, each in enumerate(known) if each), len(known))
            self._own[column] = tuple(known[first:])
        return self._own[column]

    def plus(self, batch: Batch, own: Fingerprint) -> MetricHistory:
        """One accepted batch more."""
        metrics = (*self.metrics, self.measured(own))
        return MetricHistory(self.dataset, (*self.batches, batch), metrics, own, self.last)

    def latest(self, number: int) -> MetricHistory:
        """Only so many of the latest batches."""
        return replace(
            self, batches=self.batches[-number:], metrics=self.metrics[-number:], _own={}
        )


def metrics_of(this: Fingerprint, before: Fingerprint | None) -> dict[str, MetricValues]:
    """The metrics of all columns of a batch, after the one before it."""
    past = {} if before is None else before.columns
    return {
        name: catalogue.compute(stats, _alike(past.get(name), stats))
        for name, stats in this.columns.items()
    }


def _alike(before: ColumnStats | None, this: ColumnStats) -> ColumnStats | None:
    """The column as it was before, if it can be compared."""
    return before if before is not None and before.kind == this.kind else None


def learnable_batches(
    store: Store,
    dataset: str,
    *,
    until: datetime | None = None,
    but: str | None = None,
    latest: int | None = None,
) -> tuple[Batch, ...]:
    """The batches before a moment, without those held, bad, or of the key `but`."""
    return store.batches(Selection(dataset, until=until, but=but, learnable=True, latest=latest))


def load_metric_history(
    store: Store,
    dataset: str,
    *,
    until: datetime | None = None,
    but: str | None = None,
    latest: int = 60,
) -> MetricHistory:
    """The latest of the `learnable_batches` batches, and their metrics."""
    batches = learnable_batches(store, dataset, until=until, but=but, latest=latest)
    if not batches:
        return MetricHistory(dataset)
    records = store.derived(_BatchMetrics, dataset, [each.key for each in batches])
    fresh = _Fresh(store, dataset)
    found: list[Mapping[str, MetricValues]] = []
    new: dict[str, _BatchMetrics] = {}
    # of the first one that is remembered, what came before may be gone
    for before, batch in zip([None, *batches], batches, strict=False):
        stamp = _stamp(batch, before)
        record = records.get(batch.key)
        if record is not None and (
            record.stamp == stamp or (before is None and record.stamp[0] == stamp[0])
        ):
            found.append(record.columns)
            continue
        own = metrics_of(fresh.of(batch), None if before is None else fresh.of(before))
        found.append(own)
        new[batch.key] = _BatchMetrics(stamp, own)
    if new:
        with store.transaction():
            for key, batch_metrics in new.items():
                store.save(dataset, key, batch_metrics)
    before = batches[-2] if len(batches) > 1 else None
    return MetricHistory(
        dataset,
        batches,
        tuple(found),
        fresh.of(batches[-1]),
        None if before is None else fresh.of(before),
    )


class _Fresh:
    """Fingerprints, each read once; no more than two are needed at a time."""

    def __init__(self, store: Store, dataset: str) -> None:
        self.store = store
        self.dataset = dataset
        self._known: dict[str, Fingerprint] = {}

    def of(self, batch: Batch) -> Fingerprint:
        if batch.key not in self._known:
            states = self.store.states(Selection.one(self.dataset, batch.key))
            for gone in list(self._known)[:-1]:
                del self._known[gone]
            self._known[batch.key] = fingerprint_of(next(iter(states.values()), {}))
        return self._known[batch.key]


def _stamp(batch: Batch, before: Batch | None) -> list[Any]:
    """Of which versions of which batches the metrics are."""
    if before is None:
        return [batch.change, None, None]
    return [batch.change, before.key, before.change]


@dataclass(frozen=True)
class _BatchMetrics:
    """The metrics of a batch by column; `stamp` says of which versions of which batches."""

    kind: ClassVar[str] = "batch metrics"
    version: ClassVar[int] = 2

    stamp: list[Any]
    columns: Mapping[str, MetricValues]

    def to_json(self) -> Any:
        columns = {
            name: {metric: value for metric, value in metrics.items() if not math.isnan(value)}
            for name, metrics in self.columns.items()
        }
        return {"stamp": self.stamp, "columns": columns}

    @classmethod
    def from_json(cls, document: Any) -> _BatchMetrics:
        return cls(document["stamp"], document["columns"])
