"""What the schema alone answers: no job at all."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from assay.analyzers.analyzer import COLUMN, SchemaAnalyzer
from assay.analyzers.comparison import ComparisonAnalyzer
from assay.analyzers.metric import Value
from assay.analyzers.schema import Schema

__all__ = ["ColumnCount", "ColumnExists", "SchemaMatch", "TableSchemaMatch"]


@dataclass(frozen=True)
class ColumnExists(SchemaAnalyzer):
    """Whether there is such a column, or such a member of a struct."""

    column: str = field(metadata=COLUMN)

    def value(self, schema: Schema) -> Value:
        """1 or 0."""
        return int(schema.has(self.column))


@dataclass(frozen=True)
class ColumnCount(SchemaAnalyzer):
    """The number of columns at the top level."""

    def value(self, schema: Schema) -> Value:
        """The number."""
        return len(schema.fields)


@dataclass(frozen=True)
class SchemaMatch(SchemaAnalyzer):
    """The share of columns that are as expected: pairs of name and type, in Spark's short names.

    The columns looked at are those expected and, with ``exact=True``, those that are there.
    """

    expected: tuple[tuple[str, str], ...]
    exact: bool = False

    def differences(self, schema: Schema) -> tuple[str, ...]:
        """What is not as expected, a phrase each."""
        actual = {field.name: field.type for field in schema.fields}
        wanted = dict(self.expected)
        found = [
            f"{name} is missing" if name not in actual else f"{name} is {actual[name]}, not {type_}"
            for name, type_ in wanted.items()
            if actual.get(name) != type_
        ]
        extra = [f"{name} is not expected" for name in actual if name not in wanted]
        return tuple(found + (extra if self.exact else []))

    def value(self, schema: Schema) -> Value:
        """``columns as expected / columns looked at``."""
        looked_at = {name for name, _ in self.expected}
        if self.exact:
            looked_at |= set(schema.names)
        number = max(1, len(looked_at))
        return (number - len(self.differences(schema))) / number


@dataclass(frozen=True)
class TableSchemaMatch(ComparisonAnalyzer):
    """The share of columns that are as in another table: their names and types.

    The columns looked at are those there and, unless ``exact=False``, those here. With `order`
    a column must stand at the same position, with `nullable` it must be declared nullable where it
    is there.
    """

    segments: ClassVar[bool] = True
    exposes_values: ClassVar[bool] = False

    table: str
    exact: bool = True
    order: bool = False
    nullable: bool = False

    def check(self, schema: Schema) -> None:
        """Nothing can be wrong: a missing column is an answer too."""
        if self.where is not None:
            raise ValueError("TableSchemaMatch takes no `where`: a schema has no rows")

    def against(self, schema: Schema, other: Schema) -> None:
        """Any two schemas can be compared."""
        self.check(schema)

    def value(self, schema: Schema, other: Schema) -> Value:
        """``columns that are as there / columns looked at``."""
        looked_at = {*other.names, *(schema.names if self.exact else ())}
        number = max(1, len(looked_at))
        return (number - len(self.differences(schema, other))) / number

    def differences(self, schema: Schema, other: Schema) -> tuple[str, ...]:
        """What is not as there, a phrase a column."""
        ours, theirs = self._described(schema), self._described(other)
        found = [
            f"{name} is missing" if name not in ours else f"{name} is {ours[name]}, not {wanted}"
            for name, wanted in theirs.items()
            if ours.get(name) != wanted
        ]
        extra = [f"{name} is not in {self.table!r}" for name in ours if name not in theirs]
        return tuple(found + (extra if self.exact else []))

    def _described(self, schema: Schema) -> dict[str, str]:
        """What a column is like, by name; several of one name together."""
        found: dict[str, str] = {}
        for position, each in enumerate(schema.fields, start=1):
            null = "" if each.nullable or not self.nullable else " not null"
            at = f" at position {position}" if self.order else ""
            before = f"{found[each.name]} and " if each.name in found else ""
            found[each.name] = f"{before}{each.type}{null}{at}"
        return found
