"""What strings are made of: the types that they look like, classes of characters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from assay.analyzers.aggregate_expr import (
    AggregateExpr,
    count_of,
    filtered,
    reads,
    rows,
    sql_string,
)
from assay.analyzers.analyzer import COLUMN, ScanAnalyzer
from assay.analyzers.metric import Undefined, Value
from assay.analyzers.row_predicate import MatchingRows
from assay.analyzers.schema import TEXT, Schema
from assay.analyzers.tally import Tally

__all__ = [
    "TYPE_PATTERNS",
    "CharacterProfile",
    "DataType",
    "TypeConsistency",
]

#: what a string must look like to be of a type; no two of them match the same string
TYPE_PATTERNS = {
    "integral": r"\A[+-]?[0-9]+\z",
    "fractional": (r"\A[+-]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE][+-]?[0-9]+)?\z"),
    "boolean": r"\A(?i:true|false)\z",
    "date": r"\A[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])\z",
    "timestamp": (
        r"\A[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])[ T]"
        r"[0-2][0-9]:[0-5][0-9](?::[0-5][0-9](?:\.[0-9]{1,9})?)?"
        r"(?:Z|[+-][0-9]{2}:?[0-9]{2})?\z"
    ),
}

_OWN_TYPE = {
    "integral": "integral",
    "fractional": "fractional",
    "decimal": "fractional",
    "boolean": "boolean",
    "date": "date",
    "timestamp": "timestamp",
    "timestamp_ntz": "timestamp",
}
_LABELS = ("integral", "fractional", "boolean", "date", "timestamp", "string")
_CLASSES = {"letters": r"\p{L}", "digits": r"\p{Nd}", "spaces": r"\s"}
_NO_VALUES = Undefined("there are no values")


@dataclass(frozen=True)
class _TypeAnalyzer(ScanAnalyzer[Tally]):
    abstract: ClassVar[bool] = True
    exposes_values: ClassVar[bool] = False

    column: str = field(metadata=COLUMN)

    def aggregate_exprs(self, schema: Schema) -> tuple[AggregateExpr, ...]:
        """Rows, values, and for a string the values that look like each type."""
        column = schema.column(self.column)
        present = count_of(schema, f"{column.sql} IS NOT NULL", self.where, column)
        base = (rows(schema, self.where), present)
        if column.family != "string":
            return base
        return (
            *base,
            *(
                count_of(schema, f"{column.plain} rlike {sql_string(p)}", self.where, column)
                for p in TYPE_PATTERNS.values()
            ),
        )

    def state(self, values: Sequence[Any], schema: Schema) -> Tally:
        """The counts; what looks like no other type is a string."""
        total, present, *matches = values
        counts = dict.fromkeys(_LABELS, 0)
        family = schema.column(self.column).family
        if family == "string":
            counts.update(zip(TYPE_PATTERNS, matches, strict=True))
            counts["string"] = present - sum(matches)
        else:
            counts[_OWN_TYPE.get(family, "string")] = present
        return Tally((*counts.items(), ("null", total - present)))


@dataclass(frozen=True)
class DataType(_TypeAnalyzer):
    """The types that the values look like (deequ-vldb18, Table 2), with counts.

    Types: integral, fractional, boolean, date, timestamp, string; nulls are counted apart. Columns
    that are not strings have the type of the schema, anything nested is a *string*.
    """


@dataclass(frozen=True)
class TypeConsistency(_TypeAnalyzer):
    """The largest share of values of one type, or the share of the type that is named.

    Whole numbers are of type *fractional* too: ``1`` among ``0.5`` and ``2.25`` is consistent.
    """

    type: str | None = None

    def metric(self, state: Tally) -> Value | Undefined:
        """``values of the type / values``."""
        present = state.count(*_LABELS)
        if not present:
            return _NO_VALUES
        numbers = state.count("integral", "fractional")
        counts = {label: state.count(label) for label in _LABELS} | {"fractional": numbers}
        return (max(counts.values()) if self.type is None else counts[self.type]) / present

    def row_predicate(self, schema: Schema) -> MatchingRows | None:
        """Strings that look like the type; a column of another type has one type as a whole."""
        column = schema.column(self.column)
        if self.type is None or column.family != "string":
            return None
        tests = {
            name: f"{column.sql} rlike {sql_string(pattern)}"
            for name, pattern in TYPE_PATTERNS.items()
        }
        any_type = " OR ".join(tests.values())
        tests["fractional"] = f"{tests['integral']} OR {tests['fractional']}"
        matches = tests.get(self.type, f"NOT ({any_type})")
        return MatchingRows(matches, among=f"{column.sql} IS NOT NULL")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.type is not None and self.type not in _LABELS:
            raise ValueError(f"a type is one of {', '.join(_LABELS)}, not {self.type!r}")


@dataclass(frozen=True)
class CharacterProfile(ScanAnalyzer[Tally]):
    """Characters per value: all, letters, digits, spaces, the rest (avh-kdd23, Table 3)."""

    exposes_values: ClassVar[bool] = False

    column: str = field(metadata=COLUMN)

    def aggregate_exprs(self, schema: Schema) -> tuple[AggregateExpr, ...]:
        """Values, their length, and the length of each class of characters."""
        column = schema.column(self.column).require(TEXT, "CharacterProfile")
        read = reads(schema, self.where, column)
        length = f"length({column.sql})"
        without = (
            f"length(regexp_replace({column.plain}, {sql_string(f'{members}+')}, ''))"
            for members in _CLASSES.values()
        )
        lengths = [length, *(f"{length} - {rest}" for rest in without)]
        return (
            count_of(schema, f"{column.sql} IS NOT NULL", self.where, column),
            *(AggregateExpr(f"sum({filtered(length, self.where)})", read) for length in lengths),
        )

    def state(self, values: Sequence[Any], schema: Schema) -> Tally:
        """The lengths in all."""
        n, length, *classes = (value or 0 for value in values)
        parts = zip(_CLASSES, classes, strict=True)
        return Tally((("values", n), ("length", length), *parts, ("other", length - sum(classes))))

    def metric(self, state: Tally) -> Value | Undefined:
        """The mean per value: ``{"length": …, "letters": …, "digits": …, …}``."""
        n = state.count("values")
        return {label: count / n for label, count in state.counts[1:]} if n else _NO_VALUES
