"""Helpers of the observers: the known values of a column, and numbers in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from assay.checks.formatting import format_value
from assay.learn.profile.column_profile import ColumnProfile

__all__ = ["MIN_ROWS", "Observer", "count_of_total", "known_values", "number_text"]

#: a function that returns a sentence about a column, or an empty string
Observer = Callable[[ColumnProfile], str]
#: the smallest number of values from which most observations are made
MIN_ROWS = 20


def known_values(column: ColumnProfile) -> Mapping[str, float]:
    """Return the frequent values, or a sample of the values, with their counts."""
    values = column.values or (column.texts.examples if column.texts is not None else None)
    counts = {} if values is None else values.counts
    return counts if column.frequent is None else {**counts, **column.frequent.counts}


def count_of_total(count: float, total: int) -> str:
    """Write a count and the total."""
    return f"{count:,.0f} of {total:,}"


def number_text(value: float) -> str:
    """Write a number; whole numbers without a decimal point."""
    return format_value(int(value) if value.is_integer() and abs(value) < 1e15 else value)
