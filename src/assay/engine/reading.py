"""Tables from what people name: files, directories, any path that Spark reads, the catalog."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING

from assay.engine.failure import problem_of, quiet
from assay.engine.sniff import NotATable, Reading, Sniffed, sniff
from assay.engine.source import Part, Source, beside, elsewhere, extension_of, located
from assay.errors import SourceError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, DataFrameReader, SparkSession

__all__ = ["Opened", "literal", "opened"]

_GLOB = re.compile(r"([\\{}\[\]*?])")
#: so many lines tell what a file is
_LINES = 200
_DELIMITERS = {",": "commas", "\t": "tabs", ";": "semicolons", "|": "bars"}


@dataclass(frozen=True)
class Opened:
    """A table that is ready to be read, what it is in a few words, and what is odd about it."""

    df: DataFrame
    described: str
    notes: tuple[str, ...] = ()


def opened(spark: SparkSession, given: str, reading: Reading | None = None) -> Opened:
    """The table of a path or a name; text is read as it is, without types.

    A path of this machine is looked at first, then one of Spark's, then the catalog.
    """
    how = reading or Reading()
    source = located(given, how)
    try:
        with quiet():
            if source is not None:
                return _from_files(spark, source, how)
            if elsewhere(given):
                return _from_elsewhere(spark, given, how)
            if spark.catalog.tableExists(given):
                return Opened(spark.table(given), "table of the catalog")
    except SourceError:
        raise
    except Exception as error:  # whatever a file system, a reader or a catalog can do
        problem = problem_of(error)
        if problem.code == "path_not_found":
            raise SourceError.missing(given) from None
        raise SourceError.unreadable(given, problem.reason) from None
    raise SourceError.missing(given, beside(given))


def literal(path: str) -> str:
    """A path that Spark takes for itself, not for a pattern of paths."""
    return _GLOB.sub(r"\\\1", path)


def _from_files(spark: SparkSession, source: Source, reading: Reading) -> Opened:
    frames = [_read(spark, part, source, reading) for part in source.parts]
    df = reduce(lambda one, other: one.unionByName(other, allowMissingColumns=True), frames)
    files = f"{source.files:,} files, " if source.files > 1 else ""
    ragged = sum(each.how.ragged for each in source.parts)
    odd = f"{ragged} of its first lines have more or fewer fields than most" if ragged else ""
    notes = (*source.notes, *([odd] if odd else []))
    return Opened(df, files + _described(source.parts[0].how), notes)


def _read(spark: SparkSession, part: Part, source: Source, reading: Reading) -> DataFrame:
    reader = _reader(spark, part.how, reading)
    if source.whole:
        return reader.load(f"file://{literal(source.root)}")
    if source.root:
        reader = reader.option("basePath", f"file://{literal(source.root)}")
    return reader.load([f"file://{literal(path)}" for path in part.paths])


def _reader(spark: SparkSession, how: Sniffed, reading: Reading) -> DataFrameReader:
    reader = spark.read.format(how.format)
    if how.format == "json":
        return reader.option("multiLine", not how.lines)
    if how.format != "csv":
        return reader
    reader = (
        reader.option("header", how.header)
        .option("sep", how.delimiter)
        .option("escape", how.escape)
        .option("encoding", how.encoding)
        .option("multiLine", how.multiline or how.encoding == "utf-16")
    )
    return reader if reading.null is None else reader.option("nullValue", reading.null)


def _from_elsewhere(spark: SparkSession, given: str, reading: Reading) -> Opened:
    """A path of Spark's: what it is, its name tells, or else its first lines."""
    named = reading.format or extension_of(given)[0]
    if named in {None, "csv", "json"}:
        lines = spark.read.text(given).select("value").limit(_LINES).toArrow()["value"]
        head = "\n".join(str(each) for each in lines.to_pylist()).encode()
        found = sniff(head, whole=False, reading=reading)
        if isinstance(found, NotATable):
            raise SourceError.not_a_table(given, found.reason)
    else:
        found = Sniffed(named or "")
    return Opened(_reader(spark, found, reading).load(given), _described(found))


def _described(how: Sniffed) -> str:
    if how.format == "json":
        return "JSON, a record a line" if how.lines else "JSON"
    if how.format != "csv":
        return {"parquet": "Parquet", "orc": "ORC"}.get(how.format, how.format)
    between = _DELIMITERS.get(how.delimiter, f"{how.delimiter!r} between")
    encoding = "" if how.encoding == "utf-8" else f", {how.encoding}"
    header = "" if how.header else ", no header"
    return f"CSV with {between}{header}{encoding}{', byte-order mark' if how.bom else ''}"
