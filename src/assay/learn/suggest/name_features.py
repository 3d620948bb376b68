"""What a column's name says in parts: the features of the model of names (deequ, section 4.2).

The paper hashes character n-grams of names and one-hot encodes the type. Here the parts keep their
names, and there are more of them: the words of a name, how it relates to the table's name (a
`user_id` is a key of `users`, not of `orders`) and to the other columns (a `user_id` beside an `id`
is a reference). Whatever is not known adds no parts.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

__all__ = ["kind_of", "name_features", "words_of"]

#: of a name only the end counts beyond this length, so that a score's cost is bounded
_LONGEST = 120
_WORD = re.compile(r"[^\W_]+")
_WITHIN = re.compile(
    r"(?<=[a-z])(?=[A-Z]) | (?<=[A-Z])(?=[A-Z][a-z]) | (?<=\d)(?=[^\d]) | (?<=[^\d])(?=\d)", re.X
)

#: words that say what sort of key or label a name is; what is left is what it is the key *of*
_KEYS = frozenset(
    [
        "code",
        "email",
        "gid",
        "guid",
        "hash",
        "id",
        "idx",
        "index",
        "key",
        "login",
        "name",
        "no",
        "nr",
        "num",
        "number",
        "oid",
        "pid",
        "pk",
        "ref",
        "row",
        "rowid",
        "seq",
        "serial",
        "sid",
        "slug",
        "token",
        "uid",
        "uri",
        "url",
        "username",
        "uuid",
    ]
)
#: those that identify
_IDENTIFIERS = frozenset(["gid", "guid", "id", "key", "oid", "pk", "rowid", "uid", "uuid"])
#: found at the end of a word where nothing parts them: `itemid`
_GLUED = ("id", "key", "no", "name", "code")
#: columns that are the key of their table wherever they appear
_PLAIN = ("id", "rowid", "uuid", "row_id", "gid", "guid")

#: counts and shares are told apart no finer than this
_COUNTS = (1, 2, 3, 5, 10)
_SHARES = (0.0, 0.15, 0.5, 0.9)

#: the first sign that is found in a type's name decides; more telling ones stand before others
_KINDS = {
    "other": ("interval", "point"),
    "timestamp": ("timestamp", "datetime"),
    "date": ("date",),
    "boolean": ("bool", "bit"),
    "string": ("char", "text", "string", "clob", "enum", "uuid"),
    "binary": ("binary", "blob", "bytea"),
    "integral": ("int", "serial", "long", "short", "byte"),
    "fractional": ("float", "double", "real"),
    "decimal": ("dec", "num", "money"),
}


def kind_of(type_name: str) -> str:
    """The kind of a type, be it Spark's or SQL's: both must come to the same.

    >>> [kind_of(name) for name in ("bigint", "int(11) unsigned", "varchar(64)", "decimal(10,2)")]
    ['integral', 'integral', 'string', 'decimal']
    """
    # MySQL has no other way to say boolean
    if type_name.lower().startswith("tinyint(1)"):
        return "boolean"
    head = re.split(r"[(<]", type_name.lower()[:_LONGEST], maxsplit=1)[0]
    signs = ((kind, sign) for kind, signs in _KINDS.items() for sign in signs)
    return next((kind for kind, sign in signs if sign in head), "other")


@lru_cache(8192)
def words_of(name: str) -> tuple[str, ...]:
    """A name's words, in lower case, in the singular, numbers as 0.

    >>> words_of("orderId") == words_of("ORDER_ID") == words_of("orders.id")
    True
    """
    found = (word for run in _WORD.findall(name[-_LONGEST:]) for word in _WITHIN.split(run) if word)
    return tuple("0" if word.isdecimal() else _singular(word.lower()) for word in found)


def name_features(
    column: str,
    table: str | None = None,
    type_name: str | None = None,
    columns: Sequence[str] | None = None,
) -> set[str]:
    """The parts that speak for or against a column's being unique, each by its own name."""
    name = _Name.of(words_of(column))
    parts = set(_alone(name))
    relation = None
    if table is not None:
        words = words_of(table)
        relation = _relation(name, words)
        parts.update(_in_table(name, words, relation))
    if columns is not None:
        parts.update(_among(name, _Columns.of(tuple(columns))))
    if type_name is not None:
        kind = kind_of(type_name)
        parts.update((f"k {kind}", f"k {kind} >{name.last}", f"k {kind} <{name.first}"))
        parts.add(f"k {kind} ={name.text}")
        if relation is not None:
            parts.add(f"k {kind} r {relation}")
    return parts


