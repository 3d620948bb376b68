"""Find the tables of a lake by the names of its files.

A file is a table, with two exceptions. Files named ``part-…`` in one directory are one table, and
so are files below directories named ``key=value``. Files of different formats are different tables.

>>> files = ["/l/a.csv", "/l/b/part-0.parquet", "/l/b/part-1.parquet", "/l/c/d=1/x.csv", "/l/e.pdf"]
>>> tables, skipped = group_tables([File(path, 9) for path in files])
>>> [(table.name, len(table.files)) for table in tables], skipped
([('/l/a.csv', 1), ('/l/b', 2), ('/l/c', 1)], ('/l/e.pdf',))
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote

from assay.engine.failure import problem_of
from assay.errors import LakeError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["File", "LakeTable", "binary_files", "format_of", "group_tables", "list_files"]

_TEXT_FORMATS = {
    "csv": "csv",
    "tsv": "csv",
    "txt": "txt",
    "json": "json",
    "jsonl": "json",
    "ndjson": "json",
}
_COLUMNAR_FORMATS = {"parquet": "parquet", "orc": "orc"}
_PART_FILE = re.compile(r"part-\d")
_PARTITION_DIRECTORY = re.compile(r"[^=]+=.*")
_FILE_SCHEME = re.compile(r"^file:/+")


@dataclass(frozen=True)
class File:
    """A file of a lake and its length in bytes."""

    path: str
    length: int


@dataclass(frozen=True)
class LakeTable:
    """Files of one format that make up a table, in the order of their names."""

    name: str
    format: str
    files: tuple[File, ...]

    @property
    def length(self) -> int:
        """The length of all files in bytes."""
        return sum(file.length for file in self.files)


def format_of(path: str) -> str | None:
    """Return the format that a file's extension names: csv, txt, json, parquet or orc."""
    name = path.rpartition("/")[2].lower()
    if name.endswith(".gz"):
        return _TEXT_FORMATS.get(name.removesuffix(".gz").rpartition(".")[2])
    extension = name.rpartition(".")[2] if "." in name else ""
    return _TEXT_FORMATS.get(extension) or _COLUMNAR_FORMATS.get(extension)


def group_tables(files: Iterable[File]) -> tuple[list[LakeTable], tuple[str, ...]]:
    """Group files into tables.

    Returns
    -------
    list of LakeTable
        The tables, by name.
    tuple of str
        The paths of files with other extensions.
    """
    files_of_table: dict[tuple[str, str], list[File]] = {}
    skipped: list[str] = []
    for file in files:
        file_format = format_of(file.path)
        if file_format is None:
            skipped.append(file.path)
        else:
            files_of_table.setdefault((_table_name(file.path), file_format), []).append(file)
    formats = Counter(name for name, _ in files_of_table)
    tables = [
        LakeTable(
            name if formats[name] == 1 else f"{name}/*.{file_format}",
            file_format,
            tuple(sorted(table_files, key=lambda file: file.path)),
        )
        for (name, file_format), table_files in sorted(files_of_table.items())
    ]
    return tables, tuple(sorted(skipped))


def list_files(spark: SparkSession, roots: Sequence[str]) -> list[File]:
    """List the files below some paths, without hidden files (``.…`` and ``_…``).

    Raises
    ------
    LakeError
        If a path does not exist or cannot be listed.
    """
    length_of: dict[str, int] = {}
    for root in roots:
        for path, length in _list_root(spark, root):
            if not path.rpartition("/")[2].startswith((".", "_")):
                length_of[path] = length
    return [File(path, length) for path, length in sorted(length_of.items())]


def binary_files(spark: SparkSession, paths: Sequence[str]) -> DataFrame:
    """Return Spark's table of files: path, length and content."""
    reader = spark.read.format("binaryFile").option("recursiveFileLookup", "true")
    return reader.load(list(paths))


def _list_root(spark: SparkSession, root: str) -> Iterator[tuple[str, int]]:
    try:
        files = binary_files(spark, [root])
        listed = files.select("path", "length").toArrow()
        lengths = dict(zip(*(column.to_pylist() for column in listed.columns), strict=True))
        # Spark does not read empty files, but lists their names.
        paths = [_FILE_SCHEME.sub("file:/", unquote(path)) for path in files.inputFiles()]
    except Exception as error:  # any file system can raise anything; the path is reported
        problem = problem_of(error)
        if problem.code == "path_not_found":
            raise LakeError.missing(root) from None
        raise LakeError.unlistable(root, problem.reason) from None
    yield from (dict.fromkeys(paths, 0) | lengths).items()


def _table_name(path: str) -> str:
    folder, _, name = path.rpartition("/")
    folders = folder.split("/")
    for number, directory in enumerate(folders):
        if number and _PARTITION_DIRECTORY.fullmatch(directory):
            return "/".join(folders[:number])
    return folder if _PART_FILE.match(name) else path
