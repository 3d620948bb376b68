"""Sample the distinct values of a column: one shuffle, and only the sample reaches the driver."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from assay.analyzers.analyzer import Analyzer
from assay.analyzers.frequencies import Grouping
from assay.analyzers.sample import Hashed, Sample, Sampled
from assay.analyzers.schema import Schema
from assay.analyzers.state import State
from assay.engine.frame import Segment, segment_of
from assay.engine.frequency_query import count_groups
from assay.engine.passes.query_pass import Outcome, PassInput, QueryPass

__all__ = ["SamplePass", "plan_sample_passes"]


@dataclass(frozen=True, slots=True)
class SamplePass(QueryPass):
    """Draw one sample of a column's values for all analyzers that read it."""

    kind: ClassVar[str] = "sample"
    grouping: Grouping
    analyzers: tuple[Sample, ...]

    @property
    def size(self) -> int:
        """The largest number of values that an analyzer asks for."""
        return max(analyzer.k for analyzer in self.analyzers)

    @property
    def measured(self) -> Sequence[Analyzer]:
        """The analyzers that read the sample."""
        return self.analyzers

    @property
    def columns(self) -> Sequence[str]:
        """The column, and those of the selection."""
        return self.grouping.columns

    @property
    def subject(self) -> object:
        """The column."""
        return self.grouping

    def run(self, source: PassInput) -> Mapping[Segment, Sampled]:
        """Draw the sample of each segment: the values with the smallest hashes.

        A segment without a value is in the result, with an empty sample.
        """
        from pyspark.sql import Window
        from pyspark.sql import functions as F

        segments = [f"b{i}" for i in range(len(source.by))]
        counts = count_groups(source.df, self.grouping, source.by)
        table = counts.select(*segments, F.expr("xxhash64(k0)").alias("h"), "k0", "n")
        is_null = F.expr("k0 IS NULL")
        if source.by:
            order = Window.partitionBy(*segments, is_null).orderBy("h", "k0")
            ranked = table.withColumn("rank", F.row_number().over(order))
            smallest = ranked.where(F.col("rank") <= self.size).drop("rank")
        else:
            smallest = table.where(~is_null).orderBy("h", "k0").limit(self.size)
        samples: dict[Segment, dict[Hashed, int]] = {}
        for *key, value_hash, value, row_count in smallest.collect():
            sample = samples.setdefault(segment_of(key), {})
            if value is not None and row_count:
                sample[Hashed(value_hash, value)] = row_count
        return {
            segment: Sampled(sample, self.size if sample else 0)
            for segment, sample in samples.items()
        }

    def states(
        self, result: Mapping[Segment, Any], segment: Segment, outcomes: Sequence[Outcome]
    ) -> Mapping[Analyzer, State]:
        """Cut the sample to the size that each analyzer asks for."""
        sampled: Sampled = result.get(segment, Sampled.identity())
        return {analyzer: sampled.cut(analyzer.k) for analyzer in self.analyzers}


def plan_sample_passes(analyzers: Iterable[Sample], schema: Schema) -> tuple[SamplePass, ...]:
    """Plan one pass for each column and selection."""
    groups: dict[Grouping, list[Sample]] = {}
    for analyzer in analyzers:
        groups.setdefault(analyzer.grouping(schema), []).append(analyzer)
    return tuple(SamplePass(grouping, tuple(group)) for grouping, group in groups.items())
