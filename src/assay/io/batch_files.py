"""Batches in files: the files of a folder with their keys and times, and how they are read.

Files of the same layout, fields and column types are read together.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from assay.analyzers.schema import quote
from assay.errors import SourceError
from assay.io.column_types import TypeCounts, choose_type, is_widening, keep_type, type_notes
from assay.io.compression import COMPRESSIONS
from assay.io.detect import detect_file
from assay.io.dialect import FileDialect
from assay.io.file_format import FileDescription, NotATable, ReadOptions
from assay.io.formats import all_formats, format_by_name
from assay.io.reading import OpenTable, escape_glob, file_reader, has_types, with_column_types
from assay.io.type_counts import column_names, counts_by_file, counts_of_file

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = [
    "FILE_COLUMN",
    "BatchFile",
    "BatchGroup",
    "batch_files",
    "dialect_of_file",
    "empty_table",
    "group_batch_files",
    "path_of_uri",
    "read_batch_file",
    "time_in_name",
]

#: column of a batch group's table with the URI of the file of each row
FILE_COLUMN = "__assay_file"
#: extensions of files that are not tables, but may be delivered in the place of one
_OTHER_EXTENSIONS = ("avro", "html", "xz", "zip")
#: files that choose the types of a folder's columns; in a single one, all prices may be whole
_LOOKAHEAD_FILES = 5
#: a day, and a time after it that is not the year of another day
_TIME = re.compile(
    r"(\d{4})-?(\d{2})-?(\d{2})(?:[T_ -]?(\d{2})[:.-]?(\d{2})(?!-?\d{2}-?\d{2}(?!\d)))?"
)
_NUMBER = re.compile(r"\d+")

Counts = Mapping[str, TypeCounts]


@dataclass(frozen=True)
class BatchFile:
    """The file of a batch; key and time are those in its name."""

    key: str
    time: datetime
    path: Path


@dataclass(frozen=True)
class BatchGroup:
    """Batch files that are read together: same layout, same fields, same column types."""

    description: FileDescription
    options: ReadOptions
    files: tuple[BatchFile, ...]
    types: Mapping[str, str]
    counts: Counts

    def read(self, spark: SparkSession, paths: Sequence[str]) -> DataFrame:
        """Read some files as one table with `FILE_COLUMN`."""
        return _read(spark, self.description, paths, self.options, self.types, self.counts)


def batch_files(folder: Path) -> list[BatchFile]:
    """List the batches of a folder, one per file, oldest first. Hidden files are ignored.

    Raises
    ------
    SourceError
        If the folder does not exist, or two files have the same key.
    """
    if not folder.is_dir():
        raise SourceError.missing(str(folder))
    paths = sorted(path for path in folder.iterdir() if path.is_file() and path.name[0] not in "._")
    files: dict[str, BatchFile] = {}
    for path in paths:
        key = _key(path.name)
        if key in files:
            raise SourceError.same_batch(key, files[key].path.name, path.name)
        time = time_in_name(path.name) or datetime.fromtimestamp(path.stat().st_mtime, UTC)
        files[key] = BatchFile(key, time, path)
    return sorted(files.values(), key=lambda file: (file.time, file.key))


def time_in_name(name: str) -> datetime | None:
    """Return the first time that a name contains, or None.

    Examples
    --------
    >>> time_in_name("orders-2026-11-14T0630.csv").isoformat(), time_in_name("orders-2026-99-99")
    ('2026-11-14T06:30:00+00:00', None)
    """
    at_numbers = (_TIME.match(name, number.start()) for number in _NUMBER.finditer(name))
    # a time may also follow other digits
    for match in filter(None, (*at_numbers, _TIME.search(name))):
        year, month, day, hour, minute = (int(group or 0) for group in match.groups())
        try:
            return datetime(year, month, day, hour, minute, tzinfo=UTC)
        except ValueError:
            continue
    return None


def group_batch_files(
    spark: SparkSession,
    files: Sequence[BatchFile],
    descriptions: Mapping[Path, FileDescription | NotATable],
    options: ReadOptions,
) -> list[BatchGroup]:
    """Group the files that are tables, in the order in which such files first occur.

    The first files with a column choose its type. Later files keep it by the rules of
    `assay.io.column_types.keep_type`.
    """
    layouts = _same_layouts(files, descriptions)
    counts: dict[str, Counts] = {}
    for description, group in layouts:
        counts |= _counts(spark, description, group, options)
    types = _choose_types([counts[file.key] for file in files if file.key in counts])
    typed = iter(types)
    types_of = {file.key: next(typed) for file in files if file.key in counts}
    groups: list[BatchGroup] = []
    for description, group in layouts:
        by_types: dict[tuple[tuple[str, str], ...], list[BatchFile]] = {}
        for file in group:
            by_types.setdefault(tuple(types_of[file.key].items()), []).append(file)
        for column_types, same_types in by_types.items():
            merged = _merge_counts([counts[file.key] for file in same_types])
            groups.append(
                BatchGroup(description, options, tuple(same_types), dict(column_types), merged)
            )
    return groups


def read_batch_file(
    spark: SparkSession,
    path: Path,
    expected: Mapping[str, str] | None = None,
    options: ReadOptions | None = None,
) -> OpenTable | NotATable:
    """Read one file as a batch whose dataset has the `expected` column types.

    A JSON array without records is a table without rows if columns are expected.
    """
    options, expected = options or ReadOptions(), expected or {}
    description = detect_file(path, options)
    if isinstance(description, NotATable):
        if description.code == "no_records" and expected:
            return OpenTable(empty_table(spark, expected), "JSON without records")
        return description
    file = BatchFile("", datetime.now(UTC), path)
    counts = _counts(spark, description, [file], options)[""]
    types = _keep_types(counts, expected)
    df = _read(spark, description, [str(path)], options, types, counts).drop(FILE_COLUMN)
    notes = [
        note for name, column in counts.items() for note in type_notes(name, column, types[name])
    ]
    return OpenTable(df, description.format, tuple(notes))


def dialect_of_file(path: Path, options: ReadOptions | None = None) -> FileDialect | None:
    """Return how a CSV file is written; None if it is not CSV."""
    description = detect_file(path, options)
    return None if isinstance(description, NotATable) else FileDialect.of(description)


def empty_table(spark: SparkSession, types: Mapping[str, str]) -> DataFrame:
    """Return a table of these columns without rows."""
    ddl = ", ".join(f"{quote(name)} {kind}" for name, kind in types.items())
    return spark.createDataFrame([], ddl)


def path_of_uri(uri: str) -> str:
    """Return the local path in a URI of `FILE_COLUMN`."""
    return unquote(urlsplit(uri).path)


def _key(name: str) -> str:
    """Remove extensions that only say how the file is written.

    >>> _key("orders.2026-11-14.csv.gz"), _key("2026-11-14"), _key("v1.5")
    ('orders.2026-11-14', '2026-11-14', 'v1.5')
    """
    stem, dot, extension = name.rpartition(".")
    extensions = {name for file_format in all_formats() for name in file_format.extensions}
    extensions.update(COMPRESSIONS, _OTHER_EXTENSIONS)
    return _key(stem) if dot and stem and extension.lower() in extensions else name


def _same_layouts(
    files: Sequence[BatchFile], descriptions: Mapping[Path, FileDescription | NotATable]
) -> list[tuple[FileDescription, list[BatchFile]]]:
    """Group files by layout, names and kinds of fields."""
    groups: dict[Hashable, tuple[FileDescription, list[BatchFile]]] = {}
    first_kinds: dict[str, str] = {}
    for file in files:
        description = descriptions[file.path]
        if isinstance(description, NotATable):
            continue
        file_format = format_by_name(description.format)
        fields = {} if file_format is None else file_format.field_kinds(file.path, description)
        for name, kind in fields.items():
            if kind is not None:
                first_kinds.setdefault(name, kind)
        changed = frozenset(
            (name, kind)
            for name, kind in fields.items()
            if kind not in (None, first_kinds.get(name))
        )
        key = (
            description.format, description.delimiter, description.escape, description.columns,
            description.header, description.encoding, description.json_lines,
            description.multiline, frozenset(fields), changed,
        )  # fmt: skip
        groups.setdefault(key, (description, []))[1].append(file)
    return list(groups.values())


def _counts(
    spark: SparkSession,
    description: FileDescription,
    files: Sequence[BatchFile],
    options: ReadOptions,
) -> dict[str, Counts]:
    """Count the values of each file by key: small files without Spark, all others in one pass."""
    if has_types(description):
        return {file.key: {} for file in files}
    counts_by_key: dict[str, Counts] = {}
    large: dict[str, BatchFile] = {}
    for file in files:
        counts = counts_of_file(file.path, description, options.null)
        if counts is None:
            large[str(file.path.absolute())] = file
        else:
            counts_by_key[file.key] = counts
    if large:
        df = _read(spark, description, list(large), options, {}, {})
        by_path = {
            path_of_uri(uri): counts for uri, counts in counts_by_file(df, FILE_COLUMN).items()
        }
        names = column_names(files[0].path, description)
        # a file whose rows cannot be read stays text; reading it reports why
        unknown = dict.fromkeys(names, TypeCounts(string=1))
        counts_by_key |= {file.key: by_path.get(path, unknown) for path, file in large.items()}
    return counts_by_key


def _choose_types(batches: Sequence[Counts]) -> list[dict[str, str]]:
    """Choose the types of all batches in their order."""
    first_counts: dict[str, list[TypeCounts]] = {}
    for counts in batches:
        for name, column in counts.items():
            if column.n_values and len(first_counts.setdefault(name, [])) < _LOOKAHEAD_FILES:
                first_counts[name].append(column)
    current = {name: _widest_type(columns) for name, columns in first_counts.items()}
    types_of_batches = []
    for counts in batches:
        types = _keep_types(counts, current)
        for name, kind in types.items():
            if is_widening(current.get(name, kind), kind):
                current[name] = kind
        types_of_batches.append(types)
    return types_of_batches


def _widest_type(columns: Sequence[TypeCounts]) -> str:
    """Return the type of a column's first batch, widened as the next batches need it."""
    type_name = choose_type(columns[0]) or "string"
    for counts in columns[1:]:
        kept = keep_type(counts, type_name)
        type_name = kept if is_widening(type_name, kept) else type_name
    return type_name


def _keep_types(counts: Counts, expected: Mapping[str, str]) -> dict[str, str]:
    return {
        name: keep_type(column, expected[name])
        if name in expected
        else choose_type(column) or "string"
        for name, column in counts.items()
    }


def _merge_counts(batches: Sequence[Counts]) -> Counts:
    merged: dict[str, TypeCounts] = {}
    for counts in batches:
        for name, column in counts.items():
            merged[name] = merged.get(name, TypeCounts()) + column
    return merged


def _read(
    spark: SparkSession,
    description: FileDescription,
    paths: Sequence[str],
    options: ReadOptions,
    types: Mapping[str, str],
    counts: Counts,
) -> DataFrame:
    names = None if has_types(description) else column_names(Path(paths[0]), description)
    uris = [f"file://{escape_glob(str(Path(path).absolute()))}" for path in paths]
    df = file_reader(spark, description, options, names).load(uris)
    df = df.selectExpr("*", f"_metadata.file_path AS {FILE_COLUMN}")
    return with_column_types(df, types, counts) if types else df
