"""The columns in a file's bytes: values as text, evenly spaced over its rows.

What runs on executors, for files small enough to be read at once; no Spark here.

>>> columns(b"day;shop\\n2024-01-02;A1\\n2024-01-03;A2\\n", "sales.csv", rows=10)
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
from typing import Any

from assay.io.detect import looks_like_html
from assay.learn.patterns.lake_files import format_of
from assay.learn.patterns.sampling import evenly
from assay.learn.patterns.value_shape import LONGEST, encodable

__all__ = [
    "Columns",
    "UnreadableError",
    "columns",
    "csv_lines",
    "cut_texts",
    "delimiter",
    "distinct",
    "json_lines",
]

Columns = dict[str, list[str]]

#: bytes that a compressed file may come to: some come to a thousand times their length
UNPACKED = 256 << 20
_HEAD = 1 << 16
_DELIMITERS = "\t,;|"
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
#: columns of a table: more are those of a file that is none, and would take all memory
_WIDEST = 100_000
_FIRST_LINE = re.compile(r"[\r\n]*([^\r\n]*)")
_QUOTED = re.compile(r'"[^"]*"')


class UnreadableError(Exception):
    """Why a file is no table, in a few words."""


def columns(content: bytes, path: str, *, rows: int) -> Columns:
    """The columns of a file by its name's extension: at most so many values of each.

    Values are cut behind the length from which on they have no shape. Whatever is wrong with the
    file, it is an `UnreadableError`.
    """
    kind = format_of(path)
    try:
        if not content:
            raise UnreadableError("it is empty")
        if kind in {"parquet", "orc"}:
            return _columnar(content, kind, rows)
        text = _text(content, packed=path.lower().endswith(".gz"))
        return _json(text, rows) if kind == "json" else _delimited(text, kind == "csv", rows)
    except UnreadableError:
        raise
    except Exception as error:  # libraries raise what they like on damaged files
        reason = " ".join(str(error).split()) or type(error).__name__
        raise UnreadableError(f"it cannot be read as {kind}: {reason}"[:300]) from None


def delimiter(head: str) -> str | None:
    """What separates the fields: of what occurs in every line, the most alike or most often.

    >>> [delimiter(each) for each in ("a;b\\n1,5;2\\n", "a\\tb, c\\n1\\t2\\n", "a\\nb\\n")]
    [';', '\\t', None]
    """
    lines = [_QUOTED.sub("", line) for line in head.splitlines()[:50] if line.strip()]
    if len(lines) > 1 and len(head) >= _HEAD:
        lines.pop()  # cut off
    best: tuple[float, int] | None = None
    chosen = None
    for each in _DELIMITERS:
        counts = [line.count(each) for line in lines]
        if not counts or not counts[0]:
            continue
        alike = sum(count == counts[0] for count in counts) / len(counts)
        if best is None or (alike, counts[0]) > best:
            best, chosen = (alike, counts[0]), each
    return chosen


def _text(content: bytes, *, packed: bool) -> str:
    if packed:
        with gzip.open(io.BytesIO(content)) as file:
            content = file.read(UNPACKED + 1)
        if len(content) > UNPACKED:
            raise UnreadableError(f"it unpacks to more than {UNPACKED >> 20} MB")
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


def _delimited(text: str, is_csv: bool, rows: int) -> Columns:
    between = delimiter(text[:_HEAD])
    if between is None and not is_csv:
        raise UnreadableError("it has no delimiter")
    first = _FIRST_LINE.match(text)
    if first is not None and _QUOTED.sub("", first[1]).count(between or ",") >= _WIDEST:
        raise UnreadableError(f"it has more than {_WIDEST:,} columns")
    csv.field_size_limit(1 << 30)  # Python's own limit is 128 KB
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=between or ",")
    header = next((line for line in lines if line), [])
    names = distinct([name.strip()[: LONGEST + 1] for name in header])
    found: Columns = {name: [] for name in names}
    for line in evenly((line for line in lines if line), rows):
        for name, value in zip(names, line, strict=False):
            found[name].append(value[: LONGEST + 1])
    return found


def distinct(names: Sequence[str]) -> list[str]:
    """Names that tell columns apart: those that are missing or repeated get their number."""
    found: dict[str, None] = {}
    for number, name in enumerate(names, 1):
        own = name
        while not own or own in found:
            own = f"{own}#{number}"
        found[own] = None
    return list(found)


def _json(text: str, rows: int) -> Columns:
    found: Columns = {}
    for record in evenly(_records(text, rows), rows):
        for name, value in record.items():
            if isinstance(value, bool):
                value = json.dumps(value)
            if isinstance(value, str):
                # JSON may escape halves of a character
                found.setdefault(encodable(name), []).append(encodable(value[: LONGEST + 1]))
    return found


def _records(text: str, rows: int) -> Iterable[Mapping[str, Any]]:
    """Objects of an array, or one a line: of so many lines that one broken off does no harm."""
    start = text.lstrip()[:1]
    if start != "[":
        lines = evenly((line for line in text.split("\n") if line.strip()), rows)
        objects = list(_objects(lines))
        if len(objects) * 2 >= len(lines):
            return objects
    whole = _parsed(text)
    if isinstance(whole, dict):
        return [whole]
    if not isinstance(whole, list) or not all(isinstance(each, dict) for each in whole):
        raise UnreadableError("it holds no objects")
    return whole


def _objects(lines: Iterable[str]) -> Iterator[Mapping[str, Any]]:
    for line in lines:
        try:
            found = _parsed(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict):
            yield found


def _parsed(text: str) -> Any:
    """JSON with its numbers as they are written."""
    return json.loads(text, parse_float=str, parse_int=str, parse_constant=str)


def _columnar(content: bytes, kind: str, rows: int) -> Columns:
    import pyarrow as pa

    found: Columns = {}
    size, batches = (_parquet if kind == "parquet" else _orc)(pa.BufferReader(content))
    picked = evenly(range(size), rows)
    before = 0
    for batch in batches:
        here = [at - before for at in picked if before <= at < before + batch.num_rows]
        before += batch.num_rows
        some = batch.take(pa.array(here, pa.int64()))
        for name, values in zip(some.schema.names, some.columns, strict=True):
            found.setdefault(name, []).extend(cut_texts(values).to_pylist())
    return found


def cut_texts(values: Any) -> Any:
    """The texts of an Arrow array, cut; bytes that are not UTF-8 are replaced."""
    import pyarrow as pa
    import pyarrow.compute as pc

    texts = values.cast(pa.large_string()).drop_null()
    try:
        return pc.utf8_slice_codeunits(texts, 0, LONGEST + 1)
    except pa.ArrowInvalid:
        raw = texts.cast(pa.large_binary()).to_pylist()
        read = [each.decode("utf-8", "replace")[: LONGEST + 1] for each in raw]
        return pa.array(read, pa.large_string())


def csv_lines(header: Sequence[str], lines: Sequence[str]) -> list[str]:
    """Of lines that were picked singly, those that are whole rows: a quoted value may span some.

    >>> csv_lines(["a,b"], ['1,"x', '2",3', "4,5", "6", '"7,8",9'])
    ['4,5', '"7,8",9']
    """
    between = delimiter("\n".join([*header, *lines])[:_HEAD])
    even = [line for line in lines if line.count('"') % 2 == 0]
    if between is None or not header:
        return even
    fields = _QUOTED.sub("", header[0]).count(between)
    return [line for line in even if _QUOTED.sub("", line).count(between) == fields]


def json_lines(lines: Sequence[str]) -> list[str]:
    """Lines of objects, which may be those of an array; lines of other kinds are refused.

    >>> json_lines(["[", ' {"a": "x"},', '{"a": "y"}', "]"])
    ['{"a": "x"}', '{"a": "y"}']
    """
    found = [line.strip().removesuffix(",") for line in lines]
    found = [line for line in found if line not in {"", "[", "]"}]
    if found and not any(True for _ in _objects(found)):
        raise UnreadableError(
            "it cannot be read as json: so large a file is read by lines, and lines are no objects"
        )
    return found


def _parquet(source: Any) -> tuple[int, Iterator[Any]]:
    from pyarrow import parquet

    file = parquet.ParquetFile(source)
    names = _strings(file.schema_arrow)
    batches = file.iter_batches(batch_size=8192, columns=names) if names else iter(())
    return file.metadata.num_rows, batches


def _orc(source: Any) -> tuple[int, Iterator[Any]]:
    from pyarrow import orc

    file = orc.ORCFile(source)
    names = _strings(file.schema)
    stripes = range(file.nstripes) if names else ()
    return file.nrows, (file.read_stripe(at, columns=names) for at in stripes)


def _strings(schema: Any) -> list[str]:
    import pyarrow as pa

    def is_text(kind: Any) -> bool:
        if pa.types.is_dictionary(kind):
            kind = kind.value_type
        tests = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
        return any(test(kind) for test in tests)

    names = [field.name for field in schema if is_text(field.type)]
    return [name for name in names if schema.names.count(name) == 1]
