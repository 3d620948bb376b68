"""Silence the loggers to which PySpark writes failed queries.

The entries are JSON with the error's text, which may quote values of the data.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

__all__ = ["unlogged", "without_query_log"]

T = TypeVar("T")

_LOGGERS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")


@contextmanager
def without_query_log(thread: int | None = None) -> Iterator[None]:
    """Let PySpark log no failed query of a thread, or of any thread, within the block."""
    from pyspark.logger import PySparkLogger  # the first caller decides the class of the logger

    def refuse(_: logging.LogRecord) -> bool:
        return thread not in (None, threading.get_ident())

    loggers = [PySparkLogger.getLogger(name) for name in _LOGGERS]
    for logger in loggers:
        logger.addFilter(refuse)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeFilter(refuse)


def unlogged(job: Callable[[], T]) -> Callable[[], T]:
    """Wrap a job so that PySpark does not log its failure; other threads keep their logs."""

    def run() -> T:
        with without_query_log(threading.get_ident()):
            return job()

    return run
