"""Spark's failures in one sentence."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar

from assay.analyzers.metric import Problem
from assay.errors import AssayError

__all__ = ["capture_failure", "one_line", "problem_of"]

T = TypeVar("T")

_CLOSED = re.compile(
    r"stopped SparkContext|SparkSession .*(closed|stopped)|Session .*(closed|not found)"
    r"|INVALID_HANDLE|Connection refused|NoneType.*(sc|_jvm)|NO_ACTIVE",
    re.IGNORECASE,
)
#: what Py4J says before it quotes Java, and the packages of Java's classes
_PREAMBLE = re.compile(r"An error occurred while calling \S+\s*:?\s*")
_PACKAGE = re.compile(r"\b(?:[a-z_]\w*\.){2,}(?=[A-Z])")
#: what Python says before the line that says why
_TRACEBACK = re.compile(r"Traceback \(most recent call last\):\n(?:[ \t].*\n)*+(?=\S)")
_ADVICE = re.compile(r"\s*(If necessary set|Use `try_|To tolerate|To return NULL).*", re.DOTALL)


def problem_of(error: BaseException) -> Problem:
    """Why it failed, without the JVM's stack trace."""
    if isinstance(error, AssayError):
        return Problem(error.code, str(error))
    # of what a Python worker tells, the end is the reason
    text = _TRACEBACK.split(str(error))[-1]
    # PySpark's errors know their condition; its message begins with it in brackets
    condition = getattr(error, "getCondition", lambda: None)()
    found = re.search(r"\[([A-Z_0-9.]+)\] (.*)", text, re.DOTALL)
    # a message may quote what the user wrote: where there is a condition, it decides
    closed = _CLOSED.search(condition or (found.group(1) if found else text))
    # PySpark asserts, without a word, that there is a context behind the session
    if closed or (isinstance(error, AssertionError) and not text):
        return Problem("session_closed", "the Spark session is closed; start a new one.")
    condition = condition or (found.group(1) if found else type(error).__name__)
    pattern = re.search(r"PatternSyntaxException: ([^\n]*)", text)
    if pattern is not None:
        reason = f"the regular expression is none: {pattern.group(1).strip()}."
        return Problem("bad_pattern", reason)
    sentence = found.group(2) if found else _PREAMBLE.sub("", text)
    sentence = re.split(r"SQLSTATE: |\n== SQL|\n\tat |\n\n|JVM stacktrace", sentence)[0]
    sentence = _PACKAGE.sub("", " ".join(_ADVICE.sub("", sentence).split()))
    if found and not sentence.endswith((".", "]", "!", "?")):
        sentence += "."
    return Problem(str(condition).lower(), one_line(sentence) or type(error).__name__)


def one_line(text: str, most: int = 300) -> str:
    """A text on one line of at most so many characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"


def capture_failure(run: Callable[[], T]) -> Callable[[], T | Problem]:
    """A job that gives the reason where it fails, whatever it is: the jobs beside it go on."""

    def told() -> T | Problem:
        try:
            return run()
        except Exception as error:  # that it may be anything is the point
            return problem_of(error)

    return told
