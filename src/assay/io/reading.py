"""Read tables: local files and directories, remote paths, tables of the catalog."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING

from assay.analyzers.aggregate_expr import sql_string
from assay.analyzers.metric import Problem
from assay.engine.failure import problem_of
from assay.engine.frame import schema_of, unambiguous
from assay.errors import AmbiguousColumnError, SourceError
from assay.io.column_types import (
    MISSING_MARKERS,
    TypeCounts,
    choose_type,
    is_widening,
    type_notes,
)
from assay.io.connectors import missing_connector
from assay.io.detect import detect_format
from assay.io.file_format import FileDescription, NotATable, ReadOptions
from assay.io.formats import format_by_name, format_of_file_name, readable_path
from assay.io.load_request import LoadRequest, escape_glob
from assay.io.locations import FileGroup, LocalTable, is_remote, locate_table, siblings
from assay.io.ragged_rows import (
    broken_note,
    ragged_column_of,
    ragged_note,
    take_broken_records,
    without_ragged,
)
from assay.io.temporary_copies import copied_root
from assay.io.type_counts import (
    BLANKS,
    column_names,
    counts_of_file,
    counts_of_table,
    repeated_names_note,
)

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = [
    "OpenTable",
    "escape_glob",
    "has_types",
    "load_files",
    "open_table",
    "reading_problem",
    "with_column_types",
]

#: lines of a remote file from which its format is detected
_HEAD_LINES = 200
#: bytes of local files whose values are counted without Spark; more take Spark less time
_MAX_COUNTED_BYTES = 4 << 20


@dataclass(frozen=True)
class OpenTable:
    """A table ready to be read, a description of its format, and notes about its values.

    `unfit` are the columns with values that are not of their type (`column_types.unfit_values`).
    """

    df: DataFrame
    description: str
    notes: tuple[str, ...] = ()
    unfit: tuple[tuple[str, int, int], ...] = ()


def open_table(
    spark: SparkSession,
    source: str,
    options: ReadOptions | None = None,
    *,
    as_text: bool = False,
    sample_rows: int | None = None,
) -> OpenTable:
    """Open the table of a path or a name.

    A path of this machine is tried first, then one that only Spark reads, then the catalog.

    Parameters
    ----------
    source
        Path of a file or directory, URI, or name of a table.
    options
        Format, delimiter, header and null marker that the user states.
    as_text
        Leave the columns of files without types as strings.
    sample_rows
        Choose types by the first rows only; enough to plan, not to judge.

    Raises
    ------
    SourceError
        If the table does not exist or cannot be read.
    """
    options = options or ReadOptions()
    local = locate_table(source, options)
    try:
        if local is not None:
            return _open_files(spark, local, options, as_text=as_text, sample_rows=sample_rows)
        if is_remote(source):
            return _open_remote(spark, source, options, as_text=as_text, sample_rows=sample_rows)
        if spark.catalog.tableExists(source):
            return OpenTable(spark.table(source), "table of the catalog")
    except SourceError:
        raise
    except (
        Exception
    ) as error:  # file systems, readers and catalogs can raise anything; it is reported
        problem = reading_problem(error)
        if problem.code == "path_not_found":
            raise SourceError.missing(source) from None
        name = options.format if local is None else local.format
        lacking = missing_connector(source, name, str(error))
        if lacking is not None:
            raise SourceError.not_supported(source, lacking) from None
        unreadable = SourceError.unreadable(source, problem.reason)
        if problem.code == AmbiguousColumnError.code:
            unreadable.code = problem.code
        raise unreadable from None
    raise SourceError.missing(source, siblings(source))


def reading_problem(error: BaseException) -> Problem:
    """Return why a table cannot be read, in the words of Assay if Spark's do not say what to do."""
    problem = problem_of(error)
    name = re.search("`([^`]+)`", problem.reason)
    if problem.code != "column_already_exists" or name is None:
        return problem
    reason = (
        f"several of its columns or keys are called {name[1]!r}, perhaps in upper and lower case."
        " Rename all but one of them."
    )
    return Problem(AmbiguousColumnError.code, reason)


def has_types(description: FileDescription) -> bool:
    """Return whether files of this format carry the types of their columns."""
    file_format = format_by_name(description.format)
    return file_format is None or file_format.has_types


def load_files(request: LoadRequest) -> DataFrame:
    """Read the files of a request; columns without types are strings."""
    file_format = format_by_name(request.description.format)
    if file_format is not None:
        return file_format.load(request)
    reader = request.spark.read.format(request.description.format)
    return request.with_file_column(request.load(reader))


def with_column_types(
    df: DataFrame, types: Mapping[str, str], counts: Mapping[str, TypeCounts]
) -> DataFrame:
    """Cast string columns to the types that were chosen from `counts`."""
    from pyspark.sql import functions as F

    schema = schema_of(df)
    expressions = []
    for name in schema.names:
        sql = schema.column(name).plain
        if types.get(name, "string") != "string" and name in counts:
            sql = _cast(sql, types[name], counts[name])
        expressions.append(F.expr(sql).alias(name))
    return unambiguous(df, schema).select(*expressions)


