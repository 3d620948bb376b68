"""Judge the share of values that match a pattern by a statistical test."""

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
from assay.checks.assertions.learned_pattern import (
    BatchPattern,
    LearnedPatternAssertion,
    combine_counts,
)
from assay.checks.assertions.proportion_test import ProportionTest
from assay.checks.check import Check
from assay.checks.constraint import Constraint
from assay.checks.constraint_result import ConstraintResult, Outcome
from assay.checks.formatting import counted_batches, visible
from assay.checks.pattern import Pattern
from assay.checks.row_counts import RowCounts
from assay.engine.measurement import Measurement

__all__ = ["judge_learned_pattern", "judge_proportion", "with_learned_patterns"]

_NO_STATE = Problem("no_state", "only its metric is known, not how many values there were")


def judge_proportion(
    check: str, constraint: Constraint, assertion: ProportionTest, state: State | None
) -> ConstraintResult:
    """Return the result for the number of values that match."""
    if not isinstance(state, Ratio) or not state.rows:
        return ConstraintResult(check, constraint, Outcome.NOT_EVALUATED, problem=_NO_STATE)
    return _test(check, constraint, assertion, state)


def with_learned_patterns(
    checks: Sequence[Check], history: History
) -> tuple[list[Check], list[Analyzer]]:
    """Learn the patterns that checks need from the history.

    Returns
    -------
    tuple
        The checks with their patterns, and the analyzers that count the rows that match them.
    """
    analyzers: list[Analyzer] = []

    def learn(constraint: Constraint) -> Constraint:
        assertion, analyzer = constraint.assertion, constraint.analyzer
        if not isinstance(assertion, LearnedPatternAssertion) or not isinstance(analyzer, Sample):
            return constraint
        pattern = assertion.batch_pattern(analyzer, history)
        if isinstance(pattern, BatchPattern):
            analyzers.append(assertion.matching_rows(analyzer, pattern.learned.pattern))
        return replace(constraint, assertion=replace(assertion, fixed_pattern=pattern))

    learned = [replace(check, constraints=tuple(map(learn, check.constraints))) for check in checks]
    return learned, analyzers


def judge_learned_pattern(
    check: str,
    constraint: Constraint,
    assertion: LearnedPatternAssertion,
    measured: Measurement,
    history: History | None,
) -> ConstraintResult:
    """Return the result for the rows that match the pattern of the earlier batches."""
    analyzer = constraint.analyzer
    assert isinstance(analyzer, Sample)
    learned = assertion.batch_pattern(analyzer, history)
    if isinstance(learned, Problem):
        return ConstraintResult(check, constraint, Outcome.NOT_EVALUATED, problem=learned)
    pattern = learned.learned.pattern
    counts = _count_matches(assertion, analyzer, pattern, measured)
    if counts is None or not counts.rows:
        return ConstraintResult(check, constraint, Outcome.NOT_EVALUATED, problem=_NO_STATE)
    proportion_test = assertion.proportion_test(learned.learned)
    result = _test(check, constraint, proportion_test, counts)
    assert result.expected is not None
    source = f"{visible(str(pattern))}, learned from {counted_batches(learned.batches)}"
    reason = f"{source}; {result.expected.reason}"
    by_row = replace(
        constraint,
        analyzer=assertion.matching_rows(analyzer, pattern),
        assertion=proportion_test,
    )
    return replace(result, expected=replace(result.expected, reason=reason), by_row=by_row)


def _count_matches(
    assertion: LearnedPatternAssertion, analyzer: Sample, pattern: Pattern, measured: Measurement
) -> Ratio | None:
    """Return the rows that match: as counted, or estimated from a remembered sample."""
    counts = measured.states.get(assertion.matching_rows(analyzer, pattern))
    if isinstance(counts, Ratio):
        return counts
    sample = measured.states.get(analyzer)
    if not isinstance(sample, Sampled):
        return None
    frequent = measured.states.get(assertion.frequent_values(analyzer))
    values = combine_counts(sample, frequent if isinstance(frequent, Frequent) else None)
    matching = sum(count for value, count in values.items() if pattern.matches(value))
    return Ratio(matching, sum(values.values()))


def _test(
    check: str, constraint: Constraint, assertion: ProportionTest, counts: Ratio
) -> ConstraintResult:
    share, expected = counts.matches / counts.rows, assertion.expectation(counts.rows)
    return ConstraintResult(
        check,
        constraint,
        Outcome.PASSED if expected.holds(share) else Outcome.FAILED,
        share,
        expected=expected,
        counts=RowCounts(counts.rows - counts.matches, counts.rows),
    )
