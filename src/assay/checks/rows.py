"""Which rows broke a constraint: lazily, without caps, uniqueness included."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from assay.analyzers.counting import (
    Completeness,
    Compliance,
    EmptyStringCount,
    NaNCount,
    NegativeCount,
    PatternMatch,
    ZerosCount,
    pattern_predicate,
)
from assay.analyzers.extremes import Maximum, MaxLength, Minimum, MinLength, length_of
from assay.analyzers.frequencies import DuplicateRowCount, GroupingAnalyzer, Uniqueness
from assay.analyzers.leaf import condition
from assay.analyzers.schema import Schema
from assay.checks.assertion import Assertion
from assay.checks.constraint import Constraint
from assay.checks.sql import literal
from assay.engine.frame import unambiguous
from assay.errors import CheckError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["failing_rows", "offending", "split_rows"]

_OUT_OF_BOUNDS = {"at_least": "<", "more_than": "<=", "at_most": ">", "less_than": ">="}


def offending(constraint: Constraint, schema: Schema) -> str | None:
    """The predicate that is true for a row that breaks the constraint.

    None where the constraint is about the rows as a whole (a mean has no guilty row).
    """
    broken = _broken(constraint.analyzer, constraint.assertion, schema)
    where = constraint.analyzer.where
    if broken is None:
        return None
    selected = broken if where is None else f"{condition(where)} AND {broken}"
    return f"coalesce({selected}, false)"


def _broken(analyzer: Any, assertion: Assertion, schema: Schema) -> str | None:
    match analyzer:
        case Completeness():
            return f"{schema.column(analyzer.column).sql} IS NULL"
        case Compliance():
            return f"NOT {analyzer.holds(schema)}"
        case PatternMatch(column, pattern, nulls, search):
            sql = schema.column(column).sql
            matches = pattern_predicate(sql, pattern, nulls, search=search)
            return f"NOT coalesce({matches}, false)"
        case ZerosCount() | NegativeCount() | NaNCount() | EmptyStringCount():
            return analyzer.test.format(schema.column(analyzer.column).sql)
        case Uniqueness() | DuplicateRowCount():
            return _repeated(analyzer, schema)
        case Minimum() | Maximum():
            return _outside(schema.column(analyzer.column).sql, assertion)
        case MinLength() | MaxLength():
            length = length_of(schema.column(analyzer.column).sql, analyzer.nulls)
            return _outside(length, assertion)
        case _:
            return None


def _outside(sql: str, assertion: Assertion) -> str | None:
    """The value is beyond a bound that holds for every row if it holds for the extreme."""
    bounds = ((name, getattr(assertion, name)) for name in _OUT_OF_BOUNDS)
    tests = [f"{sql} {_OUT_OF_BOUNDS[name]} {literal(b)}" for name, b in bounds if b is not None]
    return f"({' OR '.join(tests)})" if tests else None


def _repeated(analyzer: GroupingAnalyzer, schema: Schema) -> str:
    keys = [key.sql for key in analyzer.keys(schema)]
    selected = "true" if analyzer.where is None else condition(analyzer.where)
    some = " OR ".join(f"{key} IS NOT NULL" for key in keys)
    same = f"count_if({selected}) OVER (PARTITION BY {', '.join(keys)})"
    return f"(({some}) AND {same} > 1)"


def failing_rows(df: DataFrame, schema: Schema, constraint: Constraint) -> DataFrame:
    """The rows that break the constraint, all of them, lazily."""
    from pyspark.sql import functions as F

    predicate = offending(constraint, schema)
    if predicate is None:
        raise CheckError(
            f"{constraint.name} is about the rows as a whole; no single row breaks it."
        )
    flag = "__assay_broken"  # a window cannot stand in a filter
    marked = unambiguous(df, schema).withColumn(flag, F.expr(predicate))
    return marked.where(F.col(flag)).drop(flag).toDF(*schema.names)


def split_rows(
    df: DataFrame, schema: Schema, constraints: Iterable[Constraint], column: str
) -> tuple[DataFrame, DataFrame]:
    """The rows that break nothing, and those that do with the ids of what they broke."""
    from pyspark.sql import functions as F

    if schema.has(column):
        raise CheckError(
            f"there is a column {column!r} already; split(column=…) takes another name."
        )
    tests = [(each.id, offending(each, schema)) for each in constraints]
    flags = [F.when(F.expr(predicate), F.lit(own_id)) for own_id, predicate in tests if predicate]
    broken = (
        F.filter(F.array(*flags), lambda each: each.isNotNull())
        if flags
        else F.expr("cast(array() AS array<string>)")
    )
    marked = unambiguous(df, schema).withColumn(column, broken)
    good = marked.where(F.size(column) == 0).drop(column).toDF(*schema.names)
    bad = marked.where(F.size(column) > 0).toDF(*schema.names, column)
    return good, bad
