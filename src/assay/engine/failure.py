"""Spark's failures in one sentence."""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from assay.analyzers.metric import Problem
from assay.errors import AssayError

__all__ = ["problem_of", "quiet"]

_CLOSED = re.compile(
    r"stopped SparkContext|SparkSession .*(closed|stopped)|Session .*(closed|not found)"
    r"|INVALID_HANDLE|Connection refused|NoneType.*(sc|_jvm)|NO_ACTIVE",
    re.IGNORECASE,
)
_LOGGERS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")
_ADVICE = re.compile(r"\s*(If necessary set|Use `try_|To tolerate|To return NULL).*", re.DOTALL)


def problem_of(error: BaseException) -> Problem:
    """Why it failed, without the JVM's stack trace."""
    if isinstance(error, AssayError):
        return Problem(error.code, str(error))
    text = str(error)
    # PySpark asserts, without a word, that there is a context behind the session
    if _CLOSED.search(text) or (isinstance(error, AssertionError) and not text):
        return Problem("session_closed", "the Spark session is closed; start a new one.")
    # PySpark's errors know their condition; its message begins with it in brackets
    condition = getattr(error, "getCondition", lambda: None)() or type(error).__name__
    found = re.search(r"\[([A-Z_0-9.]+)\] (.*)", text, re.DOTALL)
    sentence = found.group(2) if found else text
    sentence = re.split(r"SQLSTATE: |\n== SQL|\n\tat |\n\n|JVM stacktrace", sentence)[0]
    sentence = " ".join(_ADVICE.sub("", sentence).split())
    if found and not sentence.endswith((".", "]", "!", "?")):
        sentence += "."
    return Problem(str(condition).lower(), _shortened(sentence) or type(error).__name__)


def _shortened(sentence: str, most: int = 300) -> str:
    return sentence if len(sentence) <= most else sentence[: most - 1].rstrip() + "…"


@contextmanager
def quiet() -> Iterator[None]:
    """Keep PySpark from logging, with a stack trace, the failures that this thread expects."""
    from pyspark.logger import PySparkLogger  # whoever asks first decides the logger's class

    own = threading.get_ident()

    def others(record: logging.LogRecord) -> bool:
        return record.thread != own

    loggers = [PySparkLogger.getLogger(name) for name in _LOGGERS]
    for logger in loggers:
        logger.addFilter(others)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeFilter(others)
