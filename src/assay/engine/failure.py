"""Turn Spark's errors into problems of one sentence."""

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
#: the text that Py4J puts before a Java error, and the packages of Java classes
_PREAMBLE = re.compile(r"An error occurred while calling \S+\s*:?\s*")
_PACKAGE = re.compile(r"\b(?:[a-z_]\w*\.){2,}(?=[A-Z])")
#: the traceback of a Python worker, without the last line
_TRACEBACK = re.compile(r"Traceback \(most recent call last\):\n(?:[ \t].*\n)*+(?=\S)")
_ADVICE = re.compile(r"\s*(If necessary set|Use `try_|To tolerate|To return NULL).*", re.DOTALL)


def problem_of(error: BaseException) -> Problem:
    """Return the code and the reason of an error, without the JVM's stack trace."""
    if isinstance(error, AssayError):
        cause = error.__cause__
        is_foreign = cause is not None and not isinstance(cause, AssayError)
        return Problem(error.code, str(error), may_quote_values=is_foreign)
    # the last line of a Python worker's traceback is the reason
    text = _TRACEBACK.split(str(error))[-1]
    # a message of Spark begins with its error condition in brackets
    condition = getattr(error, "getCondition", lambda: None)()
    match = re.search(r"\[([A-Z_0-9.]+)\] (.*)", text, re.DOTALL)
    # prefer the condition: the message may quote SQL that the user wrote
    closed = _CLOSED.search(condition or (match.group(1) if match else text))
    # PySpark asserts, without a message, that the session has a context
    if closed or (isinstance(error, AssertionError) and not text):
        return Problem("session_closed", "the Spark session is closed; start a new one.")
    condition = condition or (match.group(1) if match else type(error).__name__)
    pattern = re.search(r"PatternSyntaxException: ([^\n]*)", text)
    if pattern is not None:
        reason = f"invalid regular expression: {pattern.group(1).strip()}."
        return Problem("bad_pattern", reason)
    sentence = match.group(2) if match else _PREAMBLE.sub("", text)
    sentence = re.split(r"SQLSTATE: |\n== SQL|\n\tat |\n\n|JVM stacktrace", sentence)[0]
    sentence = _PACKAGE.sub("", " ".join(_ADVICE.sub("", sentence).split()))
    if match and not sentence.endswith((".", "]", "!", "?")):
        sentence += "."
    reason = one_line(sentence) or type(error).__name__
    return Problem(str(condition).lower(), reason, may_quote_values=True)


def one_line(text: str, most: int = 300) -> str:
    """Return a text on one line, cut to at most `most` characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"


def capture_failure(run: Callable[[], T]) -> Callable[[], T | Problem]:
    """Wrap a job so that it returns a problem instead of raising; other jobs continue."""

    def run_or_capture() -> T | Problem:
        try:
            return run()
        except Exception as error:  # Spark raises anything, and the problem reports it
            return problem_of(error)

    return run_or_capture
