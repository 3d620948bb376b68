"""How many values match a pattern, beside how many did when it was learned."""

from __future__ import annotations

from dataclasses import replace

from assay.analyzers.counting import PatternMatch, Ratio
from assay.analyzers.metric import Problem
from assay.analyzers.sample import Sample, Sampled
from assay.analyzers.state import State
from assay.checks.constraint import Constraint
from assay.checks.homogeneity import Homogeneous
from assay.checks.lesson import AsBefore, Lesson
from assay.checks.result import ConstraintResult, Outcome
from assay.checks.unremarkable import History
from assay.checks.wording import one_line, visible

__all__ = ["homogeneity", "learned"]

_NO_STATE = Problem("no_state", "only its metric is known, not how many values there were")


def homogeneity(
    check: str, constraint: Constraint, assertion: Homogeneous, state: State | None
) -> ConstraintResult:
    """The outcome for so many matches among so many values."""
    if not isinstance(state, Ratio) or not state.rows:
        return ConstraintResult(check, constraint, Outcome.NOT_EVALUATED, problem=_NO_STATE)
    return _tested(check, constraint, assertion, state)


def learned(
    check: str,
    constraint: Constraint,
    assertion: AsBefore,
    state: State | None,
    history: History | None,
) -> ConstraintResult:
    """The outcome for a sample of values, beside what was learned from samples before."""
    analyzer = constraint.analyzer
    assert isinstance(analyzer, Sample)
    if not isinstance(state, Sampled):
        return ConstraintResult(check, constraint, Outcome.NOT_EVALUATED, problem=_NO_STATE)
    lesson: tuple[Lesson, int] | Problem
    try:
        lesson = assertion.lesson(analyzer, history)
    except Exception as error:  # a learner of the user's own
        reason = one_line(f"{assertion.learner} failed: {type(error).__name__}: {error}")
        lesson = Problem("learner_failed", reason)
    if isinstance(lesson, Problem):
        return ConstraintResult(check, constraint, Outcome.NOT_EVALUATED, problem=lesson)
    told, batches = lesson
    pattern = told.pattern
    matched = sum(n for value, n in state.values.items() if pattern.matches(value))
    counted = Ratio(matched, sum(state.values.values()))
    result = _tested(check, constraint, assertion.homogeneous(told), counted)
    assert result.expected is not None
    of = "1 batch" if batches == 1 else f"{batches:,} batches"
    reason = f"{visible(str(pattern))}, learned from {of}; {result.expected.reason}"
    by_row = replace(
        constraint,
        analyzer=PatternMatch(analyzer.column, pattern.regex, "skip", where=analyzer.where),
        assertion=assertion.homogeneous(told),
    )
    return replace(result, expected=replace(result.expected, reason=reason), by_row=by_row)


def _tested(
    check: str, constraint: Constraint, assertion: Homogeneous, found: Ratio
) -> ConstraintResult:
    share, expected = found.matches / found.rows, assertion.expectation(found.rows)
    outcome = Outcome.PASSED if expected.holds(share) else Outcome.FAILED
    return ConstraintResult(check, constraint, outcome, share, expected=expected)
