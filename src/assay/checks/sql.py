"""Predicates over columns whose schema is not known yet, as text of Spark SQL.

A column stands in backticks, path and all (`` `address.city` ``); the analyzer finds what it is.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from math import isfinite
from typing import Any

from assay.analyzers.aggregate_expr import condition as bracketed
from assay.analyzers.aggregate_expr import sql_string
from assay.analyzers.schema import quote
from assay.errors import CheckError

__all__ = [
    "compared",
    "contained",
    "implied",
    "literal",
    "not_null",
    "quoted",
    "require_predicate",
    "within",
]


def literal(value: Any) -> str:
    """A Python value as a literal of Spark SQL."""
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return str(value) if -(2**63) < value < 2**63 else f"{value}BD"
        case float():
            return f"{float(value)!r}D" if isfinite(value) else f"double('{value}')"
        case Decimal():
            return f"{value:f}BD"
        case str():
            return sql_string(value)
        case datetime():
            kind = "TIMESTAMP_NTZ" if value.tzinfo is None else "TIMESTAMP"
            return f"{kind}'{value.isoformat(sep=' ')}'"
        case date():
            return f"DATE'{value.isoformat()}'"
        case time():
            return f"TIME'{value.isoformat()}'"
        case timedelta():
            return f"make_dt_interval(0, 0, 0, {value.total_seconds()!r})"
        case bytes() | bytearray():
            return f"X'{value.hex()}'"
        case _ if hasattr(value, "item"):  # a scalar of NumPy's
            return literal(value.item())
        case _:
            raise CheckError(
                f"a {type(value).__name__} cannot be compared with a column: {value!r}."
            )


def quoted(column: str) -> str:
    """A column's name as SQL reads it, whatever characters it holds."""
    if not isinstance(column, str):
        raise CheckError(f"a column's name is text, not {column!r}.")
    return quote(column)


def require_predicate(predicate: Any) -> str:
    """Return the predicate; raise `CheckError` unless it is text that is not blank."""
    if not isinstance(predicate, str) or not predicate.strip():
        raise CheckError(f"a predicate of Spark SQL is expected, not {predicate!r}.")
    return predicate


def contained(column: str, values: Any) -> str:
    """The column is one of these values."""
    if not isinstance(values, list):
        raise CheckError(f"a list of values is expected, not {values!r}.")
    if not values:
        raise CheckError(f"no values are given that {column!r} may have.")
    if any(value is None for value in values):
        raise CheckError(
            f"null is no value that {column!r} may have: use nulls='ignore' or 'fail'."
        )
    listed = dict.fromkeys(map(literal, values))
    return f"{quoted(column)} IN ({', '.join(listed)})"


def within(column: str, low: Any, high: Any, closed: str) -> str:
    """The column lies between two ends, each in or out of the interval."""
    if closed not in {"both", "left", "right", "neither"}:
        raise CheckError(f"closed is 'both', 'left', 'right' or 'neither', not {closed!r}.")
    if low is None and high is None:
        raise CheckError("an end of the range is missing: give low, high, or both.")
    if low is not None and high is not None and low > high:
        raise CheckError(f"no value lies between {low!r} and {high!r}: the first is the greater.")
    above = ">=" if closed in {"both", "left"} else ">"
    below = "<=" if closed in {"both", "right"} else "<"
    ends = ((above, low), (below, high))
    return " AND ".join(
        f"{quoted(column)} {sign} {literal(end)}" for sign, end in ends if end is not None
    )


def compared(first: str, sign: str, second: str) -> str:
    """One column beside another."""
    return f"{quoted(first)} {sign} {quoted(second)}"


def implied(condition: str, predicate: str) -> str:
    """Where the condition holds, the predicate does."""
    premise = bracketed(require_predicate(condition))
    conclusion = bracketed(require_predicate(predicate))
    return f"NOT coalesce({premise}, false) OR {conclusion}"


def not_null(columns: Iterable[str], conjunction: str) -> str:
    """All or any of these columns have a value."""
    tests = [f"{quoted(column)} IS NOT NULL" for column in columns]
    if not tests:
        raise CheckError("at least one column is needed.")
    return conjunction.join(tests)
