"""Find and measure the batches that `assay backfill` and `assay backtest` name."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from assay.analyzers import Size
from assay.checks.formatting import counted_batches, visible
from assay.cli.gate_options import BatchesArguments
from assay.cli.options import OutputOptions
from assay.cli.output import note
from assay.cli.progress import count_rows, progress
from assay.cli.reading_options import FileOptions
from assay.errors import SourceError
from assay.gate.gate import Gate
from assay.gate.measure_files import measure_files
from assay.gate.measure_many import measure_table
from assay.gate.measured_batch import MeasuredBatch
from assay.io.batch_layout import filter_rows
from assay.io.batch_names import choose_key_columns
from assay.io.file_format import ReadOptions
from assay.io.find_batches import FoundBatches, find_batches
from assay.io.formats import all_formats, format_by_name
from assay.io.locations import is_catalog_name
from assay.io.reading import open_table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = [
    "find_batches_of",
    "is_batch_format",
    "key_columns_of_table",
    "measure_batches",
    "note_left_out",
]

#: files that are left out and named in notes; the others are counted
_MAX_NAMED = 5


def find_batches_of(arguments: BatchesArguments, files: FileOptions) -> FoundBatches | None:
    """Find the batches in files, before Spark starts; None if they are in a table."""
    _require_batch_format(files.reading)
    by = tuple(arguments.by or ())
    return find_batches(arguments.sources, files.reading, by=by, where=arguments.where)


def measure_batches(
    spark: SparkSession,
    gate: Gate,
    arguments: BatchesArguments,
    files: FileOptions,
    output: OutputOptions,
    *,
    located: FoundBatches | None,
    will_be_stored: bool = False,
) -> list[MeasuredBatch]:
    """Measure the batches in files, or those of a table by the values of columns."""
    if located is None:
        return _measure_table(
            spark, gate, arguments, files.reading, output, will_be_stored=will_be_stored
        )
    note_left_out(located.left_out, output)
    with progress(output, f"Reading {counted_batches(len(located.batches))}") as report:
        measured = measure_files(
            gate.spec,
            spark,
            located.batches,
            files.reading,
            layout=located.layout,
            descriptions=located.descriptions,
            will_be_stored=will_be_stored,
        )
        report(_count_rows(measured))
    _note_unfit(measured, output)
    return measured


def _note_unfit(measured: list[MeasuredBatch], output: OutputOptions) -> None:
    """Count the rows and values that do not fit their columns, for the first batches with any."""
    batches = [batch for batch in measured if batch.notes]
    for batch in batches[:_MAX_NAMED]:
        for sentence in batch.notes[:_MAX_NAMED]:
            note(output, f"{visible(batch.batch.key)}: {visible(sentence)}.")
    n_more = len(batches) - _MAX_NAMED
    if n_more > 0:
        are = "batch has" if n_more == 1 else "batches have"
        note(output, f"{n_more:,} more {are} rows or values that do not fit.")


def note_left_out(left_out: Mapping[Path, str], output: OutputOptions) -> None:
    """List the files that belong to no batch."""
    for path, reason in list(left_out.items())[:_MAX_NAMED]:
        shown = path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
        note(output, f"{visible(str(shown))} is left out: {reason}.")
    n_more = len(left_out) - _MAX_NAMED
    if n_more > 0:
        note(output, f"{n_more:,} more {'file is' if n_more == 1 else 'files are'} left out.")


def is_batch_format(name: str | None) -> bool:
    """Return whether files of a format can be batches: it is detected, or has extensions."""
    if name is None:
        return True
    file_format = format_by_name(name)
    return file_format is not None and bool(file_format.extensions)


def key_columns_of_table(spark: SparkSession, source: str, df: DataFrame) -> tuple[str, ...]:
    """Return the partition columns of a table of the catalog that name its batches."""
    if not is_catalog_name(source) or not spark.catalog.tableExists(source):
        raise SourceError.no_batch_column(source, df.columns)
    columns = [column.name for column in spark.catalog.listColumns(source) if column.isPartition]
    if not columns:
        raise SourceError.no_batch_column(source, df.columns)
    types = dict(df.dtypes)
    of_time = [name for name in columns if types.get(name) in ("date", "timestamp")]
    return tuple(of_time[:1]) or choose_key_columns([dict.fromkeys(columns, "")])


def _measure_table(
    spark: SparkSession,
    gate: Gate,
    arguments: BatchesArguments,
    reading: ReadOptions,
    output: OutputOptions,
    *,
    will_be_stored: bool,
) -> list[MeasuredBatch]:
    if len(arguments.sources) > 1:
        raise typer.BadParameter("give one table; only files can be several.")
    (source,) = arguments.sources
    with progress(output, "Reading the table") as report:
        opened = open_table(spark, source, reading)
        for sentence in opened.notes:
            note(output, f"{source}: {sentence}")
        df = opened.df if arguments.where is None else filter_rows(opened.df, arguments.where)
        by = tuple(arguments.by or ()) or key_columns_of_table(spark, source, df)
        tables = gate.store.tables if will_be_stored else None
        measured = measure_table(gate.spec, df, by, tables=tables)
        report(f"{counted_batches(len(measured))}, {_count_rows(measured)}")
    return measured


def _count_rows(measured: list[MeasuredBatch]) -> str:
    sizes = (batch.measurement[Size()].value for batch in measured if batch.measurement)
    return count_rows(sum(size for size in sizes if isinstance(size, int)))


def _require_batch_format(reading: ReadOptions) -> None:
    if not is_batch_format(reading.format):
        formats = ", ".join(
            file_format.name for file_format in all_formats() if file_format.extensions
        )
        raise SourceError(f"--format: expected one of {formats}, got {reading.format}.")
