"""What is known when a batch comes: all that judges learn from, as of before it.

It is read from the store, or grows batch by batch while a history is replayed. The store keeps what
was worked out once: the features of each batch as they were on its day, and the values of accepted
batches.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from glob import escape
from statistics import median
from typing import Any, ClassVar

from assay.gate.table_schema import TableSchema
from assay.learn.fingerprint.column_stats import Fingerprint
from assay.learn.fingerprint.from_states import fingerprint_of
from assay.learn.limits.metric_history import MetricHistory, learnable_batches, load_metric_history
from assay.learn.novelty.batch_features import features, top_share
from assay.learn.novelty.metrics import Feature, Features
from assay.learn.novelty.seen_values import SeenValues
from assay.store.batch import QUARANTINED, Batch, BatchStatus, Selection
from assay.store.protocol import Store
from assay.store.verdict import MarkKind
from assay.store.versions import versions

__all__ = ["GateHistory", "columns_of", "load_history", "note_columns"]

#: of the records' form; others are worked out again
_VERSION = 4
_ONE = math.log1p(1)
#: of how many batches the features are looked back on
_FEATURED = 200
#: of how many the times are
_ARRIVALS = 500


@dataclass(frozen=True)
class GateHistory:
    """As of before a batch: metrics and features of the batches accepted, what they had.

    `columns` are those of the last one; `held` is a later batch that was not let in, if the last
    that came was not, and its columns, if it had any. `arrivals` are the times of all that came.
    """

    metrics: MetricHistory
    features: tuple[Features, ...] = ()
    seen_values: SeenValues = field(default_factory=SeenValues)
    schema: TableSchema | None = None
    held: tuple[Batch, TableSchema | None] | None = None
    arrivals: tuple[datetime, ...] = ()
    _next: list[tuple[Fingerprint, dict[Feature, float]]] = field(
        default_factory=list, repr=False, compare=False
    )

    @property
    def min_comparable_rows(self) -> float:
        """With fewer rows, columns compare no more: half of the fewest, a quarter of the usual.

        How many values differ, how far apart they are and how unlike others they are all depend on
        how many there are. Empty batches are left apart.
        """
        rows = [
            next(iter(each.values())).get("row_count", 0.0) for each in self.metrics.metrics if each
        ]
        some = [each for each in rows if each]
        return max(min(some) / 2, median(some) / 4) if some else 0.0

    def labels(self, batch: Fingerprint) -> frozenset[str]:
        """Columns that have had one value a batch, such as its day, and have but for one row."""
        return frozenset(
            name
            for name, stats in batch.columns.items()
            if stats["values"]
            and top_share(stats) * stats["values"] > stats["values"] - 1.5
            and all(each.get(Feature(name, "distinct"), _ONE) == _ONE for each in self.features)
        )

    def features_of(self, batch: Fingerprint) -> dict[Feature, float]:
        """The features of the batch that comes next, worked out once, whoever asks."""
        if not self._next or self._next[0][0] is not batch:
            self._next[:] = [(batch, features(batch, self.seen_values))]
        return self._next[0][1]

    def plus(self, batch: Batch, own: Fingerprint, columns: TableSchema | None) -> GateHistory:
        """One accepted batch more."""
        return GateHistory(
            self.metrics.plus(batch, own),
            (*self.features, self.features_of(own)),
            self.seen_values.add(own),
            columns or self.schema,
            arrivals=self.arrivals,
        )

    def after(
        self, batch: Batch, held: TableSchema | None = None, *, accepted: bool
    ) -> GateHistory:
        """Once a batch has come; if it was not let in, it is the one that is `held`."""
        arrivals = (*self.arrivals, batch.time)[-_ARRIVALS:]
        return replace(self, arrivals=arrivals, held=None if accepted else (batch, held))

    def latest(self, number: int) -> GateHistory:
        """With the metrics of only so many of the latest batches; features are kept of more."""
        kept = self.features[-_FEATURED:]
        return replace(self, metrics=self.metrics.latest(number), features=kept)


def load_history(
    store: Store,
    dataset: str,
    *,
    until: datetime | None = None,
    but: str | None = None,
) -> GateHistory:
    """What the store knows of a dataset's latest batches before a moment."""
    known = load_metric_history(store, dataset, until=until, but=but)
    if not known.batches:
        return GateHistory(known)
    featured = learnable_batches(store, dataset, until=until, but=but, latest=_FEATURED)
    newest = (but is None and until is None) or featured[-1:] == learnable_batches(
        store, dataset, latest=1
    )
    found, memory = _features(store, dataset, featured, whole=newest)
    came = store.batches(Selection(dataset, until=until, but=but, latest=_ARRIVALS))
    held = store.batches(Selection(dataset, until=until, but=but, status=QUARANTINED))
    return GateHistory(
        _since(known, _began(store, dataset, known.batches)),
        tuple(_only_since(found, _began(store, dataset, featured))),
        memory,
        columns_of(store, dataset, featured[-1].key),
        _held_since(store, held, featured[-1]),
        tuple(sorted(each.time for each in (*came, *held)))[-_ARRIVALS:],
    )


def _held_since(
    store: Store, held: Sequence[Batch], last: Batch
) -> tuple[Batch, TableSchema | None] | None:
    """The latest batch that was held, if it came after the last that was let in."""
    if not held or held[-1].time <= last.time:
        return None
    return held[-1], columns_of(store, last.dataset, held[-1].key, held[-1].status)


def columns_of(
    store: Store, dataset: str, key: str, status: BatchStatus = BatchStatus.ACCEPTED
) -> TableSchema | None:
    """The columns of a batch, as remembered."""
    return store.derived(TableSchema, dataset, [key], status).get(key)


