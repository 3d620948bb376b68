"""Two tables by key: how many keys match, and which rows have a partner in the other table.

Only keys and compared columns are read of either table; only counts leave Spark. Nothing is
collected or cached, and how tables are joined is Spark's decision.

Values are equal as Spark groups them: -0.0 is 0.0, and NaN is NaN.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from assay.analyzers.aggregate_expr import condition
from assay.analyzers.comparison import KeyedAnalyzer, Sides
from assay.analyzers.metric import Problem
from assay.analyzers.schema import Column
from assay.engine.failure import capture_failure
from assay.engine.plan import ComparisonPass, Plan
from assay.engine.scan import Segment, segment_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["Compared", "comparison_job", "missing", "partnered"]

#: matches, and how many there could be, of each segment
Compared = dict[Segment, tuple[int, int]]


def comparison_job(
    df: DataFrame, tables: Mapping[str, DataFrame], comparison: ComparisonPass, plan: Plan
) -> Callable[[], Compared | Problem]:
    """One pass over both tables, as a call; columns have names that SQL can tell apart."""
    sides, analyzer = comparison.sides, comparison.analyzer.on(plan.schema)

    def run() -> Compared:
        other = tables[sides.table]
        if not analyzer.symmetric:
            return _references(df, other, sides, analyzer.where, plan.by)
        return _matches(df, other, sides, analyzer.where)

    return capture_failure(run)


def partnered(
    df: DataFrame, other: DataFrame, analyzer: KeyedAnalyzer, sides: Sides, name: str
) -> DataFrame:
    """Our rows, and a column of whether each has its partner; null where it needs none."""
    if not analyzer.symmetric:
        return _referring(df, other, sides, analyzer.where, name)
    ours, theirs = _both(sides)
    return _agreeing(df, ours, analyzer.where, other, theirs, None, name)


def missing(
    df: DataFrame, other: DataFrame, analyzer: KeyedAnalyzer, sides: Sides, name: str
) -> DataFrame:
    """The rows of the other table, and a column of whether each has its partner here."""
    ours, theirs = _both(sides)
    return _agreeing(other, theirs, None, df, ours, analyzer.where, name)


def _references(
    df: DataFrame, other: DataFrame, sides: Sides, where: str | None, by: Sequence[Column]
) -> Compared:
    """Rows whose key is there, of the rows that have a key."""
    from pyspark.sql import functions as F

    if not by:
        # what refers to nothing is not shuffled: all nulls would go to one task
        df, where = df.where(F.expr(_concerned(sides, where))), None
    segments = [F.expr(column.sql).alias(f"b{i}") for i, column in enumerate(by)]
    flag = "__assay_there"
    counts = (
        _referring(df, other, sides, where, flag)
        .groupBy(*segments)
        .agg(F.count_if(F.col(flag)), F.count(flag))
    )
    return {segment_of(row[:-2]): (row[-2], row[-1]) for row in counts.collect()}


def _referring(
    df: DataFrame, other: DataFrame, sides: Sides, where: str | None, name: str
) -> DataFrame:
    from pyspark.sql import functions as F

    ours, theirs = _both(sides)
    keys = [f"{name}_{i}" for i in range(len(theirs))]
    known = other.select(*(F.expr(sql).alias(key) for sql, key in zip(theirs, keys, strict=True)))
    # each key once, or a row that refers to it would be there twice
    known = known.where(" AND ".join(f"{key} IS NOT NULL" for key in keys)).distinct()
    same = " AND ".join(f"{sql} = {key}" for sql, key in zip(ours, keys, strict=True))
    there = f"CASE WHEN {_concerned(sides, where)} THEN {keys[0]} IS NOT NULL END"
    joined = df.join(known, F.expr(same), "left")
    return joined.withColumn(name, F.expr(there)).drop(*keys)


def _concerned(sides: Sides, where: str | None) -> str:
    """Rows of the selection that have a key: as in SQL, one with a null in it refers to nothing."""
    present = [f"{each.ours.sql} IS NOT NULL" for each in sides.keys]
    return " AND ".join([*([condition(where)] if where else []), *present])


def _matches(df: DataFrame, other: DataFrame, sides: Sides, where: str | None) -> Compared:
    """Keys under which both have the same rows, of the keys of both.

    Each row of ours counts 1 and each of theirs -1: where the rows of a kind come to 0, both have
    it equally often. Two aggregations, and no join.
    """
    from pyspark.sql import functions as F

    names = [f"k{i}" for i in range(len(sides.pairs))]
    kinds = [F.col(name) for name in names]

    def counted(frame: DataFrame, sqls: Sequence[str], weight: str) -> DataFrame:
        pairs = zip(sqls, names, strict=True)
        return frame.select(*(F.expr(sql).alias(name) for sql, name in pairs), F.expr(weight))

    ours, theirs = _both(sides)
    rows = counted(_selected(df, where), ours, "1L AS n").unionAll(
        counted(other, theirs, "-1L AS n")
    )
    surplus = rows.groupBy(*kinds).agg(F.sum("n").alias("n"))
    keys = surplus.groupBy(*kinds[: len(sides.keys)]).agg(F.count_if(F.expr("n <> 0")).alias("n"))
    (row,) = keys.agg(F.count_if(F.expr("n = 0")), F.count(F.lit(1))).collect()
    return {(): (row[0], row[1])}


def _agreeing(
    df: DataFrame,
    ours: Sequence[str],
    where: str | None,
    other: DataFrame,
    theirs: Sequence[str],
    where_there: str | None,
    name: str,
) -> DataFrame:
    """Rows, and whether the other side has equal ones as often; null outside the selection."""
    from pyspark.sql import functions as F

    keys = [f"{name}_{i}" for i in range(len(theirs))]
    kinds = [F.expr(sql).alias(key) for sql, key in zip(theirs, keys, strict=True)]
    there = _selected(other, where_there).groupBy(*kinds).agg(F.count(F.lit(1)).alias(f"{name}_n"))
    same = " AND ".join(f"{sql} <=> {key}" for sql, key in zip(ours, keys, strict=True))
    selected = "true" if where is None else condition(where)
    here = f"count_if({selected}) OVER (PARTITION BY {', '.join(ours)})"
    agrees = f"CASE WHEN {selected} THEN {here} = coalesce({name}_n, 0L) END"
    joined = df.join(there, F.expr(same), "left")
    return joined.withColumn(name, F.expr(agrees)).drop(*keys, f"{name}_n")


def _selected(df: DataFrame, where: str | None) -> DataFrame:
    from pyspark.sql import functions as F

    return df if where is None else df.where(F.expr(condition(where)))


def _both(sides: Sides) -> tuple[tuple[str, ...], tuple[str, ...]]:
    ours, theirs = zip(*(pair.sql for pair in sides.pairs), strict=True)
    return ours, theirs
