"""Test suggestions on rows: the share of rows, and the number of folds, for which each holds.

A share that must hold for some of the rows can hold by chance, and so can a statistic such as a
mean. They are therefore tested in five folds: the held-out rows, and four random parts of the other
rows. A constraint that holds for every row holds in every fold, and needs no further test.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from assay.analyzers.analyzer import Analyzer, ScanAnalyzer
from assay.checks.assertions.bounds import Assertion
from assay.checks.check import Check
from assay.checks.constraint import Constraint
from assay.checks.evaluation import evaluate
from assay.checks.result import ConstraintResult, Outcome
from assay.engine.measure import measure
from assay.engine.measurement import Measurement
from assay.learn.suggest.suggestion import Suggestion

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["N_FOLDS", "SuggestionTests", "measure_coverage", "with_folds"]

#: parts of the rows from which suggestions are derived: with a fifth held out, all folds are alike
N_FOLDS = 4
_FOLD = "__assay_fold"
_ALL_ROWS = Assertion.of(equals=1.0)


def with_folds(df: DataFrame, seed: int) -> DataFrame:
    """Return the rows with a fold for each, chosen at random."""
    from pyspark.sql import functions as F

    return df.withColumn(_FOLD, F.floor(F.rand(seed) * N_FOLDS))


def measure_coverage(suggestions: Sequence[Suggestion], df: DataFrame) -> list[Suggestion]:
    """Test suggestions on some rows, without folds, and return them with their coverage.

    This takes one scan, and one more job for each key.
    """
    tests = SuggestionTests.of(suggestions)
    return tests.results(measure(df, tests.analyzers)) if suggestions else []


@dataclass(frozen=True)
class SuggestionTests:
    """The checks that test suggestions, on all rows and in each fold.

    Parameters
    ----------
    suggestions
        The suggestions to test.
    n_folds
        The number of folds; 0 for rows without folds.
    """

    suggestions: tuple[Suggestion, ...]
    n_folds: int = 0

    @staticmethod
    def of(suggestions: Iterable[Suggestion], *, n_folds: int = 0) -> SuggestionTests:
        """Return the tests of some suggestions."""
        return SuggestionTests(tuple(suggestions), n_folds)

    @property
    def checks(self) -> list[Check]:
        """One check for each suggestion, and one for each fold in which it must be tested."""
        return [check for group in self._groups() for check in group]

    @property
    def analyzers(self) -> tuple[Analyzer, ...]:
        """The analyzers of all checks."""
        constraints = (constraint for check in self.checks for constraint in check.constraints)
        return tuple(dict.fromkeys(constraint.analyzer for constraint in constraints))

    def results(self, measured: Measurement) -> list[Suggestion]:
        """Return the suggestions with their coverage."""
        results: dict[str, list[ConstraintResult]] = {}
        for result in evaluate(measured, *self.checks):
            results.setdefault(result.check, []).append(result)
        return [
            _tested(suggestion, [results[check.name] for check in group])
            for suggestion, group in zip(self.suggestions, self._groups(), strict=True)
        ]

    def _groups(self) -> Iterator[list[Check]]:
        for number, suggestion in enumerate(self.suggestions):
            check = suggestion.add_to(Check(str(number)))
            folds = range(self.n_folds if all(map(_needs_folds, check.constraints)) else 0)
            yield [check, *(_in_fold(check, fold) for fold in folds)]


def _needs_folds(constraint: Constraint) -> bool:
    return constraint.assertion != _ALL_ROWS and isinstance(constraint.analyzer, ScanAnalyzer)


def _in_fold(check: Check, fold: int) -> Check:
    condition = f"{_FOLD} = {fold}"
    constraints = []
    for constraint in check.constraints:
        where = constraint.analyzer.where
        analyzer = replace(
            constraint.analyzer,
            where=condition if where is None else f"({where}) AND {condition}",
        )
        constraints.append(replace(constraint, analyzer=analyzer))
    return replace(check, name=f"{check.name}/{fold}", constraints=tuple(constraints))


def _tested(suggestion: Suggestion, results: Sequence[list[ConstraintResult]]) -> Suggestion:
    """Return the suggestion with the results on all rows, and in each fold.

    Rows that are tested later without folds are one more fold.
    """
    total, *in_folds = results
    held = _held(total)
    folds = suggestion.folds
    if in_folds:
        folds = sum(map(_held, in_folds)), len(in_folds)
    elif folds is not None:
        folds = folds[0] + held, folds[1] + 1
    shares = [share for result in total if (share := _share_of_rows(result)) is not None]
    is_share = len(shares) == len(total)
    share_of_folds = float(held) if folds is None else folds[0] / folds[1]
    coverage = min(shares) if is_share else share_of_folds
    return replace(suggestion, coverage=coverage, held=held, folds=folds, is_share=is_share)


def _held(results: Iterable[ConstraintResult]) -> bool:
    # Without rows, a metric is undefined and every constraint holds.
    return all(
        result.outcome is Outcome.PASSED
        or (result.problem is not None and result.problem.code == "undefined")
        for result in results
    )


def _share_of_rows(result: ConstraintResult) -> float | None:
    """Return the share of the rows for which a constraint holds; None if it is not about rows."""
    if result.problem is not None:
        return 1.0 if result.problem.code == "undefined" else 0.0
    if result.constraint.is_share and isinstance(result.value, float):
        return result.value
    return None
