"""`history`: the metrics of a dataset over time."""

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
    """Metrics of batches, oldest first, as objects, JSON or a DataFrame."""

    recorded: tuple[RecordedMetric, ...]

    def __iter__(self) -> Iterator[RecordedMetric]:
        return iter(self.recorded)

    def __len__(self) -> int:
        return len(self.recorded)

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return the metrics as dictionaries that JSON can hold."""
        return [
            {
                "dataset": recorded.batch.dataset,
                "key": recorded.batch.key,
                "time": recorded.batch.time.isoformat(),
                "tags": dict(recorded.batch.tags),
                "analyzer": recorded.metric.analyzer.key,
                "value": plain(recorded.metric.value),
                "problem": None
                if recorded.metric.problem is None
                else str(recorded.metric.problem),
            }
            for recorded in self.recorded
        ]

    def to_json(self, *, indent: int | None = 2) -> str:
        """Return the metrics as JSON."""
        return json.dumps(self.to_dicts(), indent=indent, ensure_ascii=False)

    def to_dataframe(self, spark: SparkSession) -> DataFrame:
        """Return a DataFrame with one row for each metric.

        `value` is JSON. `number` is the value as a double, or null if it is not a number.
        """
        rows = [
            (
                recorded.batch.dataset,
                recorded.batch.key,
                recorded.batch.time,
                dict(recorded.batch.tags),
                document["analyzer"],
                _number(document["value"]),
                None
                if document["value"] is None
                else json.dumps(document["value"], ensure_ascii=False),
                document["problem"],
            )
            for recorded, document in zip(self.recorded, self.to_dicts(), strict=True)
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
    """Return the metrics of the selected batches, oldest first."""
    return Records(store.metrics(selection, analyzers, scope))


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) else None
