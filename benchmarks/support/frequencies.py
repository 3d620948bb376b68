"""Ways to sum up the frequencies of several groupings by hand: the same numbers as Assay's.

Each returns a `Found` for every grouping; a grouping is a tuple of columns. Rows in which every
column of the grouping is null do not count.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.support.execution import duck_rows, inheriting

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["INEXACT", "TOP", "WAYS", "Found", "Keys", "Tables", "by_duckdb"]

TOP = 1000
Keys = tuple[str, ...]


class Found(NamedTuple):
    """Rows, different keys, keys that occur once, ``Σ n ln n``."""

    rows: int
    groups: int
    singles: int
    n_log_n: float


class Tables(NamedTuple):
    """The sums of every grouping, and the counts of the most frequent values of the last column."""

    found: dict[Keys, Found]
    head: list[int]


_SUMS = ("sum(n)", "count(1)", "count_if(n = 1)", "sum(n * ln(n))")


def one_by_one(df: DataFrame, groupings: Sequence[Keys], column: str) -> Tables:
    """A job for each grouping, one after another."""
    return Tables({keys: _alone(df, keys) for keys in groupings}, _head(df, column))


def at_once(df: DataFrame, groupings: Sequence[Keys], column: str) -> Tables:
    """A job for each grouping, all at once."""
    with ThreadPoolExecutor(len(groupings) + 1) as pool:
        head = pool.submit(inheriting(df, _head), df, column)
        parts = {keys: pool.submit(inheriting(df, _alone), df, keys) for keys in groupings}
        return Tables({keys: part.result() for keys, part in parts.items()}, head.result())


def grouping_sets(df: DataFrame, groupings: Sequence[Keys], column: str) -> Tables:
    """All in one query, by GROUPING SETS; the head is a branch of it."""
    from pyspark.sql.functions import count, expr, lit

    names = list(dict.fromkeys(name for keys in groupings for name in keys))
    sets = [[df[name] for name in keys] for keys in groupings]
    table = (
        df.groupingSets(sets, *(df[name] for name in names))
        .agg(expr("grouping_id()").alias("g"), count(lit(1)).alias("n"))
        .where(" OR ".join(f"{name} IS NOT NULL" for name in names))
    )
    # the grouping's bits are 0 where a column takes part
    ids = {
        keys: sum(1 << (len(names) - 1 - i) for i, n in enumerate(names) if n not in keys)
        for keys in groupings
    }
    sums = table.groupBy("g").agg(*(expr(sql) for sql in _SUMS))
    head = table.where(f"g = {ids[(column,)]}").orderBy("n", ascending=False).limit(TOP)
    padded = head.select(expr("-1L"), "n", expr("0L"), expr("0L"), expr("0D"))
    rows = sums.unionAll(padded).collect()
    by_id = {row[0]: Found(*row[1:]) for row in rows if row[0] >= 0}
    return Tables(
        {keys: by_id[number] for keys, number in ids.items()},
        sorted((row[1] for row in rows if row[0] < 0), reverse=True),
    )


def unpivoted(df: DataFrame, groupings: Sequence[Keys], column: str) -> Tables:
    """All in one query, of hashes one below the other; the head, of values, is a job of its own."""
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
    by_id = {row[0]: Found(*row[1:]) for row in rows}
    return Tables({keys: by_id[i] for i, keys in enumerate(groupings)}, _head(df, column))


#: the ways by their names
WAYS: dict[str, Callable[[DataFrame, Sequence[Keys], str], Tables]] = {
    "jobs one by one": one_by_one,
    "jobs at once": at_once,
    "grouping sets": grouping_sets,
    "unpivoted hashes": unpivoted,
}

#: ways that take two values for one where their hashes are the same
INEXACT = frozenset({"unpivoted hashes"})


def by_duckdb(parquet: Path, groupings: Sequence[Keys], column: str) -> Tables:
    """DuckDB, a query for each grouping."""
    sums = ", ".join(_SUMS)
    queries = [
        f"SELECT {sums} FROM (SELECT count(*) AS n FROM data WHERE {_live(keys)}"
        f" GROUP BY {', '.join(keys)})"
        for keys in groupings
    ]
    head = (
        f"SELECT n FROM (SELECT count(*) AS n FROM data WHERE {column} IS NOT NULL"
        f" GROUP BY {column}) ORDER BY n DESC LIMIT {TOP}"
    )
    *rows, last = (duck_rows(parquet, query) for query in (*queries, head))
    found = {keys: Found(*map(_plain, row[0])) for keys, row in zip(groupings, rows, strict=True)}
    return Tables(found, [row[0] for row in last])


def _alone(df: DataFrame, keys: Keys) -> Found:
    from pyspark.sql.functions import count, expr, lit

    table = df.where(_live(keys)).groupBy(*keys).agg(count(lit(1)).alias("n"))
    return Found(*table.agg(*(expr(sql) for sql in _SUMS)).collect()[0])


def _head(df: DataFrame, column: str) -> list[int]:
    table = df.where(f"{column} IS NOT NULL").groupBy(column).count()
    return [row[1] for row in table.orderBy("count", ascending=False).limit(TOP).collect()]


def _live(keys: Keys) -> str:
    return "(" + " OR ".join(f"{name} IS NOT NULL" for name in keys) + ")"


def _plain(value: Any) -> Any:
    return value if isinstance(value, float) else int(value)
