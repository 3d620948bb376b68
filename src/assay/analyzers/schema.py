"""The names and types of a table's columns, without Spark.

Plans are made from a `Schema` alone. Types are Spark's short names (``bigint``, ``decimal(10,2)``, ``array<string>``).

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
from collections.abc import Iterable, Iterator, Mapping
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
#: families that can be grouped, some of them as text or JSON
GROUPABLE = COMPARABLE | {
    "month interval",
    "calendar interval",
    "array",
    "struct",
    "map",
    "variant",
    "void",
}

#: a name in backticks that stands alone, but not a string or a member (`a`.`b`)
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
    """Return the family of a type, such as *decimal* for ``decimal(10,2)``.

    >>> family("decimal(38,18)"), family("string collate UNICODE_CI"), family("array<int>")
    ('decimal', 'string', 'array')
    """
    head = re.split(r"[(<\s]", type_name, maxsplit=1)[0]
    if head == "interval":
        words = type_name.split()[1:]
        if not words:
            return "calendar interval"
        return "month interval" if words[0] in {"year", "month"} else "day interval"
    return _FAMILIES.get(head, head)


@dataclass(frozen=True, slots=True)
class Field:
    """A column, or a member of a struct.

    Parameters
    ----------
    name
        Its name.
    type
        Its type, in Spark's short form.
    fields
        The members of a struct.
    nullable
        True if Spark declares that it may be null. Schemas that differ only in this are equal.
    """

    name: str
    type: str
    fields: tuple[Field, ...] = ()
    nullable: bool = field(default=True, compare=False)

    @staticmethod
    def of(name: str, spec: str | Mapping[str, Any]) -> Field:
        """Create a field from a type, or from a mapping of the members of a struct."""
        if isinstance(spec, str):
            return Field(name, spec)
        members = tuple(Field.of(inner, of) for inner, of in spec.items())
        return Field(name, f"struct<{','.join(f'{m.name}:{m.type}' for m in members)}>", members)


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a schema.

    Parameters
    ----------
    name
        The name, as a path for members of structs.
    sql
        SQL that refers to it.
    type
        Its type, in Spark's short form.
    root
        The top-level column that is read.
    """

    name: str
    sql: str
    type: str
    root: str

    @property
    def family(self) -> str:
        """The family of its type."""
        return family(self.type)

    @property
    def plain(self) -> str:
        """Its SQL without a collation, for functions that compare bytes."""
        collated = self.family == "string" and "collate" in self.type
        return f"collate({self.sql}, 'UTF8_BINARY')" if collated else self.sql

    def require(self, families: frozenset[str], user: str) -> Column:
        """Return the column; raise WrongTypeError unless its type is in one of the families."""
        if self.family not in families:
            raise WrongTypeError.of(self.name, self.type, user, families)
        return self


@dataclass(frozen=True)
class Schema:
    """The columns of a table, in order."""

    fields: tuple[Field, ...]
    case_sensitive: bool = False
    #: whether the fields are members of a struct, which cannot be renamed
    nested: bool = False

    @staticmethod
    def of(**columns: str | Mapping[str, Any]) -> Schema:
        """Create a schema from names and types; a mapping is a struct."""
        return Schema(tuple(Field.of(name, spec) for name, spec in columns.items()))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the top-level columns."""
        return tuple(field.name for field in self.fields)

    @property
    def columns(self) -> tuple[Column, ...]:
        """The top-level columns, including those with equal names."""
        pairs = zip(self.fields, self.aliases, strict=True)
        return tuple(Column(f.name, quote(alias), f.type, f.name) for f, alias in pairs)

    @cached_property
    def aliases(self) -> tuple[str, ...]:
        """A name for each column that SQL can tell from all others.

        It is the column's own name, unless another column has the same one. Names that differ only
        in case are the same if Spark ignores case. Then the name contains the position.
        """
        _, loose = self._positions
        return tuple(
            name if len(loose[self._fold(name)]) == 1 else f"__assay_{position}"
            for position, name in enumerate(self.names)
        )

    def column(self, name: str) -> Column:
        """Return a column by name: a top-level one, otherwise a member of a struct (``a.b``)."""
        column = self._top_level(name)
        if column is None:
            column = self._nested(name)
        if column is None:
            raise UnknownColumnError.of(name, self.names, tuple(self._paths()))
        return column

    def has(self, name: str) -> bool:
        """Return whether a column of this name exists."""
        try:
            self.column(name)
        except UnknownColumnError:
            return False
        except AmbiguousColumnError:
            return True
        return True

    def top_level(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return the top-level columns that names or paths refer to, in any spelling of the case.

        The members of a struct are not looked up: a path stands for its whole column.

        >>> Schema.of(Id="int", home={"zip": "string"}).top_level(["ID", "home.zip", "absent"])
        ('Id', 'home')
        """
        matches: dict[str, None] = {}
        for name in names:
            heads = [name, *(name[: dot.start()] for dot in re.finditer(r"\.", name))]
            for head in heads:
                alike = [
                    column for column in self.names if column.lower() == _unquote(head).lower()
                ]
                matches |= dict.fromkeys(alike)
                if alike and head == name:
                    break
        return tuple(matches)

    def mentioned(self, sql: str) -> tuple[str, ...]:
        """Return the top-level columns whose names occur in a piece of SQL."""
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
        """Resolve the names in backticks of a piece of SQL, which may be paths or ambiguous names.

        >>> Schema.of(address={"city": "string"}).resolved("`address.city` = 'a `b` c'")
        "`address`.`city` = 'a `b` c'"
        """

        def resolve(token: re.Match[str]) -> str:
            name = token.group("name")
            return token.group() if name is None else self.column(name.replace("``", "`")).sql

        return _NAME_OR_STRING.sub(resolve, sql)

    @cached_property
    def _positions(self) -> tuple[dict[str, list[int]], dict[str, list[int]]]:
        """The positions of each name, as it is written and as Spark compares names."""
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
        own_field, alias = self.fields[candidates[0]], self.aliases[candidates[0]]
        return Column(own_field.name, quote(alias), own_field.type, own_field.name)

    def _nested(self, name: str) -> Column | None:
        # any prefix may itself contain dots: "a.b.c" may be c in `a.b`
        for position in (dot.start() for dot in re.finditer(r"\.", name)):
            head, path = _unquote(name[:position]), name[position + 1 :]
            root = self._top_level(head)
            if root is None:
                continue
            members = next(f.fields for f in self.fields if f.name == root.root)
            inner = Schema(members, self.case_sensitive, nested=True)
            try:
                member = inner.column(_unquote(path))
            except UnknownColumnError:
                continue
            return replace(member, name=name, sql=f"{root.sql}.{member.sql}", root=root.root)
        return None

    def _paths(self) -> Iterator[str]:
        for own_field in self.fields:
            yield own_field.name
            members = Schema(own_field.fields)
            yield from (f"{own_field.name}.{path}" for path in members._paths())


def quote(name: str) -> str:
    """Quote a name for SQL, whatever characters it contains."""
    return "`" + name.replace("`", "``") + "`"


def _unquote(name: str) -> str:
    if re.fullmatch(r"`(?:[^`]|``)+`", name):
        return name[1:-1].replace("``", "`")
    return name
