"""The derived records of batches: features, values and checksums. They are computed once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from assay.learn.fingerprint import metrics
from assay.learn.limits.metric_history import FingerprintReader
from assay.learn.novelty.batch_features import compute_features
from assay.learn.novelty.contents import BatchContents
from assay.learn.novelty.features import Feature, Features
from assay.learn.novelty.seen_values import SeenValues
from assay.store.batch import Batch
from assay.store.derived import DerivedRecord
from assay.store.protocol import Store

__all__ = ["load_contents", "load_features"]


@dataclass(frozen=True)
class _BatchFeatures:
    """The features of a batch as they were on its day."""

    kind: ClassVar[str] = "features"
    version: ClassVar[int] = 4

    change: int
    features: Features

    def to_json(self) -> Any:
        by_column: dict[str | None, dict[str, float]] = {}
        for (column, metric), value in self.features.items():
            if not math.isnan(value):
                by_column.setdefault(column, {})[metric] = value
        columns = [[column, values] for column, values in by_column.items()]
        return {"change": self.change, "features": columns}

    @classmethod
    def from_json(cls, document: Any) -> _BatchFeatures:
        values = {
            # Version 0.1 had other names for some metrics.
            Feature(column, metrics.canonical_name(metric)): value
            for column, by_metric in document["features"]
            for metric, value in by_metric.items()
        }
        return cls(document["change"], values)


@dataclass(frozen=True)
class _SeenValuesRecord:
    """The values of accepted batches; `batches` are their keys and changes, oldest first."""

    kind: ClassVar[str] = "seen values"
    version: ClassVar[int] = 4

    batches: list[list[Any]]
    values: SeenValues

    def to_json(self) -> Any:
        return {"batches": self.batches, "values": self.values.written()}

    @classmethod
    def from_json(cls, document: Any) -> _SeenValuesRecord:
        return cls(document["batches"], SeenValues.read(document["values"]))


def load_features(
    store: Store, batches: Sequence[Batch], fingerprints: FingerprintReader, *, are_newest: bool
) -> tuple[list[Features], SeenValues, list[tuple[str, DerivedRecord]]]:
    """Return the features of each batch, the values of all, and the records that were missing.

    The values are recorded only for the newest batches. Otherwise judging a batch of long ago
    would replace them by older ones.
    """
    dataset = batches[-1].dataset
    records = store.derived(_BatchFeatures, dataset, [batch.key for batch in batches])
    stored = store.derived(_SeenValuesRecord, dataset, [""]).get("")
    n_included = 0 if stored is None else _n_included(stored.batches, batches)
    seen_values = SeenValues() if stored is None or not n_included else stored.values
    all_features: list[Features] = []
    new: list[tuple[str, DerivedRecord]] = []
    for place, batch in enumerate(batches):
        record = records.get(batch.key)
        if record is not None and record.change == batch.change:
            all_features.append(record.features)
            if place < n_included:
                continue
            fingerprint = fingerprints.read(batch)
        else:
            fingerprint = fingerprints.read(batch)
            all_features.append(compute_features(fingerprint, seen_values))
            new.append((batch.key, _BatchFeatures(batch.change, all_features[-1])))
        if place >= n_included:
            seen_values = seen_values.add(fingerprint)
    if are_newest and n_included < len(batches):
        new.append(("", _SeenValuesRecord(_stamps(batches), seen_values)))
    return all_features, seen_values, new


def load_contents(
    store: Store, batches: Sequence[Batch], fingerprints: FingerprintReader
) -> tuple[tuple[BatchContents, ...], list[tuple[str, DerivedRecord]]]:
    """Return the checksums of each batch, and the records that were missing."""
    dataset = batches[-1].dataset
    records = store.derived(BatchContents, dataset, [batch.key for batch in batches])
    contents: list[BatchContents] = []
    new: list[tuple[str, DerivedRecord]] = []
    for batch in batches:
        record = records.get(batch.key)
        if record is None or record.change != batch.change:
            record = BatchContents.of(fingerprints.read(batch), batch.change)
            new.append((batch.key, record))
        contents.append(record)
    return tuple(contents), new


def _n_included(included: Sequence[Sequence[Any]], batches: Sequence[Batch]) -> int:
    """Return how many of the batches, from the first on, the stored values end with.

    The stored values may include batches from before the first one. They are of no use if they
    include a batch that was removed or replaced since.
    """
    stamps = _stamps(batches)
    for number in range(len(stamps), 0, -1):
        if stamps[:number] == list(included[-number:]):
            return number
    return 0


def _stamps(batches: Sequence[Batch]) -> list[list[Any]]:
    return [[batch.key, batch.change] for batch in batches]
