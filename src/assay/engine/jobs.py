"""Jobs side by side: Spark fills the gaps of one with the tasks of another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["run_concurrently"]

_MOST_JOBS = 8
T = TypeVar("T")


def run_concurrently(jobs: Sequence[Callable[[], T]], session: SparkSession | None) -> list[T]:
    """Run all jobs at once, from threads that carry the caller's job group and tags."""
    if len(jobs) <= 1 or session is None:
        return [job() for job in jobs]
    with ThreadPoolExecutor(min(_MOST_JOBS, len(jobs))) as pool:
        futures = [pool.submit(_inheriting(session, job)) for job in jobs]
        return [each.result() for each in futures]


def _inheriting(session: SparkSession, job: Callable[[], T]) -> Callable[[], T]:
    from pyspark import inheritable_thread_target

    wrapped: Callable[[], T] = inheritable_thread_target(session)(job)
    return wrapped
