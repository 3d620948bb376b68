"""Columns that the second pass measures in another form.

Strings are measured as the numbers or moments that they hold, moments as seconds, and arrays and
maps by their number of entries. The rows as a whole are measured by a hash.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from assay.analyzers.aggregate_expr import sql_string
from assay.analyzers.analyzer import Analyzer
from assay.analyzers.schema import TEMPORAL, Column
from assay.analyzers.text_types import TYPE_PATTERNS
from assay.learn.profile.column_profile import ColumnProfile
from assay.learn.profile.profile import COLLECTIONS
from assay.learn.profile.profile_statistics import (
    number_analyzers,
    period_analyzers,
    temporal_analyzers,
)

__all__ = ["Conversion", "conversions_of", "seconds_of"]

#: strings are also measured as numbers or dates if at least this share of them look like it
_MIN_CONVERTIBLE_SHARE = 0.5
_NUMBER_KINDS = ("integral", "fractional")
_TEMPORAL_KINDS = ("date", "timestamp")


@dataclass(frozen=True)
class Conversion:
    """Another form of a column: the SQL that converts it, and the analyzers of the result."""

    sql: Callable[[Column], str]
    analyzers: Callable[[str], Iterator[Analyzer]]


def conversions_of(column: Column, first: ColumnProfile) -> Iterator[Conversion]:
    """Yield the forms in which a column is measured, by its profile of the first pass."""
    if not first.present:
        return
    if column.family in TEMPORAL:
        yield Conversion(seconds_of, period_analyzers)
    elif column.family in COLLECTIONS:
        yield Conversion(lambda column: f"double(size({column.sql}))", _entry_analyzers)
    elif _is_convertible(first, _NUMBER_KINDS):
        yield Conversion(_as_double, number_analyzers)
    elif _is_convertible(first, _TEMPORAL_KINDS):
        yield Conversion(_as_timestamp, temporal_analyzers)
        yield Conversion(seconds_of, period_analyzers)


def _entry_analyzers(name: str) -> Iterator[Analyzer]:
    yield from number_analyzers(name, floating=False)


def _is_convertible(column: ColumnProfile, kinds: Sequence[str]) -> bool:
    """Return whether enough strings look like numbers, or like dates."""
    matching = sum(column.looks.get(kind, 0) for kind in kinds)
    required = _MIN_CONVERTIBLE_SHARE * column.present
    return column.texts is not None and matching > 0 and matching >= required


def seconds_of(column: Column) -> str:
    """Return SQL for moments as seconds since 1970; strings are converted."""
    moment = column.sql if column.family in TEMPORAL else _as_timestamp(column)
    return f"double(unix_seconds(cast({moment} AS timestamp)))"


def _as_double(column: Column) -> str:
    return _convert_matching(column, _NUMBER_KINDS, f"cast({column.plain} AS double)")


def _as_timestamp(column: Column) -> str:
    # `try_cast`, since 2026-02-30 looks like a date and must not fail the scan
    return _convert_matching(column, _TEMPORAL_KINDS, f"try_cast({column.plain} AS timestamp)")


def _convert_matching(column: Column, kinds: Iterable[str], expression: str) -> str:
    """Return SQL that converts the strings that look like these kinds, and is null for others.

    ``try_cast`` alone is very slow: it creates an exception for each string that cannot be cast.
    """
    pattern = "|".join(f"(?:{TYPE_PATTERNS[kind]})" for kind in kinds)
    return f"if({column.plain} rlike {sql_string(pattern)}, {expression}, NULL)"
