"""The profiler: any table, at most two passes over it, whatever the number of columns.

The first pass learns what each column is: how complete, how many different values, which types its
strings look like, and what numbers and dates come to. The second looks closer where that pays:
values where they repeat, shapes of strings, and the numbers that strings hold (deequ-vldb18, 4.2).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
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
    examples_of,
    profile_of,
)

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["profile", "profile_analyzers", "profile_plan"]

#: strings are taken for numbers or dates where half of them look so
_WORTH = 0.5


@renamed_arguments(reread="allow_multiple_reads")
def profile(
    df: DataFrame, columns: Sequence[str] | None = None, *, allow_multiple_reads: bool | None = None
) -> Profile:
    """The profile of a table: of all its columns, members of structs apart, or of some.

    At most two passes over the data. `allow_multiple_reads=False` forbids reading columns
    again, as in `measure`.
    """
    schema = schema_of(df)
    named = _columns(schema, columns)
    types = {column.name: column.type for column in named}
    first = measure(df, _first_look(named), allow_multiple_reads=allow_multiple_reads)
    drawn = profile_of(first, types)
    closer: dict[Analyzer, Analyzer] = {
        analyzer: analyzer for column in named for analyzer in _closer(column, drawn[column.name])
    }
    held: dict[str, str] = {}
    for i, column in enumerate(named):
        known = drawn[column.name]
        for kinds, sql, asked in _HELD:
            if _holds(known, *kinds):
                inner = f"__assay_held_{i}"
                held[inner] = sql(column)
                closer |= {replace(each, column=inner): each for each in asked(column.name)}
    if not closer:
        return drawn
    second = measure(_with(df, schema, held), closer, allow_multiple_reads=allow_multiple_reads)
    metrics = {own: replace(second[each], analyzer=own) for each, own in closer.items()}
    states = {own: second.states[each] for each, own in closer.items() if each in second.states}
    both = Measurement({**first.metrics, **metrics}, {**first.states, **states})
    return profile_of(both, types)


def profile_plan(df: DataFrame, columns: Sequence[str] | None = None) -> Plan:
    """The plan of the first pass; what the second one asks depends on what that finds."""
    return plan_for(df, _first_look(_columns(schema_of(df), columns)))


def profile_analyzers(schema: Schema, columns: Sequence[str] | None = None) -> tuple[Analyzer, ...]:
    """What a profile of such a table is made of, in one pass: for a `Dataset` to remember.

    ``profile_of(dataset.measured(), types)`` is then the profile of any of its batches together,
    from states alone. Strings are not taken for numbers in it.
    """
    named = _columns(schema, columns)
    closer = (
        analyzer
        for column in named
        for analyzer in (TopK(column.name, TOP), *_shapes(column))
        if column.family in GROUPABLE
    )
    return tuple(dict.fromkeys([*_first_look(named), *closer]))


def _columns(schema: Schema, names: Iterable[str] | None) -> list[Column]:
    """The columns meant; a struct's members instead of the struct."""
    if names is not None:
        return [schema.column(name) for name in names]
    ambiguous = {name for name in schema.names if schema.names.count(name) > 1}
    paths = (path for each in schema.fields if each.name not in ambiguous for path in _paths(each))
    return [schema.column(path) for path in paths]


def _paths(field: Field) -> Iterator[str]:
    if not field.fields:
        yield field.name
    for member in field.fields:
        yield from (f"{field.name}.{path}" for path in _paths(member))


def _first_look(columns: Iterable[Column]) -> list[Analyzer]:
    return [analyzer for column in columns for analyzer in _of_column(column)]


def _of_column(column: Column) -> Iterator[Analyzer]:
    name, family = column.name, column.family
    yield Completeness(name)
    yield DataType(name)
    if family in GROUPABLE:
        yield ApproxCountDistinct(name)
    if family in NUMERIC:
        yield from _of_numbers(name, family)
    if family in TEMPORAL:
        yield from _of_moments(name)
    if family in TEXT:
        yield from (MinLength(name), MaxLength(name), MeanLength(name), EmptyStringCount(name))


def _of_numbers(name: str, family: str) -> Iterator[Analyzer]:
    yield from (Minimum(name), Maximum(name), Mean(name), StandardDeviation(name))
    yield from (ApproxQuantiles(name, QUANTILES), QuantileBuckets(name, BUCKETS))
    yield from (ZerosCount(name), NegativeCount(name))
    if family in FLOATING:
        yield NaNCount(name)


def _of_moments(name: str) -> Iterator[Analyzer]:
    yield from (Minimum(name), Maximum(name))


def _closer(column: Column, known: ColumnProfile) -> Iterator[Analyzer]:
    """What the second pass asks, by what the first one found."""
    if column.family not in GROUPABLE or not known.present:
        return
    if known.distinct <= max(TOP, known.present // 2):  # else hardly a value repeats
        yield TopK(column.name, TOP)
    elif column.family in TEXT:
        yield examples_of(column, known.distinct)
    yield from _shapes(column)
    if column.family in TEXT and known.looks.get("integral"):
        yield PatternMatch(column.name, LEADING_ZERO)


def _shapes(column: Column) -> Iterator[Analyzer]:
    if column.family in TEXT:
        yield ShapeProfile(column.name)


def _holds(known: ColumnProfile, *kinds: str) -> bool:
    """Whether strings hold numbers, or dates, often enough to look at them as such."""
    looks = sum(known.looks.get(kind, 0) for kind in kinds)
    return known.texts is not None and looks > 0 and looks >= _WORTH * known.present


def _matching(column: Column, kinds: Iterable[str], then: str) -> str:
    """A value for the strings that look like these kinds: a cast of others would be dear."""
    pattern = "|".join(f"(?:{TYPE_PATTERNS[kind]})" for kind in kinds)
    return f"if({column.plain} rlike {sql_string(pattern)}, {then}, NULL)"


def _as_double(column: Column) -> str:
    return _matching(column, _NUMBERS, f"cast({column.plain} AS double)")


def _as_timestamp(column: Column) -> str:
    # a day that no month has looks like one, and must not stop the scan
    return _matching(column, _MOMENTS, f"try_cast({column.plain} AS timestamp)")


_NUMBERS = ("integral", "fractional")
_MOMENTS = ("date", "timestamp")
#: what strings may hold: the kinds, how SQL gets at it, and what is asked of it
_HELD: tuple[
    tuple[tuple[str, ...], Callable[[Column], str], Callable[[str], Iterator[Any]]], ...
] = (
    (_NUMBERS, _as_double, lambda name: _of_numbers(name, "fractional")),
    (_MOMENTS, _as_timestamp, lambda name: _of_moments(name)),
)


def _with(df: DataFrame, schema: Schema, held: Mapping[str, str]) -> DataFrame:
    """The frame with columns of what its strings hold."""
    from pyspark.sql import functions as F

    if not held:
        return df
    more = [F.expr(sql).alias(name) for name, sql in held.items()]
    return unambiguous(df, schema).select("*", *more).toDF(*schema.names, *held)
