"""Profile a table in at most two passes, however many columns it has (Deequ, section 4.2).

The first pass measures every column: completeness, distinct values, the kinds that its strings look
like, and statistics of numbers and dates. The second pass looks closer where this is useful:
frequent values, shapes of strings, and the numbers and dates that strings hold.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from assay.analyzers.analyzer import Analyzer
from assay.analyzers.schema import GROUPABLE, TEXT, Column, Field, Schema
from assay.deprecation import renamed_arguments
from assay.engine.frame import names_of, require_frame, schema_of, unambiguous
from assay.engine.measure import measure
from assay.engine.measurement import Measurement
from assay.engine.plan import Plan, plan_for
from assay.learn.profile.column_profile import ColumnProfile
from assay.learn.profile.conversions import conversions_of
from assay.learn.profile.profile import Profile, profile_of
from assay.learn.profile.profile_statistics import (
    ROW,
    TOP,
    first_pass_of,
    frequent_values,
    row_hash,
    sampled_rows,
    sampled_values,
    shape_analyzers,
    value_counts,
)

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["profile", "profile_analyzers", "profile_plan"]

#: A value may repeat often in a column with at most this share of distinct values. HyperLogLog's
#: estimate of the share has an error of 1.6 %.
_MAX_DISTINCT_SHARE = 0.99


@renamed_arguments(reread="allow_multiple_reads")
def profile(
    df: DataFrame,
    columns: str | Sequence[str] | None = None,
    *,
    table: str | None = None,
    allow_multiple_reads: bool | None = None,
) -> Profile:
    """Profile a table in at most two passes.

    Parameters
    ----------
    df
        The table.
    columns
        The columns to profile, such as ``address.zip``. By default all columns; the members of a
        struct are profiled instead of the struct.
    table
        The name of the table.
    allow_multiple_reads
        True if each pass may read columns several times; see `measure`.

    Returns
    -------
    Profile
        The profile of each column, by name.

    Notes
    -----
    Nulls are counted and otherwise ignored. Columns whose name occurs twice are left out. The
    second pass is skipped if the first one gives no reason for it. Repeated rows are counted if all
    columns are profiled.
    """
    require_frame(df)
    schema = schema_of(df)
    columns = None if columns is None else names_of(columns)
    selected = _select_columns(schema, columns)
    types = {column.name: column.type for column in selected}
    first = measure(df, _first_pass(selected), allow_multiple_reads=allow_multiple_reads)
    first_profile = profile_of(first, types)
    # Each analyzer of the second pass, and the analyzer under which its result is kept. They differ
    # for converted columns, which are measured in columns of their own.
    second_pass: dict[Analyzer, Analyzer] = {
        analyzer: analyzer
        for column in selected
        for analyzer in _second_pass_of(column, first_profile[column.name])
    }
    converted: dict[str, str] = {}
    for column in selected:
        for conversion in conversions_of(column, first_profile[column.name]):
            inner = f"__assay_converted_{len(converted)}"
            converted[inner] = conversion.sql(column)
            second_pass |= {
                _rename(analyzer, inner): analyzer for analyzer in conversion.analyzers(column.name)
            }
    if columns is None and first_profile.rows > 1:
        converted[ROW] = row_hash(schema)
        rows = sampled_rows(first_profile.rows)
        second_pass[rows] = rows
    both = first
    if second_pass:
        second = measure(
            _with_columns(df, schema, converted),
            second_pass,
            allow_multiple_reads=allow_multiple_reads,
        )
        both = _combine(first, second, second_pass)
    left_out = _ambiguous(schema) if columns is None else {}
    return replace(profile_of(both, types), left_out=left_out, table=table)


def _rename(analyzer: Analyzer, column: str) -> Analyzer:
    renamed: Analyzer = replace(analyzer, column=column)  # type: ignore[call-arg]
    return renamed


def _combine(
    first: Measurement, second: Measurement, second_pass: Mapping[Analyzer, Analyzer]
) -> Measurement:
    """Return the results of both passes, those of converted columns under their own analyzers."""
    metrics = {
        analyzer: replace(second[measured], analyzer=analyzer)
        for measured, analyzer in second_pass.items()
    }
    states = {
        analyzer: second.states[measured]
        for measured, analyzer in second_pass.items()
        if measured in second.states
    }
    return Measurement({**first.metrics, **metrics}, {**first.states, **states})


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
        for analyzer in (value_counts(column.name), *shape_analyzers(column))
        if column.family in GROUPABLE
    )
    return tuple(dict.fromkeys([*_first_pass(selected), *more]))


def _select_columns(schema: Schema, names: Iterable[str] | None) -> list[Column]:
    """Return the columns to profile, with the members of a struct instead of the struct."""
    if names is not None:
        return [schema.column(name) for name in names]
    ambiguous = _ambiguous(schema)
    paths = (
        path for field in schema.fields if field.name not in ambiguous for path in _paths(field)
    )
    return [schema.column(path) for path in paths]


def _ambiguous(schema: Schema) -> dict[str, int]:
    """Return the names that several columns have, with the number of columns."""
    return {name: count for name, count in Counter(schema.names).items() if count > 1}


def _paths(field: Field) -> Iterator[str]:
    if not field.fields:
        yield field.name
    for member in field.fields:
        yield from (f"{field.name}.{path}" for path in _paths(member))


def _first_pass(columns: Iterable[Column]) -> list[Analyzer]:
    return [analyzer for column in columns for analyzer in first_pass_of(column)]


def _second_pass_of(column: Column, first: ColumnProfile) -> Iterator[Analyzer]:
    """Yield the analyzers of the second pass, which depend on the profile of the first."""
    if column.family not in GROUPABLE or not first.present:
        return
    if first.distinct <= max(TOP, first.present // 2):  # otherwise hardly any value repeats
        yield value_counts(column.name)
    else:
        if first.distinct <= _MAX_DISTINCT_SHARE * first.present:
            yield frequent_values(column.name)
        if column.family in TEXT:
            yield sampled_values(column, first.distinct)
    yield from shape_analyzers(column, integers=bool(first.looks.get("integral")))


def _with_columns(df: DataFrame, schema: Schema, expressions: Mapping[str, str]) -> DataFrame:
    """Return the DataFrame with more columns, given as SQL by name."""
    from pyspark.sql import functions as F

    if not expressions:
        return df
    columns = [F.expr(sql).alias(name) for name, sql in expressions.items()]
    return unambiguous(df, schema).select("*", *columns).toDF(*schema.names, *expressions)
