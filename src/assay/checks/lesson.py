"""That values look as they did before: a pattern that is learned from the batches before.

A learner sees samples of accepted batches, never the judged one. It answers with a pattern and how
many of the values that it was learned from do not match it, or with why there is none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from assay.analyzers.metric import Problem
from assay.analyzers.sample import Sample, Sampled
from assay.checks.homogeneity import Homogeneous, Test
from assay.checks.pattern import Pattern
from assay.checks.unremarkable import NOT_ENOUGH, History

__all__ = ["NO_PATTERN", "AsBefore", "Lesson", "PatternLearner"]

#: the code of the problem that values have no pattern: no reason to hold a batch either
NO_PATTERN = "no_pattern"


class Lesson(NamedTuple):
    """A pattern, and the values that did not match and all values, as the test counts them.

    `coverage` is how many columns of a lake speak for it, if there is a lake.
    """

    pattern: Pattern
    trained: tuple[float, float]
    coverage: int = 0


class PatternLearner(Protocol):
    """Finds out what values look like."""

    def learn(self, values: Mapping[str, int]) -> Lesson | str:
        """The pattern of these values with how often each occurs, or why they have none."""
        ...


@dataclass(frozen=True, slots=True)
class AsBefore:
    """That values match what a learner makes of the `latest` accepted batches before."""

    learner: PatternLearner
    test: Test = "beta-binomial"
    significance: float = 0.01
    latest: int = 30

    def lesson(self, analyzer: Sample, history: History | None) -> tuple[Lesson, int] | Problem:
        """What was learned, and from how many batches; or why nothing was."""
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
        found = self.learner.learn(values_of(states))
        return Problem(NO_PATTERN, found) if isinstance(found, str) else (found, len(states))

    def homogeneous(self, lesson: Lesson) -> Homogeneous:
        """The test of what was learned."""
        return Homogeneous(lesson.trained, self.test, self.significance)

    def __str__(self) -> str:
        return f"as {self.learner} learns"


def values_of(states: Sequence[Sampled]) -> dict[str, int]:
    """The values of all samples together, with how often each occurs."""
    return dict(Sampled.merged(states).values)
