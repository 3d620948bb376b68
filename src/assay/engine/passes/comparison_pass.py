"""Compare two tables by key: how many keys match, and which rows have a counterpart.

Only keys and compared columns are read of either table. Only counts leave Spark, nothing is
cached, and Spark decides how the tables are joined. Values are equal as Spark groups them: -0.0
equals 0.0, and NaN equals NaN.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from assay.analyzers.aggregate_expr import condition
from assay.analyzers.analyzer import Analyzer
from assay.analyzers.other_table import KeyedAnalyzer, Sides
from assay.analyzers.schema import Column, Schema
from assay.analyzers.state import State
from assay.engine.frame import Segment, segment_of
from assay.engine.passes.query_pass import Outcome, PassInput, QueryPass

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["ComparisonPass", "plan_comparison_passes", "with_counterpart", "with_counterpart_here"]

#: matches, and how many there could be, in each segment
MatchCounts = dict[Segment, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class ComparisonPass(QueryPass):
    """Look up the keys of one table in another."""

    kind: ClassVar[str] = "comparison"
    analyzer: KeyedAnalyzer
    sides: Sides

    @property
    def measured(self) -> Sequence[Analyzer]:
        """The analyzer."""
        return (self.analyzer,)

    @property
    def columns(self) -> Sequence[str]:
        """The keys, the compared columns and those of the selection."""
        return self.sides.reads

    @property
    def subject(self) -> object:
        """Both sides of the comparison."""
        return self.sides

    def run(self, source: PassInput) -> MatchCounts:
        """Count the matches, and how many there could be."""
        other = source.reference_tables[self.sides.table]
        where = self.analyzer.on(source.schema).where
        if self.analyzer.symmetric:
            return _count_matching_keys(source.df, other, self.sides, where)
        return _count_references(source.df, other, self.sides, where, source.by)

    def states(
        self, result: Mapping[Segment, Any], segment: Segment, outcomes: Sequence[Outcome]
    ) -> Mapping[Analyzer, State]:
        """Create the state from both counts."""
        return {self.analyzer: self.analyzer.state(*result.get(segment, (0, 0)))}


def plan_comparison_passes(
    analyzers: Iterable[KeyedAnalyzer], schema: Schema, reference_schemas: Mapping[str, Schema]
) -> tuple[ComparisonPass, ...]:
    """Plan one pass for each comparison."""
    return tuple(
        ComparisonPass(analyzer, analyzer.against(schema, reference_schemas[analyzer.table]))
        for analyzer in analyzers
    )


def with_counterpart(
    df: DataFrame, other: DataFrame, analyzer: KeyedAnalyzer, sides: Sides, name: str
) -> DataFrame:
    """Add a column that says whether a row has a counterpart in the other table.

    It is null for rows that need none.
    """
    if not analyzer.symmetric:
        return _with_reference(df, other, sides, analyzer.where, name)
    ours, theirs = _expressions(sides)
    return _with_equal_rows(df, ours, analyzer.where, other, theirs, None, name)


def with_counterpart_here(
    df: DataFrame, other: DataFrame, analyzer: KeyedAnalyzer, sides: Sides, name: str
) -> DataFrame:
    """Return the rows of the other table, and whether each has a counterpart in this one."""
    ours, theirs = _expressions(sides)
    return _with_equal_rows(other, theirs, None, df, ours, analyzer.where, name)


def _count_references(
    df: DataFrame, other: DataFrame, sides: Sides, where: str | None, by: Sequence[Column]
) -> MatchCounts:
    """Count the rows whose key exists in the other table, and the rows that have a key."""
    from pyspark.sql import functions as F

    if not by:
        # rows without a key are not shuffled: all nulls would go to one task
        df, where = df.where(F.expr(_has_key(sides, where))), None
    segments = [F.expr(column.sql).alias(f"b{i}") for i, column in enumerate(by)]
    flag = "__assay_exists"
    counts = (
        _with_reference(df, other, sides, where, flag)
        .groupBy(*segments)
        .agg(F.count_if(F.col(flag)), F.count(flag))
    )
    return {segment_of(row[:-2]): (row[-2], row[-1]) for row in counts.collect()}


def _with_reference(
    df: DataFrame, other: DataFrame, sides: Sides, where: str | None, name: str
) -> DataFrame:
    from pyspark.sql import functions as F

    ours, theirs = _expressions(sides)
    keys = [f"{name}_{i}" for i in range(len(theirs))]
    existing = other.select(
        *(F.expr(sql).alias(key) for sql, key in zip(theirs, keys, strict=True))
    )
    # distinct, or the join would repeat a row whose key occurs twice
    existing = existing.where(" AND ".join(f"{key} IS NOT NULL" for key in keys)).distinct()
    is_equal = " AND ".join(f"{sql} = {key}" for sql, key in zip(ours, keys, strict=True))
    exists = f"CASE WHEN {_has_key(sides, where)} THEN {keys[0]} IS NOT NULL END"
    joined = df.join(existing, F.expr(is_equal), "left")
    return joined.withColumn(name, F.expr(exists)).drop(*keys)


def _has_key(sides: Sides, where: str | None) -> str:
    """Return SQL for rows of the selection that have a key: as in SQL, one null makes it none."""
    present = [f"{pair.ours.sql} IS NOT NULL" for pair in sides.keys]
    return " AND ".join([*([condition(where)] if where else []), *present])


def _count_matching_keys(
    df: DataFrame, other: DataFrame, sides: Sides, where: str | None
) -> MatchCounts:
    """Count the keys under which both tables have the same rows, and all keys.

    Each of our rows counts 1 and each of theirs -1. Equal rows occur equally often in both tables
    if they sum to 0. This takes two aggregations and no join.
    """
    from pyspark.sql import functions as F

    names = [f"k{i}" for i in range(len(sides.pairs))]
    columns = [F.col(name) for name in names]

    def with_weight(frame: DataFrame, expressions: Sequence[str], weight: str) -> DataFrame:
        pairs = zip(expressions, names, strict=True)
        return frame.select(*(F.expr(sql).alias(name) for sql, name in pairs), F.expr(weight))

    ours, theirs = _expressions(sides)
    rows = with_weight(_select(df, where), ours, "1L AS n").unionAll(
        with_weight(other, theirs, "-1L AS n")
    )
    surplus = rows.groupBy(*columns).agg(F.sum("n").alias("n"))
    keys = surplus.groupBy(*columns[: len(sides.keys)]).agg(F.count_if(F.expr("n <> 0")).alias("n"))
    (row,) = keys.agg(F.count_if(F.expr("n = 0")), F.count(F.lit(1))).collect()
    return {(): (row[0], row[1])}


def _with_equal_rows(
    df: DataFrame,
    ours: Sequence[str],
    where: str | None,
    other: DataFrame,
    theirs: Sequence[str],
    other_where: str | None,
    name: str,
) -> DataFrame:
    """Add whether the other side has as many equal rows; null outside the selection."""
    from pyspark.sql import functions as F

    keys = [f"{name}_{i}" for i in range(len(theirs))]
    columns = [F.expr(sql).alias(key) for sql, key in zip(theirs, keys, strict=True)]
    counts = _select(other, other_where).groupBy(*columns)
    there = counts.agg(F.count(F.lit(1)).alias(f"{name}_n"))
    is_equal = " AND ".join(f"{sql} <=> {key}" for sql, key in zip(ours, keys, strict=True))
    selected = "true" if where is None else condition(where)
    here = f"count_if({selected}) OVER (PARTITION BY {', '.join(ours)})"
    agrees = f"CASE WHEN {selected} THEN {here} = coalesce({name}_n, 0L) END"
    joined = df.join(there, F.expr(is_equal), "left")
    return joined.withColumn(name, F.expr(agrees)).drop(*keys, f"{name}_n")


def _select(df: DataFrame, where: str | None) -> DataFrame:
    from pyspark.sql import functions as F

    return df if where is None else df.where(F.expr(condition(where)))


def _expressions(sides: Sides) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the SQL of keys and compared columns, in our table and in the other."""
    ours, theirs = zip(*(pair.sql for pair in sides.pairs), strict=True)
    return ours, theirs
