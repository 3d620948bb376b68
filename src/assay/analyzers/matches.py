"""Two tables: whether one refers to the other, agrees with it, is as long, adds up to the same."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any, ClassVar

from assay.analyzers.analyzer import COLUMNS, NAMED, ScanAnalyzer
from assay.analyzers.comparison import (
    Counterparts,
    KeyedAnalyzer,
    PairedAnalyzer,
    Sides,
    counterparts,
    texts,
)
from assay.analyzers.counting import Size
from assay.analyzers.custom import CustomSql, Opaque
from assay.analyzers.exact import as_float
from assay.analyzers.metric import Undefined, Value
from assay.analyzers.schema import GROUPABLE, Schema
from assay.errors import NotComputableError

__all__ = ["AggregateMatch", "DatasetMatch", "ReferentialIntegrity", "RowCountMatch"]


@dataclass(frozen=True)
class ReferentialIntegrity(KeyedAnalyzer):
    """The share of rows whose key occurs in another table.

    ``rows whose key is there / rows with a key``. As with a foreign key of SQL, a row with a null
    in any column of the key refers to nothing, violates nothing and does not count. The columns
    there have the same names unless `to` names others, in the same order.

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
            raise ValueError("a key has at least one column, not none")
        if self.to and len(self.to) != len(self.columns):
            raise ValueError(
                f"a key of {len(self.columns)} columns refers to as many, not to {len(self.to)}"
            )

    def check(self, schema: Schema) -> None:
        """Raise the reason why this cannot be measured on such a table, if there is one."""
        self.on(schema)
        for name in self.columns:
            schema.column(name).require(GROUPABLE, "ReferentialIntegrity")

    def sides(self, schema: Schema, other: Schema) -> Sides:
        """The key here, and there."""
        asked = type(self).__name__
        keys = tuple(
            counterparts(schema, other, ours, theirs, self.table, asked)
            for ours, theirs in zip(self.columns, self.to or self.columns, strict=True)
        )
        return Sides(self.table, keys, reads=self._reads(schema, keys))


@dataclass(frozen=True)
class DatasetMatch(KeyedAnalyzer):
    """The share of keys under which two tables have the same rows.

    ``keys that agree / keys of both tables together``. A key agrees where both tables have equal
    rows under it, each as often: in the columns named, or in all others that both tables have
    (name the key itself to compare nothing beside it). So a key that only one table has does not
    agree, nor one that is twice here and once there; the order of rows says nothing. A null equals
    a null, in keys too, and NaN equals NaN: any table agrees with itself.

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
            raise ValueError("a key has at least one column, not none")

    def check(self, schema: Schema) -> None:
        """Raise the reason why this cannot be measured on such a table, if there is one."""
        self.on(schema)
        for name in (*self.keys, *self.columns):
            schema.column(name).require(GROUPABLE, "DatasetMatch")

    def sides(self, schema: Schema, other: Schema) -> Sides:
        """The key, and what is compared beside it."""

        def pair(name: str) -> Counterparts:
            return counterparts(schema, other, name, name, self.table, type(self).__name__)

        keys = tuple(map(pair, self.keys))
        taken = {each.ours for each in keys}
        columns = tuple(map(pair, self.columns or _common(schema, other)))
        rest = tuple(each for each in columns if each.ours not in taken)
        return Sides(self.table, keys, rest, self._reads(schema, keys + rest))


@dataclass(frozen=True)
class RowCountMatch(PairedAnalyzer):
    """The number of rows over that of another table: ``rows / rows there``.

    Two tables without rows are alike: 1. Where only the other one has none, it is undefined.
    """

    exposes_values: ClassVar[bool] = False

    table: str

    @property
    def ours(self) -> ScanAnalyzer[Any]:
        """The rows here, of the selection."""
        return Size(where=self.where)

    @property
    def theirs(self) -> ScanAnalyzer[Any]:
        """The rows there."""
        return Size()

    def compared(self, ours: Any, theirs: Any) -> Value | Undefined:
        """``ours / theirs``."""
        none = Undefined(f"there are no rows in {self.table!r}")
        return ratio(ours, theirs) if theirs or not ours else none


@dataclass(frozen=True)
class AggregateMatch(PairedAnalyzer):
    """An aggregate over that of another table: ``aggregate here / aggregate there``.

    Any aggregate expression of Spark SQL; there it is the same one unless `other_expression` is
    given. The ratio is 1 only where both are equal, to the last digit: of integers and decimals it
    is not rounded to it, and 0 beside 0 is 1. What is no number (a date, a string) is 1 where it
    is the same and else 0. Where one of them is null, or only the other is 0, it is undefined.
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
        """The expression here."""
        if self.where is not None:
            raise ValueError(
                "AggregateMatch takes no `where`: write the selection into the expression"
            )
        return CustomSql(self.expression)

    @property
    def theirs(self) -> ScanAnalyzer[Any]:
        """The expression there."""
        return CustomSql(self.other_expression or self.expression)

    def state(self, ours: Any, theirs: Any) -> Opaque:
        """Both values, if they are of one kind."""
        if None not in (ours, theirs) and _kind(ours) != _kind(theirs):
            raise NotComputableError.unlike(ours, theirs)
        return Opaque((ours, theirs))

    def compared(self, ours: Any, theirs: Any) -> Value | Undefined:
        """``ours / theirs``."""
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
    """One number over another; 1 only where they are the same, 0 beside 0 and NaN beside NaN too.

    >>> ratio(3, 4), ratio(0, 0), ratio(10**30 + 1, Decimal(10**30))
    (0.75, 1.0, 1.0000000000000002)
    """
    if ours == theirs or (ours != ours and theirs != theirs):
        return 1.0
    if not (math.isfinite(ours) and math.isfinite(theirs)):
        return float(ours) / float(theirs)
    exact = Fraction(ours) / Fraction(theirs)
    nearest = as_float(exact)
    # what is not equal must not look so
    return nearest if nearest != 1 else math.nextafter(1.0, math.inf if exact > 1 else -math.inf)


def _common(schema: Schema, other: Schema) -> tuple[str, ...]:
    """The top-level columns that both tables have; of names alike but for case the same one."""
    fold = str if schema.case_sensitive else str.lower
    same = {fold(name) for name in schema.names if name in other.names}
    alike = {fold(name) for name in other.names} - same
    return tuple(name for name in schema.names if name in other.names or fold(name) in alike)


def _kind(value: object) -> str:
    """Values of one kind can be compared."""
    numbers = int | float | Decimal
    return "number" if isinstance(value, numbers) and type(value) is not bool else _type(value)


def _type(value: object) -> str:
    return type(value).__name__
