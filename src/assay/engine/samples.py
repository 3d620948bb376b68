"""Samples of a column's different values: one shuffle, of which only the sample leaves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from assay.analyzers.frequencies import Grouping
from assay.analyzers.sample import Hashed, Sampled
from assay.analyzers.schema import Column
from assay.engine.groupings import tabulated
from assay.engine.scan import Segment, segment_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["samples"]


def samples(
    df: DataFrame, grouping: Grouping, size: int, by: Sequence[Column] = ()
) -> Mapping[Segment, Sampled]:
    """The sample of every segment; one without a value is a segment still."""
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    names = [f"b{i}" for i in range(len(by))]
    table = tabulated(df, grouping, by).select(*names, F.expr("xxhash64(k0)").alias("h"), "k0", "n")
    nothing = F.expr("k0 IS NULL")
    if by:
        order = Window.partitionBy(*names, nothing).orderBy("h", "k0")
        ranked = table.withColumn("rank", F.row_number().over(order))
        least = ranked.where(F.col("rank") <= size).drop("rank")
    else:
        least = table.where(~nothing).orderBy("h", "k0").limit(size)
    found: dict[Segment, dict[Hashed, int]] = {}
    for *segment, own, value, n in least.collect():
        kept = found.setdefault(segment_of(segment), {})
        if value is not None and n:
            kept[Hashed(own, value)] = n
    return {segment: Sampled(kept, size if kept else 0) for segment, kept in found.items()}
