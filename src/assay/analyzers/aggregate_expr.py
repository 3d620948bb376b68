"""Aggregate expressions: the Spark SQL that a scan computes, in pieces that analyzers share.

Analyzers that need the same number create equal `AggregateExpr` values, which are computed once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from numbers import Integral, Real

from assay.analyzers.schema import Column, Schema
from assay.errors import InvalidValueError
from assay.errors.base import percent_hint

__all__ = [
    "AggregateExpr",
    "check_choice",
    "check_positive",
    "condition",
    "count_of",
    "filtered",
    "require_share",
    "rows",
    "sql_string",
]


@dataclass(frozen=True, slots=True)
class AggregateExpr:
    """One aggregate expression of Spark SQL.

    Parameters
    ----------
    sql
        The expression.
    columns
        The top-level columns that it reads.
    buffers
        The number of aggregation buffers that Spark keeps for it: 1 for a count, 3 for a variance.
        The planner keeps each aggregation below the limit of code generation.
    sketch
        True if it is an imperative aggregate, which must not share an aggregation with plain ones.
    has_user_sql
        True if it contains SQL that the user wrote, which may fail on a row.
    """

    sql: str
    columns: tuple[str, ...] = ()
    buffers: int = 1
    sketch: bool = False
    has_user_sql: bool = field(default=False, compare=False)


def check_choice(name: str, value: str, choices: tuple[str, ...]) -> None:
    """Raise `InvalidValueError` unless an option has one of the allowed values."""
    if value not in choices:
        legal = " or ".join(map(repr, choices))
        raise InvalidValueError.unexpected(f"invalid {name}", legal, value)


def check_positive(name: str, value: int) -> None:
    """Raise `InvalidValueError` unless a number is whole and at least 1."""
    number: object = value
    if isinstance(number, bool) or not isinstance(number, Integral) or number < 1:
        raise InvalidValueError.unexpected(f"invalid {name}", "a whole number of at least 1", value)


def require_share(name: str, value: object) -> None:
    """Raise `InvalidValueError` unless a number lies between 0 and 1."""
    is_number = isinstance(value, Real | Decimal) and not isinstance(value, bool)
    if not is_number or not 0 <= value <= 1:  # type: ignore[operator]
        remedy = percent_hint(value) if is_number else ""  # type: ignore[arg-type]
        raise InvalidValueError.unexpected(f"invalid {name}", "a share from 0 to 1", value, remedy)


def sql_string(text: str) -> str:
    """Return a string literal of Spark SQL."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def condition(sql: str) -> str:
    """Put a condition in brackets that even a trailing comment cannot break."""
    return f"({sql}\n)" if "--" in sql else f"({sql})"


def filtered(sql: str, where: str | None) -> str:
    """Return an expression that is null outside the selection."""
    return sql if where is None else f"CASE WHEN {condition(where)} THEN {sql} END"


def rows(schema: Schema, where: str | None) -> AggregateExpr:
    """Count the rows of the selection."""
    if where is None:
        return AggregateExpr("count(1)")
    return AggregateExpr(f"count_if({condition(where)})", schema.mentioned(where))


def count_of(schema: Schema, predicate: str, where: str | None, *columns: Column) -> AggregateExpr:
    """Count the rows of the selection for which a predicate is true."""
    # CASE, not AND: Spark may compute a shared part of predicates before the left side of AND
    return AggregateExpr(f"count_if({filtered(predicate, where)})", reads(schema, where, *columns))


def reads(schema: Schema, where: str | None, *columns: Column) -> tuple[str, ...]:
    """Return the top-level columns that the selection and these columns need."""
    named = [column.root for column in columns]
    return tuple(dict.fromkeys([*named, *(schema.mentioned(where) if where else ())]))
