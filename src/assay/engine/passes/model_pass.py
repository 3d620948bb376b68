"""Train a naive Bayes model: one shuffle of distinct rows, which returns counts and a sample.

Rows with the same target and inputs are counted first. Splitting texts into words is expensive and
is done once for each distinct row. Counts and sample are branches of one query over that shuffle.
A classifier that the user supplies is trained by `assay.engine.passes.classifier` instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from assay.analyzers.analyzer import Analyzer
from assay.analyzers.metric import Problem
from assay.analyzers.model_features import bucket_of
from assay.analyzers.naive_bayes import MOST_COUNTS, Example, NaiveBayes
from assay.analyzers.predictability import Fit, ModelAnalyzer, Task
from assay.analyzers.schema import Schema
from assay.analyzers.state import State
from assay.engine.frame import Segment, segment_of
from assay.engine.frequency_query import count_groups
from assay.engine.passes.classifier import evaluate_classifier, with_feature_names
from assay.engine.passes.query_pass import Outcome, PassInput, QueryPass
from assay.errors import NotComputableError, StateError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["ModelPass", "plan_model_passes", "refuse_segments"]


@dataclass(frozen=True, slots=True)
class ModelPass(QueryPass):
    """Train and evaluate one model for all analyzers that score it."""

    kind: ClassVar[str] = "model"
    task: Task
    analyzers: tuple[ModelAnalyzer, ...]

    @property
    def measured(self) -> Sequence[Analyzer]:
        """The analyzers that score the model."""
        return self.analyzers

    @property
    def columns(self) -> Sequence[str]:
        """The target and the inputs."""
        return self.task.columns

    @property
    def subject(self) -> object:
        """The prediction task."""
        return self.task

    def run(self, source: PassInput) -> Mapping[Segment, State]:
        """Train the model of each segment: one query, unless a classifier needs more."""
        task = self.task
        if isinstance(task, Fit):
            return {(): evaluate_classifier(source.df, task)}
        segments = [f"b{i}" for i in range(len(source.by))]
        rows = _distinct_rows(count_groups(source.df, task.grouping, source.by), task, segments)
        branches = _feature_counts(rows, task, segments).unionAll(_examples(rows, task, segments))
        parts: dict[Segment, list[Any]] = {}
        for row in branches.collect():
            key = segment_of(row[: len(segments)])
            parts.setdefault(key, []).append(row[len(segments) :])
        packed_counts = (row[-1] for rows in parts.values() for row in rows if row[0])
        if sum(map(len, packed_counts)) > MOST_COUNTS:
            raise StateError.too_many_counts(MOST_COUNTS)
        return {segment: _state(rows, task) for segment, rows in parts.items()}

    def states(
        self, result: Mapping[Segment, Any], segment: Segment, outcomes: Sequence[Outcome]
    ) -> Mapping[Analyzer, State]:
        """Return the model for every analyzer; a table without rows has no segment."""
        return dict.fromkeys(self.analyzers, result.get(segment, NaiveBayes.identity()))


def plan_model_passes(analyzers: Iterable[ModelAnalyzer], schema: Schema) -> tuple[ModelPass, ...]:
    """Plan one pass for each prediction task."""
    tasks: dict[Task, list[ModelAnalyzer]] = {}
    for analyzer in analyzers:
        tasks.setdefault(analyzer.task(schema), []).append(analyzer)
    return tuple(ModelPass(task, tuple(group)) for task, group in tasks.items())


def refuse_segments(analyzer: Analyzer, schema: Schema) -> Problem | None:
    """Return the problem of a user's classifier, which cannot be trained per segment."""
    if not (isinstance(analyzer, ModelAnalyzer) and isinstance(analyzer.task(schema), Fit)):
        return None
    error = NotComputableError.per_segment(type(analyzer).__name__)
    return Problem(error.code, str(error))


def _distinct_rows(table: DataFrame, task: Task, by: Sequence[str]) -> DataFrame:
    """Return each distinct row: its class `label`, hash `h`, texts ``k1, …`` and count `n`."""
    from pyspark.sql import functions as F

    texts = [f"k{i}" for i in range(1, len(task.words) + 1)]
    # xxhash64 skips nulls, so the hash must include which values are null
    hashed_parts = ", ".join(f"{text} IS NULL, {text}" for text in texts)
    row_hash = F.expr(f"xxhash64(k0, {hashed_parts})").alias("h")
    return table.select(*by, F.expr("if(n = 0, NULL, k0)").alias("label"), row_hash, *texts, "n")


def _with_features(rows: DataFrame, task: Task) -> DataFrame:
    """Add the features `f`, as numbers of buckets."""
    from pyspark.sql import functions as F

    buckets = f"transform(names, name -> {bucket_of('name', task.buckets)})"
    return with_feature_names(rows, task).withColumn("f", F.expr(buckets))


def _feature_counts(rows: DataFrame, task: Task, by: Sequence[str]) -> DataFrame:
    """Return for each class the counts of its features, and its rows as the feature -1.

    A feature and its count are packed into one number. A segment without a class is kept.
    """
    from pyspark.sql import functions as F

    # `explode` would make Spark filter below the shuffle, and the sample could not share it
    feature = F.expr("explode_outer(if(label IS NULL, array(-1L), array_prepend(f, -1L)))")
    pairs = _with_features(rows, task).select(*by, "label", "n", feature.alias("f"))
    totals = pairs.groupBy(*by, "label", "f").agg(F.sum("n").alias("n"))
    # one more than is allowed, so that the driver notices without receiving all of them
    limited = totals.limit(MOST_COUNTS + 1)
    packed = F.expr(f"collect_list(n * {task.buckets + 1}L + f + 1)").alias("f")
    by_class = limited.groupBy(*by, "label").agg(packed)
    zeros = (F.expr("0L").alias(name) for name in ("h", "n"))
    return by_class.select(*by, F.lit(True).alias("counts"), "label", *zeros, "f")


def _examples(rows: DataFrame, task: Task, by: Sequence[str]) -> DataFrame:
    """Return the distinct rows with the smallest hashes."""
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    # Spark does not push this condition below the shuffle, which the counts share
    labelled = rows.where("if(label IS NULL, 0L, n) <> 0L")
    if by:
        rank = F.row_number().over(Window.partitionBy(*by).orderBy("h"))
        smallest = labelled.withColumn("rank", rank).where(F.col("rank") <= task.sample)
    else:
        smallest = labelled.orderBy("h").limit(task.sample)
    is_count = F.lit(False).alias("counts")
    return _with_features(smallest, task).select(*by, is_count, "label", "h", "n", "f")


def _state(parts: Iterable[Any], task: Task) -> NaiveBayes:
    rows: dict[int, int] = {}
    counts: dict[int, dict[int, int]] = {}
    sample: dict[Example, int] = {}
    for is_count, label, row_hash, row_count, features in parts:
        if label is None:
            continue
        if is_count:
            size = task.buckets + 1
            class_counts = {packed % size - 1: packed // size for packed in features}
            rows[label] = class_counts.pop(-1)
            counts[label] = class_counts
        else:
            example = Example(row_hash, label, tuple(sorted(features)))
            sample[example] = sample.get(example, 0) + row_count
    return NaiveBayes(rows, counts, sample, task.sample) if rows else NaiveBayes.identity()
