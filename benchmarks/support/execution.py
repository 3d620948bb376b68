"""Ways to answer questions about a table: Assay, one or two aggregations by hand, DuckDB."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.engine.measure import measure
from assay.engine.plan import Plan
from assay.engine.scan import scan_jobs

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from benchmarks.support.questions import Question

__all__ = [
    "by_duckdb",
    "by_hand",
    "by_plan",
    "by_two",
    "duck_rows",
    "inheriting",
    "ours",
    "together",
]


def ours(df: DataFrame, questions: Sequence[Question]) -> list[Any]:
    """Assay, as a user calls it: planning, jobs, states and metrics."""
    measured = measure(df, [question.analyzer for question in questions])
    return [measured.value(question.analyzer) for question in questions]


def by_hand(df: DataFrame, questions: Sequence[Question]) -> list[Any]:
    """All in one aggregation."""
    from pyspark.sql.functions import expr

    return list(df.agg(*(expr(question.spark) for question in questions)).collect()[0])


def by_two(df: DataFrame, questions: Sequence[Question]) -> list[Any]:
    """By hand too, but sketches in an aggregation of their own beside the other."""
    halves = ([q for q in questions if not q.sketch], [q for q in questions if q.sketch])
    with ThreadPoolExecutor(2) as pool:
        parts = [pool.submit(inheriting(df, by_hand), df, half) for half in halves]
        answers = {
            q: value
            for half, part in zip(halves, parts, strict=True)
            for q, value in zip(half, part.result(), strict=True)
        }
    return [answers[question] for question in questions]


def by_plan(df: DataFrame, plan: Plan) -> None:
    """A plan's scans side by side, as `measure` runs them, without making states of the results."""
    together(df, scan_jobs(df, plan))


def together(df: DataFrame, jobs: Sequence[Callable[[], Any]]) -> list[Any]:
    """Run them all at once."""
    with ThreadPoolExecutor(8) as pool:
        return [each.result() for each in [pool.submit(inheriting(df, job)) for job in jobs]]


def by_duckdb(parquet: Path, questions: Sequence[Question]) -> list[Any]:
    """All in one query of DuckDB."""
    listed = ", ".join(question.duck_sql for question in questions)
    return list(duck_rows(parquet, f"SELECT {listed} FROM data")[0])


def duck_rows(parquet: Path, *queries: str) -> list[tuple[Any, ...]]:
    """The rows of all these queries over `data`."""
    import duckdb

    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute(f"CREATE VIEW data AS FROM '{parquet}/*.parquet'")
        return [row for query in queries for row in connection.execute(query).fetchall()]


def inheriting(df: DataFrame, call: Any) -> Any:
    """The call, for a thread whose jobs belong to the caller's job group."""
    from pyspark import inheritable_thread_target

    return inheritable_thread_target(df.sparkSession)(call)
