"""Ways to answer questions about a table: Assay, hand-written aggregations, DuckDB."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.engine.measure import measure
from assay.engine.passes.query_pass import PassInput
from assay.engine.passes.scan_pass import scan_jobs
from assay.engine.plan import Plan

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from benchmarks.support.questions import Question

__all__ = [
    "by_assay",
    "by_duckdb",
    "by_one_aggregation",
    "by_plan",
    "by_two_aggregations",
    "duckdb_rows",
    "in_job_group",
    "run_concurrently",
]


def by_assay(df: DataFrame, questions: Sequence[Question]) -> list[Any]:
    """Answer by Assay as a user calls it: planning, jobs, states and metrics."""
    measured = measure(df, [question.analyzer for question in questions])
    return [measured.value(question.analyzer) for question in questions]


def by_one_aggregation(df: DataFrame, questions: Sequence[Question]) -> list[Any]:
    """Answer all questions in one hand-written aggregation."""
    from pyspark.sql.functions import expr

    return list(df.agg(*(expr(question.spark) for question in questions)).collect()[0])


def by_two_aggregations(df: DataFrame, questions: Sequence[Question]) -> list[Any]:
    """Answer in two hand-written aggregations at the same time, the sketches in the second."""
    halves = ([q for q in questions if not q.sketch], [q for q in questions if q.sketch])
    with ThreadPoolExecutor(2) as pool:
        parts = [pool.submit(in_job_group(df, by_one_aggregation), df, half) for half in halves]
        answers = {
            q: value
            for half, part in zip(halves, parts, strict=True)
            for q, value in zip(half, part.result(), strict=True)
        }
    return [answers[question] for question in questions]


def by_plan(df: DataFrame, plan: Plan) -> None:
    """Run a plan's scans concurrently, as `measure` does, without creating states."""
    source = PassInput(df, plan.schema, plan.by)
    run_concurrently(df, scan_jobs(source, plan.scans, plan.sharing))


def run_concurrently(df: DataFrame, jobs: Sequence[Callable[[], Any]]) -> list[Any]:
    """Run up to eight jobs at the same time and return their results."""
    with ThreadPoolExecutor(8) as pool:
        futures = [pool.submit(in_job_group(df, job)) for job in jobs]
        return [future.result() for future in futures]


def by_duckdb(parquet: Path, questions: Sequence[Question]) -> list[Any]:
    """Answer all questions in one DuckDB query."""
    expressions = ", ".join(question.duckdb_sql for question in questions)
    return list(duckdb_rows(parquet, f"SELECT {expressions} FROM data")[0])


def duckdb_rows(parquet: Path, *queries: str) -> list[tuple[Any, ...]]:
    """Return the rows of all `queries`, in which the Parquet files are the view `data`."""
    import duckdb

    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute(f"CREATE VIEW data AS FROM '{parquet}/*.parquet'")
        return [row for query in queries for row in connection.execute(query).fetchall()]


def in_job_group(df: DataFrame, call: Any) -> Any:
    """Wrap a call for another thread, so that its jobs count in the caller's job group."""
    from pyspark import inheritable_thread_target

    return inheritable_thread_target(df.sparkSession)(call)
