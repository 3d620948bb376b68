"""SQL that people wrote, resolved against the frame before anything runs: no job.

One typo must not take the others down: all is tried at once, and only if that fails one by one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import chain
from typing import TYPE_CHECKING

from assay.analyzers.aggregate_expr import condition
from assay.analyzers.analyzer import Analyzer
from assay.analyzers.metric import Problem
from assay.analyzers.schema import Schema
from assay.engine.failure import one_line, problem_of
from assay.errors import AssayError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["unresolved"]


def unresolved(
    df: DataFrame, analyzers: Iterable[Analyzer], schema: Schema
) -> dict[Analyzer, Problem]:
    """The analyzers with SQL that Spark does not understand on this frame, and why."""
    asked = list(analyzers)
    kinds: list[tuple[Callable[[Analyzer], tuple[str, ...]], Callable[[list[str]], None]]] = [
        (lambda each: each.predicates, lambda texts: _as_conditions(df, texts)),
        (lambda each: each.expressions, lambda texts: _as_columns(df, texts)),
        (lambda each: each.aggregates, lambda texts: _as_aggregates(df, texts)),
    ]
    wrong: dict[Analyzer, Problem] = {}

    def own_name(alias: re.Match[str]) -> str:
        return schema.names[int(alias.group(1))]

    for texts_of, analyse in kinds:
        written: dict[Analyzer, list[str]] = {}
        for each in asked:
            try:
                written[each] = [schema.resolved(sql) for sql in texts_of(each)]
            except AssayError as error:
                wrong[each] = problem_of(error)
        bad = _failing(list(dict.fromkeys(chain.from_iterable(written.values()))), analyse)
        for each, texts in written.items():
            for sql in texts:
                if sql in bad and each not in wrong:
                    reason = re.sub(r"__assay_(\d+)", own_name, bad[sql].reason)
                    wrong[each] = Problem(bad[sql].code, f"`{one_line(sql, 80)}`: {reason}")
    return wrong


def _failing(texts: list[str], analyse: Callable[[list[str]], None]) -> dict[str, Problem]:
    """The texts that Spark refuses: all are tried at once, and one by one only if that fails."""
    if not texts:
        return {}
    try:
        analyse(texts)
    except Exception as error:  # Spark has an error class for every mistake
        if len(texts) == 1:
            return {texts[0]: problem_of(error)}
        return {sql: why for text in texts for sql, why in _failing([text], analyse).items()}
    return {}


def _as_conditions(df: DataFrame, texts: list[str]) -> None:
    from pyspark.sql import functions as F

    if len(texts) == 1:  # its errors are told as it was written, without the brackets
        _ = df.where(F.expr(texts[0])).schema
    for text in texts:
        df = df.where(F.expr(condition(text)))
    _ = df.schema  # on Connect only this asks the server


def _as_columns(df: DataFrame, texts: list[str]) -> None:
    from pyspark.sql import functions as F

    _ = df.select(*(F.expr(condition(text)) for text in texts)).schema


def _as_aggregates(df: DataFrame, texts: list[str]) -> None:
    from pyspark.sql import functions as F

    _ = df.agg(*(F.expr(condition(text)).alias(f"x{i}") for i, text in enumerate(texts))).schema
