"""The result of one constraint: its outcome, the expected and the actual value."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from assay.analyzers.metric import Problem, Value, plain
from assay.checks.assertions.anomaly import NOT_ENOUGH
from assay.checks.assertions.expectation import Expectation
from assay.checks.assertions.learned_pattern import NO_PATTERN
from assay.checks.constraint import Constraint, Level
from assay.checks.examples import Examples
from assay.checks.formatting import format_share, format_value, one_line, visible
from assay.checks.row_counts import RowCounts

__all__ = ["NOT_SERIOUS", "ConstraintResult", "Outcome", "Status", "worst_status"]

#: codes of problems that never stop a batch: the dataset cannot have the history or states yet
NOT_SERIOUS = frozenset(
    {NOT_ENOUGH, NO_PATTERN, "not_incremental", "no_past_states", "no_judged_batch"}
)


class Outcome(StrEnum):
    """The outcome of one constraint."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_EVALUATED = "not evaluated"


class Status(StrEnum):
    """The outcome of all constraints, the worst first."""

    FAILED = "failed"
    NOT_EVALUATED = "not evaluated"
    WARNING = "warning"
    PASSED = "passed"


@dataclass(frozen=True, repr=False)
class ConstraintResult:
    """The outcome of one constraint, with the actual value whether it passed or not.

    Attributes
    ----------
    check
        Name of the check.
    constraint
        The constraint.
    outcome
        Passed, failed, or not evaluated.
    value
        The metric; None if there is none.
    problem
        Why the constraint could not be evaluated.
    detail
        More about a failure, such as the columns that differ.
    expected
        The range that is expected from the history; None for fixed bounds.
    by_row
        A constraint that decides which rows failed, where the constraint itself cannot.
    counts
        Failing and judged rows, where single rows can fail. For a minimum or a maximum, they are
        known once examples were read.
    examples
        Values of failing rows, if examples were read and no column of the constraint is private.
    withheld
        Private columns whose values the metric may contain. Then `value` is None.
    """

    check: str
    constraint: Constraint
    outcome: Outcome
    value: Value | None = None
    problem: Problem | None = None
    detail: str = ""
    expected: Expectation | None = None
    by_row: Constraint | None = None
    counts: RowCounts | None = None
    examples: Examples | None = None
    withheld: tuple[str, ...] = ()

    @property
    def expected_text(self) -> str:
        """The expected metric in words."""
        if self.expected is None:
            return self.constraint.expected_text
        return self.expected.describe(share=self.constraint.is_share)

    @property
    def metric_text(self) -> str:
        """The metric in words; or why there is none."""
        if self.problem is not None:
            return one_line(str(self.problem))
        if self.withheld:
            return f"not shown (private: {', '.join(map(visible, self.withheld))})"
        return self._format(self.value)

    @property
    def actual_text(self) -> str:
        """The metric in words, with failing rows and examples; or why there is none."""
        if self.problem is not None or self.counts is None or self.outcome is Outcome.PASSED:
            return self.metric_text
        shown = "" if self.examples is None else f": {self.examples}"
        return f"{self.metric_text} ({self.counts}){shown}"

    @property
    def level(self) -> Level:
        """The severity of a failure."""
        return self.constraint.level

    @property
    def serious(self) -> bool:
        """True if the constraint may stop a batch.

        Warnings do not. Nor does a constraint that lacks history, or states that merge.
        """
        excused = self.problem is not None and self.problem.code in NOT_SERIOUS
        return self.level is Level.ERROR and not excused

    @property
    def message(self) -> str:
        """One sentence with the expected and the actual value."""
        name = visible(self.constraint.label)
        if self.problem is not None:
            metric = one_line(self.constraint.metric)
            undefined = f"{metric} is " if self.problem.code == "undefined" else ""
            return f"{name} could not be evaluated: {undefined}{_end_sentence(str(self.problem))}"
        reason = f" ({self.expected.reason})" if self.expected is not None else ""
        values = f"expected {self.expected_text}{reason}, actual {self.actual_text}."
        if self.outcome is Outcome.PASSED:
            return f"{name} passed: {values}"
        more = [_end_sentence(text) for text in (self.detail, self.constraint.hint) if text]
        return " ".join([f"{name} failed: {values}", *more])

    def to_dict(self) -> dict[str, Any]:
        """Return the result as values that JSON can hold."""
        return {
            "check": self.check,
            "constraint": self.constraint.name,
            "id": self.constraint.id,
            "level": self.level.value,
            "outcome": self.outcome.value,
            "metric": self.constraint.analyzer.key,
            "where": self.constraint.analyzer.where,
            "assertion": str(self.constraint.assertion),
            "expected": self.expected and [plain(self.expected.low), plain(self.expected.high)],
            "reason": self.expected and self.expected.reason,
            "confidence": self.expected and self.expected.confidence,
            "value": plain(self.value),
            "failing_rows": self.counts and self.counts.failing,
            "judged_rows": self.counts and self.counts.total,
            "examples": self.examples and [value.to_dict() for value in self.examples.values],
            "problem": self.problem and {"code": self.problem.code, "reason": self.problem.reason},
            "detail": self.detail,
            "hint": self.constraint.hint,
            "message": self.message,
        }

    def __repr__(self) -> str:
        label = self.constraint.label
        actual = self.metric_text if self.problem is not None else f"actual {self.actual_text}"
        return f"ConstraintResult({label!r}, {self.outcome.value}: {actual})"

    def __str__(self) -> str:
        return self.message

    def _format(self, value: Value | None) -> str:
        if self.constraint.is_share and isinstance(value, float) and value == value:
            return format_share(value)
        return format_value(value)


def worst_status(results: Iterable[ConstraintResult]) -> Status:
    """Return the worst outcome. Results that are not serious cause ``warning`` at most."""
    errors: set[Outcome] = set()
    warnings: set[Outcome] = set()
    for result in results:
        (errors if result.serious else warnings).add(result.outcome)
    if Outcome.FAILED in errors:
        return Status.FAILED
    if Outcome.NOT_EVALUATED in errors:
        return Status.NOT_EVALUATED
    return Status.WARNING if warnings - {Outcome.PASSED} else Status.PASSED


def _end_sentence(text: str) -> str:
    """Return the text on one line, with a full stop at its end."""
    line = one_line(text)
    return line if line.endswith((".", "!", "?", "…")) else f"{line}."
