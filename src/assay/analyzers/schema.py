"""What a table's columns are called and what type they have, known without touching a row.

A `Schema` needs no Spark: plans and preconditions are decided on it alone. Types are Spark's own
short names (``bigint``, ``decimal(10,2)``, ``array<string>``).

>>> orders = Schema.of(id="bigint", address={"city": "string", "zip code": "string"})
>>> orders.column("address.zip code").sql
'`address`.`zip code`'
>>> orders.column("adress.city")
Traceback (most recent call last):
    ...
assay.errors.UnknownColumnError: no column 'adress.city'; did you mean 'address.city'? The columns are: id, address.
"""  # noqa: E501 - the error's one sentence is one line

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from assay.errors import AmbiguousColumnError, UnknownColumnError, WrongTypeError

__all__ = [
    "COMPARABLE",
    "FLOATING",
    "GROUPABLE",
    "NUMERIC",
    "TEXT",
    "Column",
    "Field",
    "Schema",
    "family",
]

NUMERIC = frozenset({"integral", "fractional", "decimal"})
FLOATING = frozenset({"fractional"})
TEXT = frozenset({"string"})
TEMPORAL = frozenset({"date", "timestamp", "timestamp_ntz"})
COMPARABLE = NUMERIC | TEXT | TEMPORAL | {"boolean", "binary", "time", "day interval"}
#: what can be grouped, some of it as text or JSON
GROUPABLE = COMPARABLE | {
    "month interval",
    "calendar interval",
    "array",
    "struct",
    "map",
    "variant",
    "void",
}

#: a name in backticks that stands alone; strings are passed over, and so are members (`a`.`b`)
_NAME_OR_STRING = re.compile(
    r"""'(?:[^'\\]|\\.)*' | "(?:[^"\\]|\\.)*" | `(?:[^`]|``)+`(?:\s*\.\s*`(?:[^`]|``)+`)+
      | (?<![.`]) `(?P<name>(?:[^`]|``)+)` (?!\s*[.`])""",
    re.VERBOSE,
)
_FAMILIES = {
    "tinyint": "integral",
    "smallint": "integral",
    "int": "integral",
    "bigint": "integral",
    "float": "fractional",
    "double": "fractional",
    "string": "string",
    "char": "string",
    "varchar": "string",
    "decimal": "decimal",
}


def family(type_name: str) -> str:
    """The kind of a type: ``decimal(10,2)`` is *decimal*, ``interval day to second`` *day interval*.

    >>> family("decimal(38,18)"), family("string collate UNICODE_CI"), family("array<int>")
    ('decimal', 'string', 'array')
    """  # noqa: E501
    head = re.split(r"[(<\s]", type_name, maxsplit=1)[0]
    if head == "interval":
        words = type_name.split()[1:]
        if not words:
            return "calendar interval"
        return "month interval" if words[0] in {"year", "month"} else "day interval"
    return _FAMILIES.get(head, head)


@dataclass(frozen=True, slots=True)
class Field:
    """A column, or a member of a struct: its name, type, own members, whether it may be null."""

    name: str
    type: str
    fields: tuple[Field, ...] = ()
    #: what Spark declares; it says little of the rows, and makes no two schemas different
    nullable: bool = field(default=True, compare=False)

    @staticmethod
    def of(name: str, spec: str | Mapping[str, Any]) -> Field:
        """A field from ``"bigint"`` or, for a struct, from a mapping of its members."""
        if isinstance(spec, str):
            return Field(name, spec)
        members = tuple(Field.of(inner, of) for inner, of in spec.items())
        return Field(name, f"struct<{','.join(f'{m.name}:{m.type}' for m in members)}>", members)


@dataclass(frozen=True, slots=True)
class Column:
    """A column found in a schema: how SQL refers to it, its type, and the top-level column read."""

    name: str
    sql: str
    type: str
    root: str

    @property
    def family(self) -> str:
        """The kind of its type."""
        return family(self.type)

    @property
    def plain(self) -> str:
        """Its SQL, without a collation: what looks into strings knows only bytes."""
        collated = self.family == "string" and "collate" in self.type
        return f"collate({self.sql}, 'UTF8_BINARY')" if collated else self.sql

    def require(self, families: frozenset[str], asked: str) -> Column:
        """Itself, if its type is one of these kinds; else the error that says what was asked."""
        if self.family not in families:
            raise WrongTypeError.of(self.name, self.type, asked, families)
        return self


