"""Measure the batches in a folder of files, in as few queries as possible."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from assay.gate.measure_many import Rows, measure_together
from assay.gate.measured_batch import MeasuredBatch
from assay.gate.spec import GateSpec
from assay.gate.table_schema import TableSchema
from assay.io.batch_files import (
    FILE_COLUMN,
    BatchFile,
    empty_table,
    group_batch_files,
    path_of_uri,
)
from assay.io.detect import detect_file
from assay.io.dialect import FileDialect
from assay.io.file_format import FileDescription, NotATable, ReadOptions
from assay.store.batch import Batch

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["measure_files"]


def measure_files(
    spec: GateSpec,
    spark: SparkSession,
    files: Sequence[BatchFile],
    options: ReadOptions | None = None,
    *,
    will_be_stored: bool = False,
) -> list[MeasuredBatch]:
    """Measure each file as a batch, with one query for all files of the same schema.

    Parameters
    ----------
    will_be_stored
        Write frequency tables to the gate's store, where the batches will be recorded.
    """
    tables = spec.store.tables if will_be_stored else None
    options = options or ReadOptions()
    descriptions = {file.path: detect_file(file.path, options) for file in files}
    measured: dict[str, MeasuredBatch] = {}
    for file in files:
        problem = descriptions[file.path]
        if isinstance(problem, NotATable):
            measured[file.key] = MeasuredBatch(
                _batch(spec, file), None, None, f"{problem}.", problem.code
            )
    for group in group_batch_files(spark, files, descriptions, options):
        batches = {str(file.path.absolute()): _batch(spec, file) for file in group.files}
        rows = Rows(read=partial(group.read, spark), by=FILE_COLUMN, name_of=path_of_uri)
        for result in measure_together(spec, batches, rows, tables=tables):
            measured[result.batch.key] = result
    schema: TableSchema | None = None
    dialect: FileDialect | None = None
    for file in files:
        result = measured[file.key]
        if result.code == "no_records" and schema is not None:
            # a document without records is an empty table with the columns of the last batch
            result = _measure_empty(spec, spark, result.batch, schema)
        own_dialect = _dialect(descriptions[file.path], dialect)
        dialect = own_dialect or dialect
        if result.schema is not None:
            schema = replace(result.schema, writing=own_dialect)
            result = replace(result, schema=schema)
        measured[file.key] = result
    return [measured[file.key] for file in files]


def _dialect(
    description: FileDescription | NotATable, previous: FileDialect | None
) -> FileDialect | None:
    if isinstance(description, NotATable):
        return None
    dialect = FileDialect.of(description)
    return None if dialect is None else dialect.after(previous)


def _measure_empty(
    spec: GateSpec, spark: SparkSession, batch: Batch, schema: TableSchema
) -> MeasuredBatch:
    df = empty_table(spark, dict(schema.types)).selectExpr("*", f"'' AS {FILE_COLUMN}")
    rows = Rows(read=lambda _: df, by=FILE_COLUMN)
    (measured,) = measure_together(spec, {"": batch}, rows)
    return measured


def _batch(spec: GateSpec, file: BatchFile) -> Batch:
    return Batch(spec.dataset, file.key, file.time)
