"""`assay compare`: what changed between a table and older ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from assay.cli.compare_options import CompareArguments, CompareOptions
from assay.cli.exits import Exit
from assay.cli.options import OutputOptions, PageOptions, SparkOptions
from assay.cli.output import note, print_json, stdout
from assay.cli.page import write_page
from assay.cli.progress import count_rows, progress
from assay.cli.reading_options import FileOptions
from assay.cli.spark import spark_session
from assay.engine.frame import schema_of
from assay.errors import SourceError
from assay.io.batch_files import dialect_of_file, read_batch_file
from assay.io.file_dialect import FileDialect
from assay.io.file_format import NotATable, ReadOptions
from assay.io.formats import format_by_name
from assay.io.locations import LocalTable, locate_table
from assay.io.reading import OpenTable, open_table
from assay.report.comparison.compare import compare_named
from assay.report.comparison.terminal import print_comparison
from assay.text import count_noun

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["run"]

#: the last older table and the new one; notes about many tables would hide the result
_TABLES_WITH_NOTES = 2


def run(
    arguments: CompareArguments,
    files: FileOptions,
    output: OutputOptions,
    page: PageOptions,
    spark_options: SparkOptions,
    options: CompareOptions,
) -> None:
    """Print what changed; the exit code is 4 if a gate would hold the new table."""
    sources = [*arguments.old, arguments.new]
    located = {source: locate_table(source, files.reading) for source in sources}
    largest = max(filter(None, located.values()), key=lambda table: table.length, default=None)
    _note_folders(located, arguments, output)
    with spark_session(spark_options, output, largest) as spark:
        with progress(output, "Choosing column types …"):
            opened = _open(spark, sources, files.reading, output)
        with progress(output, "Comparing …") as report:
            comparison = compare_named(
                opened.frames,
                key=options.key or (),
                columns=options.columns or (),
                private=options.private or (),
                dialects=opened.dialects,
            )
            report(count_rows(sum(t.stats.rows for t in (*comparison.old, comparison.new))))
    if output.json:
        print_json(comparison.to_dict())
    else:
        print_comparison(comparison, stdout(output))
    write_page(comparison, page, output)
    raise typer.Exit(Exit.HELD if comparison.would_hold else Exit.CLEAN)


def _note_folders(
    located: Mapping[str, LocalTable | None], arguments: CompareArguments, output: OutputOptions
) -> None:
    """Say that the files of an older folder are one table, if the new table is one file."""
    new = located[arguments.new]
    if new is None or new.n_files > 1:
        return
    for source in arguments.old:
        table = located[source]
        if table is not None and table.n_files > 1:
            files = count_noun(table.n_files, "file")
            glob = f"{source.rstrip('/')}/*"
            note(output, f"{source}: its {files} are one table; {glob} compares with each of them")


@dataclass(slots=True)
class _OpenTables:
    """The tables by name, and how their files are written."""

    frames: dict[str, DataFrame] = field(default_factory=dict)
    dialects: dict[str, FileDialect | None] = field(default_factory=dict)


def _open(
    spark: SparkSession, sources: Sequence[str], reading: ReadOptions, output: OutputOptions
) -> _OpenTables:
    """Open all tables. A file has the column types of the table before it, where they fit."""
    opened = _OpenTables()
    types: dict[str, str] = {}
    dialect: FileDialect | None = None
    for place, source in enumerate(sources):
        name = source
        while name in opened.frames:
            name = f"{name} (again)"
        if _is_file(source, reading):
            table = _open_file(spark, source, types, reading)
            own_dialect = dialect_of_file(Path(source), reading)
            dialect = None if own_dialect is None else own_dialect.after(dialect)
        else:
            table, dialect = open_table(spark, source, reading), None
        is_shown = place >= len(sources) - _TABLES_WITH_NOTES
        for sentence in table.notes if is_shown else ():
            note(output, f"{source}: {sentence}")
        opened.frames[name], opened.dialects[name] = table.df, dialect
        types = {column.name: column.type for column in schema_of(table.df).columns}
    return opened


def _open_file(
    spark: SparkSession, source: str, types: dict[str, str], reading: ReadOptions
) -> OpenTable:
    opened = read_batch_file(spark, Path(source), types, reading)
    if isinstance(opened, NotATable):
        raise SourceError.not_a_table(source, opened.reason)
    return opened


def _is_file(source: str, reading: ReadOptions) -> bool:
    """Return whether a source is one file of a format whose column types are chosen."""
    file_format = None if reading.format is None else format_by_name(reading.format)
    is_known = reading.format is None or (file_format is not None and file_format.extensions)
    return bool(is_known) and Path(source).is_file()
