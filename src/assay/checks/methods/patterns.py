"""Demands on what values look like, in the language of patterns (auto-validate).

An empty string is a value, and matches only a pattern that describes it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self, Unpack

from assay.analyzers.counting import Nulls, PatternMatch
from assay.analyzers.sample import Sample
from assay.checks.assertions.learned_pattern import LearnedPatternAssertion, PatternLearner
from assay.checks.assertions.proportion_test import ProportionTest, Test
from assay.checks.builder import CheckBuilder, Options, Verbatim
from assay.checks.pattern import Pattern
from assay.errors import CheckError

__all__ = ["PatternMethods"]


class PatternMethods(CheckBuilder):
    """What strings must look like, as a pattern that people read, or as one that is learned."""

    def matches_pattern(
        self,
        column: str,
        pattern: Pattern | str,
        *,
        trained: Sequence[float] | None = None,
        test: Test = "beta-binomial",
        significance: float = 0.01,
        nulls: Nulls = "ignore",
        **options: Unpack[Options],
    ) -> Self:
        """The whole value matches a pattern such as ``<upper>{3}-<digit>+``.

        All values do, or as many as bounds say. With ``trained=(0, 48)``, as many as it lets expect
        that 0 of 48 values did not when the pattern was learned: a `test` tells whether the share
        that does not has risen (auto-validate, section 4). Nulls then do not count, unless
        ``nulls="fail"`` or ``"empty"`` makes values of them.
        """
        name = f"matches_pattern({column}, {str(pattern)!r})"
        known = self._pattern(name, pattern)
        judged = self._tested(name, trained or (0, 1), test, significance)
        if trained is not None:
            nulls = "skip" if nulls == "ignore" else nulls
        shown = str(known)
        return self._add(
            "matches_pattern",
            PatternMatch,
            [column, known.regex, nulls],
            options,
            shown=[column, Verbatim(repr(shown))],
            subject=f"the share of {column} that matches {shown}",
            otherwise=judged if trained is not None else None,
            equals=1.0,
        )

    def matches_learned_pattern(
        self,
        column: str,
        learner: PatternLearner,
        *,
        sample: Iterable[str | None] | Mapping[str, int] | None = None,
        test: Test = "beta-binomial",
        significance: float = 0.01,
        latest: int = 30,
        **options: Unpack[Options],
    ) -> Self:
        """Values look as they did in the `latest` accepted batches before: in a `Dataset`.

        A learner such as ``Patterns()`` makes a pattern of a sample of their values, and the `test`
        tells whether the share of values that do not match it has risen. Nulls do not count.
        With a `sample` of values, or of rows by value, the pattern is learned from it at once, and
        demanded as by `matches_pattern`.
        """
        name = f"matches_learned_pattern({column})"
        if isinstance(learner, type) or not hasattr(learner, "learn"):
            raise CheckError(
                f"{self.name}: {name}: a learner has a method `learn`, as Patterns() has, and"
                f" {learner!r} has none."
            )
        if type(latest) is not int or latest < 1:
            raise CheckError(
                f"{self.name}: {name}: latest is a whole number and at least 1, not {latest!r}."
            )
        if sample is None:
            self._tested(name, (0, 1), test, significance)
            return self._add(
                "matches_learned_pattern",
                Sample,
                [column],
                options,
                subject=f"the share of {column} that matches",
                otherwise=LearnedPatternAssertion(learner, test, significance, latest),
            )
        if isinstance(sample, str) or not isinstance(sample, Iterable):
            raise CheckError(
                f"{self.name}: {name}: a sample is a list of strings, or rows by value, not"
                f" {sample!r}."
            )
        found = learner.learn(_counted(sample))
        if isinstance(found, str):
            raise CheckError(f"{self.name}: {name}: {found.removesuffix('.')}.")
        return self.matches_pattern(
            column,
            found.pattern,
            trained=found.trained,
            test=test,
            significance=significance,
            **options,
        )

    def _pattern(self, name: str, pattern: Pattern | str) -> Pattern:
        try:
            return Pattern.taken(pattern)
        except CheckError as error:
            raise CheckError(f"{self.name}: {name}: {error}") from error

    def _tested(self, name: str, trained: Any, test: Test, significance: float) -> ProportionTest:
        try:
            return ProportionTest(trained, test, significance)
        except CheckError as error:
            raise CheckError(f"{self.name}: {name}: {error}") from error


def _counted(sample: Any) -> Counter[str]:
    """Rows by value, without nulls."""
    counts = Counter(sample)
    counts.pop(None, None)
    return counts
