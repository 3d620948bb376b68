"""Suggest constraints for a table, and test them on rows that were held out.

Rules propose constraints from the profile of some rows. Constraints that do not hold for these rows
are dropped; the others are tested on the rows that were held out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from assay.analyzers.metric import Problem
from assay.checks.constraint import Level
from assay.engine.failure import capture_failure
from assay.engine.frame import require_frame, schema_of
from assay.engine.measure import measure
from assay.errors import AssayError, CheckError
from assay.learn.profile.profile import Profile
from assay.learn.profile.two_passes import profile
from assay.learn.suggest.composite_keys import composite_keys
from assay.learn.suggest.coverage import N_FOLDS, SuggestionTests, measure_coverage, with_folds
from assay.learn.suggest.growth import GrowthTest
from assay.learn.suggest.pruning import remove_redundant
from assay.learn.suggest.rules import Rule, all_rules
from assay.learn.suggest.suggestion import Suggestion, Suggestions
from assay.learn.suggest.thresholds import Thresholds

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["limit_level", "suggest"]

#: rules whose bounds a number leaves that only counts up
_STEADY_RULES = frozenset({"numeric_range", "mean", "standard_deviation"})


def suggest(
    df: DataFrame,
    columns: str | Sequence[str] | None = None,
    *,
    table: str | None = None,
    rules: Mapping[str, Rule] | Thresholds | None = None,
    held_out: float | str | DataFrame = 0.2,
    sample: float | None = None,
    seed: int = 1,
) -> Suggestions:
    """Suggest constraints for a table.

    Parameters
    ----------
    df
        The table. It is read about five times: two passes for the profile, and one for each test.
    columns
        The columns for which constraints are suggested; by default all.
    table
        The name of the table. It decides whether a column such as ``id`` is a key.
    rules
        The limits of Assay's rules, such as ``Thresholds(max_categories=20)``; or functions from a
        profile to suggestions, by name. By default `all_rules`; add your own with
        ``{**RULES, "mine": my_rule}``.
    held_out
        The rows on which suggestions are tested: a share of all rows, chosen at random; a SQL
        condition such as ``"date >= '2026-11-01'"``; or another DataFrame.
    sample
        The share of the rows of `df` that is used, chosen at random; by default all.
    seed
        The seed of the random choices.

    Returns
    -------
    Suggestions
        The constraints that held for the rows that were held out, and those that did not.

    Raises
    ------
    CheckError
        If an argument is not valid, or a rule fails.

    Notes
    -----
    The rows that were held out and four random parts of the others are five folds. A suggestion is
    an error if it held in each fold, and otherwise a warning. Numbers that only count up have no
    range and no mean: their mean rises in each of five periods of a column of dates.

    Examples
    --------
    >>> orders = spark.range(1000).selectExpr("id", "if(id % 2 = 0, 'paid', 'open') AS status")
    >>> suggestions = suggest(orders, ["status"], held_out="id >= 800")
    >>> any("status" in suggestion.columns for suggestion in suggestions)
    True
    """
    require_frame(df)
    thresholds = rules if isinstance(rules, Thresholds) else Thresholds()
    used_rules = rules if isinstance(rules, Mapping) else all_rules(thresholds)
    train, test = _split(_sampled(df, sample, seed), held_out, seed)
    train_profile = profile(train, columns, table=table)
    proposed = [
        suggestion
        for name, rule in used_rules.items()
        for suggestion in _apply_rule(name, rule, train_profile)
        if suggestion.confidence >= thresholds.min_confidence
    ]
    likely = _hold_in_training(proposed, with_folds(train, seed), train_profile)
    if not any(suggestion.rule == "unique" for suggestion in likely):
        keys = composite_keys(train, train_profile)
        likely += [suggestion for suggestion in measure_coverage(keys, train) if suggestion.holds]
    tested = [limit_level(suggestion) for suggestion in measure_coverage(likely, test)]
    kept = remove_redundant([suggestion for suggestion in tested if suggestion.holds])
    rejected = tuple(suggestion for suggestion in tested if not suggestion.holds)
    return Suggestions(tuple(_sort_by_column(kept, list(train_profile))), rejected, train_profile)


def _hold_in_training(
    proposed: Sequence[Suggestion], train: DataFrame, train_profile: Profile
) -> list[Suggestion]:
    """Return the suggestions that hold for the rows of the profile.

    The same scan finds numbers that only count up. Their ranges and means are left out.
    """
    if not proposed:
        return []
    tests = SuggestionTests.of(proposed, n_folds=N_FOLDS)
    steady = [suggestion.columns[0] for suggestion in proposed if suggestion.rule in _STEADY_RULES]
    growth = GrowthTest.of(train_profile, steady, schema_of(train))
    measured = measure(train, dict.fromkeys([*tests.analyzers, *growth.analyzers]))
    rising = growth.rising(measured)
    return [
        suggestion
        for suggestion in tests.results(measured)
        if suggestion.holds
        and not (suggestion.rule in _STEADY_RULES and suggestion.columns[0] in rising)
    ]


def limit_level(suggestion: Suggestion) -> Suggestion:
    """Return an error that did not hold in every fold as a warning."""
    if suggestion.folds is None or suggestion.folds[0] == suggestion.folds[1]:
        return suggestion
    return replace(suggestion, level=Level.WARNING)


def _sampled(df: DataFrame, sample: float | None, seed: int) -> DataFrame:
    from pyspark.sql import functions as F

    if sample is None:
        return df
    if not 0 < sample <= 1:
        raise CheckError(f"sample: expected a share above 0 and up to 1, got {sample!r}.")
    # another seed than that of the split, which would choose the same rows
    return df.where(F.rand(seed + 1) < sample)


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
