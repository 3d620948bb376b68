"""Features of a column's name, for the model of names (Deequ, section 4.2).

The paper hashes character n-grams of the name and one-hot encodes the type. Here features are not
hashed, and there are more of them: the words of the name, and its relations to other names. A
`user_id` is a key of `users`, not of `orders`; next to an `id`, it is a reference. Unknown
information adds no features.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

__all__ = ["is_identifier_name", "kind_of", "name_features", "words_of"]

#: longer names are cut at the front: this bounds the cost of a score
_MAX_LENGTH = 120
_WORD = re.compile(r"[^\W_]+")
_WORD_BOUNDARY = re.compile(
    r"(?<=[a-z])(?=[A-Z]) | (?<=[A-Z])(?=[A-Z][a-z]) | (?<=\d)(?=[^\d]) | (?<=[^\d])(?=\d)", re.X
)

#: Words for a kind of key or label. The other words of a name say whose key or label it is.
_KEY_WORDS = frozenset(
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
#: last words of the name of a number that identifies: `invoice_no`, `flight_number`
_NUMBER_WORDS = frozenset(["no", "nr", "number"])
#: words for an identifier
_IDENTIFIERS = frozenset(["gid", "guid", "id", "key", "oid", "pk", "rowid", "uid", "uuid"])
#: endings of a word without a separator: `itemid`
_KEY_ENDINGS = ("id", "key", "no", "name", "code")
#: names of columns that are the key of their own table
_OWN_KEYS = ("id", "rowid", "uuid", "row_id", "gid", "guid")

#: boundaries of the classes of counts and of shares
_COUNT_CLASSES = (1, 2, 3, 5, 10)
_SHARE_CLASSES = (0.0, 0.15, 0.5, 0.9)

#: parts of the names of types, specific ones first: the first one that occurs decides
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
    """Return the kind of a type of Spark or SQL; both give the same kind.

    >>> [kind_of(name) for name in ("bigint", "int(11) unsigned", "varchar(64)", "decimal(10,2)")]
    ['integral', 'integral', 'string', 'decimal']
    """
    # MySQL's type for booleans
    if type_name.lower().startswith("tinyint(1)"):
        return "boolean"
    head = re.split(r"[(<]", type_name.lower()[:_MAX_LENGTH], maxsplit=1)[0]
    candidates = ((kind, part) for kind, parts in _KINDS.items() for part in parts)
    return next((kind for kind, part in candidates if part in head), "other")


@lru_cache(8192)
def words_of(name: str) -> tuple[str, ...]:
    """Return the words of a name in lower case and singular, with numbers as 0.

    >>> words_of("orderId") == words_of("ORDER_ID") == words_of("orders.id")
    True
    """
    runs = _WORD.findall(name[-_MAX_LENGTH:])
    words = (word for run in runs for word in _WORD_BOUNDARY.split(run) if word)
    return tuple("0" if word.isdecimal() else _singular(word.lower()) for word in words)


def is_identifier_name(name: str) -> bool:
    """Return whether a word of the name is `id`, `key` or the like, or the last one is `number`.

    >>> names = ("customerId", "InvoiceNo", "paid", "number_of_seats")
    >>> [is_identifier_name(name) for name in names]
    [True, True, False, False]
    """
    words = words_of(name)
    is_numbered = len(words) > 1 and words[-1] in _NUMBER_WORDS
    return is_numbered or not _IDENTIFIERS.isdisjoint(words)


def name_features(
    column: str,
    table: str | None = None,
    type_name: str | None = None,
    columns: Sequence[str] | None = None,
) -> set[str]:
    """Return the names of the features of a column.

    Parameters
    ----------
    column
        The name of the column.
    table, type_name, columns
        The table's name, the type, and the names of all columns, as far as they are known.
    """
    name = _Name.of(words_of(column))
    features = set(_features_of_name(name))
    relation = None
    if table is not None:
        table_words = words_of(table)
        relation = _relation(name, table_words)
        features.update(_features_of_table(name, table_words, relation))
    if columns is not None:
        features.update(_features_of_columns(name, _TableColumns.of(tuple(columns))))
    if type_name is not None:
        kind = kind_of(type_name)
        features.update((f"k {kind}", f"k {kind} >{name.last}", f"k {kind} <{name.first}"))
        features.add(f"k {kind} ={name.text}")
        if relation is not None:
            features.add(f"k {kind} r {relation}")
    return features


@dataclass(frozen=True, slots=True)
class _Name:
    """A column's name: all words, the words for a key, and the others (the stem)."""

    words: tuple[str, ...]
    keys: tuple[str, ...]
    stem: tuple[str, ...]
    #: where the key is: F(irst), L(ast), G(lued to a word), or - for nowhere
    place: str

    @staticmethod
    @lru_cache(8192)
    def of(words: tuple[str, ...]) -> _Name:
        keys = tuple(word for word in words if word in _KEY_WORDS)
        stem = tuple(word for word in words if word not in _KEY_WORDS)
        if keys:
            return _Name(words, keys, stem, "F" if stem and words[0] in _KEY_WORDS else "L")
        if words and len(words[-1]) > 3:
            for key in _KEY_ENDINGS:
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
class _TableColumns:
    """A summary of the names of a table's columns."""

    names: frozenset[str]
    first: Counter[str]
    identifiers: int

    @staticmethod
    @lru_cache(64)
    def of(columns: tuple[str, ...]) -> _TableColumns:
        parsed = (_Name.of(words_of(column)) for column in columns)
        names = {name.text: name for name in parsed}
        return _TableColumns(
            frozenset(names),
            Counter(name.first for name in names.values()),
            sum(name.identifies for name in names.values()),
        )


