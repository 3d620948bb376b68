"""`GateHistory`: the history before a batch, from which the judges learn.

It is loaded from the store, or grows batch by batch while a backtest replays a history. Features
and metrics of a batch are computed once and stored as derived records. `load_history` returns the
records that the store lacks, so that the gate commits them together with its verdict.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from statistics import median
from typing import Any, ClassVar

from assay.gate.first_batch import is_unlike_others, load_suite
from assay.gate.released import (
    ReleasedColumns,
    expected_keys,
    left_out_columns,
    load_marked,
    released_columns,
    without_columns,
)
from assay.gate.table_schema import TableSchema
from assay.io.batch_names import time_in_key
from assay.learn.fingerprint import metrics
from assay.learn.fingerprint.column_stats import Fingerprint
from assay.learn.limits.metric_history import FingerprintReader, MetricHistory, build_metric_history
from assay.learn.novelty.batch_features import compute_features, top_share
from assay.learn.novelty.contents import BatchContents
from assay.learn.novelty.features import Feature, Features
from assay.learn.novelty.isolated import isolated_columns
from assay.learn.novelty.seen_values import SeenValues
from assay.learn.relations.candidates import choose_relations
from assay.learn.relations.history import (
    BatchRelations,
    load_relations,
    relations_since,
    without_relations,
)
from assay.learn.relations.relation import Relation
from assay.learn.suggest.provisional import ProvisionalSuite, suggest_limits
from assay.store.batch import QUARANTINED, Batch, BatchStatus, Selection
from assay.store.derived import DerivedRecord
from assay.store.protocol import Store
from assay.store.verdict import MarkKind
from assay.store.versions import Version

__all__ = [
    "WINDOW",
    "GateHistory",
    "calendar_time",
    "load_history",
    "load_last_schema",
    "load_schema",
]

#: limits are learned from the metrics of this many batches
WINDOW = 60
#: novelty compares with the features of this many batches
FEATURE_WINDOW = 200
#: arrival times of this many batches are considered
ARRIVAL_WINDOW = 500
#: distinct values in a batch with one value, on the scale of novelty
_ONE_VALUE = math.log1p(1)


@dataclass(frozen=True)
class GateHistory:
    """The past of a dataset as of before a batch.

    Parameters
    ----------
    metrics : MetricHistory
        Metrics of the latest accepted batches, by column.
    features : tuple of Features
        Novelty's features of the latest accepted batches, as they were on their day.
    seen_values : SeenValues
        Values, shapes and combinations of nulls that accepted batches had.
    contents : tuple of BatchContents
        Checksums of the latest accepted batches, in the order of the batches of `metrics`.
    schema : TableSchema, optional
        Columns of the last accepted batch.
    held : tuple of Batch and TableSchema, optional
        The last batch and its columns, if it was held.
    arrivals : tuple of datetime
        Times of the latest batches, held ones included.
    keys : tuple of str
        Keys of the batches of `features`.
    released : mapping
        By batch key, the columns for which a released batch was held.
    provisional : ProvisionalSuite, optional
        The limits that the first batch suggests, until limits are learned.
    unsaved : tuple of (str, DerivedRecord)
        Records that were computed while loading, by batch key; ``""`` is the dataset.
    relations : tuple of BatchRelations
        Relations between columns in the latest accepted batches, in the order of `metrics`.
    """

    metrics: MetricHistory
    features: tuple[Features, ...] = ()
    seen_values: SeenValues = field(default_factory=SeenValues)
    contents: tuple[BatchContents, ...] = ()
    schema: TableSchema | None = None
    held: tuple[Batch, TableSchema | None] | None = None
    arrivals: tuple[datetime, ...] = ()
    unsaved: tuple[tuple[str, DerivedRecord], ...] = field(default=(), repr=False, compare=False)
    keys: tuple[str, ...] = ()
    released: ReleasedColumns = field(default_factory=dict)
    provisional: ProvisionalSuite | None = None
    relations: tuple[BatchRelations, ...] = ()
    #: the same history with the columns that are left out of learning
    _complete: GateHistory | None = field(default=None, repr=False, compare=False)
    _features_of_next: list[tuple[Fingerprint, dict[Feature, float]]] = field(
        default_factory=list, repr=False, compare=False
    )
    #: keys of the batches that a person marked as expected or as the new normal
    expected: frozenset[str] = frozenset()
    #: calendar times of the batches of `features`
    times: tuple[datetime, ...] = ()

    @property
    def min_comparable_rows(self) -> float:
        """Rows below which the columns of a batch cannot be compared with others.

        It is half of the smallest, and at least a quarter of the median row count. Distinct counts
        and distances of smaller batches differ only because of their size. Empty batches do not
        count.
        """
        row_counts = [
            next(iter(by_column.values())).get(metrics.ROW_COUNT, 0.0)
            for by_column in self.metrics.metrics
            if by_column
        ]
        positive = [row_count for row_count in row_counts if row_count]
        return max(min(positive) / 2, median(positive) / 4) if positive else 0.0

    def labels(self, batch: Fingerprint) -> frozenset[str]:
        """Return the columns with one value per batch, such as its day.

        One row of this batch may have another value.
        """
        return frozenset(
            name
            for name, stats in batch.columns.items()
            if stats["values"]
            and top_share(stats) * stats["values"] > stats["values"] - 1.5
            and all(
                values.get(Feature(name, metrics.DISTINCT_COUNT), _ONE_VALUE) == _ONE_VALUE
                for values in self.features
            )
        )

    def features_of(self, batch: Fingerprint) -> dict[Feature, float]:
        """Return the features of the next batch. They are computed once for all judges."""
        if not self._features_of_next or self._features_of_next[0][0] is not batch:
            self._features_of_next[:] = [(batch, compute_features(batch, self.seen_values))]
        return self._features_of_next[0][1]

    def plus(
        self,
        batch: Batch,
        fingerprint: Fingerprint,
        schema: TableSchema | None,
        released: frozenset[str | None] = frozenset(),
    ) -> GateHistory:
        """Return the history with one more accepted batch.

        If the batch was held, `released` are the columns for which it was.
        """
        complete = self._complete or self
        grown = GateHistory(
            complete.metrics.plus(batch, fingerprint),
            (*complete.features, self.features_of(fingerprint)),
            self.seen_values.add(fingerprint),
            (*self.contents, BatchContents.of(fingerprint)),
            schema or self.schema,
            arrivals=self.arrivals,
            expected=self.expected,
            times=(*self.times, calendar_time(batch)),
            keys=(*self.keys, batch.key),
            released={**self.released, **({batch.key: released} if released else {})},
            provisional=self.provisional
            if self.keys
            else suggest_limits(fingerprint, table=batch.dataset),
        )
        relations = BatchRelations.of(fingerprint, chosen=self.next_relations)
        grown = replace(grown, relations=(*complete.relations, relations))
        return grown.without_unusual()

    @cached_property
    def next_relations(self) -> tuple[Relation, ...]:
        """The relations between columns that are measured in the next batch."""
        return choose_relations(self.metrics.last, self.relations)

    @property
    def released_last(self) -> frozenset[str | None]:
        """The columns for which the last batch was held, if it was released."""
        return self.released.get(self.keys[-1], frozenset()) if self.keys else frozenset()

    def without_unusual(self) -> GateHistory:
        """Leave out of learning what is known to be unusual.

        These are columns that were released once (`released`), and a first batch that is unlike all
        others (`first_batch`). A column that only one batch had like this is left out as well
        (`isolated`), unless the batch is marked as expected.
        """
        left_out = left_out_columns(self.keys, self.released)
        has_keys = len(self.keys) == len(self.features)
        for place, isolated in (isolated_columns(self.features) if has_keys else {}).items():
            key = self.keys[place]
            if key not in self.expected:
                left_out[key] = left_out.get(key, frozenset()) | isolated
        if has_keys and len(self.keys) < FEATURE_WINDOW and is_unlike_others(self.features):
            columns = {feature.column for feature in self.features[0]}
            left_out[self.keys[0]] = frozenset((None, *columns))
        if not left_out:
            return self
        return replace(
            self,
            metrics=self.metrics.without(left_out),
            features=without_columns(self.features, self.keys, left_out),
            relations=without_relations(self.relations, self.metrics.batches, left_out),
            _complete=self,
        )

    def after(
        self, batch: Batch, schema: TableSchema | None = None, *, accepted: bool
    ) -> GateHistory:
        """Return the history after a batch has arrived."""
        arrivals = (*self.arrivals, batch.time)[-ARRIVAL_WINDOW:]
        return replace(self, arrivals=arrivals, held=None if accepted else (batch, schema))

    def latest(self) -> GateHistory:
        """Return the history without batches before the windows."""
        complete = self._complete or self
        latest = replace(
            self,
            metrics=complete.metrics.latest(WINDOW),
            features=complete.features[-FEATURE_WINDOW:],
            contents=self.contents[-WINDOW:],
            relations=complete.relations[-WINDOW:],
            keys=self.keys[-FEATURE_WINDOW:],
            times=self.times[-FEATURE_WINDOW:],
            _complete=None,
        )
        return latest.without_unusual()


def calendar_time(batch: Batch) -> datetime:
    """Return the time that a batch is about: that of its key, or of its delivery."""
    return time_in_key(batch.key) or batch.time


def load_history(
    store: Store,
    dataset: str,
    *,
    until: datetime | None = None,
    but: str | None = None,
) -> GateHistory:
    """Load the stored data of a dataset's latest batches before a moment.

    The cost depends on the windows, not on the number of batches. Batches that are marked bad are
    left out.
    """
    accepted = Selection(dataset, until=until, but=but)
    batches = store.batches(replace(accepted, learnable=True, latest=FEATURE_WINDOW))
    if not batches:
        return GateHistory(MetricHistory(dataset))
    fingerprints = FingerprintReader(store, dataset)
    window = batches[-WINDOW:]
    metric_history, new_metrics = build_metric_history(store, dataset, window, fingerprints)
    contents, new_contents = _load_contents(store, window, fingerprints)
    relations, new_relations = load_relations(store, window, fingerprints.read)
    newest = store.batches(Selection(dataset, learnable=True, latest=1))
    batch_features, seen_values, new_features = _load_features(
        store, batches, fingerprints, are_newest=newest[-1:] == batches[-1:]
    )
    arrived = store.batches(replace(accepted, latest=ARRIVAL_WINDOW))
    held = store.batches(replace(accepted, status=QUARANTINED, latest=ARRIVAL_WINDOW))
    arrival_times = sorted(batch.time for batch in (*arrived, *held))
    keys = tuple(batch.key for batch in batches)
    marked = load_marked(store, dataset, keys)
    starts = _new_normals(store, batches, marked)
    first = len(batches) - len(window)
    suite, new_suite = load_suite(store, batches, fingerprints)
    history = GateHistory(
        metric_history.since({column: place - first for column, place in starts.items()}),
        tuple(_features_since(batch_features, starts)),
        seen_values,
        contents,
        load_schema(store, batches[-1]),
        _held_after(store, held, batches[-1]),
        tuple(arrival_times)[-ARRIVAL_WINDOW:],
        (*new_metrics, *new_features, *new_contents, *new_suite, *new_relations),
        keys,
        released_columns(marked),
        suite,
    )
    history = replace(
        history,
        expected=expected_keys(marked),
        times=tuple(map(calendar_time, batches)),
        relations=relations_since(
            relations, {column: place - first for column, place in starts.items()}
        ),
    )
    return history.without_unusual()


def _held_after(
    store: Store, held: Sequence[Batch], last: Batch
) -> tuple[Batch, TableSchema | None] | None:
    """Return the latest quarantined batch if it came after the last accepted one."""
    if not held or held[-1].time <= last.time:
        return None
    return held[-1], load_schema(store, held[-1])


def load_schema(store: Store, batch: Batch) -> TableSchema | None:
    """Return the recorded columns of a batch."""
    status = batch.status if batch.status is BatchStatus.ACCEPTED else BatchStatus.HELD
    return store.derived(TableSchema, batch.dataset, [batch.key], status).get(batch.key)


def load_last_schema(store: Store, dataset: str) -> TableSchema | None:
    """Return the columns of the last accepted batch; None if there is none."""
    batches = store.batches(Selection(dataset, learnable=True, latest=1))
    return load_schema(store, batches[-1]) if batches else None


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


def _load_features(
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


def _load_contents(
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


def _new_normals(
    store: Store, batches: Sequence[Batch], marked: Iterable[Version]
) -> dict[str | None, int]:
    """Return, by column, the place of the last batch that is marked as the new normal.

    Columns are those with alarms in the batch's verdict; all columns if it has none. The mark must
    be the last one on the version of the batch that is in the dataset.
    """
    renewed = {version.key: version for version in marked if version.has_mark(MarkKind.NEW_NORMAL)}
    starts: dict[str | None, int] = {}
    for place, batch in enumerate(batches):
        version = renewed.get(batch.key)
        if version is None:
            continue
        findings = () if version.verdict is None else version.verdict.findings
        columns = {f.get("column") for f in findings if f["level"] != "accept"}
        if not columns:
            schema = load_schema(store, batch)
            columns = {None, *(() if schema is None else schema.names)}
        starts |= dict.fromkeys(columns, place)
    return starts


def _features_since(
    all_features: Sequence[Features], starts: Mapping[str | None, int]
) -> list[Features]:
    """Leave out the features of each column from before its new normal."""
    return [
        {
            feature: value
            for feature, value in values.items()
            if place >= starts.get(feature.column, 0)
        }
        for place, values in enumerate(all_features)
    ]
