"""Tables of frequencies, kept in Spark: one shuffle each, and only summaries leave it.

The summary of a table, its head, its margins and its bins are branches of one query; Spark reuses
the shuffle beneath them, so that the data is read once.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

from assay.analyzers.aggregate_expr import condition, filtered
from assay.analyzers.frequencies import Grouping, GroupKey, Needs, Summary
from assay.analyzers.schema import Column
from assay.engine.scan import Segment, segment_of

if TYPE_CHECKING:
    from pyspark.sql import Column as SparkColumn
    from pyspark.sql import DataFrame

__all__ = ["counts", "summaries", "tabulated"]


def tabulated(df: DataFrame, grouping: Grouping, by: Sequence[Column] = ()) -> DataFrame:
    """Segments ``b0, …``, keys ``k0, …`` and their count ``n``."""
    from pyspark.sql import functions as F

    where, count = grouping.where, "count(1)"
    if where is not None and by:
        # a segment without a row in the selection is a segment still
        count = f"count_if({condition(where)})"
    elif where is not None:
        df, where = df.where(F.expr(condition(where))), None
    segments = [F.expr(column.sql).alias(f"b{i}") for i, column in enumerate(by)]
    keys = [F.expr(filtered(key.sql, where)).alias(f"k{i}") for i, key in enumerate(grouping.keys)]
    return df.groupBy(*segments, *keys).agg(F.expr(count).alias("n"))


def summaries(
    table: DataFrame, keys: Sequence[GroupKey], needs: Needs, by: Sequence[str] = ()
) -> dict[Segment, Summary]:
    """The summary of each segment's frequencies: one job."""
    names = [f"k{i}" for i in range(len(keys))]
    branches = [_counted(table, names, by, "all")]
    if needs.marginals:
        branches += [
            _counted(_margin(table, names, name, by), [name], by, f"margin {name}")
            for name in names
        ]
    if needs.top:
        branches.append(_head(table, keys, by, needs.top))
    branches += [_bins(table, by, number) for number in needs.bins]
    rows = reduce(lambda a, b: a.unionAll(b), branches).collect()
    found: dict[Segment, list[Any]] = {}
    for row in rows:
        found.setdefault(segment_of(row[: len(by)]), []).append(row[len(by) :])
    return {segment: _summary(parts, names, needs) for segment, parts in found.items()}


def _counted(table: DataFrame, names: Sequence[str], by: Sequence[str], part: str) -> DataFrame:
    """The basic counts. Groups whose every key is null are apart."""
    from pyspark.sql import functions as F

    return table.groupBy(*by).agg(
        F.lit(part).alias("part"),
        F.lit("").alias("label"),
        *counts(names),
        F.expr("0D").alias("y"),
    )


def counts(names: Sequence[str]) -> list[SparkColumn]:
    """The basic counts as aggregates of a table: rows, groups, singles, nulls, Σ n ln n."""
    from pyspark.sql import functions as F

    live = "(" + " OR ".join(f"{name} IS NOT NULL" for name in names) + ")"
    return [
        F.expr(f"coalesce(sum(if({live}, n, 0L)), 0L)").alias("rows"),
        F.expr(f"count_if({live})").alias("groups"),
        F.expr(f"count_if({live} AND n = 1)").alias("singles"),
        F.expr(f"coalesce(sum(if({live}, 0L, n)), 0L)").alias("nulls"),
        F.expr(f"coalesce(sum(if({live}, n * ln(n), 0D)), 0D)").alias("x"),
    ]


def _only(condition: str) -> str:
    """A condition on keys that Spark cannot push below the grouping, where it would undo the reuse.

    Branches share the shuffle only as long as all beneath it is the same.
    """
    return f"if({condition}, n, 0L) <> 0L"


def _margin(table: DataFrame, names: Sequence[str], name: str, by: Sequence[str]) -> DataFrame:
    """The frequencies of one key among the rows in which at least one key has a value."""
    from pyspark.sql import functions as F

    live = _only(" OR ".join(f"{each} IS NOT NULL" for each in names))
    return table.where(live).groupBy(*by, name).agg(F.sum("n").alias("n"))


def _head(table: DataFrame, keys: Sequence[GroupKey], by: Sequence[str], top: int) -> DataFrame:
    """The most frequent keys; of equals those that come first as text."""
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    labels = [f"coalesce({key.label.format(f'k{i}')}, 'null')" for i, key in enumerate(keys)]
    live = _only(" OR ".join(f"k{i} IS NOT NULL" for i in range(len(keys))))
    label = f"concat_ws(', ', {', '.join(labels)})"
    shown = table.where(live).select(*by, F.expr(label).alias("label"), "n")
    order = [F.desc("n"), F.asc("label")]
    if by:
        rank = F.row_number().over(Window.partitionBy(*by).orderBy(*order))
        shown = shown.withColumn("rank", rank).where(F.col("rank") <= top)
    else:
        shown = shown.orderBy(*order).limit(top)
    return _part(shown, by, "top", "label", "n")


def _bins(table: DataFrame, by: Sequence[str], number: int) -> DataFrame:
    """Counts in bins of equal width between the least and the greatest finite value."""
    from pyspark.sql import functions as F

    values = table.select(*by, F.expr("cast(k0 AS double)").alias("v"), "n").where(
        _only("v IS NOT NULL AND NOT isnan(v) AND abs(v) < double('Infinity')")
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
    # by halves where the width is beyond the doubles
    share = (
        "if(high - low < double('Infinity'), (v - low) / (high - low),"
        " (v / 2 - low / 2) / (high / 2 - low / 2))"
    )
    guess = f"least({number - 1}, floor({share} * {number}))"
    edge = f"(low * (1 - {guess} / {number}D) + high * ({guess} / {number}D))"
    position = f"if(high - low < double('Infinity') OR v >= {edge}, {guess}, {guess} - 1)"
    binned = joined.groupBy(
        *by, "low", "high", F.expr(f"if(high > low, {position}, 0)").alias("bin")
    ).agg(F.sum("n").alias("n"))
    return _part(binned, by, f"bins {number}", "cast(bin AS string)", "n", "low", "high")


def _part(
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


def _summary(parts: Sequence[Any], names: Sequence[str], needs: Needs) -> Summary:
    basic = {
        row[0]: _counts(row) for row in parts if row[0] == "all" or row[0].startswith("margin")
    }
    whole = basic.get("all", Summary())
    head = sorted(
        ((row[1], row[2]) for row in parts if row[0] == "top"), key=lambda p: (-p[1], p[0])
    )
    bins = {}
    for number in needs.bins:
        found = [row for row in parts if row[0] == f"bins {number}"]
        counts = [0] * number
        for row in found:
            counts[int(row[1])] = row[2]
        if found:
            bins[number] = (found[0][6], found[0][7], tuple(counts))
    margins = tuple(basic.get(f"margin {name}", Summary()) for name in names)
    return Summary(
        whole.rows,
        whole.groups,
        whole.singles,
        whole.n_log_n,
        whole.nulls,
        tuple(head),
        margins if needs.marginals else (),
        bins,
    )


def _counts(row: Sequence[Any]) -> Summary:
    _, _, rows, groups, singles, nulls, n_log_n, _ = row
    return Summary(rows, groups, singles, n_log_n, nulls)