def _features_of_name(name: _Name) -> Iterator[str]:
    """Yield the name, its words and their positions, and its n-grams of 2 to 5 characters."""
    words = name.words
    yield f"={name.text}"
    yield f"n {min(len(words), 5)}"
    yield f"<{name.first}"
    yield f">{name.last}"
    yield f">>{'_'.join(words[-2:])}"
    yield from (f".{word}" for word in words)
    yield from (f"..{word}_{following}" for word, following in pairwise(words))
    text = f"^{name.text}$"
    for size in range(2, 6):
        yield from (f"#{text[at : at + size]}" for at in range(len(text) - size + 1))


def _relation(name: _Name, table: tuple[str, ...]) -> str:
    """Return how the stem of a name relates to the table's name."""
    stem = "".join(name.stem)
    table_name = "".join(table)
    if not stem or not table_name:
        return "empty"
    last_word = name.stem[-1]
    initials = "".join(word[0] for word in table)
    tests = (
        ("equal", stem == table_name),
        ("tail", table_name.endswith(stem)),
        ("head", table_name.startswith(stem)),
        ("longer at the front", stem.endswith(table_name)),
        ("longer at the end", stem.startswith(table_name)),
        ("inside", stem in table_name),
        ("last word's beginning", len(last_word) > 2 and table[-1].startswith(last_word)),
        (
            "a word's beginning",
            len(last_word) > 2 and any(word.startswith(last_word) for word in table),
        ),
        ("initials", stem in (initials, initials[1:])),
        ("overlap", not set(name.stem).isdisjoint(table)),
    )
    return next((relation for relation, holds in tests if holds), "none")


def _features_of_table(name: _Name, table: tuple[str, ...], relation: str) -> Iterator[str]:
    """Yield the words that the name shares with the table's name, and the words that it adds."""
    last = table[-1] if table else ""
    words, table_words = set(name.words), set(table)
    disjoint = table_words.isdisjoint(words)
    shared = "all" if table_words <= words else "none" if disjoint else "some"
    added = "_".join(word for word in name.words if word not in table_words)
    yield f"s {shared}"
    yield f"s {shared} {added}"
    yield f"r {relation}"
    yield f"r {relation} {name.place}{name.key}"
    yield f"r {relation} {name.place} {min(len(table), 4)}"
    yield f"r {relation} {min(len(name.words), 4)} of {min(len(table), 4)}"
    yield f"r {relation} {name.place} {name.stem[-1:] == table[-1:]}"
    yield f"t >{last}"
    yield f"t >{last} >{name.last}"
    for word in table_words:
        yield f"t {word}"
        yield f"t {word} {name.key}"


def _features_of_columns(name: _Name, columns: _TableColumns) -> Iterator[str]:
    """Yield whether the table has other keys, and how many columns share the name's words."""
    is_listed = name.text in columns.names
    count = len(columns.names) - is_listed
    identifiers = columns.identifiers - (is_listed and name.identifies)
    own_keys = (key for key in _OWN_KEYS if key != name.text and key in columns.names)
    plain = next(own_keys, "-")
    share = (columns.first[name.first] - is_listed) / max(count, 1)
    alike = bisect_left(_SHARE_CLASSES, share)
    yield f"o plain {plain} {name.key}"
    ids = bisect_right(_COUNT_CLASSES, identifiers)
    yield f"o ids {ids} {name.key}"
    yield f"o count {bisect_right(_COUNT_CLASSES, count)} {name.key}"
    yield f"o alike {alike} {name.key}"
    yield f"o alike {alike} {min(len(name.stem), 3)} {name.key}"
    yield f"o alike {alike} ids {ids} {name.identifies}"
    yield f"o only {name.identifies and not identifiers} {plain} {name.key}"
    if name.stem:
        stem = "_".join(name.stem)
        prefixed = sum(other.startswith(stem) for other in columns.names)
        prefixed -= is_listed and name.text.startswith(stem)
        starts = bisect_right(_COUNT_CLASSES, prefixed)
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
