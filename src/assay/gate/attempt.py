"""`attempt`: the only place of the gate that catches every error.

A judge or a diagnosis that fails must not let a bad batch through, and must not stop the verdict
on a good one. The error becomes a finding, which the user sees.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from assay.gate.causes.cause import CauseCode
from assay.gate.finding import Finding
from assay.store.verdict import Decision

__all__ = ["attempt"]

T = TypeVar("T")


def attempt(step: str, level: Decision, action: Callable[[], T]) -> T | Finding:
    """Run one step of the gate; if it raises, return a finding that reports the error.

    Parameters
    ----------
    step
        What fails, in words, such as ``the diagnosis``.
    level
        The level of the finding.
    action
        The step.
    """
    try:
        return action()
    except Exception as error:  # extensions can raise anything
        return Finding(
            "gate",
            level,
            f"{step} failed: {type(error).__name__}: {error}",
            cause_code=CauseCode.JUDGE_FAILED,
        )
