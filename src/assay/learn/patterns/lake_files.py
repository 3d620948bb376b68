"""Which tables a lake has, from the names of its files alone.

A file is a table, unless it is one part of many: files named part-… and those in directories
named key=value make up one table together, those of each format one.

>>> files = ["/l/a.csv", "/l/b/part-0.parquet", "/l/b/part-1.parquet", "/l/c/d=1/x.csv", "/l/e.pdf"]
>>> tables, skipped = tables_of([File(path, 9) for path in files])
>>> [(each.name, len(each.files)) for each in tables], skipped
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

__all__ = ["File", "Table", "binary_files", "files_of", "format_of", "tables_of"]

_TEXT = {
    "csv": "csv",
    "tsv": "csv",
    "txt": "txt",
    "json": "json",
    "jsonl": "json",
    "ndjson": "json",
}
_COLUMNAR = {"parquet": "parquet", "orc": "orc"}
_PART = re.compile(r"part-\d")
_KEY = re.compile(r"[^=]+=.*")
_FILE = re.compile(r"^file:/+")


@dataclass(frozen=True)
class File:
    """A file of a lake and its length in bytes."""

    path: str
    length: int


@dataclass(frozen=True)
class Table:
    """Files of one format, in the order of their names, that make up a table."""

    name: str
    format: str
    files: tuple[File, ...]

    @property
    def length(self) -> int:
        """The bytes of all its files."""
        return sum(each.length for each in self.files)


def format_of(path: str) -> str | None:
    """By its extension, the format of a file: csv, txt, json, parquet or orc."""
    name = path.rpartition("/")[2].lower()
    if name.endswith(".gz"):
        return _TEXT.get(name.removesuffix(".gz").rpartition(".")[2])
    extension = name.rpartition(".")[2] if "." in name else ""
    return _TEXT.get(extension) or _COLUMNAR.get(extension)


def tables_of(files: Iterable[File]) -> tuple[list[Table], tuple[str, ...]]:
    """The tables, by name, and the files that are no tables as far as their extension tells."""
    found: dict[tuple[str, str], list[File]] = {}
    skipped: list[str] = []
    for file in files:
        kind = format_of(file.path)
        if kind is None:
            skipped.append(file.path)
        else:
            found.setdefault((_table_of(file.path), kind), []).append(file)
    formats = Counter(name for name, _ in found)
    tables = [
        Table(
            name if formats[name] == 1 else f"{name}/*.{kind}",
            kind,
            tuple(sorted(each, key=lambda file: file.path)),
        )
        for (name, kind), each in sorted(found.items())
    ]
    return tables, tuple(sorted(skipped))


def files_of(spark: SparkSession, roots: Sequence[str]) -> list[File]:
    """The files under some paths; those of hidden names, with a dot or an underscore, are not."""
    found: dict[str, int] = {}
    for root in roots:
        for path, length in _listed(spark, root):
            if not path.rpartition("/")[2].startswith((".", "_")):
                found[path] = length
    return [File(path, length) for path, length in sorted(found.items())]


def binary_files(spark: SparkSession, paths: Sequence[str]) -> DataFrame:
    """Spark's table of files: path, length, and content where that is asked for."""
    reader = spark.read.format("binaryFile").option("recursiveFileLookup", "true")
    return reader.load(list(paths))


def _listed(spark: SparkSession, root: str) -> Iterator[tuple[str, int]]:
    try:
        files = binary_files(spark, [root])
        listed = files.select("path", "length").toArrow()
        lengths = dict(zip(*(each.to_pylist() for each in listed.columns), strict=True))
        # Spark does not read files without a byte, but knows their names
        every = [_FILE.sub("file:/", unquote(each)) for each in files.inputFiles()]
    except Exception as error:  # of any file system there is
        problem = problem_of(error)
        if problem.code == "path_not_found":
            raise LakeError.missing(root) from None
        raise LakeError.unlistable(root, problem.reason) from None
    yield from (dict.fromkeys(every, 0) | lengths).items()


def _table_of(path: str) -> str:
    folder, _, name = path.rpartition("/")
    folders = folder.split("/")
    for number, each in enumerate(folders):
        if number and _KEY.fullmatch(each):
            return "/".join(folders[:number])
    return folder if _PART.match(name) else path
