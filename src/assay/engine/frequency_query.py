"""Query frequency tables: one shuffle each, and only summaries leave Spark.

The summary of a table, its most frequent keys, its margins and its bins are branches of one query.
Spark reuses the shuffle below them, so that the data is read once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING, Any

from assay.analyzers.aggregate_expr import condition, filtered
from assay.analyzers.frequencies import Grouping, GroupKey, Needs, Summary
from assay.analyzers.schema import Column
from assay.engine.frame import Segment, segment_of

if TYPE_CHECKING:
    from pyspark.sql import Column as SparkColumn
    from pyspark.sql import DataFrame

__all__ = ["basic_counts", "count_groups", "summarize"]


def count_groups(df: DataFrame, grouping: Grouping, by: Sequence[Column] = ()) -> DataFrame:
    """Return the segments ``b0, …``, the keys ``k0, …`` and their count ``n``."""
    from pyspark.sql import functions as F

    where, count = grouping.where, "count(1)"
    if where is not None and by:
        # keep segments that have no rows in the selection
        count = f"count_if({condition(where)})"
    elif where is not None:
        df, where = df.where(F.expr(condition(where))), None
    segments = [F.expr(column.sql).alias(f"b{i}") for i, column in enumerate(by)]
    keys = [F.expr(filtered(key.sql, where)).alias(f"k{i}") for i, key in enumerate(grouping.keys)]
    return df.groupBy(*segments, *keys).agg(F.expr(count).alias("n"))


def summarize(
    table: DataFrame, keys: Sequence[GroupKey], needs: Needs, by: Sequence[str] = ()
) -> dict[Segment, Summary]:
    """Summarize the frequency table of each segment: one job."""
    names = [f"k{i}" for i in range(len(keys))]
    branches = [_count_branch(table, names, by, "all")]
    if needs.marginals:
        branches += [
            _count_branch(_margin(table, names, name, by), [name], by, f"margin {name}")
            for name in names
        ]
    if needs.top:
        branches.append(_top_branch(table, keys, by, needs.top))
    branches += [_bin_branch(table, by, bin_count) for bin_count in needs.bins]
    rows = reduce(lambda a, b: a.unionAll(b), branches).collect()
    parts: dict[Segment, list[Any]] = {}
    for row in rows:
        parts.setdefault(segment_of(row[: len(by)]), []).append(row[len(by) :])
    return {segment: _summary(rows, names, needs) for segment, rows in parts.items()}


def _count_branch(
    table: DataFrame, names: Sequence[str], by: Sequence[str], part: str
) -> DataFrame:
    """Count rows and groups; groups in which all keys are null are counted separately."""
    from pyspark.sql import functions as F

    return table.groupBy(*by).agg(
        F.lit(part).alias("part"),
        F.lit("").alias("label"),
        *basic_counts(names),
        F.expr("0D").alias("y"),
    )


def basic_counts(names: Sequence[str]) -> list[SparkColumn]:
    """Return aggregates of a table: rows, groups, groups of one row, nulls, Σ n ln n."""
    from pyspark.sql import functions as F

    live = "(" + " OR ".join(f"{name} IS NOT NULL" for name in names) + ")"
    return [
        F.expr(f"coalesce(sum(if({live}, n, 0L)), 0L)").alias("rows"),
        F.expr(f"count_if({live})").alias("groups"),
        F.expr(f"count_if({live} AND n = 1)").alias("singles"),
        F.expr(f"coalesce(sum(if({live}, 0L, n)), 0L)").alias("nulls"),
        F.expr(f"coalesce(sum(if({live}, n * ln(n), 0D)), 0D)").alias("x"),
    ]


def _keep_above_shuffle(condition: str) -> str:
    """Return a condition on keys that Spark cannot push below the grouping.

    Branches share the shuffle only if everything below it is the same.
    """
    return f"if({condition}, n, 0L) <> 0L"


def _margin(table: DataFrame, names: Sequence[str], name: str, by: Sequence[str]) -> DataFrame:
    """Count one key among the rows in which at least one key has a value."""
    from pyspark.sql import functions as F

    live = _keep_above_shuffle(" OR ".join(f"{key} IS NOT NULL" for key in names))
    return table.where(live).groupBy(*by, name).agg(F.sum("n").alias("n"))


def _top_branch(
    table: DataFrame, keys: Sequence[GroupKey], by: Sequence[str], top: int
) -> DataFrame:
    """Return the most frequent keys; equally frequent ones in the order of their text."""
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    labels = [f"coalesce({key.label.format(f'k{i}')}, 'null')" for i, key in enumerate(keys)]
    live = _keep_above_shuffle(" OR ".join(f"k{i} IS NOT NULL" for i in range(len(keys))))
    label = f"concat_ws(', ', {', '.join(labels)})"
    labelled = table.where(live).select(*by, F.expr(label).alias("label"), "n")
    order = [F.desc("n"), F.asc("label")]
    if by:
        rank = F.row_number().over(Window.partitionBy(*by).orderBy(*order))
        most_frequent = labelled.withColumn("rank", rank).where(F.col("rank") <= top)
    else:
        most_frequent = labelled.orderBy(*order).limit(top)
    return _as_branch(most_frequent, by, "top", "label", "n")


def _bin_branch(table: DataFrame, by: Sequence[str], bin_count: int) -> DataFrame:
    """Count values in bins of equal width between the lowest and the highest finite value."""
    from pyspark.sql import functions as F

    values = table.select(*by, F.expr("cast(k0 AS double)").alias("v"), "n").where(
        _keep_above_shuffle("v IS NOT NULL AND NOT isnan(v) AND abs(v) < double('Infinity')")
    )
    ends = values.groupBy(*by).agg(F.min("v").alias("low"), F.max("v").alias("high"))
    if by:
        ends = ends.toDF(*(f"e{name}" for name in by), "low", "high")
        same = reduce(
            lambda a, b: a & b, (F.col(name).eqNullSafe(F.col(f"e{name}")) for name in by)
        )
        joined = values.join(F.broadcast(ends), same)
    else:
        joined = values.crossJoin(F.broadcast(ends))
    # halve the numbers if the width exceeds the range of doubles
    share = (
        "if(high - low < double('Infinity'), (v - low) / (high - low),"
        " (v / 2 - low / 2) / (high / 2 - low / 2))"
    )
    guess = f"least({bin_count - 1}, floor({share} * {bin_count}))"
    edge = f"(low * (1 - {guess} / {bin_count}D) + high * ({guess} / {bin_count}D))"
    position = f"if(high - low < double('Infinity') OR v >= {edge}, {guess}, {guess} - 1)"
    binned = joined.groupBy(
        *by, "low", "high", F.expr(f"if(high > low, {position}, 0)").alias("bin")
    ).agg(F.sum("n").alias("n"))
    return _as_branch(binned, by, f"bins {bin_count}", "cast(bin AS string)", "n", "low", "high")


def _as_branch(
    frame: DataFrame,
    by: Sequence[str],
    part: str,
    label: str,
    rows: str,
    x: str = "0D",
    y: str = "0D",
) -> DataFrame:
    from pyspark.sql import functions as F

    return frame.select(
        *by,
        F.lit(part).alias("part"),
        F.expr(label).alias("label"),
        F.expr(rows).alias("rows"),
        *(F.expr("0L").alias(name) for name in ("groups", "singles", "nulls")),
        F.expr(x).alias("x"),
        F.expr(y).alias("y"),
    )


def _summary(rows: Sequence[Any], names: Sequence[str], needs: Needs) -> Summary:
    by_part: dict[str, list[Any]] = {}
    for row in rows:
        by_part.setdefault(row[0], []).append(row)

    def counts_of(part: str) -> Summary:
        if part not in by_part:
            return Summary()
        ((_, _, row_count, groups, singles, nulls, n_log_n, _),) = by_part[part]
        return Summary(row_count, groups, singles, n_log_n, nulls)

    top = [(label, row_count) for _, label, row_count, *_ in by_part.get("top", ())]
    bins = {}
    for bin_count in needs.bins:
        bin_rows = by_part.get(f"bins {bin_count}", [])
        counts = [0] * bin_count
        for _, label, row_count, *_ in bin_rows:
            counts[int(label)] = row_count
        if bin_rows:
            *_, low, high = bin_rows[0]
            bins[bin_count] = (low, high, tuple(counts))
    return replace(
        counts_of("all"),
        top=tuple(sorted(top, key=lambda pair: (-pair[1], pair[0]))),
        marginals=tuple(counts_of(f"margin {name}") for name in names) if needs.marginals else (),
        bins=bins,
    )
