"""Parse the string columns of a small file: evenly spaced values of each column.

Executors run this on the bytes of a file. It does not use Spark.

>>> read_columns(b"day;shop\\n2024-01-02;A1\\n2024-01-03;A2\\n", "sales.csv", rows=10)
{'day': ['2024-01-02', '2024-01-03'], 'shop': ['A1', 'A2']}
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from assay.io.csv_sniffer import sniff_dialect
from assay.io.detect import looks_like_html
from assay.learn.patterns.lake_files import format_of
from assay.learn.patterns.lake_sampling import take_evenly
from assay.learn.patterns.value_shape import LONGEST, replace_surrogates

__all__ = [
    "Columns",
    "UnreadableError",
    "csv_lines",
    "cut_texts",
    "detect_delimiter",
    "distinct_names",
    "json_lines",
    "read_columns",
]

#: values by column name
Columns = dict[str, list[str]]

#: bytes of a decompressed file at most: a damaged one can be a thousand times larger than it looks
MAX_UNPACKED_BYTES = 256 << 20
#: characters of a file in which its delimiter and HTML are looked for
_HEAD = 1 << 16
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
#: a file with more columns is not a table, and would take all memory
_MAX_COLUMNS = 100_000
#: bytes of a CSV field at most; Python's default is 128 KB
_MAX_FIELD_BYTES = 1 << 30
#: lines in which a delimiter is looked for
_DELIMITER_LINES = 50
_FIRST_LINE = re.compile(r"[\r\n]*([^\r\n]*)")
_QUOTED = re.compile(r'"[^"]*"')


class UnreadableError(Exception):
    """A file cannot be read as a table. The message says why."""


def read_columns(content: bytes, path: str, *, rows: int) -> Columns:
    """Parse the string columns of a file.

    Parameters
    ----------
    content
        The bytes of the file.
    path
        The path of the file. Its extension determines the format.
    rows
        The number of values to return for each column. Longer values than a shape can have are cut.

    Raises
    ------
    UnreadableError
        If the file is damaged, or is not a table.
    """
    file_format = format_of(path)
    try:
        if not content:
            raise UnreadableError("it is empty")
        if file_format in {"parquet", "orc"}:
            return _read_columnar(content, file_format, rows)
        text = _decode(content, compressed=path.lower().endswith(".gz"))
        if file_format == "json":
            return _read_json(text, rows)
        return _read_delimited(text, file_format == "csv", rows)
    except UnreadableError:
        raise
    except Exception as error:  # libraries raise anything on damaged files; the reason is reported
        reason = " ".join(str(error).split()) or type(error).__name__
        raise UnreadableError(f"it cannot be read as {file_format}: {reason}"[:300]) from None


def detect_delimiter(head: str) -> str | None:
    """Return the delimiter of a text, or None if it is one column.

    >>> [detect_delimiter(head) for head in ("a;b\\n1,5;2\\n", "a\\tb, c\\n1\\t2\\n", "a\\nb\\n")]
    [';', '\\t', None]
    """
    lines = list(islice(io.StringIO(head, newline=""), _DELIMITER_LINES))
    is_whole = len(lines) < _DELIMITER_LINES and len(head) < _HEAD
    split = sniff_dialect("".join(lines), is_whole=is_whole)
    return split.dialect.delimiter if split.width > 1 else None


def _decode(content: bytes, *, compressed: bool) -> str:
    if compressed:
        with gzip.open(io.BytesIO(content)) as file:
            content = file.read(MAX_UNPACKED_BYTES + 1)
        if len(content) > MAX_UNPACKED_BYTES:
            raise UnreadableError(f"it unpacks to more than {MAX_UNPACKED_BYTES >> 20} MB")
    if content.startswith(_UTF_16):
        text = content.decode("utf-16")
    else:
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = content.decode("latin-1")
    if "\0" in text:
        raise UnreadableError("it is not text")
    if looks_like_html(text[:_HEAD]):
        raise UnreadableError("it is HTML")
    return text


def _read_delimited(text: str, is_csv: bool, rows: int) -> Columns:
    delimiter = detect_delimiter(text[:_HEAD])
    if delimiter is None and not is_csv:
        raise UnreadableError("it has no delimiter")
    first = _FIRST_LINE.match(text)
    if first is not None and _QUOTED.sub("", first[1]).count(delimiter or ",") >= _MAX_COLUMNS:
        raise UnreadableError(f"it has more than {_MAX_COLUMNS:,} columns")
    csv.field_size_limit(_MAX_FIELD_BYTES)
    records = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter or ",")
    header = next((record for record in records if record), [])
    names = distinct_names([name.strip()[: LONGEST + 1] for name in header])
    columns: Columns = {name: [] for name in names}
    for record in take_evenly((record for record in records if record), rows):
        for name, value in zip(names, record, strict=False):
            columns[name].append(value[: LONGEST + 1])
    return columns


def distinct_names(names: Sequence[str]) -> list[str]:
    """Return distinct names: missing and repeated ones get the number of their column.

    >>> distinct_names(["id", "", "id"])
    ['id', '#2', 'id#3']
    """
    result: dict[str, None] = {}
    for number, name in enumerate(names, 1):
        distinct = name
        while not distinct or distinct in result:
            distinct = f"{distinct}#{number}"
        result[distinct] = None
    return list(result)


def _read_json(text: str, rows: int) -> Columns:
    columns: Columns = {}
    for record in take_evenly(_json_records(text, rows), rows):
        for name, value in record.items():
            if isinstance(value, bool):
                value = json.dumps(value)
            if isinstance(value, str):
                # JSON can escape unpaired surrogates
                values = columns.setdefault(replace_surrogates(name), [])
                values.append(replace_surrogates(value[: LONGEST + 1]))
    return columns


def _json_records(text: str, rows: int) -> Iterable[Mapping[str, Any]]:
    """Return the objects of an array, or those of JSON Lines."""
    if text.lstrip()[:1] != "[":
        lines = take_evenly((line for line in text.split("\n") if line.strip()), rows)
        records = list(_parse_objects(lines))
        # Some lines may be damaged, but most must be objects.
        if len(records) * 2 >= len(lines):
            return records
    document = _parse_json(text)
    if isinstance(document, dict):
        return [document]
    if not isinstance(document, list) or not all(isinstance(value, dict) for value in document):
        raise UnreadableError("it holds no objects")
    return document


def _parse_objects(lines: Iterable[str]) -> Iterator[Mapping[str, Any]]:
    for line in lines:
        try:
            value = _parse_json(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            yield value


def _parse_json(text: str) -> Any:
    """Parse JSON; numbers stay text as they are written."""
    return json.loads(text, parse_float=str, parse_int=str, parse_constant=str)


def _read_columnar(content: bytes, file_format: str, rows: int) -> Columns:
    import pyarrow as pa

    columns: Columns = {}
    open_file = _open_parquet if file_format == "parquet" else _open_orc
    row_count, batches = open_file(pa.BufferReader(content))
    picked = take_evenly(range(row_count), rows)
    rows_before = 0
    for batch in batches:
        end = rows_before + batch.num_rows
        in_batch = [row - rows_before for row in picked if rows_before <= row < end]
        rows_before = end
        sampled = batch.take(pa.array(in_batch, pa.int64()))
        for name, values in zip(sampled.schema.names, sampled.columns, strict=True):
            columns.setdefault(name, []).extend(cut_texts(values).to_pylist())
    return columns


def cut_texts(values: Any) -> Any:
    """Return the texts of an Arrow array, cut, without nulls. Invalid UTF-8 is replaced."""
    import pyarrow as pa
    import pyarrow.compute as pc

    texts = values.cast(pa.large_string()).drop_null()
    try:
        return pc.utf8_slice_codeunits(texts, 0, LONGEST + 1)
    except pa.ArrowInvalid:
        encoded = texts.cast(pa.large_binary()).to_pylist()
        decoded = [value.decode("utf-8", "replace")[: LONGEST + 1] for value in encoded]
        return pa.array(decoded, pa.large_string())


def csv_lines(header: Sequence[str], lines: Sequence[str]) -> list[str]:
    """Return the sampled lines that are complete rows: a quoted value may span several lines.

    >>> csv_lines(["a,b"], ['1,"x', '2",3', "4,5", "6", '"7,8",9'])
    ['4,5', '"7,8",9']
    """
    delimiter = detect_delimiter("\n".join([*header, *lines])[:_HEAD])
    balanced = [line for line in lines if line.count('"') % 2 == 0]
    if delimiter is None or not header:
        return balanced
    delimiters = _QUOTED.sub("", header[0]).count(delimiter)
    return [line for line in balanced if _QUOTED.sub("", line).count(delimiter) == delimiters]


def json_lines(lines: Sequence[str]) -> list[str]:
    """Return the sampled lines as JSON Lines. Each may be an object of an array.

    >>> json_lines(["[", ' {"a": "x"},', '{"a": "y"}', "]"])
    ['{"a": "x"}', '{"a": "y"}']

    Raises
    ------
    UnreadableError
        If no line is an object.
    """
    objects = [line.strip().removesuffix(",") for line in lines]
    objects = [line for line in objects if line not in {"", "[", "]"}]
    if objects and not any(True for _ in _parse_objects(objects)):
        raise UnreadableError(
            "it cannot be read as json: a file of this size is read line by line, and its lines"
            " are not objects"
        )
    return objects


def _open_parquet(source: Any) -> tuple[int, Iterator[Any]]:
    from pyarrow import parquet

    file = parquet.ParquetFile(source)
    names = _string_columns(file.schema_arrow)
    batches = file.iter_batches(batch_size=8192, columns=names) if names else iter(())
    return file.metadata.num_rows, batches


def _open_orc(source: Any) -> tuple[int, Iterator[Any]]:
    from pyarrow import orc

    file = orc.ORCFile(source)
    names = _string_columns(file.schema)
    stripes = range(file.nstripes) if names else ()
    return file.nrows, (file.read_stripe(stripe, columns=names) for stripe in stripes)


def _string_columns(schema: Any) -> list[str]:
    import pyarrow as pa

    def is_text(kind: Any) -> bool:
        if pa.types.is_dictionary(kind):
            kind = kind.value_type
        tests = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
        return any(test(kind) for test in tests)

    names = [field.name for field in schema if is_text(field.type)]
    return [name for name in names if schema.names.count(name) == 1]
