"""Checks that write themselves (deequ-vldb18, sections 3.3, 4.2 and 5.3)."""

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
from assay.learn.suggest.pruning import pruned
from assay.learn.suggest.rules import RULES, Rule
from assay.learn.suggest.suggestion import Suggestion, Suggestions

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["measure_coverage", "suggest"]

_ALL = Assertion.of(equals=1.0)


def suggest(
    df: DataFrame,
    columns: Sequence[str] | None = None,
    *,
    rules: Mapping[str, Rule] = RULES,
    held_out: float | str | DataFrame = 0.2,
    seed: int = 1,
) -> Suggestions:
    """Constraints worth keeping, from the table itself.

    They are drawn from the profile of some rows and tried on others: on a share of the rows held
    out at random, on those for which a condition holds (``"date >= '2026-11-01'"``: the latest
    partitions), or on another DataFrame. `rules` are functions from a profile to suggestions:
    ``suggest(df, rules={**RULES, "mine": my_rule})``.
    """
    train, held = _split(df, held_out, seed)
    drawn = profile(train, columns)
    said = [each for name, rule in rules.items() for each in _said(name, rule, drawn)]
    likely = [each for each in measure_coverage(said, train) if each.holds] if said else []
    if not any(each.rule == "unique" for each in likely):
        keys = composite_keys(train, drawn)
        likely += [each for each in measure_coverage(keys, train) if each.holds] if keys else []
    judged = measure_coverage(likely, held) if likely else []
    kept = pruned([each for each in judged if each.holds])
    rejected = tuple(each for each in judged if not each.holds)
    return Suggestions(tuple(_by_column(kept, list(drawn))), rejected, drawn)


def _split(
    df: DataFrame, held_out: float | str | DataFrame, seed: int
) -> tuple[DataFrame, DataFrame]:
    from pyspark.sql import functions as F

    if isinstance(held_out, str):
        condition = f"coalesce(({held_out}\n), false)"
        halves = capture_failure(lambda: _halves(df, condition))()
        if isinstance(halves, Problem):
            raise CheckError(f"held_out: `{held_out}` is no condition on the rows: {halves}")
        return halves
    if isinstance(held_out, int | float):
        if not 0 < held_out < 1:
            raise CheckError(f"held_out is a share between 0 and 1, not {held_out!r}.")
        # the same rows fall on the same side each time that the frame is read in the same order
        return df.where(F.rand(seed) >= held_out), df.where(F.rand(seed) < held_out)
    return df, held_out


def _halves(df: DataFrame, condition: str) -> tuple[DataFrame, DataFrame]:
    held = df.where(condition)
    _ = held.schema  # on Connect only this asks the server
    return df.where(f"NOT {condition}"), held


def _said(name: str, rule: Rule, drawn: Profile) -> list[Suggestion]:
    try:
        return list(rule(drawn))
    except AssayError:
        raise
    except Exception as error:  # a rule of the user's own
        raise CheckError(f"the rule {name!r} failed: {type(error).__name__}: {error}.") from error


def _by_column(suggestions: Sequence[Suggestion], names: Sequence[str]) -> list[Suggestion]:
    """In the order of the columns, those about several last."""
    position = {name: i for i, name in enumerate(names)}
    last = len(names)
    return sorted(
        suggestions,
        key=lambda each: last if len(each.columns) > 1 else position.get(each.columns[0], last),
    )


def measure_coverage(suggestions: Sequence[Suggestion], df: DataFrame) -> list[Suggestion]:
    """The suggestions with their coverage of these rows: one scan, and a job for each key."""
    checks = [each.add_to(Check(f"{i}")) for i, each in enumerate(suggestions)]
    analyzers = [constraint.analyzer for check in checks for constraint in check.constraints]
    measured = measure(df, dict.fromkeys(analyzers))
    found: dict[str, list[ConstraintResult]] = {}
    for result in evaluate(measured, *checks):
        found.setdefault(result.check, []).append(result)
    return [
        replace(each, coverage=min(map(_coverage, found[f"{i}"])))
        for i, each in enumerate(suggestions)
    ]


def _coverage(result: ConstraintResult) -> float:
    if result.outcome is Outcome.PASSED:
        return 1.0
    # a share of rows is its own coverage; of what is not about rows, nothing is covered
    if result.constraint.assertion == _ALL and isinstance(result.value, float):
        return result.value
    undefined = result.problem is not None and result.problem.code == "undefined"
    return 1.0 if undefined else 0.0  # of no rows, all hold
