"""The columns of files of text: their names, and the types that nothing but their values tells.

A column is given the type that its values had when it first came, as if somebody had declared it;
what does not fit later is null, and noticed. Where most numbers are words all of a sudden, the
column is read as text.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

from assay.analyzers.schema import family
from assay.analyzers.text import TYPE_PATTERNS
from assay.engine.sniff import HEAD, Sniffed, unpacked
from assay.gate.columns import NUMBERS, is_number

__all__ = ["names_in", "typed"]

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


def typed(
    how: Sniffed, paths: Sequence[Path], types: dict[str, str], null: str | None
) -> list[tuple[Mapping[str, str], list[Path]]]:
    """Files of the same types together, and these types; `types` grows by new columns."""
    if how.format != "csv":
        return [(types, list(paths))]
    names = names_in(paths[0], how)
    for name, kind in _types(how, names, paths, null).items():
        if kind is not None:
            types.setdefault(name, kind)
    found: dict[tuple[str, ...], list[Path]] = {}
    for each in paths:
        found.setdefault(_words(each, how, names, types, null), []).append(each)
    return [(types | dict.fromkeys(words, "string"), part) for words, part in found.items()]


def _words(
    path: Path, how: Sniffed, names: Sequence[str], types: Mapping[str, str], null: str | None
) -> tuple[str, ...]:
    """Columns of numbers whose first values are not: several of them, and more than are."""
    counted = [at for at, name in enumerate(names) if family(types.get(name, "")) in NUMBERS]
    seen: dict[int, set[str]] = {at: set() for at in counted}
    for record in islice(_records(path, how), _LINES if counted else 0):
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


def _types(
    how: Sniffed, names: Sequence[str], paths: Iterable[Path], null: str | None
) -> dict[str, str | None]:
    """What the values of each column look like in the first files; None where there are none."""
    seen: list[set[str]] = [set() for _ in names]
    for path, _ in zip(paths, range(_LOOKED_AT), strict=False):
        for record in _records(path, how):
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


def names_in(path: Path, how: Sniffed) -> list[str]:
    """Names of columns; as Spark gives them, where a file has none."""
    if how.columns:
        return _names(how.columns)
    first = next(_records(path, how), [])
    return [f"_c{at}" for at in range(len(first))]
