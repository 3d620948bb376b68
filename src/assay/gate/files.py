"""Batches in files: which there are in a folder, and all of them measured in a few jobs.

Files that are no table are told apart by their first bytes and never read by Spark. The others are
read together, as many as have the same columns. Text has no types: a column of it is given the type
that its values had when it first came, as if somebody had declared it; what does not fit later is
null, and noticed. Where most numbers are words all of a sudden, the column is read as text.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from assay.analyzers.schema import family, quote
from assay.analyzers.text import TYPE_PATTERNS
from assay.engine.frame import schema_of
from assay.engine.measure import measure, measure_planned, plan_for
from assay.engine.reading import literal
from assay.engine.sniff import HEAD, NotATable, Reading, Sniffed, sniff, unpacked
from assay.errors import SourceError
from assay.gate.backtest import Delivery, columns_but
from assay.gate.columns import NUMBERS, is_number
from assay.gate.writing import Writing
from assay.store.batch import Batch

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from assay.gate.gate import Gate

__all__ = ["File", "deliveries_in", "files_in", "read_file", "time_in", "writing_of"]

_FILE = "__assay_file"
_MOMENT = re.compile(r"(\d{4})-?(\d{2})-?(\d{2})(?:[T_ -]?(\d{2})[:.-]?(\d{2}))?")
#: what is written where there is no value
_MISSING = frozenset({"", "NA", "N/A", "n/a", "null", "NULL", "None", "nan", "NaN", "-"})
_INTEGRAL = re.compile(TYPE_PATTERNS["integral"].replace(r"\z", r"\Z"))
_FRACTIONAL = re.compile(TYPE_PATTERNS["fractional"].replace(r"\z", r"\Z"))
_LEADING_ZERO = re.compile(r"[+-]?0\d")
#: more digits are no number that a double can hold
_DIGITS = 15
#: a column holds numbers if so many of its different values are
_NUMBERS = 0.95
#: so many values, in so many lines, tell that a column of numbers has become one of words
_SEVERAL, _LINES = 5, 500
#: so many files of the same columns tell their types
_LOOKED_AT = 5


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
    found = [
        File(path.name.partition(".")[0], time_in(path.name) or _modified(path), path)
        for path in paths
    ]
    return sorted(found, key=lambda each: (each.time, each.key))


def deliveries_in(
    gate: Gate, spark: SparkSession, files: Sequence[File], reading: Reading | None = None
) -> list[Delivery]:
    """What was delivered in each file, measured in as few jobs as there are sets of columns."""
    given = reading or Reading()
    found: dict[str, Delivery] = {}
    types: dict[str, str] = {}
    frames: dict[str, DataFrame] = {}
    hows = {each.path: _sniffed(each.path, given) for each in files}
    for how, group in _groups(files, hows):
        if isinstance(how, NotATable):
            for each in group:
                found[each.key] = Delivery(_batch(gate, each), None, None, f"{how}.", how.code)
            continue
        for own, part in _typed(how, group, types, given.null):
            df = _read(spark, how, part, own, given.null)
            frames |= dict.fromkeys((each.key for each in part), df)
            found |= {each.batch.key: each for each in _measured(gate, df, part)}
    last = None
    before: Writing | None = None
    for each in files:
        last = frames.get(each.key, last)
        writing = _written(hows[each.path], before)
        before = writing or before
        if found[each.key].code == "no_records" and last is not None:
            # a document of no records is a table all the same, of the columns that it had
            (found[each.key],) = _measured(gate, last.limit(0), [each])
        this = found[each.key]
        if this.columns is not None:
            found[each.key] = replace(this, columns=replace(this.columns, writing=writing))
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
        if how.code == "no_records" and types:
            ddl = ", ".join(f"{quote(name)} {kind}" for name, kind in types.items())
            return spark.createDataFrame([], ddl)
        return how
    file = File(path.name, datetime.now(UTC), path)
    ((own, part),) = _typed(how, [file], dict(types or {}), given.null)
    return _read(spark, how, part, own, given.null).drop(_FILE)


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
    for each in files:
        how = hows[each.path]
        alike: Any = each.key
        if isinstance(how, Sniffed):
            alike = how.format, how.delimiter, how.columns, how.header, how.encoding, how.lines
        groups.setdefault(alike, (how, []))[1].append(each)
    return iter(groups.values())


def _sniffed(path: Path, reading: Reading) -> Sniffed | NotATable:
    with path.open("rb") as file:
        data = file.read(HEAD)
        return sniff(data, whole=not file.read(1), reading=reading)


def _typed(
    how: Sniffed, files: Sequence[File], types: dict[str, str], null: str | None
) -> list[tuple[Mapping[str, str], list[File]]]:
    """Files of the same types together, and these types; `types` grows by new columns."""
    if how.format != "csv":
        return [(types, list(files))]
    names = _named(files[0].path, how)
    for name, kind in _types(how, names, files, null).items():
        if kind is not None:
            types.setdefault(name, kind)
    found: dict[tuple[str, ...], list[File]] = {}
    for each in files:
        found.setdefault(_words(each, how, names, types, null), []).append(each)
    return [(types | dict.fromkeys(words, "string"), part) for words, part in found.items()]


def _words(
    file: File, how: Sniffed, names: Sequence[str], types: Mapping[str, str], null: str | None
) -> tuple[str, ...]:
    """Columns of numbers whose first values are not: several of them, and more than are."""
    counted = [at for at, name in enumerate(names) if family(types.get(name, "")) in NUMBERS]
    seen: dict[int, set[str]] = {at: set() for at in counted}
    for record in islice(_records(file.path, how), _LINES if counted else 0):
        for at in counted:
            if at < len(record):
                seen[at].add(record[at].strip())
    missing = _MISSING if null is None else _MISSING | {null.strip()}
    turned = []
    for at, values in seen.items():
        words = sum(not is_number(each) for each in values - missing)
        if words >= _SEVERAL and 2 * words > len(values - missing):
            turned.append(names[at])
    return tuple(turned)


def _read(
    spark: SparkSession,
    how: Sniffed,
    files: Sequence[File],
    types: Mapping[str, str],
    null: str | None = None,
) -> DataFrame:
    """The files as one table, each row with the path of its file."""
    paths = [f"file://{literal(str(each.path.absolute()))}" for each in files]
    reader = spark.read.format(how.format)
    if how.format == "csv":
        names = _named(files[0].path, how)
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
    return reader.load(paths).selectExpr("*", f"_metadata.file_path AS {_FILE}")


def _measured(gate: Gate, df: DataFrame, files: Sequence[File]) -> Iterator[Delivery]:
    columns, asked = columns_but(gate, schema_of(df), [_FILE])
    wanted = [each.analyzer for check in gate.checks for each in check.constraints]
    everything = list(dict.fromkeys([*wanted, *asked]))
    measured = measure_planned(df, plan_for(df, everything, [_FILE]))
    by_path = {_path(str(values[0])): own for values, own in measured.items() if values}
    empty = None
    for each in files:
        own = by_path.get(str(each.path.absolute()))
        if own is None:
            # a file without rows is in no group of rows
            empty = empty or measure(df.drop(_FILE).limit(0), everything)
            own = empty
        yield Delivery(_batch(gate, each), own, columns)


def _types(
    how: Sniffed, names: Sequence[str], files: Iterable[File], null: str | None
) -> dict[str, str | None]:
    """What the values of each column look like in the first files; None where there are none."""
    seen: list[set[str]] = [set() for _ in names]
    for each, _ in zip(files, range(_LOOKED_AT), strict=False):
        for record in _records(each.path, how):
            for values, value in zip(seen, record, strict=False):
                values.add(value.strip())
    missing = _MISSING if null is None else _MISSING | {null.strip()}
    return {name: _type(values - missing) for name, values in zip(names, seen, strict=True)}


def _records(path: Path, how: Sniffed) -> Iterator[list[str]]:
    with path.open("rb") as file:
        unpacking = unpacked(file.read(HEAD))
    content = b"" if unpacking is None else unpacking[0]
    text = content.decode(how.encoding, "replace").removeprefix("\ufeff")
    lines = io.StringIO(text if len(content) < HEAD else text[: text.rfind("\n") + 1])
    reader = csv.reader(lines, delimiter=how.delimiter)
    if how.header:
        next(reader, None)
    yield from reader


def _type(values: set[str]) -> str | None:
    """The type of text; a number that begins with a 0 is a code."""
    if not values:
        return None
    if any(_LEADING_ZERO.match(each) for each in values):
        return "string"
    whole = sum(bool(_INTEGRAL.match(each)) and len(each) <= _DIGITS for each in values)
    numbers = whole + sum(bool(_FRACTIONAL.match(each)) for each in values)
    # whole numbers too: what is written 7 today is written 7.0 tomorrow
    return "double" if numbers >= _NUMBERS * len(values) else "string"


def _names(columns: Sequence[str]) -> list[str]:
    """Names that differ, in whatever case."""
    found: list[str] = []
    taken: set[str] = set()
    for at, name in enumerate(columns):
        own = name.strip() or f"column {at + 1}"
        own = own if own.lower() not in taken else f"{own} {at + 1}"
        taken.add(own.lower())
        found.append(own)
    return found


def _named(path: Path, how: Sniffed) -> list[str]:
    """Names of columns; as Spark gives them, where a file has none."""
    if how.columns:
        return _names(how.columns)
    first = next(_records(path, how), [])
    return [f"_c{at}" for at in range(len(first))]


def _batch(gate: Gate, file: File) -> Batch:
    return Batch(gate.dataset, file.key, file.time)


def _path(uri: str) -> str:
    return unquote(urlsplit(uri).path)


def time_in(name: str) -> datetime | None:
    """The moment that a name has in it.

    >>> time_in("orders-2026-11-14T0630.csv").isoformat(), time_in("orders-2026-99-99")
    ('2026-11-14T06:30:00+00:00', None)
    """
    found = _MOMENT.search(name)
    if found is None:
        return None
    year, month, day, hour, minute = (int(each or 0) for each in found.groups())
    try:
        return datetime(year, month, day, hour, minute, tzinfo=UTC)
    except ValueError:
        return None


def _modified(path: Path) -> datetime:
    return datetime.fromtimestamp(path.stat().st_mtime, UTC)
