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
            expected = "text, a number, a date, a time or bytes"
            raise CheckError.unexpected("a value cannot be compared with a column", expected, value)


def quoted(column: str) -> str:
    """Return a column name in backticks, with any characters in it escaped."""
    if not isinstance(column, str):
        raise CheckError.unexpected("invalid name of a column", "text", column)
    return quote(column)


def require_predicate(predicate: Any) -> str:
    """Return the predicate; raise `CheckError` unless it is text that is not blank."""
    if not isinstance(predicate, str) or not predicate.strip():
        raise CheckError.unexpected("invalid condition", "a predicate of Spark SQL", predicate)
    return predicate


def contained(column: str, values: Any) -> str:
    """Return the predicate that a column is one of the values."""
    if not isinstance(values, list):
        raise CheckError.unexpected("invalid values", "a list of values", values)
    if not values:
        raise CheckError.unexpected(f"invalid values of {column!r}", "at least one value", values)
    if any(value is None for value in values):
        remedy = "Use nulls='ignore' or 'fail'."
        raise CheckError.unexpected(f"invalid values of {column!r}", "no null", values, remedy)
    listed = dict.fromkeys(map(literal, values))
    return f"{quoted(column)} IN ({', '.join(listed)})"


def within(column: str, low: Any, high: Any, closed: str) -> str:
    """Return the predicate that a column lies between two limits."""
    if closed not in {"both", "left", "right", "neither"}:
        raise CheckError.unexpected(
            "invalid closed", "'both', 'left', 'right' or 'neither'", closed
        )
    if low is None and high is None:
        raise CheckError.unexpected("invalid range", "low, high or both", None)
    if low is not None and high is not None:
        _require_order(low, high)
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
        raise CheckError.unexpected("invalid columns", "at least one column", ())
    return conjunction.join(tests)


def _require_order(low: Any, high: Any) -> None:
    try:
        is_reversed = low > high
    except TypeError:
        expected = "low and high of one type"
        raise CheckError.unexpected("invalid range", expected, (low, high)) from None
    if is_reversed:
        raise CheckError.unexpected("invalid range", "low <= high", (low, high))
