"""Constraints on what strings look like, in the language of patterns (auto-validate).

An empty string is a value. It matches only a pattern that describes it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self, Unpack

from assay.analyzers.counting import PatternMatch
from assay.analyzers.regex import Nulls
from assay.analyzers.sample import Sample
from assay.checks.assertions.learned_pattern import LearnedPatternAssertion, PatternLearner
from assay.checks.assertions.proportion_test import ProportionTest, Test
from assay.checks.builder import CheckBuilder, Details, Verbatim
from assay.checks.constraint_method import constraint_method
from assay.checks.constraint_options import Options
from assay.checks.pattern import Pattern
from assay.errors import CheckError

__all__ = ["PatternMethods"]


class PatternMethods(CheckBuilder):
    """Patterns of strings, written by people or learned from data."""

    @constraint_method(default={"equals": 1.0}, formula="rows that match / rows")
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
        """Require strings to match a pattern such as ``<upper>{3}-<digit>+``.

        Parameters
        ----------
        column
            Name of a string column.
        pattern
            The pattern, which must match the whole value. docs/patterns.md describes the language.
        trained
            Values that did not match when the pattern was learned, and all values, such as
            ``(0, 48)``. A test then judges whether the share of values that do not match has
            risen. Bounds are refused, and nulls do not count as rows.
        test
            The statistical test: ``"beta-binomial"``, ``"fisher"`` or ``"chi-squared"``.
        significance
            The test's limit for the probability of a false alarm.
        nulls
            Treatment of nulls. ``"ignore"``: no violation. ``"fail"``: a violation.
            ``"empty"``: an empty string. ``"skip"``: no row.

        Notes
        -----
        Section 4 of the auto-validate paper describes the test.

        Examples
        --------
        >>> Check("orders").matches_pattern("sku", "<upper>{3}-<digit>+")
        Check('orders', 1 constraint)
        """
        name = f"matches_pattern({column}, {str(pattern)!r})"
        parsed = self._parse_pattern(name, pattern)
        proportion_test = self._create_test(name, trained or (0, 1), test, significance)
        if trained is not None:
            nulls = "skip" if nulls == "ignore" else nulls
        text = str(parsed)
        return self._add(
            "matches_pattern",
            PatternMatch,
            [column, parsed.regex, nulls],
            options,
            shown=[column, Verbatim(repr(text))],
            details=Details(
                subject=f"the share of {column} that matches {text}",
                assertion=proportion_test if trained is not None else None,
            ),
        )

    @constraint_method(bounds="optional", formula="rows that match / rows")
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
        """Require strings to look as they did in earlier batches.

        A learner finds the pattern of the values in the latest accepted batches. A test judges
        whether the share of values that do not match it has risen. Nulls are ignored. Only a
        `Dataset` or a gate can evaluate the constraint, unless a sample is given.

        Parameters
        ----------
        column
            Name of a string column.
        learner
            A learner such as ``Patterns()``.
        sample
            Values, or the number of rows of each value. The pattern is learned from them at once,
            and the constraint is that of `matches_pattern`.
        test
            The statistical test: ``"beta-binomial"``, ``"fisher"`` or ``"chi-squared"``.
        significance
            The test's limit for the probability of a false alarm.
        latest
            The number of latest accepted batches to learn from.
        on
            ``"batch"`` or omitted.

        Examples
        --------
        >>> from assay.learn.patterns import Patterns
        >>> Check("orders").matches_learned_pattern("sku", Patterns())
        Check('orders', 1 constraint)
        """
        name = f"matches_learned_pattern({column})"
        if isinstance(learner, type) or not hasattr(learner, "learn"):
            expected = "a learner with a method `learn`, such as Patterns()"
            raise CheckError.unexpected(f"{self.name}: {name}: invalid learner", expected, learner)
        if type(latest) is not int or latest < 1:
            expected = "a whole number of at least 1"
            raise CheckError.unexpected(f"{self.name}: {name}: invalid latest", expected, latest)
        if sample is None:
            self._create_test(name, (0, 1), test, significance)
            details = Details(
                subject=f"the share of {column} that matches",
                assertion=LearnedPatternAssertion(learner, test, significance, latest),
            )
            return self._add("matches_learned_pattern", Sample, [column], options, details=details)
        if isinstance(sample, str) or not isinstance(sample, Iterable):
            expected = "a list of strings, or the number of rows by value"
            raise CheckError.unexpected(f"{self.name}: {name}: invalid sample", expected, sample)
        learned = learner.learn(_count_values(sample))
        if isinstance(learned, str):
            raise CheckError(f"{self.name}: {name}: {learned.removesuffix('.')}.")
        return self.matches_pattern(
            column,
            learned.pattern,
            trained=learned.trained,
            test=test,
            significance=significance,
            **options,
        )

    def _parse_pattern(self, name: str, pattern: Pattern | str) -> Pattern:
        try:
            return Pattern.coerce(pattern)
        except CheckError as error:
            raise CheckError(f"{self.name}: {name}: {error}") from error

    def _create_test(
        self, name: str, trained: Any, test: Test, significance: float
    ) -> ProportionTest:
        try:
            return ProportionTest(trained, test, significance)
        except CheckError as error:
            raise CheckError(f"{self.name}: {name}: {error}") from error


def _count_values(sample: Any) -> Counter[str]:
    """Return the number of rows of each value, without nulls."""
    counts = Counter(sample)
    counts.pop(None, None)
    return counts
