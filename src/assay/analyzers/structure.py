"""Metrics of the schema, which need no job."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from assay.analyzers.analyzer import COLUMN, SchemaAnalyzer
from assay.analyzers.metric import Value
from assay.analyzers.other_table import ComparisonAnalyzer
from assay.analyzers.schema import Schema
from assay.errors import InvalidValueError

__all__ = ["ColumnCount", "ColumnExists", "SchemaMatch", "TableSchemaMatch"]


@dataclass(frozen=True)
class ColumnExists(SchemaAnalyzer):
    """Check whether a column, or a member of a struct, exists.

    Parameters
    ----------
    column
        Name of a column; nested fields as ``address.zip``.

    Notes
    -----
    1 or 0. It needs only the schema.

    Examples
    --------
    >>> ColumnExists("email").key
    'ColumnExists(email)'
    """

    column: str = field(metadata=COLUMN)

    def value(self, schema: Schema) -> Value:
        """Return 1 or 0."""
        return int(schema.has(self.column))


@dataclass(frozen=True)
class ColumnCount(SchemaAnalyzer):
    """Count the top-level columns.

    Notes
    -----
    It needs only the schema.

    Examples
    --------
    >>> ColumnCount().key
    'ColumnCount()'
    """

    def value(self, schema: Schema) -> Value:
        """Return the number of columns."""
        return len(schema.fields)


@dataclass(frozen=True)
class SchemaMatch(SchemaAnalyzer):
    """Measure the share of columns that have the expected name and type.

    Parameters
    ----------
    expected
        Pairs of a name and a type, in Spark's short names.
    exact
        True if columns that are not expected count as differences.

    Notes
    -----
    ``columns as expected / columns compared``. It needs only the schema.

    Examples
    --------
    >>> SchemaMatch((("id", "bigint"),)).key
    "SchemaMatch([['id', 'bigint']])"
    """

    expected: tuple[tuple[str, str], ...]
    exact: bool = False

    def differences(self, schema: Schema) -> tuple[str, ...]:
        """Return a phrase for each difference."""
        actual = {field.name: field.type for field in schema.fields}
        wanted = dict(self.expected)
        different = [
            f"{name} is missing" if name not in actual else f"{name} is {actual[name]}, not {type_}"
            for name, type_ in wanted.items()
            if actual.get(name) != type_
        ]
        extra = [f"{name} is not expected" for name in actual if name not in wanted]
        return tuple(different + (extra if self.exact else []))

    def value(self, schema: Schema) -> Value:
        """Return ``columns as expected / columns compared``."""
        compared = {name for name, _ in self.expected}
        if self.exact:
            compared |= set(schema.names)
        number = max(1, len(compared))
        return (number - len(self.differences(schema))) / number


@dataclass(frozen=True)
class TableSchemaMatch(ComparisonAnalyzer):
    """Measure the share of columns that have the same name and type as in another table.

    Parameters
    ----------
    table
        The name under which the other table is given.
    exact
        True if columns that only this table has count as differences.
    order
        True if columns must have the same position.
    nullable
        True if columns must be declared nullable or not as in the other table.

    Notes
    -----
    ``equal columns / columns compared``. It needs only the schemas.

    Examples
    --------
    >>> TableSchemaMatch("backup").key
    "TableSchemaMatch('backup')"
    """

    segments: ClassVar[bool] = True
    exposes_values: ClassVar[bool] = False

    table: str
    exact: bool = True
    order: bool = False
    nullable: bool = False

    def check(self, schema: Schema) -> None:
        """Raise ValueError if there is a selection; every schema is accepted."""
        if self.where is not None:
            raise InvalidValueError("TableSchemaMatch takes no `where`: a schema has no rows.")

    def against(self, schema: Schema, other: Schema) -> None:
        """Accept any two schemas."""
        self.check(schema)

    def value(self, schema: Schema, other: Schema) -> Value:
        """Return ``equal columns / columns compared``."""
        compared = {*other.names, *(schema.names if self.exact else ())}
        number = max(1, len(compared))
        return (number - len(self.differences(schema, other))) / number

    def differences(self, schema: Schema, other: Schema) -> tuple[str, ...]:
        """Return a phrase for each column that differs."""
        ours, theirs = self._described(schema), self._described(other)
        different = [
            f"{name} is missing" if name not in ours else f"{name} is {ours[name]}, not {wanted}"
            for name, wanted in theirs.items()
            if ours.get(name) != wanted
        ]
        extra = [f"{name} is not in {self.table!r}" for name in ours if name not in theirs]
        return tuple(different + (extra if self.exact else []))

    def _described(self, schema: Schema) -> dict[str, str]:
        """Return a description of each column by name; columns of one name together."""
        descriptions: dict[str, str] = {}
        for position, column in enumerate(schema.fields, start=1):
            null = "" if column.nullable or not self.nullable else " not null"
            place = f" at position {position}" if self.order else ""
            name = column.name
            before = f"{descriptions[name]} and " if name in descriptions else ""
            descriptions[name] = f"{before}{column.type}{null}{place}"
        return descriptions
