"""Errors of Spark become one sentence. No Spark is needed."""

from __future__ import annotations

import pytest

from assay.engine.failure import problem_of

_HEAD = "An exception was thrown from the Python worker:\n"
_TRACE = 'Traceback (most recent call last):\n  File "x.py", line 5, in f\n    g()\n'


@pytest.mark.parametrize(
    "text",
    [
        f"{_HEAD}{_TRACE}ValueError: no\nsuch thing",
        f"{_HEAD}{_TRACE}KeyError: 1\n\nMeanwhile:\n\n{_TRACE}ValueError: no such thing",
        f"{_HEAD}{_TRACE}ValueError: no such thing\n\n\tat org.apache.spark.Task.run(Task.java:1)",
    ],
)
def test_the_last_line_of_a_python_worker_is_the_reason(text: str) -> None:
    assert problem_of(RuntimeError(text)).reason == "ValueError: no such thing"