@dataclass(frozen=True, slots=True)
class _Name:
    """A column's name: its words, those that say *key*, and those that say of what."""

    words: tuple[str, ...]
    keys: tuple[str, ...]
    stem: tuple[str, ...]
    #: where the key is: First, Last, Glued to a word, or nowhere
    place: str

    @staticmethod
    @lru_cache(8192)
    def of(words: tuple[str, ...]) -> _Name:
        keys = tuple(word for word in words if word in _KEYS)
        stem = tuple(word for word in words if word not in _KEYS)
        if keys:
            return _Name(words, keys, stem, "F" if stem and words[0] in _KEYS else "L")
        if words and len(words[-1]) > 3:
            for key in _GLUED:
                if words[-1].endswith(key):
                    return _Name(words, (key,), (*words[:-1], words[-1][: -len(key)]), "G")
        return _Name(words, (), words, "-")

    @property
    def text(self) -> str:
        return "_".join(self.words)

    @property
    def first(self) -> str:
        return self.words[0] if self.words else ""

    @property
    def last(self) -> str:
        return self.words[-1] if self.words else ""

    @property
    def key(self) -> str:
        return "_".join(self.keys) or "-"

    @property
    def identifies(self) -> bool:
        return not _IDENTIFIERS.isdisjoint(self.keys)


@dataclass(frozen=True, slots=True)
class _Columns:
    """What all the columns of a table are called, summed up."""

    names: frozenset[str]
    first: Counter[str]
    identifiers: int

    @staticmethod
    @lru_cache(64)
    def of(columns: tuple[str, ...]) -> _Columns:
        names = {each.text: each for each in (_Name.of(words_of(column)) for column in columns)}
        return _Columns(
            frozenset(names),
            Counter(each.first for each in names.values()),
            sum(each.identifies for each in names.values()),
        )


def _alone(name: _Name) -> Iterator[str]:
    """The name itself: whole, its words and where they stand, and 2 to 5 of its characters."""
    words = name.words
    yield f"={name.text}"
    yield f"n {min(len(words), 5)}"
    yield f"<{name.first}"
    yield f">{name.last}"
    yield f">>{'_'.join(words[-2:])}"
    yield from (f".{word}" for word in words)
    yield from (f"..{one}_{two}" for one, two in pairwise(words))
    text = f"^{name.text}$"
    for size in range(2, 6):
        yield from (f"#{text[at : at + size]}" for at in range(len(text) - size + 1))


def _relation(name: _Name, table: tuple[str, ...]) -> str:
    """How that of which the column is a key compares to the table's name."""
    stem = "".join(name.stem)
    whole = "".join(table)
    if not stem or not whole:
        return "empty"
    end = name.stem[-1]
    initials = "".join(word[0] for word in table)
    tests = (
        ("equal", stem == whole),
        ("tail", whole.endswith(stem)),
        ("head", whole.startswith(stem)),
        ("longer at the front", stem.endswith(whole)),
        ("longer at the end", stem.startswith(whole)),
        ("inside", stem in whole),
        ("last word's beginning", len(end) > 2 and table[-1].startswith(end)),
        ("a word's beginning", len(end) > 2 and any(word.startswith(end) for word in table)),
        ("initials", stem in (initials, initials[1:])),
        ("overlap", not set(name.stem).isdisjoint(table)),
    )
    return next((relation for relation, holds in tests if holds), "none")


def _in_table(name: _Name, table: tuple[str, ...], relation: str) -> Iterator[str]:
    """The name beside the table's: what they share, and what is left of the name without it."""
    last = table[-1] if table else ""
    own, its = set(name.words), set(table)
    shared = "all" if its <= own else "none" if its.isdisjoint(own) else "some"
    rest = "_".join(word for word in name.words if word not in its)
    yield f"s {shared}"
    yield f"s {shared} {rest}"
    yield f"r {relation}"
    yield f"r {relation} {name.place}{name.key}"
    yield f"r {relation} {name.place} {min(len(table), 4)}"
    yield f"r {relation} {min(len(name.words), 4)} of {min(len(table), 4)}"
    yield f"r {relation} {name.place} {name.stem[-1:] == table[-1:]}"
    yield f"t >{last}"
    yield f"t >{last} >{name.last}"
    for word in its:
        yield f"t {word}"
        yield f"t {word} {name.key}"


def _among(name: _Name, columns: _Columns) -> Iterator[str]:
    """The name beside the table's other columns: is there another key, do they share its words?"""
    itself = name.text in columns.names
    count = len(columns.names) - itself
    identifiers = columns.identifiers - (itself and name.identifies)
    plain = next((key for key in _PLAIN if key != name.text and key in columns.names), "-")
    share = (columns.first[name.first] - itself) / max(count, 1)
    alike = bisect_left(_SHARES, share)
    yield f"o plain {plain} {name.key}"
    ids = bisect_right(_COUNTS, identifiers)
    yield f"o ids {ids} {name.key}"
    yield f"o count {bisect_right(_COUNTS, count)} {name.key}"
    yield f"o alike {alike} {name.key}"
    yield f"o alike {alike} {min(len(name.stem), 3)} {name.key}"
    yield f"o alike {alike} ids {ids} {name.identifies}"
    yield f"o only {name.identifies and not identifiers} {plain} {name.key}"
    if name.stem:
        stem = "_".join(name.stem)
        prefixed = sum(other.startswith(stem) for other in columns.names)
        prefixed -= itself and name.text.startswith(stem)
        starts = bisect_right(_COUNTS, prefixed)
        yield f"o stem {starts} {name.key}"
        yield f"o stem {starts} {min(len(name.stem), 4)}{name.place}"


def _singular(word: str) -> str:
    if len(word) < 4:
        return word
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    if word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) else word
