"""Properties of strings: the types that they look like, and classes of characters."""

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
from assay.errors import InvalidValueError

__all__ = [
    "TYPE_PATTERNS",
    "CharacterProfile",
    "DataType",
    "TypeConsistency",
]

#: patterns of the strings of a type; at most one of them matches a string
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
_NO_VALUES = Undefined("it has no values")


@dataclass(frozen=True)
class _TypeAnalyzer(ScanAnalyzer[Tally]):
    abstract: ClassVar[bool] = True
    exposes_values: ClassVar[bool] = False

    column: str = field(metadata=COLUMN)

    def aggregate_exprs(self, schema: Schema) -> tuple[AggregateExpr, ...]:
        """Return counts of rows, of values, and of strings that look like each type."""
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
        """Create the state from the counts; values that look like no other type are strings."""
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
    """Count the types that the values look like.

    Parameters
    ----------
    column
        Name of a column; nested fields as ``address.zip``.

    Notes
    -----
    The types are integral, fractional, boolean, date, timestamp and string (deequ-vldb18, Table 2).
    Nulls are counted separately. A column that is not a string has the type of the schema, and a
    nested one counts as a string.

    Examples
    --------
    >>> DataType("code").key
    'DataType(code)'
    """


@dataclass(frozen=True)
class TypeConsistency(_TypeAnalyzer):
    """Measure the share of values that look like one type.

    Parameters
    ----------
    column
        Name of a column; nested fields as ``address.zip``.
    type
        The type: *integral*, *fractional*, *boolean*, *date*, *timestamp* or *string*. By default,
        the most frequent one.

    Notes
    -----
    ``values of the type / values``. Whole numbers also count as *fractional*: ``1`` among ``0.5``
    and ``2.25`` is consistent. Nulls are ignored. Undefined without values.

    Examples
    --------
    >>> TypeConsistency("code", type="date").key
    "TypeConsistency(code, type='date')"
    """

    type: str | None = None

    def metric(self, state: Tally) -> Value | Undefined:
        """Return ``values of the type / values``."""
        matching, present = self.matching_values(state)
        return matching / present if present else _NO_VALUES

    def matching_values(self, state: Tally) -> tuple[int, int]:
        """Return the number of values of the type, and of all values."""
        numbers = state.count("integral", "fractional")
        counts = {label: state.count(label) for label in _LABELS} | {"fractional": numbers}
        matching = max(counts.values()) if self.type is None else counts[self.type]
        return matching, state.count(*_LABELS)

    def row_predicate(self, schema: Schema) -> MatchingRows | None:
        """Return values that look like the type, or None if any type will do."""
        column = schema.column(self.column)
        if self.type is None:
            return None
        if column.family != "string":
            own_type = _OWN_TYPE.get(column.family, "string")
            is_number = self.type == "fractional" and own_type == "integral"
            matches = "true" if is_number or self.type == own_type else "false"
            return MatchingRows(matches, among=f"{column.sql} IS NOT NULL")
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
            raise InvalidValueError.unexpected(
                "invalid type", f"one of {', '.join(_LABELS)}", self.type
            )


@dataclass(frozen=True)
class CharacterProfile(ScanAnalyzer[Tally]):
    """Measure the mean numbers of letters, digits, spaces and other characters.

    Parameters
    ----------
    column
        Name of a string column; nested fields as ``address.zip``.

    Notes
    -----
    The metric is a mapping: ``{"length": …, "letters": …, "digits": …, "spaces": …, "other": …}``
    (avh-kdd23, Table 3). Nulls are ignored. Undefined without values.

    Examples
    --------
    >>> CharacterProfile("name").key
    'CharacterProfile(name)'
    """

    exposes_values: ClassVar[bool] = False

    column: str = field(metadata=COLUMN)

    def aggregate_exprs(self, schema: Schema) -> tuple[AggregateExpr, ...]:
        """Return the number of values, their length, and the length of each class of characters."""
        column = schema.column(self.column).require(TEXT, "CharacterProfile")
        read = reads(schema, self.where, column)
        length = f"length({column.sql})"
        without = (
            f"length(regexp_replace({column.plain}, {sql_string(f'{members}+')}, ''))"
            for members in _CLASSES.values()
        )
        lengths = [length, *(f"{length} - {other_length}" for other_length in without)]
        return (
            count_of(schema, f"{column.sql} IS NOT NULL", self.where, column),
            *(AggregateExpr(f"sum({filtered(length, self.where)})", read) for length in lengths),
        )

    def state(self, values: Sequence[Any], schema: Schema) -> Tally:
        """Create the state from the lengths."""
        n, length, *classes = (value or 0 for value in values)
        parts = zip(_CLASSES, classes, strict=True)
        return Tally((("values", n), ("length", length), *parts, ("other", length - sum(classes))))

    def metric(self, state: Tally) -> Value | Undefined:
        """Return the means per value: ``{"length": …, "letters": …, "digits": …, …}``."""
        n = state.count("values")
        return {label: count / n for label, count in state.counts[1:]} if n else _NO_VALUES