def _cast(sql: str, type_name: str, counts: TypeCounts) -> str:
    value = sql
    if counts.n_missing or counts.n_blank:
        value = f"btrim({sql}, {sql_string(BLANKS)})"
        markers = ", ".join(map(sql_string, MISSING_MARKERS))
        value = f"if({value} IN ('', {markers}), NULL, {value})"
    chosen = choose_type(counts)
    is_safe = chosen is not None and (chosen == type_name or is_widening(chosen, type_name))
    # try_cast is slow on values that do not fit
    return f"{'cast' if is_safe else 'try_cast'}({value} AS {type_name})"


def _open_files(
    spark: SparkSession,
    table: LocalTable,
    options: ReadOptions,
    *,
    as_text: bool,
    sample_rows: int | None,
) -> OpenTable:
    first = table.groups[0].description
    df = _read_table(spark, table, options, with_ragged=first.format == "json")
    df, n_broken = take_broken_records(df)
    notes = [*table.notes, *first.notes, *repeated_names_note(first)]
    notes += broken_note(sum(n_broken.values()))
    if not as_text and not has_types(first):
        counts = _local_counts(table, options)
        if counts is None:
            counted = _read_table(spark, table, options, with_ragged=sample_rows is None)
            counts = counts_of_table(counted, sample_rows)
        counts, n_ragged = without_ragged(counts)
        df, notes_on_types = _with_types(df, counts)
        notes += ragged_note(n_ragged, first) + notes_on_types
    files = f"{table.n_files:,} files, " if table.n_files > 1 else ""
    return OpenTable(df, files + _describe(first), tuple(notes))


def _read_table(
    spark: SparkSession, table: LocalTable, options: ReadOptions, *, with_ragged: bool = False
) -> DataFrame:
    """Read all files as one table, perhaps with a column of the ragged rows."""
    frames = [
        _read_group(spark, group, table, options, with_ragged=with_ragged) for group in table.groups
    ]
    return reduce(lambda one, other: one.unionByName(other, allowMissingColumns=True), frames)


def _read_group(
    spark: SparkSession,
    group: FileGroup,
    table: LocalTable,
    options: ReadOptions,
    *,
    with_ragged: bool,
) -> DataFrame:
    is_copy = bool(group.description.converted_from)
    folder = copied_root(table.root) if table.root and is_copy else table.root
    root = f"file://{escape_glob(folder)}" if folder else ""
    paths = [readable_path(Path(path), group.description) for path in group.paths]
    uris = [f"file://{escape_glob(str(path))}" for path in paths]
    return load_files(
        LoadRequest(
            spark=spark,
            description=group.description,
            options=options,
            uris=[root] if table.is_whole else uris,
            names=() if has_types(group.description) else column_names(group.description),
            base_path="" if table.is_whole else root,
            malformed_column=ragged_column_of(group.description) if with_ragged else "",
        )
    )


def _local_counts(table: LocalTable, options: ReadOptions) -> dict[str, TypeCounts] | None:
    """Count the values of small files without Spark; None if they are large."""
    if table.length > _MAX_COUNTED_BYTES:
        return None
    counts: dict[str, TypeCounts] = {}
    for group in table.groups:
        for path in group.paths:
            file_counts = counts_of_file(Path(path), group.description, options.null)
            if file_counts is None:
                return None
            for name, column_counts in file_counts.items():
                counts[name] = counts.get(name, TypeCounts()) + column_counts
    return counts


def _open_remote(
    spark: SparkSession,
    source: str,
    options: ReadOptions,
    *,
    as_text: bool,
    sample_rows: int | None,
) -> OpenTable:
    """Open a path that only Spark reads; its name or its first lines decide the format."""
    name = options.format or format_of_file_name(source)[0]
    file_format = None if name is None else format_by_name(name)
    if name is None or (file_format is not None and file_format.is_text):
        lines = spark.read.text(source).select("value").limit(_HEAD_LINES).toArrow()["value"]
        head = "\n".join(str(line) for line in lines.to_pylist()).encode()
        description = detect_format(head, is_whole=False, options=options)
        if isinstance(description, NotATable):
            raise SourceError.not_a_table(source, description.reason)
    else:
        description = FileDescription(name)
    names = () if has_types(description) else column_names(description)
    request = LoadRequest(
        spark=spark, description=description, options=options, uris=[source], names=names
    )
    if description.format == "json":
        request = replace(request, malformed_column=ragged_column_of(description))
    df, n_broken = take_broken_records(load_files(request))
    notes = [*broken_note(sum(n_broken.values())), *repeated_names_note(description)]
    if not as_text and not has_types(description):
        df, notes_on_types = _with_types(df, counts_of_table(df, sample_rows))
        notes += notes_on_types
    return OpenTable(df, _describe(description), tuple(notes))


def _with_types(df: DataFrame, counts: Mapping[str, TypeCounts]) -> tuple[DataFrame, list[str]]:
    types = {name: choose_type(column) or "string" for name, column in counts.items()}
    return with_column_types(df, types, counts), type_notes(counts, types)


def _describe(description: FileDescription) -> str:
    file_format = format_by_name(description.format)
    text = description.format if file_format is None else file_format.describe(description)
    original = format_by_name(description.converted_from)
    if original is None or original is file_format:
        return text
    return f"{original.label}, read as {text}"
