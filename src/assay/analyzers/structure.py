"""What the schema alone answers: no job at all."""

from __future__ import annotations

from dataclasses import dataclass, field

from assay.analyzers.analyzer import COLUMN, SchemaAnalyzer
from assay.analyzers.metric import Value
from assay.analyzers.schema import Schema

__all__ = ["ColumnCount", "ColumnExists", "SchemaMatch"]


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
