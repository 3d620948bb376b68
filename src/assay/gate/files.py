"""Batches in files: which there are in a folder, and all of them measured in a few jobs.

Files that are no table are told apart by their first bytes and never read by Spark. The others are
read together, as many as have the same columns.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from assay.analyzers.schema import quote
from assay.engine.reading import literal
from assay.engine.sniff import HEAD, NotATable, Reading, Sniffed, sniff
from assay.errors import SourceError
from assay.gate.columns import Columns
from assay.gate.delivery import Delivery, delivered_together
from assay.gate.file_fields import fields_in, told_apart
from assay.gate.text_columns import names_in, typed
from assay.gate.writing import Writing
from assay.store.batch import Batch

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from assay.gate.gate import Gate

__all__ = ["File", "deliveries_in", "files_in", "read_file", "time_in", "writing_of"]

_FILE = "__assay_file"
#: what files of tables end in
_ENDINGS = frozenset(
    ("csv", "tsv", "txt", "psv", "dat", "json", "jsonl", "ndjson", "parquet", "orc", "avro", "html",
     "gz", "bz2", "xz", "zst", "zip", "lz4", "snappy")
)  # fmt: skip
#: a day, and a time behind it that is not the year of another day
_MOMENT = re.compile(
    r"(\d{4})-?(\d{2})-?(\d{2})(?:[T_ -]?(\d{2})[:.-]?(\d{2})(?!-?\d{2}-?\d{2}(?!\d)))?"
)
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True)
class File:
    """A batch's file: its key and time are those in its name."""

    key: str
    time: datetime
    path: Path


def files_in(folder: Path) -> list[File]:
    """The batches in a folder, a file each, oldest first; hidden ones are none."""
    if not folder.is_dir():
        raise SourceError.missing(str(folder))
    paths = sorted(each for each in folder.iterdir() if each.is_file() and each.name[0] not in "._")
    found: dict[str, File] = {}
    for path in paths:
        key = _key(path.name)
        if key in found:
            raise SourceError.same_batch(key, found[key].path.name, path.name)
        found[key] = File(key, time_in(path.name) or _modified(path), path)
    return sorted(found.values(), key=lambda each: (each.time, each.key))


def _key(name: str) -> str:
    """The name without what only says how the file is written.

    >>> _key("orders.2026-11-14.csv.gz"), _key("2026-11-14"), _key("v1.5")
    ('orders.2026-11-14', '2026-11-14', 'v1.5')
    """
    stem, dot, ending = name.rpartition(".")
    return _key(stem) if dot and stem and ending.lower() in _ENDINGS else name


def deliveries_in(
    gate: Gate,
    spark: SparkSession,
    files: Sequence[File],
    reading: Reading | None = None,
    *,
    keep: bool = False,
) -> list[Delivery]:
    """What was delivered in each file, measured in as few queries as there are sets of columns.

    `keep`: they are to be remembered in the gate's store.
    """
    tables = gate.store.tables if keep else None
    given = reading or Reading()
    found: dict[str, Delivery] = {}
    types: dict[str, str] = {}
    hows = {each.path: _sniffed(each.path, given) for each in files}
    for how, group in _groups(files, hows):
        if isinstance(how, NotATable):
            for each in group:
                found[each.key] = Delivery(_batch(gate, each), None, None, f"{how}.", how.code)
            continue
        batch_of = {each.path: _batch(gate, each) for each in group}
        for own, paths in typed(how, list(batch_of), types, given.null):
            read = partial(_read, spark, how, types=own, null=given.null)
            batches = {str(path.absolute()): batch_of[path] for path in paths}
            for this in delivered_together(gate, batches, read, _FILE, _path, tables):
                found[this.batch.key] = this
    last: Columns | None = None
    before: Writing | None = None
    for each in files:
        this = found[each.key]
        if this.code == "no_records" and last is not None:
            # a document of no records is a table all the same, of the columns that it had
            (this,) = _without_rows(gate, spark, this.batch, last)
        writing = _written(hows[each.path], before)
        before = writing or before
        if this.columns is not None:
            last = replace(this.columns, writing=writing)
            this = replace(this, columns=last)
        found[each.key] = this
    return [found[each.key] for each in files]


