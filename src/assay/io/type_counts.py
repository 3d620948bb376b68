"""Count what the values of text columns look like: small files here, large ones by Spark.

Both ways give the same counts, which `assay.io.column_types` turns into types.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.analyzers import Compliance, DataType, MaxLength
from assay.analyzers.aggregate_expr import sql_string
from assay.analyzers.analyzer import Analyzer
from assay.analyzers.schema import quote
from assay.analyzers.text_types import TYPE_PATTERNS
from assay.engine.frame import schema_of, unambiguous
from assay.engine.measure import measure
from assay.engine.measurement import Measurement
from assay.io.column_types import MISSING_MARKERS, TypeCounts
from assay.io.compression import HEAD_BYTES, read_head, unpack
from assay.io.csv_records import CsvRecord, read_by_spark, split_records
from assay.io.file_format import FileDescription
from assay.io.formats import readable_path
from assay.io.ragged_rows import RAGGED_COLUMN, count_ragged

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = [
    "BLANKS",
    "body_records",
    "column_names",
    "count_values",
    "counts_by_file",
    "counts_of_file",
    "counts_of_table",
    "file_content",
    "repeated_names_note",
    "unique_names",
]

#: characters around a value that do not count
BLANKS = " \t\r\n"
_PATTERNS = {
    kind: re.compile(pattern.replace(r"\z", r"\Z")) for kind, pattern in TYPE_PATTERNS.items()
}
_LEADING_ZERO = "[+-]?0[0-9]"
_IS_LEADING_ZERO = re.compile(_LEADING_ZERO)
#: repeated names that are shown
_MAX_SHOWN = 3
#: the zone of a timestamp, and the seconds without which Spark reads no zone
_ZONE = re.compile(r"(:\d\d(?:\.\d+)?)?(?:Z|[+-](\d\d):?(\d\d))\Z")
#: Spark's largest offset from UTC, in minutes
_MAX_OFFSET_MINUTES = 18 * 60


def counts_of_file(
    path: Path, description: FileDescription, null: str | None = None
) -> dict[str, TypeCounts] | None:
    """Count the values of a small CSV file without Spark; None if only Spark can count them.

    The counts include `RAGGED_COLUMN`.
    """
    # Python's parser takes a backslash before any character for an escape, Spark only within quotes
    if description.escape == "\\" and description.quote:
        return None
    content, is_whole = file_content(readable_path(path, description))
    if not is_whole:
        return None
    names = column_names(description)
    records = body_records(content, description)
    columns = zip_longest(*(record.fields[: len(names)] for record in records), fillvalue="")
    counts = {
        name: count_values(column, null) for name, column in zip(names, columns, strict=False)
    }
    complete = {name: counts.get(name, TypeCounts()) for name in names}
    return {**complete, RAGGED_COLUMN: count_ragged(records, description.n_columns)}


def count_values(values: Iterable[str], null: str | None = None) -> TypeCounts:
    """Count values of a column by the type that they look like.

    Examples
    --------
    >>> count_values(["1", " 2", "NA", "", "2024-02-31"])
    TypeCounts(integral=2, ..., date=1, ..., n_impossible=1, ..., n_missing=1, ...)
    """
    counts: Counter[str] = Counter()
    max_length = 0
    for raw, count in Counter(values).items():
        value = raw.strip(BLANKS)
        if raw == null:
            continue
        if value in MISSING_MARKERS or not value:
            counts["n_missing" if value else "n_blank"] += count
            continue
        max_length = max(max_length, len(value))
        kind = next((k for k, pattern in _PATTERNS.items() if pattern.match(value)), "string")
        counts[kind] += count
        if kind in ("date", "timestamp") and not _exists(value):
            counts["n_impossible"] += count
        if _IS_LEADING_ZERO.match(value):
            counts["n_leading_zero"] += count
    return TypeCounts(**counts, max_length=max_length)


def counts_of_table(df: DataFrame, rows: int | None = None) -> dict[str, TypeCounts]:
    """Count the values of all string columns in one pass, or those of the first rows."""
    sample = df if rows is None else df.limit(rows)
    columns = _string_columns(df)
    if not columns:
        return {}
    measured = measure(_trim_and_mark(sample, columns), _analyzers(len(columns)))
    return dict(zip(columns, _counts(measured, len(columns)), strict=True))


def counts_by_file(df: DataFrame, file_column: str) -> dict[str, dict[str, TypeCounts]]:
    """Count the values of all string columns for each value of `file_column`, in one pass."""
    columns = [name for name in _string_columns(df) if name != file_column]
    if not columns:
        return {}
    marked = _trim_and_mark(df, columns, [file_column])
    measured = measure(marked, _analyzers(len(columns)), [file_column])
    return {
        str(segment[0]): dict(zip(columns, _counts(measurement, len(columns)), strict=True))
        for segment, measurement in measured.items()
        if segment
    }


def column_names(description: FileDescription) -> list[str]:
    """Return the names of a CSV file's columns; ``_c0``, ``_c1``, … if it has no header."""
    if description.columns:
        return unique_names(description.columns)
    return [f"_c{position}" for position in range(description.n_columns)]


