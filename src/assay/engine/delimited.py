"""How lines of text are a table: what separates their fields, whether the first line names them.

>>> found = layout_of("a;b\\n1,5;2\\n2,5;3\\n")
>>> found.delimiter, found.header, found.columns
(';', True, ('a', 'b'))
>>> layout_of("Redirecting to https://example.org/current.csv\\n") is None
True
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

__all__ = ["Layout", "layout_of", "quoted_ends"]

_DELIMITERS = ",\t;|"
#: records that are looked at
_RECORDS = 500
#: of these, so many have the same number of fields where they are a table
_ALIKE = 0.6
_NUMBER = re.compile(r"[+-]?(?:\d+[.,]?\d*|[.,]\d+)(?:[eE][+-]?\d+)?%?")
_YEAR = re.compile(r"(?:19|20)\d\d")
_MOMENT = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:[ T]\d{1,2}:\d{2}.*)?|\d{1,2}:\d{2}.*")


@dataclass(frozen=True)
class Layout:
    """How text is a table; `ragged` of the `seen` records have more or fewer fields than most."""

    columns: tuple[str, ...]
    delimiter: str
    header: bool
    multiline: bool
    escape: str
    ragged: int
    seen: int


def layout_of(
    text: str,
    *,
    whole: bool = True,
    delimiter: str | None = None,
    header: bool | None = None,
    prose: bool = True,
) -> Layout | None:
    """How these lines are a table, the first of a file or all of it; None if they are prose.

    What is known is given; `prose` says whether it may turn out to be no table.
    """
    escape = "\\" if '\\"' in text and '""' not in text else '"'
    best: tuple[float, int] = (0.0, 1)
    chosen: tuple[str, list[list[str]], int] | None = None
    for each in delimiter or _DELIMITERS:
        records = _records(text, each, escape, whole=whole)
        if not records:
            continue
        # of equally frequent numbers of fields the larger one: one field is no evidence
        fields, count = max(Counter(map(len, records)).items(), key=lambda pair: pair[::-1])
        alike = count / len(records)
        if fields > 1 and (alike, fields) > best and (alike >= _ALIKE or delimiter):
            best, chosen = (alike, fields), (each, records, fields)
    if chosen is None:
        between = delimiter or ","
        records = _records(text, between, escape, whole=whole)
        if not records or (prose and _is_prose(records)):
            return None
        chosen = between, records, 1
    each, records, fields = chosen
    if prose and len(records) == 1 and _is_sentence(records[0]):
        return None
    named = _named(records, fields) if header is None else header
    return _layout(each, records, fields, escape, header=named)


def quoted_ends(chunks: Iterable[bytes]) -> bool:
    """Whether an end of line stands between quotes somewhere in these bytes of a file.

    >>> quoted_ends([b'a,"b', b'c"\\n1,2\\n']), quoted_ends([b'a,"b\\n', b'c"\\n'])
    (False, True)
    """
    within = False
    for chunk in chunks:
        parts = chunk.split(b'"')
        if any(b"\n" in each for each in parts[1 - within :: 2]):
            return True
        within ^= (len(parts) - 1) % 2 == 1
    return False


def _records(text: str, delimiter: str, escape: str, *, whole: bool) -> list[list[str]]:
    csv.field_size_limit(1 << 30)  # Python's own limit is 128 KB
    doubled = escape == '"'
    reader = csv.reader(
        io.StringIO(text, newline=""),
        delimiter=delimiter,
        doublequote=doubled,
        escapechar=None if doubled else escape,
    )
    try:
        found = [each for each in islice(reader, _RECORDS + 1) if each]
    except csv.Error:
        return []
    # the last may be cut off
    return found[:-1] if len(found) > 1 and not whole and len(found) <= _RECORDS else found


def _is_prose(records: Sequence[Sequence[str]]) -> bool:
    """Whether lines without a delimiter are no column of values either."""
    first = records[0][0].strip()
    # a line by itself is the name of a column only if it looks like one
    words = 1 if len(records) == 1 else 3
    if len(first.split()) > words or "://" in first or first.endswith((".", "!", "?")):
        return True
    return sum(len(each) == 1 for each in records) < _ALIKE * len(records)


def _is_sentence(record: Sequence[str]) -> bool:
    """Whether the only record is a message rather than names: it ends as a sentence does."""
    return record[-1].rstrip().endswith((".", "!", "?")) and len(record[-1].split()) > 1


def _layout(
    delimiter: str, records: list[list[str]], fields: int, escape: str, *, header: bool
) -> Layout:
    columns = tuple(records[0]) if header else ()
    multiline = any("\n" in value or "\r" in value for each in records for value in each)
    rest = records[1:] if header else records
    ragged = sum(len(each) != fields for each in records)
    return Layout(columns, delimiter, header, multiline, escape, ragged, len(rest))


def _named(records: Sequence[Sequence[str]], fields: int) -> bool:
    """Whether the first record has names in it: it looks unlike the values below."""
    first, rest = records[0], [each for each in records[1:] if len(each) == fields]
    if len(set(first)) == len(first) and not any(map(_kind, first)):
        return True
    if not rest:
        return not all(map(_kind, first))
    unlike = alike = 0
    for at, name in enumerate(first[:fields]):
        kinds = {_kind(each[at]) for each in rest if each[at].strip()}
        if kinds and "" not in kinds:
            if _kind(name) in kinds:
                alike += 1
            elif name.strip():
                unlike += 1
    return unlike >= alike and bool(unlike or any(not _kind(name) for name in first))


def _kind(value: str) -> str:
    """What a value looks like: a number, a moment, or nothing of the kind.

    Years are told from numbers, for they are names of columns, too.
    """
    value = value.strip()
    if _YEAR.fullmatch(value):
        return "year"
    if _NUMBER.fullmatch(value):
        return "number"
    return "moment" if _MOMENT.fullmatch(value) else ""
