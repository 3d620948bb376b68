"""Compare two tables: references, equal rows, row counts and aggregates."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any, ClassVar

from assay.analyzers.analyzer import COLUMNS, NAMED, ScanAnalyzer
from assay.analyzers.counting import Size
from assay.analyzers.custom import CustomSql, Opaque
from assay.analyzers.exact import as_float
from assay.analyzers.metric import Undefined, Value
from assay.analyzers.other_table import (
    Counterparts,
    KeyedAnalyzer,
    PairedAnalyzer,
    Sides,
    counterparts,
    texts,
)
from assay.analyzers.schema import GROUPABLE, Schema
from assay.errors import InvalidValueError, NotComputableError

__all__ = ["AggregateMatch", "DatasetMatch", "ReferentialIntegrity", "RowCountMatch"]


@dataclass(frozen=True)
class ReferentialIntegrity(KeyedAnalyzer):
    """Measure the share of rows whose key exists in another table.

    Parameters
    ----------
    columns
        Names of the key's columns.
    table
        The name under which the other table is given, as in ``reference_tables={"customers": df}``.
    to
        Names of the key's columns in the other table, in the same order. By default, the same
        names.

    Notes
    -----
    ``rows whose key exists / rows with a key``. As in a foreign key of SQL, a row with a null in
    its key does not count. Undefined if no row has a key.

    Examples
    --------
    >>> ReferentialIntegrity("customer_id", "customers", "id").key
    "ReferentialIntegrity(customer_id, table='customers', to=['id'])"
    """

    segments: ClassVar[bool] = True
    exposes_values: ClassVar[bool] = False
    subject: ClassVar[str] = "rows with a key"

    columns: Sequence[str] | str = field(metadata=COLUMNS)
    table: str = field(metadata=NAMED)
    to: Sequence[str] | str = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "to", texts(self.to, "a column"))
        if not self.columns:
            raise InvalidValueError.unexpected("invalid key", "at least one column", ())
        if self.to and len(self.to) != len(self.columns):
            expected = f"{len(self.columns)} columns of {self.table}"
            raise InvalidValueError.unexpected("invalid key", expected, self.to)

    def check(self, schema: Schema) -> None:
        """Raise an error if the analyzer cannot be measured on a table of this schema."""
        self.on(schema)
        for name in self.columns:
            schema.column(name).require(GROUPABLE, "ReferentialIntegrity")

    def sides(self, schema: Schema, other: Schema) -> Sides:
        """Return the key in both tables."""
        name = type(self).__name__
        keys = tuple(
            counterparts(schema, other, ours, theirs, self.table, name)
            for ours, theirs in zip(self.columns, self.to or self.columns, strict=True)
        )
        return Sides(self.table, keys, reads=self._reads(schema, keys))


@dataclass(frozen=True)
class DatasetMatch(KeyedAnalyzer):
    """Measure the share of keys under which two tables have the same rows.

    Parameters
    ----------
    table
        The name under which the other table is given.
    keys
        Names of the key's columns.
    columns
        Names of the columns to compare. By default, all others that both tables have. Name the key
        to compare nothing else.

    Notes
    -----
    ``keys that agree / keys of both tables``. A key agrees if both tables have the same rows under
    it, equally often. The order of rows does not matter. A null equals a null, and NaN equals NaN.
    Undefined without keys.

    Examples
    --------
    >>> DatasetMatch("backup", "id", ["amount", "status"]).key
    "DatasetMatch('backup', ['id'], amount, status)"
    """

    symmetric: ClassVar[bool] = True
    exposes_values: ClassVar[bool] = False

    table: str
    keys: Sequence[str] | str
    columns: Sequence[str] | str = field(default=(), metadata=COLUMNS)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "keys", texts(self.keys, "a key's column"))
        if not self.keys:
            raise InvalidValueError.unexpected("invalid key", "at least one column", ())

    def check(self, schema: Schema) -> None:
        """Raise an error if the analyzer cannot be measured on a table of this schema."""
        self.on(schema)
        for name in (*self.keys, *self.columns):
            schema.column(name).require(GROUPABLE, "DatasetMatch")

    def sides(self, schema: Schema, other: Schema) -> Sides:
        """Return the key and the compared columns."""

        def counterparts_of(name: str) -> Counterparts:
            return counterparts(schema, other, name, name, self.table, type(self).__name__)

        keys = tuple(map(counterparts_of, self.keys))
        key_columns = {pair.ours for pair in keys}
        columns = tuple(map(counterparts_of, self.columns or _common(schema, other)))
        compared = tuple(pair for pair in columns if pair.ours not in key_columns)
        return Sides(self.table, keys, compared, self._reads(schema, keys + compared))


@dataclass(frozen=True)
class RowCountMatch(PairedAnalyzer):
    """Divide the number of rows by that of another table.

    Parameters
    ----------
    table
        The name under which the other table is given.

    Notes
    -----
    ``rows / rows of the other table``. 1 if both tables are empty. Undefined if only the other one
    is empty.

    Examples
    --------
    >>> RowCountMatch("backup").key
    "RowCountMatch('backup')"
    """

    exposes_values: ClassVar[bool] = False

    table: str

    @property
    def ours(self) -> ScanAnalyzer[Any]:
        """The count of our rows in the selection."""
        return Size(where=self.where)

    @property
    def theirs(self) -> ScanAnalyzer[Any]:
        """The count of the other table's rows."""
        return Size()

    def compared(self, ours: Any, theirs: Any) -> Value | Undefined:
        """Return ``ours / theirs``."""
        none = Undefined(f"{self.table!r} has no rows")
        return ratio(ours, theirs) if theirs or not ours else none


