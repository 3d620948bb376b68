"""Split text into the records and fields of a CSV dialect, with Python's own parser.

>>> dialect = CsvDialect(delimiter=";")
>>> [record.fields for record in split_records('a;b\\n1;"x;y"\\n', dialect)]
[['a', 'b'], ['1', 'x;y']]
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

__all__ = [
    "MAX_RECORDS",
    "CsvDialect",
    "CsvRecord",
    "csv_reader",
    "has_quoted_line_end",
    "quote_errors",
    "read_by_spark",
    "split_records",
]

#: records of a file that are examined
MAX_RECORDS = 500
#: characters of a line that Spark leaves out
_WHITE_SPACE = "".join(map(chr, range(33)))
_ESCAPED = re.compile(rb"\\.", re.S)
_LINE_END = re.compile(r"\r\n|\n|\r")


@dataclass(frozen=True)
class CsvDialect:
    """How fields are separated, quoted and escaped.

    Attributes
    ----------
    quote
        The quote character; "" if quotes have no meaning.
    escape
        The character before a quote within quotes. It is the quote itself or a backslash.
    padded
        Spaces around a delimiter are not part of a value. A run of spaces is one delimiter.
    """

    delimiter: str = ","
    quote: str = '"'
    escape: str = '"'
    padded: bool = False


@dataclass(frozen=True, slots=True)
class CsvRecord:
    """One record, and the number of physical lines before it.

    Attributes
    ----------
    is_white_space
        The record is a line of spaces or tabs. Spark leaves it out unless a quoted value of the
        file has a line end.
    """

    fields: list[str]
    lines_before: int
    is_white_space: bool = False


def csv_reader(
    lines: Iterable[str], dialect: CsvDialect, *, strict: bool = False
) -> Iterator[list[str]]:
    """Split lines into fields. Blank lines are empty lists."""
    csv.field_size_limit(1 << 30)  # Python's own limit is 128 KB
    doubled = dialect.escape == dialect.quote
    reader = csv.reader(
        lines,
        delimiter=dialect.delimiter,
        quotechar=dialect.quote or None,
        quoting=csv.QUOTE_MINIMAL if dialect.quote else csv.QUOTE_NONE,
        doublequote=doubled,
        escapechar=None if doubled or not dialect.quote else dialect.escape,
        skipinitialspace=dialect.padded,
        strict=strict,
    )
    return map(_strip, reader) if dialect.padded else reader


def split_records(
    text: str, dialect: CsvDialect, *, is_whole: bool = True, limit: int = MAX_RECORDS
) -> list[CsvRecord]:
    """Split the first records of a text; empty lines are left out.

    Parameters
    ----------
    is_whole
        False if the last record may be cut off. It is then left out.
    """
    records: list[CsvRecord] = []
    n_lines = 0
    lines = _CountedLines(_lines(text, dialect))
    reader = csv_reader(lines, dialect)
    try:
        for fields in reader:
            if fields:
                is_white_space = lines.count == n_lines + 1 and not lines.last.strip(_WHITE_SPACE)
                records.append(CsvRecord(fields, n_lines, is_white_space))
            n_lines = lines.count
            if len(records) > limit:
                return records[:limit]
    except csv.Error:
        return []
    return records if is_whole or len(records) < 2 else records[:-1]


def read_by_spark(records: list[CsvRecord], *, multiline: bool) -> list[CsvRecord]:
    """Return the records that Spark's reader returns: without lines of white space.

    With the option `multiLine`, Spark returns these as well.
    """
    return records if multiline else [record for record in records if not record.is_white_space]


def quote_errors(text: str, dialect: CsvDialect, *, is_whole: bool) -> int:
    """Count the records in which a quote closes within a field, or never closes.

    In a padded dialect, spaces may follow the closing quote.
    """
    if not dialect.quote or dialect.quote not in text:
        return 0
    physical = _lines(text, dialect)
    if dialect.padded and dialect.delimiter != " ":
        end = re.compile(rf"{dialect.quote} +(?=[{re.escape(dialect.delimiter)}\r\n]|\Z)")
        physical = (end.sub(dialect.quote, line) for line in physical)
    lines = _CountedLines(physical)
    reader = csv_reader(lines, dialect, strict=True)
    errors = 0
    for _ in range(MAX_RECORDS):
        try:
            next(reader)
        except csv.Error:
            # the last line of a head may be cut off within quotes
            errors += is_whole or not lines.is_at_end
        except StopIteration:
            break
    return errors


def has_quoted_line_end(chunks: Iterable[bytes], dialect: CsvDialect | None = None) -> bool:
    """Return whether a line end occurs between quotes in the bytes of a file.

    >>> has_quoted_line_end([b'a,"b', b'c"\\n1,2\\n']), has_quoted_line_end([b'a,"b\\n', b'c"\\n'])
    (False, True)
    """
    dialect = dialect or CsvDialect()
    quote = dialect.quote.encode()
    if not quote:
        return False
    within = False
    for chunk in chunks if dialect.escape == dialect.quote else _without_escapes(chunks):
        parts = chunk.split(quote)
        if any(b"\n" in part or b"\r" in part for part in parts[1 - within :: 2]):
            return True
        within ^= (len(parts) - 1) % 2 == 1
    return False


def _without_escapes(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Remove each backslash with the byte after it, also where two chunks meet."""
    carried = b""
    for chunk in chunks:
        cut = _ESCAPED.sub(b"", carried + chunk)
        carried = b"\\" if cut.endswith(b"\\") else b""
        yield cut.removesuffix(carried)


class _CountedLines:
    """Iterate over lines, count them, and keep the last one."""

    def __init__(self, lines: Iterator[str]) -> None:
        self._lines = lines
        self._next = next(lines, None)
        self.last = ""
        self.count = 0

    def __iter__(self) -> _CountedLines:
        return self

    def __next__(self) -> str:
        line = self._next
        if line is None:
            raise StopIteration
        self._next = next(self._lines, None)
        self.last = line
        self.count += 1
        return line

    @property
    def is_at_end(self) -> bool:
        """True if all lines were read."""
        return self._next is None


def _lines(text: str, dialect: CsvDialect) -> Iterator[str]:
    lines = io.StringIO(text, newline="")
    if not (dialect.padded and dialect.delimiter == " "):
        return lines
    # a space at the end of a line separates nothing
    return (line.rstrip(" \r\n") + (_LINE_END.findall(line) or [""])[-1] for line in lines)


def _strip(fields: list[str]) -> list[str]:
    return [field.strip(" ") for field in fields]
