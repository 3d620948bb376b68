"""That values look as they did before: a pattern that is learned from the batches before.

A learner sees samples of accepted batches, never the judged one. It answers with a pattern and how
many of the values that it was learned from do not match it, or with why there is none.

What is judged are rows. The past is known before a batch is read, and so is the pattern: the rows
of the batch that match are counted in the scan that measures it, and the sample is only remembered
for what is learned later. A sample of different values has one that comes again and again only by
chance; the frequent values, from a sketch of the same scan, stand beside it, in proportion.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from assay.analyzers.counting import PatternMatch
from assay.analyzers.frequent import CUT, Frequent, ValueProfile
from assay.analyzers.metric import Problem
from assay.analyzers.sample import Sample, Sampled
from assay.checks.assertions.anomaly import NOT_ENOUGH, History
from assay.checks.assertions.proportion_test import ProportionTest, Test
from assay.checks.formatting import one_line
from assay.checks.pattern import Pattern

__all__ = [
    "NO_PATTERN",
    "LearnedPattern",
    "LearnedPatternAssertion",
    "PatternLearner",
    "Taught",
    "in_proportion",
]

#: the code of the problem that values have no pattern: no reason to hold a batch either
NO_PATTERN = "no_pattern"


class LearnedPattern(NamedTuple):
    """A pattern, and the values that did not match and all values, as the test counts them.

    `coverage` is how many columns of a lake speak for it, if there is a lake.
    """

    pattern: Pattern
    trained: tuple[float, float]
    coverage: int = 0


class PatternLearner(Protocol):
    """Finds out what values look like."""

    def learn(self, values: Mapping[str, int]) -> LearnedPattern | str:
        """The pattern of these values with how often each occurs, or why they have none."""
        ...


class Taught(NamedTuple):
    """What was learned, and from how many batches."""

    lesson: LearnedPattern
    batches: int


@dataclass(frozen=True, slots=True)
class LearnedPatternAssertion:
    """That values match what a learner makes of the `latest` accepted batches before.

    `known` is what it has made of them, where that was found out before the batch was read.
    """

    learner: PatternLearner
    test: Test = "beta-binomial"
    significance: float = 0.01
    latest: int = 30
    known: Taught | Problem | None = field(default=None, compare=False, repr=False)

    def lesson(self, analyzer: Sample, history: History | None) -> Taught | Problem:
        """What was learned; or why nothing was."""
        if self.known is not None:
            return self.known
        try:
            return self._learned(analyzer, history)
        except Exception as error:  # a learner of the user's own
            reason = one_line(f"{self.learner} failed: {type(error).__name__}: {error}")
            return Problem("learner_failed", reason)

    def _learned(self, analyzer: Sample, history: History | None) -> Taught | Problem:
        if history is None:
            return Problem(
                "no_history",
                "there is no history here; append the batch to a Dataset, or give a sample",
            )
        states = [
            each for each in history.states(analyzer, self.latest) if isinstance(each, Sampled)
        ]
        if not states:
            return Problem(NOT_ENOUGH, "not enough history: 0 batches, 1 needed")
        profiles = history.states(self.beside(analyzer), self.latest)
        frequent = [each for each in profiles if isinstance(each, Frequent)]
        # what was remembered before there were profiles has none: then the samples alone teach
        alike = Frequent.merged(frequent) if len(frequent) == len(states) else None
        found = self.learner.learn(in_proportion(Sampled.merged(states), alike))
        return Problem(NO_PATTERN, found) if isinstance(found, str) else Taught(found, len(states))

    @staticmethod
    def beside(analyzer: Sample) -> ValueProfile:
        """What is measured and remembered beside a sample: the frequent values."""
        return ValueProfile(analyzer.column, where=analyzer.where)

    @staticmethod
    def counting(analyzer: Sample, pattern: Pattern) -> PatternMatch:
        """What counts the rows that match a pattern; nulls do not count."""
        return PatternMatch(analyzer.column, pattern.regex, "skip", where=analyzer.where)

    def homogeneous(self, lesson: LearnedPattern) -> ProportionTest:
        """The test of what was learned."""
        return ProportionTest(lesson.trained, self.test, self.significance)

    def __str__(self) -> str:
        return f"as {self.learner} learns"


def in_proportion(sample: Sampled, frequent: Frequent | None) -> dict[str, int]:
    """The values of a sample with their rows, and the frequent values of the whole.

    A value of more than one in `sample.size` rows stands among the sample's others as it does among
    all rows; where the sample is all there is, it is told as it is.
    """
    if frequent is None or sample.complete or not sample.size:
        return dict(sample.values)
    known = frequent.known()
    rows = known.total
    often = {
        value: n
        for value, n in known.counts.items()
        if n * sample.size > rows and len(value) < CUT  # it may be cut
    }
    seldom = {value: n for value, n in sample.values.items() if value not in often}
    others = rows - sum(often.values())
    share = sum(seldom.values()) / others if seldom and others > 0 else 1.0
    return {**seldom, **{value: max(1, round(n * share)) for value, n in often.items()}}