@dataclass(frozen=True)
class AggregateMatch(PairedAnalyzer):
    """Divide an aggregate by that of another table.

    Parameters
    ----------
    expression
        An aggregate expression of Spark SQL.
    table
        The name under which the other table is given.
    other_expression
        The expression for the other table. By default, the same.

    Notes
    -----
    ``value / value of the other table``. It is 1 only if both are exactly equal, also for large
    integers and decimals. Two zeros are equal. For values that are not numbers, such as dates, it
    is 1 or 0. Undefined if a value is null, or if only the other value is 0.

    Examples
    --------
    >>> AggregateMatch("sum(amount)", "backup").key
    "AggregateMatch('sum(amount)', 'backup')"
    """

    expression: str
    table: str
    other_expression: str | None = None

    @property
    def aggregates(self) -> tuple[str, ...]:
        """The expression."""
        return (self.expression,)

    def exposed_columns(self, schema: Schema) -> frozenset[str]:
        """Return the columns that either expression may read."""
        there = self.other_expression or self.expression
        return schema.possibly_mentioned(self.expression) | schema.possibly_mentioned(there)

    @property
    def ours(self) -> ScanAnalyzer[Any]:
        """The expression on this table."""
        if self.where is not None:
            raise InvalidValueError(
                "AggregateMatch takes no `where`: write the selection into the expression."
            )
        return CustomSql(self.expression)

    @property
    def theirs(self) -> ScanAnalyzer[Any]:
        """The expression on the other table."""
        return CustomSql(self.other_expression or self.expression)

    def state(self, ours: Any, theirs: Any) -> Opaque:
        """Create the state from both values, which must be of one kind."""
        if None not in (ours, theirs) and _kind(ours) != _kind(theirs):
            raise NotComputableError.unlike(ours, theirs)
        return Opaque((ours, theirs))

    def compared(self, ours: Any, theirs: Any) -> Value | Undefined:
        """Return ``ours / theirs``."""
        if ours is None:
            return Undefined("the expression is null")
        if theirs is None:
            return Undefined(f"the expression is null in {self.table!r}")
        if _kind(ours) != "number":
            return float(ours == theirs)
        if theirs == 0 and ours != 0:
            return Undefined(f"the expression is 0 in {self.table!r}")
        return ratio(ours, theirs)


def ratio(ours: int | float | Decimal, theirs: int | float | Decimal) -> float:
    """Divide two numbers; 1 only if they are equal, also for two zeros and for two NaN.

    >>> ratio(3, 4), ratio(0, 0), ratio(10**30 + 1, Decimal(10**30))
    (0.75, 1.0, 1.0000000000000002)
    """
    if ours == theirs or (ours != ours and theirs != theirs):
        return 1.0
    if not (math.isfinite(ours) and math.isfinite(theirs)):
        return float(ours) / float(theirs)
    exact = Fraction(ours) / Fraction(theirs)
    nearest = as_float(exact)
    # numbers that differ must not have the ratio 1
    return nearest if nearest != 1 else math.nextafter(1.0, math.inf if exact > 1 else -math.inf)


def _common(schema: Schema, other: Schema) -> tuple[str, ...]:
    """Return the top-level columns that both tables have; their case may differ."""
    fold = str if schema.case_sensitive else str.lower
    same = {fold(name) for name in schema.names if name in other.names}
    alike = {fold(name) for name in other.names} - same
    return tuple(name for name in schema.names if name in other.names or fold(name) in alike)


def _kind(value: object) -> str:
    """Return the kind of a value; values of one kind can be compared."""
    numbers = int | float | Decimal
    return "number" if isinstance(value, numbers) and type(value) is not bool else _type(value)


def _type(value: object) -> str:
    return type(value).__name__
