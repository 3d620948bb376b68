"""Profile a table in at most two passes, however many columns it has (Deequ, section 4.2).

The first pass measures every column: completeness, distinct values, the kinds that its strings look
like, and statistics of numbers and dates. The second pass looks closer where this is useful:
frequent values, shapes of strings, and the numbers and dates that strings hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from assay.analyzers import (
    ApproxCountDistinct,
    ApproxQuantiles,
    Completeness,
    DataType,
    EmptyStringCount,
    Maximum,
    MaxLength,
    Mean,
    MeanLength,
    Minimum,
    MinLength,
    NaNCount,
    NegativeCount,
    PatternMatch,
    QuantileBuckets,
    ShapeProfile,
    StandardDeviation,
    TopK,
    ZerosCount,
)
from assay.analyzers.aggregate_expr import sql_string
from assay.analyzers.analyzer import Analyzer
from assay.analyzers.schema import (
    FLOATING,
    GROUPABLE,
    NUMERIC,
    TEMPORAL,
    TEXT,
    Column,
    Field,
    Schema,
)
from assay.analyzers.text import TYPE_PATTERNS
from assay.deprecation import renamed_arguments
from assay.engine.frame import schema_of, unambiguous
from assay.engine.measure import measure
from assay.engine.measurement import Measurement
from assay.engine.plan import Plan, plan_for
from assay.learn.profile.column_profile import ColumnProfile
from assay.learn.profile.profile import (
    BUCKETS,
    LEADING_ZERO,
    QUANTILES,
    TOP,
    Profile,
    profile_of,
    sampled_values,
)

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["profile", "profile_analyzers", "profile_plan"]

#: strings are also measured as numbers or dates if at least this share of them look like it
_MIN_CONVERTIBLE_SHARE = 0.5


@renamed_arguments(reread="allow_multiple_reads")
def profile(
    df: DataFrame, columns: Sequence[str] | None = None, *, allow_multiple_reads: bool | None = None
) -> Profile:
    """Profile a table in at most two passes.

    Parameters
    ----------
    df
        The table.
    columns
        The columns to profile, such as ``address.zip``. By default all columns; the members of a
        struct are profiled instead of the struct.
    allow_multiple_reads
        True if each pass may read columns several times; see `measure`.

    Returns
    -------
    Profile
        The profile of each column, by name.

    Notes
    -----
    Nulls are counted and otherwise ignored. Columns whose name occurs twice are left out. The
    second pass is skipped if the first one gives no reason for it.
    """
    schema = schema_of(df)
    selected = _select_columns(schema, columns)
    types = {column.name: column.type for column in selected}
    first = measure(df, _first_pass(selected), allow_multiple_reads=allow_multiple_reads)
    first_profile = profile_of(first, types)
    # Each analyzer of the second pass, and the analyzer under which its result is kept. They differ
    # for converted strings, which are measured in columns of their own.
    second_pass: dict[Analyzer, Analyzer] = {
        analyzer: analyzer
        for column in selected
        for analyzer in _second_pass_of(column, first_profile[column.name])
    }
    converted: dict[str, str] = {}
    for number, column in enumerate(selected):
        for conversion in _CONVERSIONS:
            if _is_convertible(first_profile[column.name], conversion.kinds):
                inner = f"__assay_converted_{number}"
                converted[inner] = conversion.sql(column)
                second_pass |= {
                    replace(analyzer, column=inner): analyzer
                    for analyzer in conversion.analyzers(column.name)
                }
    if not second_pass:
        return first_profile
    second = measure(
        _with_columns(df, schema, converted),
        second_pass,
        allow_multiple_reads=allow_multiple_reads,
    )
    metrics = {
        analyzer: replace(second[measured], analyzer=analyzer)
        for measured, analyzer in second_pass.items()
    }
    states = {
        analyzer: second.states[measured]
        for measured, analyzer in second_pass.items()
        if measured in second.states
    }
    both = Measurement({**first.metrics, **metrics}, {**first.states, **states})
    return profile_of(both, types)


def profile_plan(df: DataFrame, columns: Sequence[str] | None = None) -> Plan:
    """Return the plan of the first pass. The second pass depends on its result.

    Parameters
    ----------
    df
        The table. It is not read.
    columns
        The columns to profile; by default all.
    """
    return plan_for(df, _first_pass(_select_columns(schema_of(df), columns)))


def profile_analyzers(schema: Schema, columns: Sequence[str] | None = None) -> tuple[Analyzer, ...]:
    """Return the analyzers of a profile in one pass, for a `Dataset` that remembers them.

    ``profile_of(dataset.measured(), types)`` is then the profile of any of its batches together,
    computed from states. Numbers and dates in strings are not measured.

    Parameters
    ----------
    schema
        The schema of the table.
    columns
        The columns to profile; by default all.
    """
    selected = _select_columns(schema, columns)
    more = (
        analyzer
        for column in selected
        for analyzer in (TopK(column.name, TOP), *_shapes(column))
        if column.family in GROUPABLE
    )
    return tuple(dict.fromkeys([*_first_pass(selected), *more]))


def _select_columns(schema: Schema, names: Iterable[str] | None) -> list[Column]:
    """Return the columns to profile, with the members of a struct instead of the struct."""
    if names is not None:
        return [schema.column(name) for name in names]
    ambiguous = {name for name in schema.names if schema.names.count(name) > 1}
    paths = (
        path for field in schema.fields if field.name not in ambiguous for path in _paths(field)
    )
    return [schema.column(path) for path in paths]


def _paths(field: Field) -> Iterator[str]:
    if not field.fields:
        yield field.name
    for member in field.fields:
        yield from (f"{field.name}.{path}" for path in _paths(member))


def _first_pass(columns: Iterable[Column]) -> list[Analyzer]:
    return [analyzer for column in columns for analyzer in _first_pass_of(column)]


def _first_pass_of(column: Column) -> Iterator[Analyzer]:
    name, family = column.name, column.family
    yield Completeness(name)
    yield DataType(name)
    if family in GROUPABLE:
        yield ApproxCountDistinct(name)
    if family in NUMERIC:
        yield from _number_analyzers(name, family)
    if family in TEMPORAL:
        yield from _temporal_analyzers(name)
    if family in TEXT:
        yield from (MinLength(name), MaxLength(name), MeanLength(name), EmptyStringCount(name))


def _number_analyzers(name: str, family: str = "fractional") -> Iterator[Any]:
    yield from (Minimum(name), Maximum(name), Mean(name), StandardDeviation(name))
    yield from (ApproxQuantiles(name, QUANTILES), QuantileBuckets(name, BUCKETS))
    yield from (ZerosCount(name), NegativeCount(name))
    if family in FLOATING:
        yield NaNCount(name)


def _temporal_analyzers(name: str) -> Iterator[Any]:
    yield from (Minimum(name), Maximum(name))


def _second_pass_of(column: Column, first: ColumnProfile) -> Iterator[Analyzer]:
    """Yield the analyzers of the second pass, which depend on the profile of the first."""
    if column.family not in GROUPABLE or not first.present:
        return
    if first.distinct <= max(TOP, first.present // 2):  # otherwise hardly any value repeats
        yield TopK(column.name, TOP)
    elif column.family in TEXT:
        yield sampled_values(column, first.distinct)
    yield from _shapes(column)
    if column.family in TEXT and first.looks.get("integral"):
        yield PatternMatch(column.name, LEADING_ZERO)


def _shapes(column: Column) -> Iterator[Analyzer]:
    if column.family in TEXT:
        yield ShapeProfile(column.name)


@dataclass(frozen=True)
class _Conversion:
    """A type that strings can hold: their kinds, the SQL that converts them, and its analyzers."""

    kinds: tuple[str, ...]
    sql: Callable[[Column], str]
    analyzers: Callable[[str], Iterator[Any]]


def _is_convertible(column: ColumnProfile, kinds: Sequence[str]) -> bool:
    """Return whether enough strings look like numbers, or like dates."""
    matching = sum(column.looks.get(kind, 0) for kind in kinds)
    required = _MIN_CONVERTIBLE_SHARE * column.present
    return column.texts is not None and matching > 0 and matching >= required


def _convert_matching(column: Column, kinds: Iterable[str], expression: str) -> str:
    """Return SQL that converts the strings that look like these kinds, and is null for others.

    ``try_cast`` alone is very slow: it creates an exception for each string that cannot be cast.
    """
    pattern = "|".join(f"(?:{TYPE_PATTERNS[kind]})" for kind in kinds)
    return f"if({column.plain} rlike {sql_string(pattern)}, {expression}, NULL)"


def _as_double(column: Column) -> str:
    return _convert_matching(column, _NUMBER_KINDS, f"cast({column.plain} AS double)")


def _as_timestamp(column: Column) -> str:
    # `try_cast`, since 2026-02-30 looks like a date and must not fail the scan
    return _convert_matching(column, _TEMPORAL_KINDS, f"try_cast({column.plain} AS timestamp)")


_NUMBER_KINDS = ("integral", "fractional")
_TEMPORAL_KINDS = ("date", "timestamp")
_CONVERSIONS = (
    _Conversion(_NUMBER_KINDS, _as_double, _number_analyzers),
    _Conversion(_TEMPORAL_KINDS, _as_timestamp, _temporal_analyzers),
)


def _with_columns(df: DataFrame, schema: Schema, expressions: Mapping[str, str]) -> DataFrame:
    """Return the DataFrame with more columns, given as SQL by name."""
    from pyspark.sql import functions as F

    if not expressions:
        return df
    columns = [F.expr(sql).alias(name) for name, sql in expressions.items()]
    return unambiguous(df, schema).select("*", *columns).toDF(*schema.names, *expressions)