def note_columns(store: Store, batch: Batch, columns: TableSchema) -> None:
    """Remember the columns of a batch."""
    store.save(batch.dataset, batch.key, columns, batch.status)


@dataclass(frozen=True)
class _BatchFeatures:
    """The features of a batch as they were on its day."""

    kind: ClassVar[str] = "features"
    version: ClassVar[int] = _VERSION

    change: int
    features: Features

    def to_json(self) -> Any:
        return {"change": self.change, "features": _written(self.features)}

    @classmethod
    def from_json(cls, document: Any) -> _BatchFeatures:
        return cls(document["change"], _read(document["features"]))


@dataclass(frozen=True)
class _SeenValuesRecord:
    """The values of accepted batches; `batches` are their keys and changes, oldest first."""

    kind: ClassVar[str] = "seen values"
    version: ClassVar[int] = _VERSION

    batches: list[list[Any]]
    values: SeenValues

    def to_json(self) -> Any:
        return {"batches": self.batches, "values": self.values.written()}

    @classmethod
    def from_json(cls, document: Any) -> _SeenValuesRecord:
        return cls(document["batches"], SeenValues.read(document["values"]))


def _features(
    store: Store, dataset: str, batches: Sequence[Batch], *, whole: bool
) -> tuple[list[Features], SeenValues]:
    """The features of each batch, and what all of them had, noted if that is the `whole`."""
    keys = [each.key for each in batches]
    records = store.derived(_BatchFeatures, dataset, keys)
    kept = store.derived(_SeenValuesRecord, dataset, [""]).get("")
    at = 0 if kept is None else _remembered(kept.batches, batches)
    memory = SeenValues() if kept is None or not at else kept.values
    found: list[Features] = []
    new: dict[str, _BatchFeatures] = {}
    for place, batch in enumerate(batches):
        record = records.get(batch.key)
        known = record is not None and record.change == batch.change
        if record is not None and known:
            found.append(record.features)
        if place < at and known:
            continue
        own = fingerprint_of(next(iter(store.states(Selection.one(dataset, batch.key)).values())))
        if not known:
            found.append(features(own, memory))
            new[batch.key] = _BatchFeatures(batch.change, found[-1])
        if place >= at:
            memory = memory.add(own)
    if not new and not (whole and at < len(batches)):
        return found, memory
    with store.transaction():
        for key, batch_features in new.items():
            store.save(dataset, key, batch_features)
        if whole and at < len(batches):
            store.save(dataset, "", _SeenValuesRecord(_stamps(batches), memory))
    return found, memory


def _remembered(inside: Sequence[Sequence[Any]], batches: Sequence[Batch]) -> int:
    """How many of the batches are in the memory that is kept: those it ends with, or none.

    Batches from before the first of these may be in it as well; one that was taken back or replaced
    since may not.
    """
    stamps = _stamps(batches)
    for at in range(len(stamps), 0, -1):
        if stamps[:at] == inside[-at:]:
            return at
    return 0


def _stamps(batches: Sequence[Batch]) -> list[list[Any]]:
    return [[each.key, each.change] for each in batches]


def _began(store: Store, dataset: str, batches: Sequence[Batch]) -> dict[str | None, int]:
    """From which batch on a column, or the table, is judged: what was marked as the new normal.

    That is what was said last of the version that is there.
    """
    normal_marks = store.marks(Selection(dataset), kinds=(MarkKind.NEW_NORMAL,))
    if not normal_marks:
        return {}
    places = {each.key: at for at, each in enumerate(batches)}
    found: dict[str | None, int] = {}
    marked = Selection(dataset, keys=tuple({escape(mark.key) for mark in normal_marks}))
    for each in versions(store.verdicts(marked), store.marks(marked)):
        normal = each.here and each.mark is not None and each.mark.kind is MarkKind.NEW_NORMAL
        if not normal or each.key not in places:
            continue
        said = () if each.verdict is None else each.verdict.findings
        named = {finding.get("column") for finding in said if finding["level"] != "accept"}
        # where nothing was found all of it is new
        for column in named or {None, *_names(store, dataset, each.key)}:
            found[column] = max(found.get(column, 0), places[each.key])
    return found


def _names(store: Store, dataset: str, key: str) -> list[str]:
    columns = columns_of(store, dataset, key)
    return [] if columns is None else [name for name, _ in columns.types]


def _since(known: MetricHistory, began: Mapping[str | None, int]) -> MetricHistory:
    """Without what was before a new normal."""
    if not began:
        return known
    rows = began.get(None, 0)
    metrics = tuple(
        {
            name: {m: v for m, v in own.items() if m != "row_count" or at >= rows}
            for name, own in each.items()
            if at >= began.get(name, 0)
        }
        for at, each in enumerate(known.metrics)
    )
    return replace(known, metrics=metrics, _own={})


def _only_since(found: Sequence[Features], began: Mapping[str | None, int]) -> list[Features]:
    return [
        {each: value for each, value in own.items() if at >= began.get(each.column, 0)}
        for at, own in enumerate(found)
    ]


def _written(found: Features) -> list[list[Any]]:
    """By column, each of which is named once."""
    by_column: dict[str | None, dict[str, float]] = {}
    for (column, metric), value in found.items():
        if not math.isnan(value):
            by_column.setdefault(column, {})[metric] = value
    return [[column, own] for column, own in by_column.items()]


def _read(columns: Sequence[Sequence[Any]]) -> Features:
    return {
        Feature(column, metric): value for column, own in columns for metric, value in own.items()
    }
