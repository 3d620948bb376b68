"""Detect how lines of text are a table: delimiter, quotes, header.

>>> layout = detect_layout("a;b\\n1,5;2\\n2,5;3\\n")
>>> layout.delimiter, layout.header, layout.columns
(';', True, ('a', 'b'))
>>> detect_layout("Redirecting to https://example.org/current.csv\\n") is None
True
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.io.file_format import FileDescription

__all__ = [
    "DELIMITER_NAMES",
    "CsvLayout",
    "FileDialect",
    "csv_reader",
    "detect_layout",
    "has_quoted_line_end",
]

#: delimiters that are tried, and their names
DELIMITER_NAMES = {",": "comma", "\t": "tab", ";": "semicolon", "|": "vertical bar"}
#: records that are examined
_MAX_RECORDS = 500
#: share of records with the same number of fields from which on lines are a table
_MIN_EQUAL_RATIO = 0.6
_NUMBER = re.compile(r"[+-]?(?:\d+[.,]?\d*|[.,]\d+)(?:[eE][+-]?\d+)?%?")
_YEAR = re.compile(r"(?:19|20)\d\d")
_TIME = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:[ T]\d{1,2}:\d{2}.*)?|\d{1,2}:\d{2}.*")


@dataclass(frozen=True)
class CsvLayout:
    """How text is split into records and fields.

    `n_ragged` of the `n_records` examined records have more or fewer fields than most.
    """

    columns: tuple[str, ...]
    delimiter: str
    header: bool
    multiline: bool
    escape: str
    n_ragged: int
    n_records: int


@dataclass(frozen=True)
class FileDialect:
    """How a CSV file is written, as a gate remembers it from batch to batch.

    `encoding` is None if all characters are ASCII.
    """

    delimiter: str
    encoding: str | None = None
    bom: bool = False
    header: bool = True

    @staticmethod
    def of(description: FileDescription) -> FileDialect | None:
        """Return the dialect of a file; None if it is not CSV."""
        if description.format != "csv":
            return None
        encoding = None if description.ascii else description.encoding
        return FileDialect(
            description.delimiter, encoding, bom=description.bom, header=description.header
        )

    def after(self, previous: FileDialect | None) -> FileDialect:
        """Take over the encoding of the previous file if this one is all ASCII."""
        if self.encoding is not None or previous is None:
            return self
        return replace(self, encoding=previous.encoding)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON can hold them."""
        return asdict(self)

    @staticmethod
    def from_dict(document: Mapping[str, Any]) -> FileDialect:
        """Restore a dialect from `to_dict`."""
        return FileDialect(**document)


def detect_layout(
    text: str,
    *,
    is_whole: bool = True,
    delimiter: str | None = None,
    header: bool | None = None,
    may_be_prose: bool = True,
) -> CsvLayout | None:
    """Detect the layout of a CSV file from its text.

    Parameters
    ----------
    text
        The first lines of a file.
    is_whole
        True if `text` is all of the file; otherwise its last line may be cut off.
    delimiter, header
        Stated by the user instead of detected.
    may_be_prose
        True if text that reads like prose is rejected.

    Returns
    -------
    CsvLayout or None
        None if the text is prose.
    """
    # min() keeps the first of equals: quotes are doubled unless that leaves more of them open
    best = min(
        (_split(text, escape, is_whole=is_whole, delimiter=delimiter) for escape in _escapes(text)),
        key=lambda split: split.quote_errors,
    )
    records = best.records
    if not records or (may_be_prose and best.n_fields == 1 and _is_prose(records)):
        return None
    if may_be_prose and len(records) == 1 and best.n_fields > 1 and _is_sentence(records[0]):
        return None
    is_header = _has_names(records, best.n_fields) if header is None else header
    return _layout(best, header=is_header)


@dataclass(frozen=True)
class _Split:
    """The records of a text under one delimiter and one escape character."""

    delimiter: str
    escape: str
    records: list[list[str]]
    #: the number of fields that most records have
    n_fields: int
    #: records in which a quote does not close at the end of a field
    quote_errors: int


def _escapes(text: str) -> tuple[str, ...]:
    """Return the escape characters that the text may use: a second quote, perhaps a backslash."""
    return ('"', "\\") if '\\"' in text else ('"',)


def _split(text: str, escape: str, *, is_whole: bool, delimiter: str | None) -> _Split:
    """Split the text at the delimiter that gives the most records the same number of fields.

    Without such a delimiter the text is one column.
    """
    best: tuple[float, int, int] = (0.0, 0, 1)
    chosen: _Split | None = None
    for candidate in delimiter or DELIMITER_NAMES:
        records = _records(text, candidate, escape, is_whole=is_whole)
        if not records:
            continue
        # if two numbers of fields are equally frequent, take the larger: one field proves nothing
        n_fields, count = max(Counter(map(len, records)).items(), key=lambda pair: pair[::-1])
        if n_fields == 1 or (count < _MIN_EQUAL_RATIO * len(records) and not delimiter):
            continue
        errors = _quote_errors(text, candidate, escape, is_whole=is_whole)
        rank = count / len(records), -errors, n_fields
        if chosen is None or rank > best:
            best, chosen = rank, _Split(candidate, escape, records, n_fields, errors)
    if chosen is not None:
        return chosen
    between = delimiter or ","
    errors = _quote_errors(text, between, escape, is_whole=is_whole)
    return _Split(between, escape, _records(text, between, escape, is_whole=is_whole), 1, errors)


