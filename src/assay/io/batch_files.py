"""Batches in files: how they are read.

Files of the same layout, fields and column types are read together.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from assay.analyzers.schema import quote
from assay.io.batch_types import Counts, choose_types, keep_types, merge_counts
from assay.io.column_types import (
    TypeCounts,
    type_notes,
    unfit_note,
    unfit_values,
)
from assay.io.detect import detect_file
from assay.io.file_dialect import FileDialect
from assay.io.file_format import FileDescription, NotATable, ReadOptions
from assay.io.formats import format_by_name, readable_path
from assay.io.formats.csv_text import skipped_lines_note
from assay.io.load_request import LoadRequest
from assay.io.ragged_rows import (
    broken_note,
    ragged_column_of,
    ragged_note,
    take_broken_records,
    without_ragged,
)
from assay.io.reading import OpenTable, escape_glob, has_types, load_files, with_column_types
from assay.io.type_counts import (
    column_names,
    counts_by_file,
    counts_of_file,
    repeated_names_note,
)

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = [
    "FILE_COLUMN",
    "BatchFile",
    "BatchGroup",
    "dialect_of_file",
    "empty_table",
    "group_batch_files",
    "path_of_uri",
    "problem_of_files",
    "read_batch",
    "read_batch_file",
]

#: column of a batch group's table with the URI of the file of each row
FILE_COLUMN = "__assay_file"
#: codes of files without rows; the other parts of such a batch are read
_WITHOUT_ROWS = ("empty", "no_records")


@dataclass(frozen=True)
class BatchFile:
    """A batch in a file, or in several files of a folder; its path names the key and the time.

    Attributes
    ----------
    path
        The file or the folder.
    parts
        The files of a batch in several files.
    """

    key: str
    time: datetime
    path: Path
    parts: tuple[Path, ...] = ()

    @property
    def files(self) -> tuple[Path, ...]:
        """The files with the rows of the batch."""
        return self.parts or (self.path,)


@dataclass(frozen=True)
class BatchGroup:
    """Batches that are read together: same layouts, same fields, same column types.

    Attributes
    ----------
    layouts
        The files of each layout. Usually there is one.
    notes
        Sentences about the rows and values of a batch that do not fit, by its key.
    unfit
        By batch, the columns with values that are not of their type.
    """

    layouts: tuple[tuple[FileDescription, frozenset[Path]], ...]
    options: ReadOptions
    batches: tuple[BatchFile, ...]
    types: Mapping[str, str]
    counts: Counts
    notes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    unfit: Mapping[str, tuple[tuple[str, int, int], ...]] = field(default_factory=dict)

    def read(
        self, spark: SparkSession, batches: Sequence[BatchFile], *, with_broken: bool = False
    ) -> DataFrame:
        """Read some batches as one table with `FILE_COLUMN`.

        With `with_broken`, broken JSON records have a column of their own.
        """
        frames = []
        for description, files in self.layouts:
            paths = [str(path) for batch in batches for path in batch.files if path in files]
            if paths:
                request = _request(spark, description, paths, self.options)
                if with_broken and description.format == "json":
                    request = replace(request, malformed_column=ragged_column_of(description))
                df = load_files(request)
                typed = with_column_types(df, self.types, self.counts) if self.types else df
                frames.append(typed)
        return reduce(lambda one, other: one.unionByName(other, allowMissingColumns=True), frames)


def problem_of_files(
    batch: BatchFile, descriptions: Mapping[Path, FileDescription | NotATable]
) -> NotATable | None:
    """Return why a batch cannot be read, or None.

    One damaged part makes the batch unreadable. An empty part does not.
    """
    problems = {
        path: description
        for path in batch.files
        if isinstance(description := descriptions[path], NotATable)
    }
    if len(problems) == len(batch.files):
        return next(iter(problems.values()))
    for path, problem in problems.items():
        if problem.code not in _WITHOUT_ROWS:
            return NotATable(problem.code, f"{path.name} is not a table: {problem}")
    return None


def group_batch_files(
    spark: SparkSession,
    files: Sequence[BatchFile],
    descriptions: Mapping[Path, FileDescription | NotATable],
    options: ReadOptions,
) -> list[BatchGroup]:
    """Group the batches that can be read, in the order in which such files first occur.

    The first files with a column choose its type. Later files keep it by the rules of
    `assay.io.column_types.keep_type`.
    """
    layouts = _same_layouts([path for file in files for path in file.files], descriptions)
    counts_of: dict[Path, Counts] = {}
    layout_of: dict[Path, int] = {}
    for number, (description, paths) in enumerate(layouts):
        counts_of |= _counts(spark, description, paths, options)
        layout_of |= dict.fromkeys(paths, number)
    batches = [file for file in files if problem_of_files(file, descriptions) is None]
    counts = [
        merge_counts([counts_of[path] for path in batch.files if path in counts_of])
        for batch in batches
    ]
    same: dict[Hashable, list[int]] = {}
    types = choose_types(counts)
    for i, batch in enumerate(batches):
        numbers = frozenset(layout_of[path] for path in batch.files if path in layout_of)
        same.setdefault((numbers, tuple(types[i].items())), []).append(i)
    groups = []
    for members in same.values():
        group = tuple(batches[i] for i in members)
        merged = merge_counts([counts[i] for i in members])
        of_layouts = _by_layout(group, layout_of, layouts)
        notes = {
            batches[i].key: sentences
            for i in members
            if (sentences := _unfit_notes(counts[i], types[i], of_layouts[0][0]))
        }
        unfit = {
            batches[i].key: unfit_values(without_ragged(counts[i])[0], types[i]) for i in members
        }
        chosen = types[members[0]]
        groups.append(BatchGroup(of_layouts, options, group, chosen, merged, notes, unfit))
    return groups


def _unfit_notes(
    counts: Counts, types: Mapping[str, str], description: FileDescription
) -> tuple[str, ...]:
    """Describe the ragged rows of a batch, and its values that become null."""
    columns, n_ragged = without_ragged(counts)
    # the lines with ragged rows are those of another file
    notes = ragged_note(n_ragged, replace(description, ragged_lines=()))
    for name, column in columns.items():
        notes += unfit_note(name, column, types[name])
    return tuple(notes)


def read_batch(
    spark: SparkSession,
    batch: BatchFile,
    expected: Mapping[str, str] | None = None,
    options: ReadOptions | None = None,
) -> OpenTable | NotATable:
    """Read one batch whose dataset has the `expected` column types, with `FILE_COLUMN`.

    A JSON array without records is a table without rows if columns are expected.
    """
    options, expected = options or ReadOptions(), expected or {}
    descriptions = {path: detect_file(path, options) for path in batch.files}
    groups = group_batch_files(spark, [batch], descriptions, options)
    problem = problem_of_files(batch, descriptions)
    if problem is not None:
        if problem.code == "no_records" and expected:
            df = empty_table(spark, expected).selectExpr("*", f"'' AS {FILE_COLUMN}")
            return OpenTable(df, "JSON without records")
        return problem
    (group,) = groups
    types = keep_types(group.counts, expected)
    df = replace(group, types=types).read(spark, [batch], with_broken=True)
    df, n_broken = take_broken_records(df)
    first = group.layouts[0][0]
    counts, n_ragged = without_ragged(group.counts)
    notes = [
        *broken_note(sum(n_broken.values())),
        *skipped_lines_note(first),
        *repeated_names_note(first),
        *ragged_note(n_ragged, first),
        *type_notes(counts, types),
    ]
    return OpenTable(df, first.format, tuple(notes), unfit_values(counts, types))


def read_batch_file(
    spark: SparkSession,
    path: Path,
    expected: Mapping[str, str] | None = None,
    options: ReadOptions | None = None,
) -> OpenTable | NotATable:
    """Read one file as a batch whose dataset has the `expected` column types."""
    opened = read_batch(spark, BatchFile("", datetime.now(UTC), path), expected, options)
    if isinstance(opened, NotATable):
        return opened
    return replace(opened, df=opened.df.drop(FILE_COLUMN))


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


def _by_layout(
    batches: Sequence[BatchFile],
    layout_of: Mapping[Path, int],
    layouts: Sequence[tuple[FileDescription, Sequence[Path]]],
) -> tuple[tuple[FileDescription, frozenset[Path]], ...]:
    """Return the files of batches by layout."""
    files: dict[int, set[Path]] = {}
    for path in (path for batch in batches for path in batch.files if path in layout_of):
        files.setdefault(layout_of[path], set()).add(path)
    return tuple((layouts[number][0], frozenset(files[number])) for number in sorted(files))


def _same_layouts(
    paths: Sequence[Path], descriptions: Mapping[Path, FileDescription | NotATable]
) -> list[tuple[FileDescription, list[Path]]]:
    """Group files by layout, names and kinds of fields."""
    groups: dict[Hashable, tuple[FileDescription, list[Path]]] = {}
    first_kinds: dict[str, str] = {}
    for path in paths:
        description = descriptions[path]
        if isinstance(description, NotATable):
            continue
        file_format = format_by_name(description.format)
        fields = (
            {}
            if file_format is None
            else file_format.field_kinds(readable_path(path, description), description)
        )
        for name, kind in fields.items():
            if kind is not None:
                first_kinds.setdefault(name, kind)
        changed = frozenset(
            (name, kind)
            for name, kind in fields.items()
            if kind not in (None, first_kinds.get(name))
        )
        key = (replace(description, bom=False, compression=""), frozenset(fields), changed)
        groups.setdefault(key, (description, []))[1].append(path)
    return list(groups.values())


def _counts(
    spark: SparkSession,
    description: FileDescription,
    paths: Sequence[Path],
    options: ReadOptions,
) -> dict[Path, Counts]:
    """Count the values of each file: small files without Spark, all others in one pass."""
    if has_types(description):
        return {path: {} for path in paths}
    counts_by_path: dict[Path, Counts] = {}
    large: dict[str, Path] = {}
    for path in paths:
        counts = counts_of_file(path, description, options.null)
        if counts is None:
            large[str(path.absolute())] = path
        else:
            counts_by_path[path] = counts
    if large:
        request = _request(spark, description, list(large), options)
        df = load_files(replace(request, malformed_column=ragged_column_of(description)))
        counted = {
            path_of_uri(uri): counts for uri, counts in counts_by_file(df, FILE_COLUMN).items()
        }
        names = column_names(description)
        # a file whose rows cannot be read stays text; reading it reports why
        unknown = dict.fromkeys(names, TypeCounts(string=1))
        counts_by_path |= {path: counted.get(name, unknown) for name, path in large.items()}
    return counts_by_path


def _request(
    spark: SparkSession,
    description: FileDescription,
    paths: Sequence[str],
    options: ReadOptions,
) -> LoadRequest:
    return LoadRequest(
        spark=spark,
        description=description,
        options=options,
        uris=[
            f"file://{escape_glob(str(readable_path(Path(path).absolute(), description)))}"
            for path in paths
        ],
        names=() if has_types(description) else column_names(description),
        file_column=FILE_COLUMN,
    )
