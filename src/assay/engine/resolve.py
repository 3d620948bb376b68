"""Let Spark resolve the SQL of users before a job runs. It needs no job itself.

One typo must not fail everything else. All SQL is resolved at once, and one by one only if that
fails.
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
    """Return the analyzers whose SQL Spark cannot resolve on this DataFrame, with the problem."""
    analyzers = list(analyzers)
    kinds: list[tuple[Callable[[Analyzer], tuple[str, ...]], Callable[[list[str]], None]]] = [
        (lambda analyzer: analyzer.predicates, lambda texts: _as_conditions(df, texts)),
        (lambda analyzer: analyzer.expressions, lambda texts: _as_columns(df, texts)),
        (lambda analyzer: analyzer.aggregates, lambda texts: _as_aggregates(df, texts)),
    ]
    problems: dict[Analyzer, Problem] = {}

    def original_name(alias: re.Match[str]) -> str:
        return schema.names[int(alias.group(1))]

    for texts_of, resolve in kinds:
        sql_texts: dict[Analyzer, list[str]] = {}
        for analyzer in analyzers:
            try:
                sql_texts[analyzer] = [schema.resolved(sql) for sql in texts_of(analyzer)]
            except AssayError as error:
                problems[analyzer] = problem_of(error)
        failing = _failing(list(dict.fromkeys(chain.from_iterable(sql_texts.values()))), resolve)
        for analyzer, texts in sql_texts.items():
            for sql in texts:
                if sql in failing and analyzer not in problems:
                    problem = failing[sql]
                    reason = re.sub(r"__assay_(\d+)", original_name, problem.reason)
                    problems[analyzer] = Problem(problem.code, f"`{one_line(sql, 80)}`: {reason}")
    return problems


def _failing(texts: list[str], resolve: Callable[[list[str]], None]) -> dict[str, Problem]:
    """Return the texts that Spark refuses: all are tried at once, and alone only if that fails."""
    if not texts:
        return {}
    try:
        resolve(texts)
    except Exception as error:  # Spark raises many classes of errors for mistakes in SQL
        if len(texts) == 1:
            return {texts[0]: problem_of(error)}
        return {sql: why for text in texts for sql, why in _failing([text], resolve).items()}
    return {}


def _as_conditions(df: DataFrame, texts: list[str]) -> None:
    from pyspark.sql import functions as F

    if len(texts) == 1:  # an error then quotes the text without added brackets
        _ = df.where(F.expr(texts[0])).schema
    for text in texts:
        df = df.where(F.expr(condition(text)))
    _ = df.schema  # on Connect, only this sends the query to the server


def _as_columns(df: DataFrame, texts: list[str]) -> None:
    from pyspark.sql import functions as F

    _ = df.select(*(F.expr(condition(text)) for text in texts)).schema


def _as_aggregates(df: DataFrame, texts: list[str]) -> None:
    from pyspark.sql import functions as F

    _ = df.agg(*(F.expr(condition(text)).alias(f"x{i}") for i, text in enumerate(texts))).schema