@dataclass(frozen=True)
class Schema:
    """The columns of a table, in order."""

    fields: tuple[Field, ...]
    case_sensitive: bool = False
    #: whether these are the members of a struct, which cannot be renamed
    nested: bool = False

    @staticmethod
    def of(**columns: str | Mapping[str, Any]) -> Schema:
        """A schema from names and types; a mapping makes a struct."""
        return Schema(tuple(Field.of(name, spec) for name, spec in columns.items()))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the top-level columns."""
        return tuple(field.name for field in self.fields)

    @property
    def columns(self) -> tuple[Column, ...]:
        """The top-level columns, those too that have the same name."""
        pairs = zip(self.fields, self.aliases, strict=True)
        return tuple(Column(f.name, quote(alias), f.type, f.name) for f, alias in pairs)

    @cached_property
    def aliases(self) -> tuple[str, ...]:
        """A name for each column that SQL can tell from the others.

        The column's own name, unless another has the same one (or one that differs only in case,
        where Spark does not tell case apart): then a name made from its position.
        """
        _, loose = self._positions
        return tuple(
            name if len(loose[self._fold(name)]) == 1 else f"__assay_{position}"
            for position, name in enumerate(self.names)
        )

    def column(self, name: str) -> Column:
        """The column of this name: a top-level one first, else a member of a struct (``a.b``)."""
        found = self._top_level(name)
        if found is None:
            found = self._nested(name)
        if found is None:
            raise UnknownColumnError.of(name, self.names, tuple(self._paths()))
        return found

    def has(self, name: str) -> bool:
        """Whether there is such a column."""
        try:
            self.column(name)
        except UnknownColumnError:
            return False
        except AmbiguousColumnError:
            return True
        return True

    def mentioned(self, sql: str) -> tuple[str, ...]:
        """The top-level columns whose names occur in a piece of SQL."""
        words = {self._fold(word) for word in re.findall(r"\w+", re.sub(r"'[^']*'", " ", sql))}
        quoted = {
            self._fold(name.replace("``", "`")) for name in re.findall(r"`((?:[^`]|``)+)`", sql)
        }
        return tuple(
            name for name in dict.fromkeys(self.names) if self._fold(name) in words | quoted
        )

    def possibly_mentioned(self, sql: str) -> frozenset[str]:
        """Return every top-level column that a piece of SQL may read, and rather too many.

        Unlike `mentioned`, it also searches string literals, ignores case, and takes ``*`` as a
        mention of all columns. ``count(*)`` reads no values.

        >>> schema = Schema.of(id="int", ssn="string")
        >>> sorted(schema.possibly_mentioned("max(SSN)")), sorted(schema.possibly_mentioned("max(struct(*))"))
        (['ssn'], ['id', 'ssn'])
        """  # noqa: E501
        text = re.sub(r"count\s*\(\s*\*\s*\)", " ", sql.lower())
        if re.search(r"[(,]\s*\*", text):
            return frozenset(self.names)
        words = set(re.findall(r"\w+", text))
        return frozenset(
            name
            for name in self.names
            if name.lower() in words
            or (not re.fullmatch(r"\w+", name) and name.lower().replace("`", "``") in text)
        )

    def resolved(self, sql: str) -> str:
        """SQL in which a name in backticks may be a path, or told apart only by position.

        >>> Schema.of(address={"city": "string"}).resolved("`address.city` = 'a `b` c'")
        "`address`.`city` = 'a `b` c'"
        """

        def found(token: re.Match[str]) -> str:
            name = token.group("name")
            return token.group() if name is None else self.column(name.replace("``", "`")).sql

        return _NAME_OR_STRING.sub(found, sql)

    @cached_property
    def _positions(self) -> tuple[dict[str, list[int]], dict[str, list[int]]]:
        """Where each name stands, as it is written and as Spark tells names apart."""
        exact: dict[str, list[int]] = {}
        loose: dict[str, list[int]] = {}
        for position, name in enumerate(self.names):
            exact.setdefault(name, []).append(position)
            loose.setdefault(self._fold(name), []).append(position)
        return exact, loose

    def _fold(self, name: str) -> str:
        return name if self.case_sensitive else name.lower()

    def _top_level(self, name: str) -> Column | None:
        exact, loose = self._positions
        alike = loose.get(self._fold(name), [])
        candidates = alike if self.nested else exact.get(name) or alike
        if len(candidates) > 1:
            raise AmbiguousColumnError.of(name, [self.names[i] for i in candidates])
        if not candidates:
            return None
        found, alias = self.fields[candidates[0]], self.aliases[candidates[0]]
        return Column(found.name, quote(alias), found.type, found.name)

    def _nested(self, name: str) -> Column | None:
        # any prefix may itself contain dots: "a.b.c" may be c in `a.b`
        for at in (found.start() for found in re.finditer(r"\.", name)):
            head, rest = _unquote(name[:at]), name[at + 1 :]
            root = self._top_level(head)
            if root is None:
                continue
            members = next(f.fields for f in self.fields if f.name == root.root)
            inner = Schema(members, self.case_sensitive, nested=True)
            try:
                member = inner.column(_unquote(rest))
            except UnknownColumnError:
                continue
            return replace(member, name=name, sql=f"{root.sql}.{member.sql}", root=root.root)
        return None

    def _paths(self) -> Iterator[str]:
        for each in self.fields:
            yield each.name
            yield from (f"{each.name}.{path}" for path in Schema(each.fields)._paths())


def quote(name: str) -> str:
    """A name as SQL reads it, whatever characters it holds."""
    return "`" + name.replace("`", "``") + "`"


def _unquote(name: str) -> str:
    if re.fullmatch(r"`(?:[^`]|``)+`", name):
        return name[1:-1].replace("``", "`")
    return name
