"""Counts and ratios of rows: size, completeness, compliance, pattern matches."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from assay.analyzers.aggregate_expr import (
    AggregateExpr,
    check_choice,
    condition,
    count_of,
    rows,
    sql_string,
)
from assay.analyzers.analyzer import COLUMN, ScanAnalyzer
from assay.analyzers.codec import plain
from assay.analyzers.metric import Undefined, Value
from assay.analyzers.row_predicate import CountedRows, MatchingRows, RowPredicate
from assay.analyzers.schema import FLOATING, NUMERIC, TEXT, Schema
from assay.analyzers.state import Invertible

__all__ = [
    "Completeness",
    "Compliance",
    "Count",
    "EmptyStringCount",
    "IntegerCount",
    "NaNCount",
    "NegativeCount",
    "Nulls",
    "PatternMatch",
    "Ratio",
    "Size",
    "ZerosCount",
    "full_match",
]

#: what a null is to a predicate: no violation (as in SQL's CHECK), an empty string, a violation, or
#: no row at all
Nulls = Literal["ignore", "empty", "fail", "skip"]


#: an escaped character, a class of characters, or the end of the string
_DOLLAR = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\$", re.DOTALL)
#: what a null predicate comes to
_TRUTH = {"ignore": "true", "fail": "false"}


@dataclass(frozen=True, slots=True)
class Count(Invertible):
    """A number of rows."""

    kind: ClassVar[str] = "count"
    n: int

    @classmethod
    def identity(cls) -> Count:
        """No rows."""
        return cls(0)

    def __add__(self, other: Count) -> Count:
        return Count(self.n + other.n)

    @classmethod
    def merged_payloads(cls, payloads: Sequence[bytes]) -> Count:
        """One sum."""
        return cls(sum(n for (n,) in plain(payloads)))

    def __sub__(self, other: Count) -> Count:
        return Count(self.n - other.n)

    def metric(self) -> Value:
        """The number."""
        return self.n


@dataclass(frozen=True, slots=True)
class Ratio(Invertible):
    """Rows that match, of all rows."""

    kind: ClassVar[str] = "ratio"
    matches: int
    rows: int

    @classmethod
    def identity(cls) -> Ratio:
        """No rows."""
        return cls(0, 0)

    def __add__(self, other: Ratio) -> Ratio:
        return Ratio(self.matches + other.matches, self.rows + other.rows)

    @classmethod
    def merged_payloads(cls, payloads: Sequence[bytes]) -> Ratio:
        """Two sums."""
        found = plain(payloads)
        return cls(sum(matches for matches, _ in found), sum(rows for _, rows in found))

    def __sub__(self, other: Ratio) -> Ratio:
        return Ratio(self.matches - other.matches, self.rows - other.rows)

    def metric(self) -> Value | Undefined:
        """``matches / rows``."""
        return self.matches / self.rows if self.rows else Undefined("there are no rows")


@dataclass(frozen=True)
class Size(ScanAnalyzer[Count]):
    """The number of rows."""

    exposes_values: ClassVar[bool] = False

    def aggregate_exprs(self, schema: Schema) -> tuple[AggregateExpr, ...]:
        """One count."""
        return (rows(schema, self.where),)

    def state(self, values: Sequence[Any], schema: Schema) -> Count:
        """The count."""
        return Count(values[0])


@dataclass(frozen=True)
class _RatioAnalyzer(ScanAnalyzer[Ratio]):
    """Matches and rows."""

    abstract: ClassVar[bool] = True
    exposes_values: ClassVar[bool] = False

    def state(self, values: Sequence[Any], schema: Schema) -> Ratio:
        """The two counts."""
        return Ratio(*values)


@dataclass(frozen=True)
class Completeness(_RatioAnalyzer):
    """The share of rows in which the column has a value (deequ-vldb18, 3.1)."""

    column: str = field(metadata=COLUMN)

    def aggregate_exprs(self, schema: Schema) -> tuple[AggregateExpr, ...]:
        """Non-null values and rows."""
        column = schema.column(self.column)
        present = count_of(schema, f"{column.sql} IS NOT NULL", self.where, column)
        return present, rows(schema, self.where)

    def row_predicate(self, schema: Schema) -> MatchingRows:
        """Rows with a value."""
        return MatchingRows(f"{schema.column(self.column).sql} IS NOT NULL")


@dataclass(frozen=True)
class Compliance(_RatioAnalyzer):
    """The share of rows for which a predicate is true (deequ-vldb18, 3.1).

    A predicate that is null for a row does not hold there; with ``nulls="ignore"`` it does, as in
    SQL's CHECK. A name in backticks may be a path: `` `address.city` ``.
    """

    predicate: str
    nulls: Nulls = "fail"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("nulls", self.nulls, ("ignore", "fail"))

    @property
    def predicates(self) -> tuple[str, ...]:
        """The predicate and the selection."""
        return (self.predicate, *super().predicates)

    def holds(self, schema: Schema) -> str:
        """The predicate as a condition that is never null."""
        return f"coalesce({condition(schema.resolved(self.predicate))}, {_TRUTH[self.nulls]})"

    def aggregate_exprs(self, schema: Schema) -> tuple[AggregateExpr, ...]:
        """Matches and rows."""
        holds = self.holds(schema)
        expr = count_of(schema, holds, self.where)
        columns = dict.fromkeys((*schema.mentioned(holds), *expr.columns))
        return AggregateExpr(expr.sql, tuple(columns)), rows(schema, self.where)

    def row_predicate(self, schema: Schema) -> MatchingRows:
        """Rows for which the predicate is true."""
        return MatchingRows(self.holds(schema))


@dataclass(frozen=True)
class PatternMatch(_RatioAnalyzer):
    """The share of rows whose string matches a regular expression, as a whole unless `search`.

    ``$`` never matches before a trailing newline: ``"1\\n"`` is not a number. A null does not match
    (``nulls="fail"``); with ``"ignore"`` it is no violation, with ``"empty"`` it counts as ``''``,
    with ``"skip"`` it does not count: the share is that of the values.
    """

    column: str = field(metadata=COLUMN)
    pattern: str
    nulls: Nulls = "fail"
    search: bool = False

    @property
    def written(self) -> bool:
        """The pattern may be none."""
        return True

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("nulls", self.nulls, ("ignore", "empty", "fail", "skip"))

    def aggregate_exprs(self, schema: Schema) -> tuple[AggregateExpr, ...]:
        """Matches and rows."""
        column = schema.column(self.column).require(TEXT, "PatternMatch")
        matches = pattern_predicate(column.plain, self.pattern, self.nulls, search=self.search)
        every = rows(schema, self.where)
        if self.nulls == "skip":
            every = count_of(schema, f"{column.sql} IS NOT NULL", self.where, column)
        return count_of(schema, matches, self.where, column), every

    def row_predicate(self, schema: Schema) -> MatchingRows:
        """Rows whose string matches."""
        nulls: Nulls = "ignore" if self.nulls == "skip" else self.nulls
        sql = schema.column(self.column).sql
        matches = pattern_predicate(sql, self.pattern, nulls, search=self.search)
        return MatchingRows(f"coalesce({matches}, false)")


def pattern_predicate(sql: str, pattern: str, nulls: Nulls, *, search: bool = False) -> str:
    """The SQL predicate that a value matches a pattern."""
    subject = f"coalesce({sql}, '')" if nulls == "empty" else sql
    regex = strict_end(pattern) if search else full_match(pattern)
    matches = f"{subject} rlike {sql_string(regex)}"
    return f"({sql} IS NULL OR {matches})" if nulls == "ignore" else f"({matches})"


def full_match(pattern: str) -> str:
    """A regular expression that must cover the whole string, to the last character.

    >>> full_match("[0-9]+$")
    '\\\\A(?:[0-9]+\\\\z)\\\\z'
    """
    return rf"\A(?:{strict_end(pattern)})\z"


def strict_end(pattern: str) -> str:
    """The same regular expression, with ``$`` for the very end and not before a last newline.

    >>> strict_end(r"a$|[$]|\\$")
    'a\\\\z|[$]|\\\\$'
    """
    if "(?m" in pattern:  # lines are meant
        return pattern
    return _DOLLAR.sub(lambda found: r"\z" if found.group() == "$" else found.group(), pattern)


@dataclass(frozen=True)
class _CountAnalyzer(_RatioAnalyzer):
    """How many rows are of some sort."""

    abstract: ClassVar[bool] = True
    families: ClassVar[frozenset[str]] = NUMERIC
    test: ClassVar[str] = ""

    column: str = field(metadata=COLUMN)

    def aggregate_exprs(self, schema: Schema) -> tuple[AggregateExpr, ...]:
        """Matches and rows."""
        column = schema.column(self.column).require(self.families, type(self).__name__)
        test = self.test.format(column.sql)
        return count_of(schema, test, self.where, column), rows(schema, self.where)

    def metric(self, state: Ratio) -> Value | Undefined:
        """The number of matches."""
        return state.matches

    def row_predicate(self, schema: Schema) -> RowPredicate | None:
        """Rows that are counted."""
        return CountedRows(self.test.format(schema.column(self.column).sql))


@dataclass(frozen=True)
class ZerosCount(_CountAnalyzer):
    """How many values are zero."""

    test: ClassVar[str] = "{} = 0"


@dataclass(frozen=True)
class NegativeCount(_CountAnalyzer):
    """How many values are below zero."""

    test: ClassVar[str] = "{} < 0"


@dataclass(frozen=True)
class IntegerCount(_CountAnalyzer):
    """How many values are whole numbers, whatever their type."""

    # NaN and the infinite equal themselves, however they are rounded
    test: ClassVar[str] = (
        "rint(cast({0} AS double)) = cast({0} AS double)"
        " AND abs(cast({0} AS double)) < double('infinity')"
    )

    def row_predicate(self, schema: Schema) -> None:
        """No row is at fault: whole numbers are expected, and too few of them are missing rows."""
        return


@dataclass(frozen=True)
class NaNCount(_CountAnalyzer):
    """How many values are NaN (not a number, which is not null)."""

    families: ClassVar[frozenset[str]] = FLOATING
    test: ClassVar[str] = "isnan({})"


@dataclass(frozen=True)
class EmptyStringCount(_CountAnalyzer):
    """How many strings are empty (and not null)."""

    families: ClassVar[frozenset[str]] = TEXT
    test: ClassVar[str] = "length({}) = 0"
