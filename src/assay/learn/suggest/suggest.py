"""Checks that write themselves (deequ-vldb18, sections 3.3, 4.2 and 5.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from assay.analyzers.metric import Problem
from assay.engine.failure import capture_failure
from assay.errors import AssayError, CheckError
from assay.learn.profile.profile import Profile
from assay.learn.profile.profiler import profile
from assay.learn.suggest.keys import composite_keys
from assay.learn.suggest.pruning import pruned
from assay.learn.suggest.rules import RULES, Rule
from assay.learn.suggest.suggestion import Suggestion
from assay.learn.suggest.suggestions import Suggestions
from assay.learn.suggest.trial import holds, tried

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["suggest"]


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
    likely = [each for each in tried(said, train) if holds(each)] if said else []
    if not any(each.rule == "unique" for each in likely):
        keys = composite_keys(train, drawn)
        likely += [each for each in tried(keys, train) if holds(each)] if keys else []
    judged = tried(likely, held) if likely else []
    kept = pruned([each for each in judged if holds(each)])
    rejected = tuple(each for each in judged if not holds(each))
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