def read_file(
    spark: SparkSession,
    path: Path,
    types: Mapping[str, str] | None = None,
    reading: Reading | None = None,
) -> DataFrame | NotATable:
    """One file as a table, its text in the types of the batches before; or why it is none."""
    given = reading or Reading()
    how = _sniffed(path, given)
    if isinstance(how, NotATable):
        return _no_rows(spark, types) if how.code == "no_records" and types else how
    ((own, paths),) = typed(how, [path], dict(types or {}), given.null)
    return _read(spark, how, list(map(str, paths)), own, given.null).drop(_FILE)


def writing_of(path: Path, reading: Reading | None = None) -> Writing | None:
    """How a file is written, if it is lines of fields."""
    return _written(_sniffed(path, reading or Reading()), None)


def _written(how: Sniffed | NotATable, before: Writing | None) -> Writing | None:
    found = Writing.of(how) if isinstance(how, Sniffed) else None
    return None if found is None else found.after(before)


def _groups(
    files: Sequence[File], hows: Mapping[Path, Sniffed | NotATable]
) -> Iterator[tuple[Sniffed | NotATable, list[File]]]:
    """Files that are read alike, in the order in which such files first came."""
    groups: dict[Any, tuple[Sniffed | NotATable, list[File]]] = {}
    known: dict[str, str] = {}
    for each in files:
        how = hows[each.path]
        alike: Any = each.key
        if isinstance(how, Sniffed):
            own = told_apart(fields_in(each.path, how), known)
            alike = how.format, how.delimiter, how.columns, how.header, how.encoding, how.lines, own
        groups.setdefault(alike, (how, []))[1].append(each)
    return iter(groups.values())


def _sniffed(path: Path, reading: Reading) -> Sniffed | NotATable:
    with path.open("rb") as file:
        data = file.read(HEAD)
        return sniff(data, whole=not file.read(1), reading=reading)


def _read(
    spark: SparkSession,
    how: Sniffed,
    paths: Sequence[str],
    types: Mapping[str, str],
    null: str | None = None,
) -> DataFrame:
    """The files as one table, each row with the path of its file."""
    uris = [f"file://{literal(str(Path(each).absolute()))}" for each in paths]
    reader = spark.read.format(how.format)
    if how.format == "csv":
        names = names_in(Path(paths[0]), how)
        ddl = ", ".join(f"{quote(name)} {types.get(name, 'string')}" for name in names)
        multiline = how.multiline or how.encoding == "utf-16"
        reader = reader.schema(ddl).options(
            header=how.header, sep=how.delimiter, escape=how.escape, encoding=how.encoding,
            multiLine=multiline,
        )  # fmt: skip
        if null is not None:
            reader = reader.option("nullValue", null)
    elif how.format == "json":
        reader = reader.option("multiLine", not how.lines)
    return reader.load(uris).selectExpr("*", f"_metadata.file_path AS {_FILE}")


def _without_rows(
    gate: Gate, spark: SparkSession, batch: Batch, columns: Columns
) -> Iterator[Delivery]:
    df = _no_rows(spark, dict(columns.types)).selectExpr("*", f"'' AS {_FILE}")
    return delivered_together(gate, {"": batch}, lambda _: df, _FILE)


def _no_rows(spark: SparkSession, types: Mapping[str, str]) -> DataFrame:
    ddl = ", ".join(f"{quote(name)} {kind}" for name, kind in types.items())
    return spark.createDataFrame([], ddl)


def _batch(gate: Gate, file: File) -> Batch:
    return Batch(gate.dataset, file.key, file.time)


def _path(uri: str) -> str:
    return unquote(urlsplit(uri).path)


def time_in(name: str) -> datetime | None:
    """The moment that a name has in it, the first if there are several.

    >>> time_in("orders-2026-11-14T0630.csv").isoformat(), time_in("orders-2026-99-99")
    ('2026-11-14T06:30:00+00:00', None)
    """
    numbers = (_MOMENT.match(name, each.start()) for each in _NUMBER.finditer(name))
    # one may stand behind other digits as well
    for found in filter(None, (*numbers, _MOMENT.search(name))):
        year, month, day, hour, minute = (int(each or 0) for each in found.groups())
        try:
            return datetime(year, month, day, hour, minute, tzinfo=UTC)
        except ValueError:
            continue
    return None


def _modified(path: Path) -> datetime:
    return datetime.fromtimestamp(path.stat().st_mtime, UTC)
