"""Write predicates of Spark SQL over columns whose schema is not known yet.

A column is written in backticks, with its whole path: `` `address.city` ``. The analyzer resolves
it against the schema.
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
    """Return a Python value as a literal of Spark SQL."""
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
        case _ if hasattr(value, "item"):  # a NumPy scalar
            return literal(value.item())
        case _:
            raise CheckError(
                f"a {type(value).__name__} cannot be compared with a column: {value!r}."
            )


def quoted(column: str) -> str:
    """Return a column name in backticks, with any characters in it escaped."""
    if not isinstance(column, str):
        raise CheckError(f"a column's name is text, not {column!r}.")
    return quote(column)


def require_predicate(predicate: Any) -> str:
    """Return the predicate; raise `CheckError` unless it is text that is not blank."""
    if not isinstance(predicate, str) or not predicate.strip():
        raise CheckError(f"a predicate of Spark SQL is expected, not {predicate!r}.")
    return predicate


def contained(column: str, values: Any) -> str:
    """Return the predicate that a column is one of the values."""
    if not isinstance(values, list):
        raise CheckError(f"a list of values is expected, not {values!r}.")
    if not values:
        raise CheckError(f"no values are given that {column!r} may have.")
    if any(value is None for value in values):
        raise CheckError(
            f"null cannot be one of the values of {column!r}: use nulls='ignore' or 'fail'."
        )
    listed = dict.fromkeys(map(literal, values))
    return f"{quoted(column)} IN ({', '.join(listed)})"


def within(column: str, low: Any, high: Any, closed: str) -> str:
    """Return the predicate that a column lies between two limits."""
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
    """Return the predicate that compares two columns."""
    return f"{quoted(first)} {sign} {quoted(second)}"


def implied(condition: str, predicate: str) -> str:
    """Return the predicate that is true unless the condition holds and the predicate does not."""
    premise = bracketed(require_predicate(condition))
    conclusion = bracketed(require_predicate(predicate))
    return f"NOT coalesce({premise}, false) OR {conclusion}"


def not_null(columns: Iterable[str], conjunction: str) -> str:
    """Return the predicate that all or any of the columns are not null."""
    tests = [f"{quoted(column)} IS NOT NULL" for column in columns]
    if not tests:
        raise CheckError("at least one column is needed.")
    return conjunction.join(tests)
