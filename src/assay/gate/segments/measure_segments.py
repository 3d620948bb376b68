"""Measure the segments of one batch, or of many, in one grouped query.

The query counts the rows of each segment, and measures the completeness of each column. It also
measures the mean, the standard deviation and the share of zeros of each column of numbers, unless
the column is private. It is one aggregation for any number of segments.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Any

from assay.analyzers import Completeness, Mean, Size, StandardDeviation, ZerosCount
from assay.analyzers.analyzer import Analyzer
from assay.analyzers.metric import Problem
from assay.analyzers.schema import NUMERIC, TEXT, Schema
from assay.checks.formatting import visible
from assay.engine.failure import capture_failure
from assay.engine.frame import schema_of
from assay.engine.measure import measure_planned
from assay.engine.measurement import Measurement
from assay.engine.plan import plan_for
from assay.errors import CheckError, UnknownColumnError
from assay.gate.measured_batch import MeasuredBatch
from assay.gate.segments.batch_segments import BatchSegments, SegmentMetric, SegmentName
from assay.learn.fingerprint import metrics as catalogue
from assay.learn.fingerprint.column_stats import Fingerprint
from assay.suite.settings import GateSettings

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = [
    "MAX_SEGMENTS",
    "MAX_VALUES",
    "SegmentError",
    "add_segments",
    "add_segments_to_batches",
    "measure_segments",
    "require_segments",
    "require_split",
]

#: the largest segments that are kept; others are summed
MAX_SEGMENTS = 200
#: The most values of the column that splits the batch: all of them are collected. The number of
#: values is estimated with an error of 2 %.
MAX_VALUES = 1000
#: the first columns of a wide table are measured in each segment
MAX_COLUMNS = 50
_FAMILIES = TEXT | {"integral", "boolean", "date"}


class SegmentError(CheckError):
    """A column cannot split the batches into segments."""

    code = "bad_segments"

    @classmethod
    def of(cls, code: str, sentence: str) -> SegmentError:
        """Return the error with its stable code."""
        error = cls(sentence)
        error.code = code
        return error

    @classmethod
    def too_many(cls, by: str, n_values: float) -> SegmentError:
        """Report a column with too many values."""
        return cls.of(
            "too_many_segments",
            f"cannot split by {visible(by)!r}: expected at most {MAX_VALUES:,} values, got about"
            f" {n_values:,.0f}. Choose a column with fewer values, such as a group of them.",
        )


def require_split(by: str, schema: Schema, private: Collection[str] = ()) -> str:
    """Return the name of the column that splits a table, as the table writes it.

    Raises
    ------
    UnknownColumnError
        If the table has no such column.
    SegmentError
        If it is private, nested, or of another type than text, whole numbers, booleans or dates.
    """
    column = schema.column(by)
    name = column.name
    if name in schema.top_level(private):
        raise SegmentError.of(
            "private_segments",
            f"cannot split by {visible(by)!r}: expected a column whose values may be shown, got a"
            " private one. Choose another column, or split by a column of groups.",
        )
    if name not in schema.names or column.family not in _FAMILIES:
        raise SegmentError.of(
            "segment_type",
            f"cannot split by {visible(by)!r}: expected a top-level column of text, whole numbers,"
            f" booleans or dates, got {column.type}. Choose another column.",
        )
    return name


def require_few_values(by: str, batch: Fingerprint) -> None:
    """Refuse a column with too many values, before they are grouped."""
    stats = batch.columns.get(by)
    if stats is None:
        raise SegmentError.of(
            "segments_left_out",
            f"cannot split by {visible(by)!r}: expected a column that the judges see, got one that"
            " is left out. Add it to `columns`, or remove it from `exclude`.",
        )
    if stats.n_distinct > MAX_VALUES:
        raise SegmentError.too_many(by, stats.n_distinct)


def measure_segments(
    df: DataFrame,
    by: str,
    schema: Schema,
    batch: Fingerprint,
    *,
    private: Collection[str] = (),
) -> BatchSegments | Problem:
    """Measure the segments of a batch in one query.

    Parameters
    ----------
    by
        The column that splits the batch.
    schema
        The columns of the batch.
    batch
        Its fingerprint, which has the number of values of the column.

    Returns
    -------
    BatchSegments or Problem
        A problem if the query fails.
    """
    name = require_split(by, schema, private)
    require_few_values(name, batch)
    if not batch.rows:
        return BatchSegments.of(name, {})
    measured = _measure(df, (), name, schema, private)
    return (
        measured if isinstance(measured, Problem) else measured.get((), BatchSegments.of(name, {}))
    )


def add_segments(
    measured: MeasuredBatch, df: DataFrame, settings: GateSettings, *, is_first: bool
) -> MeasuredBatch:
    """Measure the segments of a batch, if the gate splits its batches.

    Parameters
    ----------
    is_first
        True if no earlier batch was split. A column that cannot split the batch is then an error.
        Later, it is a problem of the batch. A column that is gone is reported with the schema.
    """
    if settings.by is None or measured.schema is None:
        return measured
    try:
        result = measure_segments(
            df, settings.by, schema_of(df), measured.fingerprint, private=settings.private
        )
    except (UnknownColumnError, SegmentError) as error:
        if is_first:
            raise
        if isinstance(error, UnknownColumnError):
            return measured
        result = Problem(error.code, str(error))
    if isinstance(result, Problem):
        return replace(measured, segments_problem=result.reason)
    return replace(measured, segments=result)


def add_segments_to_batches(
    measured: Mapping[tuple[Any, ...], MeasuredBatch],
    df: DataFrame,
    batch_columns: Sequence[str],
    settings: GateSettings,
) -> dict[tuple[Any, ...], MeasuredBatch]:
    """Measure the segments of many batches, by the values of their columns, in one query."""
    schema = schema_of(df)
    fields = tuple(field for field in schema.fields if field.name not in batch_columns)
    schema = replace(schema, fields=fields)
    if settings.by is None or not measured or not schema.has(settings.by):
        return dict(measured)
    result = measure_segments_of_batches(
        df,
        batch_columns,
        settings.by,
        schema,
        [batch.fingerprint for batch in measured.values()],
        private=settings.private,
    )
    if isinstance(result, Problem):
        return {
            values: replace(batch, segments_problem=result.reason)
            for values, batch in measured.items()
        }
    empty = BatchSegments.of(schema.column(settings.by).name, {})
    return {
        values: replace(batch, segments=result.get(values, empty))
        for values, batch in measured.items()
    }


def require_segments(batches: Sequence[MeasuredBatch], settings: GateSettings) -> None:
    """Raise an error if no batch has the column that splits the batches.

    Raises
    ------
    UnknownColumnError
        If the name is in no batch.
    """
    schemas = [batch.schema for batch in batches if batch.schema is not None]
    if settings.by is None or not schemas:
        return
    if all(batch.segments is None and batch.segments_problem is None for batch in batches):
        raise UnknownColumnError.of(settings.by, schemas[-1].names)


def measure_segments_of_batches(
    df: DataFrame,
    batch_columns: Sequence[str],
    by: str,
    schema: Schema,
    batches: Iterable[Fingerprint],
    *,
    private: Collection[str] = (),
) -> Mapping[tuple[Any, ...], BatchSegments] | Problem:
    """Measure the segments of many batches in one query, by the values of their columns."""
    name = require_split(by, schema, private)
    for batch in batches:
        require_few_values(name, batch)
    return _measure(df, batch_columns, name, schema, private)


def _measure(
    df: DataFrame,
    batch_columns: Sequence[str],
    by: str,
    schema: Schema,
    private: Collection[str],
) -> dict[tuple[Any, ...], BatchSegments] | Problem:
    private = schema.top_level(private)
    columns = [c for c in schema.names if c != by and schema.names.count(c) == 1][:MAX_COLUMNS]
    numbers = [c for c in columns if schema.column(c).family in NUMERIC and c not in private]
    analyzers = _analyzers(columns, numbers)

    def run() -> dict[tuple[Any, ...], Measurement]:
        # a single aggregation: it reads the rows once
        plan = plan_for(df, analyzers, [*batch_columns, by], allow_multiple_reads=False)
        return measure_planned(df, plan, private_columns=private)

    measured = capture_failure(run)()
    if isinstance(measured, Problem):
        return measured
    failed = measured.pop((), None)
    if failed is not None:
        problem = failed[Size()].problem
        return problem or Problem("not_computed", "the segments could not be measured")
    by_batch: dict[tuple[Any, ...], dict[SegmentName, tuple[int, dict[SegmentMetric, float]]]] = {}
    for (*batch, value), measurement in measured.items():
        segment = _summary(measurement, columns, numbers)
        by_batch.setdefault(tuple(batch), {})[_name(value)] = segment
    return {
        batch: BatchSegments.of(by, segments, most=MAX_SEGMENTS)
        for batch, segments in by_batch.items()
    }


def _analyzers(columns: Iterable[str], numbers: Iterable[str]) -> tuple[Analyzer, ...]:
    of_numbers = (
        analyzer
        for name in numbers
        for analyzer in (Mean(name), StandardDeviation(name), ZerosCount(name))
    )
    return (Size(), *(Completeness(name) for name in columns), *of_numbers)


def _summary(
    measurement: Measurement, columns: Iterable[str], numbers: Iterable[str]
) -> tuple[int, dict[SegmentMetric, float]]:
    """Return the number of rows, and the metrics of the columns."""
    rows = int(measurement.number(Size()))
    values = {
        (name, catalogue.COMPLETENESS): measurement.number(Completeness(name)) for name in columns
    }
    for name in numbers:
        n_values = rows * values[name, catalogue.COMPLETENESS]
        zeros = measurement.number(ZerosCount(name))
        values[name, catalogue.MEAN] = measurement.number(Mean(name))
        deviation = measurement.number(StandardDeviation(name))
        values[name, catalogue.STANDARD_DEVIATION] = deviation
        values[name, catalogue.ZERO_RATIO] = zeros / n_values if n_values else float("nan")
    return rows, values


def _name(value: object) -> SegmentName:
    """Return the value of a segment as Spark casts it to a string."""
    if value is None:
        return None
    if isinstance(value, bool):
        return str(value).lower()
    return value.isoformat() if isinstance(value, date) else str(value)
