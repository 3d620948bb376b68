"""Suggestions tried on rows: those they came from, and those they have not seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from assay.checks.assertions.bounds import Assertion
from assay.checks.check import Check
from assay.checks.evaluation import evaluate
from assay.checks.result import ConstraintResult, Outcome
from assay.engine.measure import measure
from assay.learn.suggest.suggestion import Suggestion

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["holds", "tried"]

_ALL = Assertion.of(equals=1.0)


def tried(suggestions: Sequence[Suggestion], df: DataFrame) -> list[Suggestion]:
    """The suggestions with their coverage of these rows: one scan, and a job for each key."""
    checks = [each.add_to(Check(f"{i}")) for i, each in enumerate(suggestions)]
    analyzers = [constraint.analyzer for check in checks for constraint in check.constraints]
    measured = measure(df, dict.fromkeys(analyzers))
    found: dict[str, list[ConstraintResult]] = {}
    for result in evaluate(measured, *checks):
        found.setdefault(result.check, []).append(result)
    return [
        replace(each, coverage=min(map(_coverage, found[f"{i}"])))
        for i, each in enumerate(suggestions)
    ]


def holds(suggestion: Suggestion) -> bool:
    """Whether it held for all rows that it was tried on."""
    return suggestion.coverage == 1.0


def _coverage(result: ConstraintResult) -> float:
    if result.outcome is Outcome.PASSED:
        return 1.0
    # a share of rows is its own coverage; of what is not about rows, nothing is covered
    if result.constraint.assertion == _ALL and isinstance(result.value, float):
        return result.value
    undefined = result.problem is not None and result.problem.code == "undefined"
    return 1.0 if undefined else 0.0  # of no rows, all hold
