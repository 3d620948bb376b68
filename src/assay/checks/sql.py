"""Predicates over columns whose schema is not known yet, as text of Spark SQL.

A column stands in backticks, path and all (`` `address.city` ``); the analyzer finds what it is.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime, timedelta
from decimal import Decimal
from math import isfinite
from typing import Any

from assay.analyzers.leaf import sql_string
from assay.analyzers.schema import quote
from assay.errors import CheckError

__all__ = ["compared", "contained", "literal", "quote", "within"]


def literal(value: Any) -> str:
    """A Python value as a literal of Spark SQL."""
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return f"{value}L" if -(2**63) <= value < 2**63 else f"{value}BD"
        case float():
            return f"{value!r}D" if isfinite(value) else f"double('{value}')"
        case Decimal():
            return f"{value:f}BD"
        case str():
            return sql_string(value)
        case datetime():
            kind = "TIMESTAMP_NTZ" if value.tzinfo is None else "TIMESTAMP"
            return f"{kind}'{value.isoformat(sep=' ')}'"
        case date():
            return f"DATE'{value.isoformat()}'"
        case timedelta():
            return f"make_dt_interval(0, 0, 0, {value.total_seconds()!r})"
        case _:
            raise CheckError(
                f"a {type(value).__name__} cannot be compared with a column: {value!r}."
            )


def contained(column: str, values: Iterable[Any]) -> str:
    """The column is one of these values."""
    listed = list(dict.fromkeys(values))
    if not listed:
        raise CheckError(f"no values are given that {column!r} may have.")
    if None in listed:
        raise CheckError(
            f"null is no value that {column!r} may have: use nulls='ignore' or 'fail'."
        )
    return f"{quote(column)} IN ({', '.join(map(literal, listed))})"


def within(column: str, low: Any, high: Any, closed: str) -> str:
    """The column lies between two ends, each in or out of the interval."""
    above = ">=" if closed in {"both", "left"} else ">"
    below = "<=" if closed in {"both", "right"} else "<"
    parts = []
    if low is not None:
        parts.append(f"{quote(column)} {above} {literal(low)}")
    if high is not None:
        parts.append(f"{quote(column)} {below} {literal(high)}")
    if not parts:
        raise CheckError(f"an end of {column!r}'s range is missing: give low, high, or both.")
    if closed not in {"both", "left", "right", "neither"}:
        raise CheckError(f"closed is 'both', 'left', 'right' or 'neither', not {closed!r}.")
    return " AND ".join(parts)


def compared(first: str, sign: str, second: str) -> str:
    """One column beside another."""
    return f"{quote(first)} {sign} {quote(second)}"
