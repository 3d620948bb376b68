"""Suggest constraints for a table, and test them on rows that were held out.

Rules propose constraints from the profile of some rows. Constraints that do not hold for these rows
are dropped; the others are tested on the rows that were held out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from assay.analyzers.metric import Problem
from assay.checks.assertions.bounds import Assertion
from assay.checks.check import Check
from assay.checks.evaluation import evaluate
from assay.checks.result import ConstraintResult, Outcome
from assay.engine.failure import capture_failure
from assay.engine.measure import measure
from assay.errors import AssayError, CheckError
from assay.learn.profile.profile import Profile
from assay.learn.profile.two_passes import profile
from assay.learn.suggest.composite_keys import composite_keys
from assay.learn.suggest.pruning import remove_redundant
from assay.learn.suggest.rules import Rule, all_rules
from assay.learn.suggest.suggestion import Suggestion, Suggestions

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["measure_coverage", "suggest"]

_ALL_ROWS = Assertion.of(equals=1.0)


def suggest(
    df: DataFrame,
    columns: Sequence[str] | None = None,
    *,
    rules: Mapping[str, Rule] | None = None,
    held_out: float | str | DataFrame = 0.2,
    seed: int = 1,
) -> Suggestions:
    """Suggest constraints for a table.

    Parameters
    ----------
    df
        The table. It is read about five times: two passes for the profile, and one for each test.
    columns
        The columns for which constraints are suggested; by default all.
    rules
        Functions from a profile to suggestions, by name. By default `all_rules`; add your own with
        ``{**RULES, "mine": my_rule}``.
    held_out
        The rows on which suggestions are tested: a share of all rows, chosen at random; a SQL
        condition such as ``"date >= '2026-11-01'"``; or another DataFrame.
    seed
        The seed of the random choice.

    Returns
    -------
    Suggestions
        The constraints that held for the rows that were held out, and those that did not.

    Raises
    ------
    CheckError
        If `held_out` is not valid, or a rule fails.
    """
    train, test = _split(df, held_out, seed)
    train_profile = profile(train, columns)
    proposed = [
        suggestion
        for name, rule in (all_rules() if rules is None else rules).items()
        for suggestion in _apply_rule(name, rule, train_profile)
    ]
    likely = [suggestion for suggestion in measure_coverage(proposed, train) if suggestion.holds]
    if not any(suggestion.rule == "unique" for suggestion in likely):
        keys = composite_keys(train, train_profile)
        likely += [suggestion for suggestion in measure_coverage(keys, train) if suggestion.holds]
    tested = measure_coverage(likely, test)
    kept = remove_redundant([suggestion for suggestion in tested if suggestion.holds])
    rejected = tuple(suggestion for suggestion in tested if not suggestion.holds)
    return Suggestions(tuple(_sort_by_column(kept, list(train_profile))), rejected, train_profile)


def _split(
    df: DataFrame, held_out: float | str | DataFrame, seed: int
) -> tuple[DataFrame, DataFrame]:
    from pyspark.sql import functions as F

    if isinstance(held_out, str):
        condition = f"coalesce(({held_out}\n), false)"
        parts = capture_failure(lambda: _split_by_condition(df, condition))()
        if isinstance(parts, Problem):
            raise CheckError(f"held_out: `{held_out}` is not a valid SQL condition: {parts}")
        return parts
    if isinstance(held_out, int | float):
        if not 0 < held_out < 1:
            raise CheckError(f"held_out: expected a share between 0 and 1, got {held_out!r}.")
        # The split is repeatable if the rows are read in the same order.
        return df.where(F.rand(seed) >= held_out), df.where(F.rand(seed) < held_out)
    return df, held_out


def _split_by_condition(df: DataFrame, condition: str) -> tuple[DataFrame, DataFrame]:
    held_out = df.where(condition)
    _ = held_out.schema  # Connect is lazy: this asks the server to resolve the condition
    return df.where(f"NOT {condition}"), held_out


def _apply_rule(name: str, rule: Rule, table: Profile) -> list[Suggestion]:
    try:
        return list(rule(table))
    except AssayError:
        raise
    except Exception as error:  # a rule of the user can raise anything; the error is reported
        raise CheckError(f"the rule {name!r} failed: {type(error).__name__}: {error}.") from error


def _sort_by_column(suggestions: Sequence[Suggestion], names: Sequence[str]) -> list[Suggestion]:
    """Sort by the order of the columns; suggestions about several columns come last."""
    position = {name: number for number, name in enumerate(names)}
    last = len(names)
    return sorted(
        suggestions,
        key=lambda suggestion: (
            last if len(suggestion.columns) > 1 else position.get(suggestion.columns[0], last)
        ),
    )


def measure_coverage(suggestions: Sequence[Suggestion], df: DataFrame) -> list[Suggestion]:
    """Test suggestions on some rows and return them with their coverage.

    This takes one scan, and one more job for each key.
    """
    if not suggestions:
        return []
    checks = [
        suggestion.add_to(Check(str(number))) for number, suggestion in enumerate(suggestions)
    ]
    analyzers = [constraint.analyzer for check in checks for constraint in check.constraints]
    measured = measure(df, dict.fromkeys(analyzers))
    results_of: dict[str, list[ConstraintResult]] = {}
    for result in evaluate(measured, *checks):
        results_of.setdefault(result.check, []).append(result)
    return [
        replace(suggestion, coverage=min(map(_coverage, results_of[str(number)])))
        for number, suggestion in enumerate(suggestions)
    ]


def _coverage(result: ConstraintResult) -> float:
    """Return the share of the rows for which a constraint held.

    A constraint that is not about rows covers all of them or none.
    """
    if result.outcome is Outcome.PASSED:
        return 1.0
    if result.constraint.assertion == _ALL_ROWS and isinstance(result.value, float):
        return result.value
    # Without rows, a metric is undefined and every constraint holds.
    undefined = result.problem is not None and result.problem.code == "undefined"
    return 1.0 if undefined else 0.0
