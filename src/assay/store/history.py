"""A dataset's past: its metrics over time, and which batches may be learned from."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assay.analyzers.analyzer import Analyzer
from assay.analyzers.metric import plain
from assay.store.batch import Selection, apart
from assay.store.protocol import RecordedMetric, Scope, Store
from assay.store.verdict import Decision, Mark, MarkKind
from assay.store.versions import versions

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["Records", "excluded_batches", "history"]


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


def excluded_batches(store: Store, dataset: str) -> frozenset[str]:
    """The keys of batches that nothing may be learned from.

    Those held and not released since, and those that were last marked bad or rejected. What was
    said of a version that is kept apart says nothing of the one that is here.
    """
    everything = Selection(dataset)
    verdicts, marks = store.verdicts(everything), store.marks(everything)
    fine = {each.key: each.decision is not Decision.HOLD for each in verdicts}
    judged = {each.key: each.time for each in verdicts}
    for mark in marks:
        # the latest word counts: a verdict given anew is not undone by what was said before it
        if mark.key not in judged or mark.time >= judged[mark.key]:
            fine[mark.key] = mark.kind.usable_for_learning
    bad = frozenset(key for key, good in fine.items() if not good)
    held = {each.key for each in store.batches(Selection(apart(dataset)))} & bad if bad else set()
    if not held:
        return bad
    beside = held & {each.key for each in store.batches(everything)}
    said = {each.key: each.mark for each in versions(verdicts, marks) if each.here}
    return bad - {key for key in beside if not _bad(said.get(key))}


def _bad(mark: Mark | None) -> bool:
    return mark is not None and mark.kind is MarkKind.BAD


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) else None