def repeated_names_note(description: FileDescription) -> list[str]:
    """Name the columns of a CSV header that repeat an earlier name; [] if none does.

    Examples
    --------
    >>> repeated_names_note(FileDescription("csv", ("id", "", "ID")))
    ["the header repeats a name: column 3 'ID' is read as 'ID 3'"]
    """
    if description.format != "csv":
        return []
    first = [name.strip() for name in description.columns]
    renamed = [
        f"column {number} {name!r} is read as {unique!r}"
        for number, (name, unique) in enumerate(
            zip(first, unique_names(description.columns), strict=True), 1
        )
        if name and name != unique
    ]
    if not renamed:
        return []
    more = f", and {len(renamed) - _MAX_SHOWN:,} more" if len(renamed) > _MAX_SHOWN else ""
    names = "a name" if len(renamed) == 1 else "names"
    return [f"the header repeats {names}: {', '.join(renamed[:_MAX_SHOWN])}{more}"]


def unique_names(columns: Sequence[str]) -> list[str]:
    """Make the names of columns differ in more than case; a column without one gets its number.

    Examples
    --------
    >>> unique_names(["id", "", "ID"])
    ['id', 'column 2', 'ID 3']
    """
    names: dict[str, str] = {}
    for number, column in enumerate(columns, 1):
        name = column.strip() or f"column {number}"
        while name.lower() in names:
            name = f"{name} {number}"
        names[name.lower()] = name
    return list(names.values())


def file_content(path: Path) -> tuple[bytes, bool]:
    """Return the first bytes of a file, decompressed, and whether these are all of it."""
    data, is_whole = read_head(path)
    unpacked = unpack(data)
    content = b"" if unpacked is None else unpacked[0]
    return content, is_whole and len(content) < HEAD_BYTES


def body_records(content: bytes, description: FileDescription) -> list[CsvRecord]:
    """Return the records of a CSV file after its header."""
    text = content.decode(description.encoding, "replace").removeprefix("\ufeff")
    records = split_records(text, description.csv_dialect, limit=sys.maxsize)
    body = records[description.skipped_records + description.header_rows :]
    return read_by_spark(body, multiline=description.is_read_whole)


def _exists(value: str) -> bool:
    """Return whether a date or timestamp exists, as Spark reads it."""
    try:
        # Python has no year 0; the year 4 has as many days
        date(int(value[:4]) or 4, int(value[5:7]), int(value[8:10]))
    except ValueError:
        return False
    zone = _ZONE.search(value, 16)
    if int(value[11:13] or 0) > 23 or (zone is not None and zone[1] is None):
        return False
    hours, minutes = (0, 0) if zone is None else (int(zone[2] or 0), int(zone[3] or 0))
    return minutes < 60 and 60 * hours + minutes <= _MAX_OFFSET_MINUTES


def _string_columns(df: DataFrame) -> list[str]:
    names = Counter(field.name.lower() for field in df.schema.fields)
    return [
        field.name
        for field in df.schema.fields
        if field.dataType.simpleString() == "string" and names[field.name.lower()] == 1
    ]


def _trim_and_mark(df: DataFrame, columns: Sequence[str], others: Sequence[str] = ()) -> DataFrame:
    """Return the trimmed values of columns, and whether each is missing or blank, by number."""
    schema = schema_of(df)
    markers = ", ".join(map(sql_string, MISSING_MARKERS))
    expressions = [quote(name) for name in others]
    for number, name in enumerate(columns):
        value = f"btrim({schema.column(name).sql}, {sql_string(BLANKS)})"
        absent = f"{value} IN ('', {markers})"
        expressions += [
            f"if({absent}, NULL, {value}) AS v{number}",
            f"{value} IN ({markers}) AS m{number}",
            f"{value} = '' AS b{number}",
        ]
    return unambiguous(df, schema).selectExpr(*expressions)


def _analyzers(n_columns: int) -> list[Analyzer]:
    return [analyzer for number in range(n_columns) for analyzer in _analyzers_of(number).values()]


def _analyzers_of(number: int) -> dict[str, Analyzer]:
    value = f"v{number}"
    looks = sql_string(f"{TYPE_PATTERNS['date']}|{TYPE_PATTERNS['timestamp']}")
    return {
        "kinds": DataType(value),
        "max_length": MaxLength(value),
        "n_impossible": Compliance(
            f"{value} rlike {looks} AND try_cast({value} AS timestamp) IS NULL"
        ),
        "n_leading_zero": Compliance(f"{value} rlike {sql_string('^' + _LEADING_ZERO)}"),
        "n_missing": Compliance(f"m{number}"),
        "n_blank": Compliance(f"b{number}"),
    }


def _counts(measured: Measurement, n_columns: int) -> Iterator[TypeCounts]:
    states: Mapping[Analyzer, Any] = measured.states
    for number in range(n_columns):
        analyzers = _analyzers_of(number)
        kinds = states.get(analyzers["kinds"])
        if kinds is None:
            # a column that cannot be measured stays text
            yield TypeCounts(string=1)
            continue
        by_kind = {kind: count for kind, count in kinds.counts if kind != "null"}
        matches = {
            name: states[analyzers[name]].matches
            for name in ("n_impossible", "n_leading_zero", "n_missing", "n_blank")
        }
        length = measured[analyzers["max_length"]].value
        yield TypeCounts(
            **by_kind, **matches, max_length=int(length) if isinstance(length, int | float) else 0
        )
