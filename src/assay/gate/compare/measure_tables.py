"""Measure the tables of a comparison, each in one scan; tables of one schema share a query."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from assay.analyzers.schema import quote
from assay.engine.frame import schema_of, unambiguous
from assay.errors import CheckError, SourceError, UnknownColumnError
from assay.errors.base import type_name
from assay.gate.measure_many import measure_frames
from assay.gate.measured_batch import MeasuredBatch
from assay.gate.spec import GateSpec
from assay.io.file_dialect import FileDialect
from assay.store.memory import MemoryStore
from assay.suite.settings import GateSettings

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["measure_tables", "private_columns", "require_frames", "select_columns"]


def measure_tables(
    frames: Mapping[str, DataFrame],
    settings: GateSettings,
    dialects: Mapping[str, FileDialect | None] | None = None,
) -> list[MeasuredBatch]:
    """Measure tables by name, with the analyzers of the fingerprint.

    Parameters
    ----------
    frames
        The tables.
    settings
        The private columns.
    dialects
        How the files of the tables are written.

    Raises
    ------
    SourceError
        If a table cannot be read.
    """
    spec = GateSpec(dataset="comparison", store=MemoryStore(), settings=settings)
    measured = measure_frames(spec, frames)
    for table in measured:
        if table.unreadable is not None:
            # the reason may quote a value
            reason = "its error may quote values of private columns"
            raise SourceError.unreadable(
                table.batch.key, reason if settings.private else table.unreadable
            )
    return [_with_dialect(table, (dialects or {}).get(table.batch.key)) for table in measured]


def private_columns(
    frames: Mapping[str, DataFrame], names: Collection[str], chosen: Sequence[str] = ()
) -> tuple[str, ...]:
    """Return the columns that are compared and belong to private columns.

    Parameters
    ----------
    frames
        The tables, before columns are chosen.
    names
        Private columns in any spelling of the case. A path makes its whole column private.
    chosen
        The columns that are compared; all by default.

    Raises
    ------
    UnknownColumnError
        If no table has a private column.
    """
    schemas = [schema_of(df) for df in frames.values()]
    for name in names:
        if not any(schema.top_level([name]) for schema in schemas):
            raise UnknownColumnError.of(name, schemas[-1].names)
    return tuple(
        dict.fromkeys(
            name
            for schema in schemas
            for name in chosen or schema.names
            if set(schema.top_level([name])) & set(schema.top_level(names))
        )
    )


def _with_dialect(table: MeasuredBatch, dialect: FileDialect | None) -> MeasuredBatch:
    if dialect is None or table.schema is None:
        return table
    return replace(table, schema=replace(table.schema, writing=dialect))


def require_frames(frames: Mapping[str, object]) -> None:
    """Raise CheckError unless all tables are DataFrames."""
    for name, df in frames.items():
        if not hasattr(df, "sparkSession"):
            raise CheckError(f"the {name} table must be a pyspark DataFrame, got {type_name(df)}.")


def select_columns(df: DataFrame, names: Sequence[str]) -> DataFrame:
    """Return some columns of a table, members of structs under their path.

    Raises
    ------
    UnknownColumnError
        If the table has no such column.
    """
    from pyspark.sql import functions as F

    schema = schema_of(df)
    selected = [F.expr(f"{schema.column(name).sql} AS {quote(name)}") for name in names]
    return unambiguous(df, schema).select(*selected)
