"""Measure the batches in a folder of files, in as few queries as possible."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from assay.analyzers import Size
from assay.gate.measure_many import Rows, measure_together
from assay.gate.measured_batch import MeasuredBatch
from assay.gate.spec import GateSpec
from assay.gate.table_schema import TableSchema
from assay.io.batch_files import (
    FILE_COLUMN,
    BatchFile,
    BatchGroup,
    empty_table,
    group_batch_files,
    path_of_uri,
    problem_of_files,
)
from assay.io.batch_layout import BatchLayout
from assay.io.detect import detect_file
from assay.io.file_dialect import FileDialect
from assay.io.file_format import FileDescription, NotATable, ReadOptions
from assay.io.ragged_rows import broken_note, take_broken_records
from assay.io.reading import has_types
from assay.store.batch import Batch

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["measure_files"]


def measure_files(
    spec: GateSpec,
    spark: SparkSession,
    files: Sequence[BatchFile],
    options: ReadOptions | None = None,
    *,
    layout: BatchLayout | None = None,
    descriptions: Mapping[Path, FileDescription | NotATable] | None = None,
    will_be_stored: bool = False,
) -> list[MeasuredBatch]:
    """Measure each file as a batch, with one query for all files of the same schema.

    Parameters
    ----------
    layout
        How the path of a file names its batch. By default, each file is a batch.
    descriptions
        The formats of the files, if they are known.
    will_be_stored
        Write frequency tables to the gate's store, where the batches will be recorded.

    Notes
    -----
    Under a condition on the rows, a batch that keeps no row is left out.
    """
    tables = spec.store.tables if will_be_stored else None
    options, layout = options or ReadOptions(), layout or BatchLayout()
    if descriptions is None:
        descriptions = {path: detect_file(path, options) for file in files for path in file.files}
    measured: dict[str, MeasuredBatch] = {}
    for file in files:
        problem = problem_of_files(file, descriptions)
        if problem is not None:
            measured[file.key] = MeasuredBatch(
                _batch(spec, file), None, None, f"{problem}.", problem.code
            )
    groups = group_batch_files(spark, files, descriptions, options)
    if layout.where is not None and groups:
        _read(groups[0], layout, spark, groups[0].batches[:1], {})  # an invalid condition is raised
    n_broken: dict[str, int] = {}
    unfit = {key: columns for group in groups for key, columns in group.unfit.items()}
    for group in groups:
        by_name = {layout.name_of(file): file for file in group.batches}
        rows = Rows(
            read=lambda names, group=group, by_name=by_name: _read(  # type: ignore[misc]
                group, layout, spark, [by_name[name] for name in names], n_broken
            ),
            by=FILE_COLUMN,
            name_of=layout.read_name,
        )
        batches = {name: _batch(spec, file) for name, file in by_name.items()}
        for result in measure_together(spec, batches, rows, tables=tables):
            notes = group.notes.get(result.batch.key, ())
            measured[result.batch.key] = replace(result, notes=notes)
    for file in files:
        counts = (n_broken.get(str(path.absolute()), 0) for path in file.files)
        notes_on_records = broken_note(sum(counts))
        if notes_on_records and file.key in measured:
            result = measured[file.key]
            measured[file.key] = replace(result, notes=(*notes_on_records, *result.notes))
    if layout.where is not None:
        measured = {key: result for key, result in measured.items() if _has_rows(result)}
    present = [file for file in files if file.key in measured]
    return _in_order(spec, spark, present, measured, descriptions, unfit)


def _read(
    group: BatchGroup,
    layout: BatchLayout,
    spark: SparkSession,
    batches: Sequence[BatchFile],
    n_broken: dict[str, int],
) -> DataFrame:
    """Read batches, and add the broken records of their files to `n_broken`."""
    df, counts = take_broken_records(group.read(spark, batches, with_broken=True), FILE_COLUMN)
    n_broken.update({path_of_uri(uri): count for uri, count in counts.items()})
    return layout.prepare(df)


def _has_rows(batch: MeasuredBatch) -> bool:
    return batch.measurement is None or batch.measurement[Size()].value != 0


def _in_order(
    spec: GateSpec,
    spark: SparkSession,
    files: Iterable[BatchFile],
    measured: dict[str, MeasuredBatch],
    descriptions: Mapping[Path, FileDescription | NotATable],
    unfit: Mapping[str, tuple[tuple[str, int, int], ...]],
) -> list[MeasuredBatch]:
    """Return the batches in their order, each with the dialect of its file."""
    batches: list[MeasuredBatch] = []
    schema: TableSchema | None = None
    dialect: FileDialect | None = None
    for file in files:
        result = measured[file.key]
        if result.code == "no_records" and schema is not None:
            # a document without records is an empty table with the columns of the last batch
            result = _measure_empty(spec, spark, result.batch, schema)
        own_dialect = None if file.parts else _dialect(descriptions[file.path], dialect)
        if own_dialect is not None:
            dialect = own_dialect = replace(own_dialect, unfit=unfit.get(file.key, ()))
        if result.schema is not None:
            own_schema = replace(result.schema, writing=own_dialect)
            if not _has_types(descriptions[file.files[0]]):
                own_schema = own_schema.mark_empty(result.fingerprint, schema)
            schema = own_schema
            result = replace(result, schema=schema)
        batches.append(result)
    return batches


def _has_types(description: FileDescription | NotATable) -> bool:
    return isinstance(description, NotATable) or has_types(description)


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
