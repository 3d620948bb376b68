"""Hand-written ways to count the frequencies of several groupings, with the same answers as Assay.

A grouping is a tuple of columns. Every way returns `GroupSums` for each grouping. Rows in which all
columns of a grouping are null do not count.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.support.execution import duckdb_rows, in_job_group

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["INEXACT", "TOP_VALUES", "WAYS", "Frequencies", "GroupSums", "Keys", "by_duckdb"]

TOP_VALUES = 1000
Keys = tuple[str, ...]


class GroupSums(NamedTuple):
    """Sums over the groups of one grouping, of which a group has n rows."""

    rows: int
    groups: int
    #: groups of a single row
    singles: int
    #: Σ n·ln n
    n_log_n: float


class Frequencies(NamedTuple):
    """The sums of every grouping, and the counts of one column's most frequent values."""

    sums: dict[Keys, GroupSums]
    top_counts: list[int]


_SUMS = ("sum(n)", "count(1)", "count_if(n = 1)", "sum(n * ln(n))")


def one_by_one(df: DataFrame, groupings: Sequence[Keys], column: str) -> Frequencies:
    """Run a job for each grouping, one after another."""
    sums = {keys: _sum_groups(df, keys) for keys in groupings}
    return Frequencies(sums, _top_counts(df, column))


def concurrently(df: DataFrame, groupings: Sequence[Keys], column: str) -> Frequencies:
    """Run a job for each grouping, all at the same time."""
    with ThreadPoolExecutor(len(groupings) + 1) as pool:
        top = pool.submit(in_job_group(df, _top_counts), df, column)
        jobs = {keys: pool.submit(in_job_group(df, _sum_groups), df, keys) for keys in groupings}
        return Frequencies({keys: job.result() for keys, job in jobs.items()}, top.result())


def by_grouping_sets(df: DataFrame, groupings: Sequence[Keys], column: str) -> Frequencies:
    """Run one query with GROUPING SETS, of which the most frequent values are a branch."""
    from pyspark.sql.functions import count, expr, lit

    names = list(dict.fromkeys(name for keys in groupings for name in keys))
    sets = [[df[name] for name in keys] for keys in groupings]
    table = (
        df.groupingSets(sets, *(df[name] for name in names))
        .agg(expr("grouping_id()").alias("g"), count(lit(1)).alias("n"))
        .where(" OR ".join(f"{name} IS NOT NULL" for name in names))
    )
    # a bit of the grouping's id is 0 if its column takes part
    ids = {
        keys: sum(1 << (len(names) - 1 - i) for i, n in enumerate(names) if n not in keys)
        for keys in groupings
    }
    sums = table.groupBy("g").agg(*(expr(sql) for sql in _SUMS))
    top = table.where(f"g = {ids[(column,)]}").orderBy("n", ascending=False).limit(TOP_VALUES)
    padded = top.select(expr("-1L"), "n", expr("0L"), expr("0L"), expr("0D"))
    rows = sums.unionAll(padded).collect()
    by_id = {row[0]: GroupSums(*row[1:]) for row in rows if row[0] >= 0}
    return Frequencies(
        {keys: by_id[number] for keys, number in ids.items()},
        sorted((row[1] for row in rows if row[0] < 0), reverse=True),
    )


def by_unpivoted_hashes(df: DataFrame, groupings: Sequence[Keys], column: str) -> Frequencies:
    """Run one query over unpivoted hashes, and a second job for the most frequent values."""
    from pyspark.sql.functions import count, expr, lit

    hashes = ", ".join(
        f"{i}, CASE WHEN {' OR '.join(f'{k} IS NOT NULL' for k in keys)}"
        f" THEN xxhash64({', '.join(keys)}) END"
        for i, keys in enumerate(groupings)
    )
    rows = (
        df.selectExpr(f"stack({len(groupings)}, {hashes}) AS (g, h)")
        .where("h IS NOT NULL")
        .groupBy("g", "h")
        .agg(count(lit(1)).alias("n"))
        .groupBy("g")
        .agg(*(expr(sql) for sql in _SUMS))
        .collect()
    )
    by_id = {row[0]: GroupSums(*row[1:]) for row in rows}
    sums = {keys: by_id[i] for i, keys in enumerate(groupings)}
    return Frequencies(sums, _top_counts(df, column))


#: the ways by name
WAYS: dict[str, Callable[[DataFrame, Sequence[Keys], str], Frequencies]] = {
    "jobs one by one": one_by_one,
    "jobs at once": concurrently,
    "grouping sets": by_grouping_sets,
    "unpivoted hashes": by_unpivoted_hashes,
}

#: ways that count two values as one if their hashes are equal
INEXACT = frozenset({"unpivoted hashes"})


def by_duckdb(parquet: Path, groupings: Sequence[Keys], column: str) -> Frequencies:
    """Run a DuckDB query for each grouping."""
    sums = ", ".join(_SUMS)
    queries = [
        f"SELECT {sums} FROM (SELECT count(*) AS n FROM data WHERE {_any_present(keys)}"
        f" GROUP BY {', '.join(keys)})"
        for keys in groupings
    ]
    top = (
        f"SELECT n FROM (SELECT count(*) AS n FROM data WHERE {column} IS NOT NULL"
        f" GROUP BY {column}) ORDER BY n DESC LIMIT {TOP_VALUES}"
    )
    *results, top_rows = (duckdb_rows(parquet, query) for query in (*queries, top))
    return Frequencies(
        {
            keys: GroupSums(*map(_as_number, rows[0]))
            for keys, rows in zip(groupings, results, strict=True)
        },
        [row[0] for row in top_rows],
    )


def _sum_groups(df: DataFrame, keys: Keys) -> GroupSums:
    from pyspark.sql.functions import count, expr, lit

    table = df.where(_any_present(keys)).groupBy(*keys).agg(count(lit(1)).alias("n"))
    return GroupSums(*table.agg(*(expr(sql) for sql in _SUMS)).collect()[0])


def _top_counts(df: DataFrame, column: str) -> list[int]:
    table = df.where(f"{column} IS NOT NULL").groupBy(column).count()
    rows = table.orderBy("count", ascending=False).limit(TOP_VALUES).collect()
    return [row[1] for row in rows]


def _any_present(keys: Keys) -> str:
    return "(" + " OR ".join(f"{name} IS NOT NULL" for name in keys) + ")"


def _as_number(value: Any) -> Any:
    return value if isinstance(value, float) else int(value)
