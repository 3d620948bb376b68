"""Measure the batches in a folder of files, in as few queries as possible."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from assay.gate.measured_batch import MeasuredBatch, delivered_together
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

    from assay.gate.gate import Gate

__all__ = ["deliveries_in"]


def deliveries_in(
    gate: Gate,
    spark: SparkSession,
    files: Sequence[BatchFile],
    options: ReadOptions | None = None,
    *,
    keep: bool = False,
) -> list[MeasuredBatch]:
    """Measure each file as a batch, with one query for all files of the same schema.

    Parameters
    ----------
    keep
        Write frequency tables to the gate's store, since the batches will be remembered there.
    """
    tables = gate.store.tables if keep else None
    options = options or ReadOptions()
    descriptions = {file.path: detect_file(file.path, options) for file in files}
    found: dict[str, MeasuredBatch] = {}
    for file in files:
        problem = descriptions[file.path]
        if isinstance(problem, NotATable):
            found[file.key] = MeasuredBatch(
                _batch(gate, file), None, None, f"{problem}.", problem.code
            )
    for group in group_batch_files(spark, files, descriptions, options):
        batches = {str(file.path.absolute()): _batch(gate, file) for file in group.files}
        read = partial(group.read, spark)
        for each in delivered_together(gate, batches, read, FILE_COLUMN, path_of_uri, tables):
            found[each.batch.key] = each
    columns: TableSchema | None = None
    dialect: FileDialect | None = None
    for file in files:
        delivery = found[file.key]
        if delivery.code == "no_records" and columns is not None:
            # a document without records is a table of the columns that the last batch had
            (delivery,) = _without_rows(gate, spark, delivery.batch, columns)
        own = _dialect(descriptions[file.path], dialect)
        dialect = own or dialect
        if delivery.schema is not None:
            columns = replace(delivery.schema, writing=own)
            delivery = replace(delivery, schema=columns)
        found[file.key] = delivery
    return [found[file.key] for file in files]


def _dialect(
    description: FileDescription | NotATable, previous: FileDialect | None
) -> FileDialect | None:
    if isinstance(description, NotATable):
        return None
    dialect = FileDialect.of(description)
    return None if dialect is None else dialect.after(previous)


def _without_rows(
    gate: Gate, spark: SparkSession, batch: Batch, columns: TableSchema
) -> Iterator[MeasuredBatch]:
    df = empty_table(spark, dict(columns.types)).selectExpr("*", f"'' AS {FILE_COLUMN}")
    return delivered_together(gate, {"": batch}, lambda _: df, FILE_COLUMN)


def _batch(gate: Gate, file: BatchFile) -> Batch:
    return Batch(gate.dataset, file.key, file.time)
