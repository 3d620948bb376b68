"""`GateHistory`: the history before a batch, from which the judges learn.

`load` reads it from the store. A backtest adds batch after batch to it.
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass, field, replace
from datetime import datetime
from functools import cached_property
from statistics import median

from assay.gate.history.first_batch import is_unlike_others
from assay.gate.history.released import ReleasedColumns, left_out_columns, without_columns
from assay.gate.table_schema import TableSchema
from assay.io.batch_names import time_in_key
from assay.learn.fingerprint import metrics
from assay.learn.fingerprint.column_stats import Fingerprint
from assay.learn.limits.metric_history import MetricHistory
from assay.learn.novelty.batch_features import compute_features, top_share
from assay.learn.novelty.contents import BatchContents
from assay.learn.novelty.features import Feature, Features
from assay.learn.novelty.isolated import isolated_columns
from assay.learn.novelty.seen_values import SeenValues
from assay.learn.relations.choose_relations import choose_relations
from assay.learn.relations.history import BatchRelations, without_relations
from assay.learn.relations.relation import Relation
from assay.learn.suggest.provisional import ProvisionalSuite, suggest_limits
from assay.store.batch import Batch
from assay.store.derived import DerivedRecord

__all__ = ["ARRIVAL_WINDOW", "FEATURE_WINDOW", "WINDOW", "GateHistory", "calendar_time"]

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
    """The history of a dataset before a batch.

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
    times : tuple of datetime
        Calendar times of the batches of `features`.
    expected : frozenset of str
        Keys of the batches that a person marked as expected or as the new normal.
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
    _: KW_ONLY
    features: tuple[Features, ...] = ()
    seen_values: SeenValues = field(default_factory=SeenValues)
    contents: tuple[BatchContents, ...] = ()
    schema: TableSchema | None = None
    held: tuple[Batch, TableSchema | None] | None = None
    arrivals: tuple[datetime, ...] = ()
    unsaved: tuple[tuple[str, DerivedRecord], ...] = field(default=(), repr=False, compare=False)
    keys: tuple[str, ...] = ()
    times: tuple[datetime, ...] = ()
    expected: frozenset[str] = frozenset()
    released: ReleasedColumns = field(default_factory=dict)
    provisional: ProvisionalSuite | None = None
    relations: tuple[BatchRelations, ...] = ()
    #: the same history with the columns that are left out of learning
    _complete: GateHistory | None = field(default=None, repr=False, compare=False)
    _features_of_next: list[tuple[Fingerprint, dict[Feature, float]]] = field(
        default_factory=list, repr=False, compare=False
    )

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
            if stats.n_values
            and top_share(stats) * stats.n_values > stats.n_values - 1.5
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
        relations = BatchRelations.of(fingerprint, chosen=self.next_relations)
        grown = GateHistory(
            complete.metrics.plus(batch, fingerprint),
            features=(*complete.features, self.features_of(fingerprint)),
            seen_values=self.seen_values.add(fingerprint),
            contents=(*self.contents, BatchContents.of(fingerprint)),
            schema=schema or self.schema,
            arrivals=self.arrivals,
            expected=self.expected,
            times=(*self.times, calendar_time(batch)),
            keys=(*self.keys, batch.key),
            released={**self.released, **({batch.key: released} if released else {})},
            provisional=self.provisional
            if self.keys
            else suggest_limits(fingerprint, table=batch.dataset),
            relations=(*complete.relations, relations),
        )
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
