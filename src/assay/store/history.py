"""A dataset's past: its metrics over time, and which batches may be learned from."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assay.analyzers.analyzer import Analyzer
from assay.analyzers.metric import plain
from assay.store.batch import Selection
from assay.store.protocol import RecordedMetric, Scope, Store

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["Records", "history"]


@dataclass(frozen=True)
class Records:
    """Metrics of batches, oldest first: as objects, JSON, or a DataFrame."""

    recorded: tuple[RecordedMetric, ...]

    def __iter__(self) -> Iterator[RecordedMetric]:
        return iter(self.recorded)

    def __len__(self) -> int:
        return len(self.recorded)

    def to_dicts(self) -> list[dict[str, Any]]:
        """As JSON can hold them."""
        return [
            {
                "dataset": each.batch.dataset,
                "key": each.batch.key,
                "time": each.batch.time.isoformat(),
                "tags": dict(each.batch.tags),
                "analyzer": each.metric.analyzer.key,
                "value": plain(each.metric.value),
                "problem": None if each.metric.problem is None else str(each.metric.problem),
            }
            for each in self.recorded
        ]

    def to_json(self, *, indent: int | None = 2) -> str:
        """As JSON."""
        return json.dumps(self.to_dicts(), indent=indent, ensure_ascii=False)

    def to_dataframe(self, spark: SparkSession) -> DataFrame:
        """A row a metric; `number` where it is one, `value` as JSON text in any case."""
        rows = [
            (
                each.batch.dataset,
                each.batch.key,
                each.batch.time,
                dict(each.batch.tags),
                said["analyzer"],
                _number(said["value"]),
                None if said["value"] is None else json.dumps(said["value"], ensure_ascii=False),
                said["problem"],
            )
            for each, said in zip(self.recorded, self.to_dicts(), strict=True)
        ]
        return spark.createDataFrame(
            rows,
            "dataset string, key string, time timestamp, tags map<string, string>,"
            " analyzer string, number double, value string, problem string",
        )


def history(
    store: Store,
    selection: Selection,
    analyzers: Iterable[Analyzer] | None = None,
    *,
    scope: Scope = "batch",
) -> Records:
    """The metrics of these batches, oldest first."""
    return Records(store.metrics(selection, analyzers, scope))


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) else None
