"""Run Spark jobs concurrently: Spark fills the idle cores of one with tasks of another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["run_concurrently"]

#: more concurrent jobs do not use the cores any better
_MAX_JOBS = 8
T = TypeVar("T")


def run_concurrently(jobs: Sequence[Callable[[], T]], session: SparkSession | None) -> list[T]:
    """Run jobs at the same time, in threads with the caller's job group and tags."""
    if len(jobs) <= 1 or session is None:
        return [job() for job in jobs]
    with ThreadPoolExecutor(min(_MAX_JOBS, len(jobs))) as pool:
        futures = [pool.submit(_with_job_group(session, job)) for job in jobs]
        return [future.result() for future in futures]


def _with_job_group(session: SparkSession, job: Callable[[], T]) -> Callable[[], T]:
    from pyspark import inheritable_thread_target

    wrapped: Callable[[], T] = inheritable_thread_target(session)(job)
    return wrapped
