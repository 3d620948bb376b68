"""SQL that people wrote, resolved against the frame before anything runs: no job.

One typo must not take the others down: all is tried at once, and only if that fails one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from assay.analyzers.analyzer import Analyzer
from assay.analyzers.leaf import Leaf
from assay.analyzers.metric import Problem
from assay.engine.failure import problem_of, quiet

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["unresolved_analyzers", "unresolved_leaves"]


def unresolved_analyzers(df: DataFrame, analyzers: Iterable[Analyzer]) -> dict[Analyzer, Problem]:
    """The analyzers whose conditions or expressions Spark does not understand, and why."""
    asked = list(analyzers)
    conditions = dict.fromkeys(sql for each in asked for sql in each.predicates)
    expressions = dict.fromkeys(sql for each in asked for sql in each.expressions)
    wrong = _failing(list(conditions), lambda texts: _as_conditions(df, texts))
    wrong |= _failing(list(expressions), lambda texts: _as_columns(df, texts))
    return {
        each: Problem(wrong[sql].code, f"`{sql}`: {wrong[sql].reason}")
        for each in asked
        for sql in (*each.predicates, *each.expressions)
        if sql in wrong
    }


def unresolved_leaves(df: DataFrame, leaves: Sequence[Leaf]) -> dict[Leaf, Problem]:
    """The aggregates that Spark cannot compute on this frame, and why."""
    wrong = _failing(
        list(dict.fromkeys(leaf.sql for leaf in leaves)), lambda t: _as_aggregates(df, t)
    )
    return {leaf: wrong[leaf.sql] for leaf in leaves if leaf.sql in wrong}


def _failing(texts: list[str], analyse: Callable[[list[str]], None]) -> dict[str, Problem]:
    if not texts:
        return {}
    with quiet():
        try:
            analyse(texts)
        except Exception as error:  # whatever Spark raises is the answer here
            if len(texts) == 1:
                return {texts[0]: problem_of(error)}
        else:
            return {}
    half = len(texts) // 2
    return _failing(texts[:half], analyse) | _failing(texts[half:], analyse)


def _as_conditions(df: DataFrame, texts: list[str]) -> None:
    from pyspark.sql import functions as F

    for text in texts:
        df = df.where(F.expr(text))
    _ = df.schema  # on Connect only this asks the server


def _as_columns(df: DataFrame, texts: list[str]) -> None:
    from pyspark.sql import functions as F

    _ = df.select(*(F.expr(text) for text in texts)).schema


def _as_aggregates(df: DataFrame, texts: list[str]) -> None:
    from pyspark.sql import functions as F

    _ = df.agg(*(F.expr(text).alias(f"x{i}") for i, text in enumerate(texts))).schema
