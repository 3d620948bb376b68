"""Models learnt in Spark: one shuffle of different rows, of which only counts and a sample leave.

Rows with the same target and inputs are counted first; what is dear, taking texts apart, is done
once for each different row. Counts and sample are branches of one query over that shuffle.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from assay.analyzers.features import bucket_of
from assay.analyzers.naive_bayes import MOST_COUNTS, Example, NaiveBayes
from assay.analyzers.predictability import Fit, Task
from assay.analyzers.schema import Column
from assay.analyzers.state import State
from assay.engine.classifiers import fitted
from assay.engine.features import with_names
from assay.engine.groupings import tabulated
from assay.engine.scan import Segment, segment_of
from assay.errors import StateError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["models"]


def models(df: DataFrame, task: Task, by: Sequence[Column] = ()) -> Mapping[Segment, State]:
    """What a task came to for every segment: one query, unless a classifier needs more."""
    if isinstance(task, Fit):
        return {(): fitted(df, task)}
    names = [f"b{i}" for i in range(len(by))]
    rows = _rows(tabulated(df, task.grouping, by), task, names)
    found: dict[Segment, list[Any]] = {}
    for row in _counts(rows, task, names).unionAll(_sample(rows, task, names)).collect():
        found.setdefault(segment_of(row[: len(by)]), []).append(row[len(by) :])
    if sum(len(row[-1]) for parts in found.values() for row in parts if row[0]) > MOST_COUNTS:
        raise StateError.too_many_counts(MOST_COUNTS)
    return {segment: _state(parts, task) for segment, parts in found.items()}


def _rows(table: DataFrame, task: Task, by: Sequence[str]) -> DataFrame:
    """Of each different row its class `label`, its hash `h`, texts ``k1, …``, and count `n`."""
    from pyspark.sql import functions as F

    texts = [f"k{i}" for i in range(1, len(task.words) + 1)]
    # a hash passes over nulls: where they are must be told
    whole = ", ".join(f"{text} IS NULL, {text}" for text in texts)
    own = F.expr(f"xxhash64(k0, {whole})").alias("h")
    return table.select(*by, F.expr("if(n = 0, NULL, k0)").alias("label"), own, *texts, "n")


def _features(rows: DataFrame, task: Task) -> DataFrame:
    """The same with their features `f`."""
    from pyspark.sql import functions as F

    buckets = f"transform(names, name -> {bucket_of('name', task.buckets)})"
    return with_names(rows, task).withColumn("f", F.expr(buckets))


def _counts(rows: DataFrame, task: Task, by: Sequence[str]) -> DataFrame:
    """Each class with the counts of its features, each as one number, and its rows as another.

    A segment without a class is a segment still.
    """
    from pyspark.sql import functions as F

    # not `explode`: for it Spark would filter below the shuffle, and the sample could not share it
    each = F.expr("explode_outer(if(label IS NULL, array(-1L), array_prepend(f, -1L)))").alias("f")
    pairs = _features(rows, task).select(*by, "label", "n", each).groupBy(*by, "label", "f")
    # one more than there may be: the reader sees that there are too many, and takes no more
    most = pairs.agg(F.sum("n").alias("n")).limit(MOST_COUNTS + 1)
    packed = F.expr(f"collect_list(n * {task.buckets + 1}L + f + 1)").alias("f")
    counted = most.groupBy(*by, "label").agg(packed)
    nothing = (F.expr("0L").alias(name) for name in ("h", "n"))
    return counted.select(*by, F.lit(True).alias("counts"), "label", *nothing, "f")


def _sample(rows: DataFrame, task: Task, by: Sequence[str]) -> DataFrame:
    """The different rows with the least hashes."""
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    # a condition that is not pushed below the shuffle, which the counts have without it
    some = rows.where("if(label IS NULL, 0L, n) <> 0L")
    if by:
        rank = F.row_number().over(Window.partitionBy(*by).orderBy("h"))
        least = some.withColumn("rank", rank).where(F.col("rank") <= task.sample)
    else:
        least = some.orderBy("h").limit(task.sample)
    return _features(least, task).select(*by, F.lit(False).alias("counts"), "label", "h", "n", "f")


def _state(parts: Iterable[Any], task: Task) -> NaiveBayes:
    rows: dict[int, int] = {}
    counts: dict[int, dict[int, int]] = {}
    sample: dict[Example, int] = {}
    for is_counts, label, own, n, features in parts:
        if label is None:
            continue
        if is_counts:
            found = {each % (task.buckets + 1) - 1: each // (task.buckets + 1) for each in features}
            rows[label] = found.pop(-1)
            counts[label] = found
        else:
            example = Example(own, label, tuple(sorted(features)))
            sample[example] = sample.get(example, 0) + n
    return NaiveBayes(rows, counts, sample, task.sample) if rows else NaiveBayes.identity()
