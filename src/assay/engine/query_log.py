"""Silence the loggers to which PySpark writes failed queries.

The entries are JSON with the error's text, which may quote values of the data.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["without_query_log"]

_LOGGERS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")


@contextmanager
def without_query_log() -> Iterator[None]:
    """Let PySpark log no failed query within the block."""
    from pyspark.logger import PySparkLogger  # the first caller decides the class of the logger

    def refuse(_: logging.LogRecord) -> bool:
        return False

    loggers = [PySparkLogger.getLogger(name) for name in _LOGGERS]
    for logger in loggers:
        logger.addFilter(refuse)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeFilter(refuse)
