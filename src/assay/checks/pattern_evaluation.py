"""How many values match a pattern, beside how many did when it was learned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from assay.analyzers.analyzer import Analyzer
from assay.analyzers.counting import Ratio
from assay.analyzers.frequent import Frequent
from assay.analyzers.metric import Problem
from assay.analyzers.sample import Sample, Sampled
from assay.analyzers.state import State
from assay.checks.assertions.anomaly import History
from assay.checks.assertions.learned_pattern import LearnedPatternAssertion, Taught, in_proportion
from assay.checks.assertions.proportion_test import ProportionTest
from assay.checks.check import Check
from assay.checks.constraint import Constraint
from assay.checks.formatting import visible
from assay.checks.pattern import Pattern
from assay.checks.result import ConstraintResult, Outcome
from assay.engine.measurement import Measurement

__all__ = ["homogeneity", "learned", "taught"]

_NO_STATE = Problem("no_state", "only its metric is known, not how many values there were")


def homogeneity(
    check: str, constraint: Constraint, assertion: ProportionTest, state: State | None
) -> ConstraintResult:
    """The outcome for so many matches among so many values."""
    if not isinstance(state, Ratio) or not state.rows:
        return ConstraintResult(check, constraint, Outcome.NOT_EVALUATED, problem=_NO_STATE)
    return _tested(check, constraint, assertion, state)


def taught(checks: Sequence[Check], history: History) -> tuple[list[Check], list[Analyzer]]:
    """Checks that know what the past has taught, and what counts the rows that match it."""
    counts: list[Analyzer] = []

    def knowing(constraint: Constraint) -> Constraint:
        assertion, analyzer = constraint.assertion, constraint.analyzer
        if not isinstance(assertion, LearnedPatternAssertion) or not isinstance(analyzer, Sample):
            return constraint
        known = assertion.lesson(analyzer, history)
        if isinstance(known, Taught):
            counts.append(assertion.counting(analyzer, known.lesson.pattern))
        return replace(constraint, assertion=replace(assertion, known=known))

    found = [replace(check, constraints=tuple(map(knowing, check.constraints))) for check in checks]
    return found, counts


def learned(
    check: str,
    constraint: Constraint,
    assertion: LearnedPatternAssertion,
    measured: Measurement,
    history: History | None,
) -> ConstraintResult:
    """The outcome for the rows that match what was learned from samples of the batches before."""
    analyzer = constraint.analyzer
    assert isinstance(analyzer, Sample)
    lesson = assertion.lesson(analyzer, history)
    if isinstance(lesson, Problem):
        return ConstraintResult(check, constraint, Outcome.NOT_EVALUATED, problem=lesson)
    told, batches = lesson
    pattern = told.pattern
    counted = _counted(assertion, analyzer, pattern, measured)
    if counted is None or not counted.rows:
        return ConstraintResult(check, constraint, Outcome.NOT_EVALUATED, problem=_NO_STATE)
    result = _tested(check, constraint, assertion.homogeneous(told), counted)
    assert result.expected is not None
    of = "1 batch" if batches == 1 else f"{batches:,} batches"
    reason = f"{visible(str(pattern))}, learned from {of}; {result.expected.reason}"
    by_row = replace(
        constraint,
        analyzer=assertion.counting(analyzer, pattern),
        assertion=assertion.homogeneous(told),
    )
    return replace(result, expected=replace(result.expected, reason=reason), by_row=by_row)


def _counted(
    assertion: LearnedPatternAssertion, analyzer: Sample, pattern: Pattern, measured: Measurement
) -> Ratio | None:
    """The rows that match, counted; of a batch that was measured before, as its sample tells."""
    counted = measured.states.get(assertion.counting(analyzer, pattern))
    if isinstance(counted, Ratio):
        return counted
    state = measured.states.get(analyzer)
    if not isinstance(state, Sampled):
        return None
    frequent = measured.states.get(assertion.beside(analyzer))
    values = in_proportion(state, frequent if isinstance(frequent, Frequent) else None)
    return Ratio(
        sum(n for each, n in values.items() if pattern.matches(each)), sum(values.values())
    )


def _tested(
    check: str, constraint: Constraint, assertion: ProportionTest, found: Ratio
) -> ConstraintResult:
    share, expected = found.matches / found.rows, assertion.expectation(found.rows)
    outcome = Outcome.PASSED if expected.holds(share) else Outcome.FAILED
    return ConstraintResult(check, constraint, outcome, share, expected=expected)
