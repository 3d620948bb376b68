"""Require strings to look as they did before: a pattern that is learned from earlier batches.

A learner gets samples of accepted batches, never the judged one. It returns a pattern and how many
of the values do not match it, or why there is none.

The pattern is known before a batch is read. The rows that match it are counted in the scan that
measures the batch; the batch's sample is remembered for later batches. A sample of distinct values
contains a frequent value only by chance. A sketch of frequent values is therefore measured in the
same scan, and `combine_counts` weights both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from assay.analyzers.batch_profiles import CUT, ValueProfile
from assay.analyzers.counting import PatternMatch
from assay.analyzers.frequent import Frequent
from assay.analyzers.metric import Problem
from assay.analyzers.sample import Sample, Sampled
from assay.checks.assertions.anomaly import NOT_ENOUGH, History
from assay.checks.assertions.proportion_test import ProportionTest, Test
from assay.checks.formatting import one_line
from assay.checks.pattern import Pattern

__all__ = [
    "NO_PATTERN",
    "BatchPattern",
    "LearnedPattern",
    "LearnedPatternAssertion",
    "PatternLearner",
    "combine_counts",
]

#: code of the problem that the values have no common pattern: it stops no batch
NO_PATTERN = "no_pattern"


class LearnedPattern(NamedTuple):
    """A pattern, and how well the values match it that it was learned from.

    Attributes
    ----------
    pattern
        The pattern.
    trained
        The number of values that did not match, and of all values, as the test counts them.
    coverage
        The number of columns of a lake that support the pattern; 0 without a lake.
    """

    pattern: Pattern
    trained: tuple[float, float]
    coverage: int = 0


class PatternLearner(Protocol):
    """Learns the pattern of values."""

    def learn(self, values: Mapping[str, int]) -> LearnedPattern | str:
        """Return the pattern of the values, or why they have none.

        Parameters
        ----------
        values
            The number of rows of each value.
        """
        ...


class BatchPattern(NamedTuple):
    """A pattern, and the number of batches that it was learned from."""

    learned: LearnedPattern
    batches: int


@dataclass(frozen=True, slots=True)
class LearnedPatternAssertion:
    """Values match the pattern that a learner finds in the latest accepted batches.

    Attributes
    ----------
    learner
        Finds the pattern.
    test, significance
        The statistical test for a rise of the share that does not match, and its limit.
    latest
        The number of batches to learn from.
    fixed_pattern
        The pattern, where it was learned before the batch was read.
    """

    learner: PatternLearner
    test: Test = "beta-binomial"
    significance: float = 0.01
    latest: int = 30
    fixed_pattern: BatchPattern | Problem | None = field(default=None, compare=False, repr=False)

    def batch_pattern(self, analyzer: Sample, history: History | None) -> BatchPattern | Problem:
        """Return the pattern of the earlier batches, or why there is none."""
        if self.fixed_pattern is not None:
            return self.fixed_pattern
        try:
            return self._learn(analyzer, history)
        except Exception as error:  # a learner of the user may raise anything
            reason = one_line(f"{self.learner} failed: {type(error).__name__}: {error}")
            return Problem("learner_failed", reason)

    def _learn(self, analyzer: Sample, history: History | None) -> BatchPattern | Problem:
        if history is None:
            return Problem(
                "no_history",
                "no history is available; append the batch to a Dataset, or give a sample",
            )
        samples = [
            state for state in history.states(analyzer, self.latest) if isinstance(state, Sampled)
        ]
        if not samples:
            return Problem(NOT_ENOUGH, "not enough history: 0 batches, 1 needed")
        profiles = history.states(self.frequent_values(analyzer), self.latest)
        frequent = [state for state in profiles if isinstance(state, Frequent)]
        # batches of old versions have no frequent values: then the samples alone are used
        merged = Frequent.merged(frequent) if len(frequent) == len(samples) else None
        learned = self.learner.learn(combine_counts(Sampled.merged(samples), merged))
        if isinstance(learned, str):
            return Problem(NO_PATTERN, learned)
        return BatchPattern(learned, len(samples))

    @staticmethod
    def frequent_values(analyzer: Sample) -> ValueProfile:
        """Return the analyzer of the frequent values, which is measured with a sample."""
        return ValueProfile(analyzer.column, where=analyzer.where)

    @staticmethod
    def matching_rows(analyzer: Sample, pattern: Pattern) -> PatternMatch:
        """Return the analyzer that counts the rows that match a pattern. Nulls do not count."""
        return PatternMatch(analyzer.column, pattern.regex, "skip", where=analyzer.where)

    def proportion_test(self, learned: LearnedPattern) -> ProportionTest:
        """Return the test for a learned pattern."""
        return ProportionTest(learned.trained, self.test, self.significance)

    def __str__(self) -> str:
        return f"as {self.learner} learns"


def combine_counts(sample: Sampled, frequent: Frequent | None) -> dict[str, int]:
    """Return the rows of sampled and of frequent values, in the proportions of all rows.

    Parameters
    ----------
    sample
        A sample of distinct values. If it is complete, its counts are exact and returned.
    frequent
        The frequent values of all rows. Values of more than one in ``sample.size`` rows are scaled
        down to the proportion that they have among all rows.
    """
    if frequent is None or sample.complete or not sample.size:
        return dict(sample.values)
    counted = frequent.kept()
    rows = counted.total
    often = {
        value: count
        for value, count in counted.counts.items()
        if count * sample.size > rows and len(value) < CUT  # longer values may be cut
    }
    seldom = {value: count for value, count in sample.values.items() if value not in often}
    other_rows = rows - sum(often.values())
    scale = sum(seldom.values()) / other_rows if seldom and other_rows > 0 else 1.0
    return {**seldom, **{value: max(1, round(n * scale)) for value, n in often.items()}}