def has_quoted_line_end(chunks: Iterable[bytes]) -> bool:
    """Return whether a line end occurs between quotes in the bytes of a file.

    >>> has_quoted_line_end([b'a,"b', b'c"\\n1,2\\n']), has_quoted_line_end([b'a,"b\\n', b'c"\\n'])
    (False, True)
    """
    within = False
    for chunk in chunks:
        parts = chunk.split(b'"')
        if any(b"\n" in part for part in parts[1 - within :: 2]):
            return True
        within ^= (len(parts) - 1) % 2 == 1
    return False


def csv_reader(
    lines: Iterable[str], delimiter: str, escape: str, *, strict: bool = False
) -> Iterator[list[str]]:
    """Split lines into fields, with quotes escaped by a second quote or by a backslash."""
    csv.field_size_limit(1 << 30)  # Python's own limit is 128 KB
    doubled = escape == '"'
    return csv.reader(
        lines,
        delimiter=delimiter,
        doublequote=doubled,
        escapechar=None if doubled else escape,
        strict=strict,
    )


def _quote_errors(text: str, delimiter: str, escape: str, *, is_whole: bool) -> int:
    """Count the records in which a quote closes within a field, or never closes."""
    if '"' not in text:
        return 0
    lines = io.StringIO(text, newline="")
    reader = csv_reader(lines, delimiter, escape, strict=True)
    errors = 0
    for _ in range(_MAX_RECORDS):
        try:
            next(reader)
        except csv.Error:
            # the last line of a head may be cut off within quotes
            errors += is_whole or lines.tell() < len(text)
        except StopIteration:
            break
    return errors


def _records(text: str, delimiter: str, escape: str, *, is_whole: bool) -> list[list[str]]:
    reader = csv_reader(io.StringIO(text, newline=""), delimiter, escape)
    try:
        records = [record for record in islice(reader, _MAX_RECORDS + 1) if record]
    except csv.Error:
        return []
    may_be_cut = not is_whole and 1 < len(records) <= _MAX_RECORDS
    return records[:-1] if may_be_cut else records


def _is_prose(records: Sequence[Sequence[str]]) -> bool:
    """Return whether lines without a delimiter are prose instead of one column of values."""
    first = records[0][0].strip()
    # a single line is the name of a column only if it is one word
    max_words = 1 if len(records) == 1 else 3
    if len(first.split()) > max_words or "://" in first or first.endswith((".", "!", "?")):
        return True
    return sum(len(record) == 1 for record in records) < _MIN_EQUAL_RATIO * len(records)


def _is_sentence(record: Sequence[str]) -> bool:
    """Return whether the only record is a message instead of names: it ends like a sentence."""
    return record[-1].rstrip().endswith((".", "!", "?")) and len(record[-1].split()) > 1


def _layout(split: _Split, *, header: bool) -> CsvLayout:
    records = split.records
    return CsvLayout(
        columns=tuple(records[0]) if header else (),
        delimiter=split.delimiter,
        header=header,
        multiline=any("\n" in value or "\r" in value for record in records for value in record),
        escape=split.escape,
        n_ragged=sum(len(record) != split.n_fields for record in records),
        n_records=len(records) - header,
    )


def _has_names(records: Sequence[Sequence[str]], n_fields: int) -> bool:
    """Return whether the first record holds names: its fields differ from the values below."""
    first = records[0]
    others = [record for record in records[1:] if len(record) == n_fields]
    if len(set(first)) == len(first) and not any(map(_value_kind, first)):
        return True
    if not others:
        return not all(map(_value_kind, first))
    n_unlike = n_alike = 0
    for position, name in enumerate(first[:n_fields]):
        kinds = {_value_kind(record[position]) for record in others if record[position].strip()}
        if kinds and "" not in kinds:
            if _value_kind(name) in kinds:
                n_alike += 1
            elif name.strip():
                n_unlike += 1
    return n_unlike >= n_alike and bool(n_unlike or any(not _value_kind(name) for name in first))


def _value_kind(value: str) -> str:
    """Classify a value as year, number or time; "" for other text.

    Years are a kind of their own, since columns may be named after years.
    """
    value = value.strip()
    if _YEAR.fullmatch(value):
        return "year"
    if _NUMBER.fullmatch(value):
        return "number"
    return "time" if _TIME.fullmatch(value) else ""
