"""Counts and ratios of rows: size, completeness, compliance, pattern matches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from assay.analyzers.aggregate_expr import (
    AggregateExpr,
    check_choice,
    condition,
    count_of,
    rows,
)
from assay.analyzers.analyzer import COLUMN, ScanAnalyzer
from assay.analyzers.codec import plain
from assay.analyzers.metric import Undefined, Value
from assay.analyzers.regex import Nulls, pattern_predicate
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
    "PatternMatch",
    "Ratio",
    "Size",
    "ZerosCount",
]

#: the value of a condition that is null
_TRUTH = {"ignore": "true", "fail": "false"}


@dataclass(frozen=True, slots=True)
class Count(Invertible):
    """A number of rows."""

    kind: ClassVar[str] = "count"
    n: int

    @classmethod
    def identity(cls) -> Count:
        """Return the state of no rows."""
        return cls(0)

    def __add__(self, other: Count) -> Count:
        return Count(self.n + other.n)

    @classmethod
    def merged_payloads(cls, payloads: Sequence[bytes]) -> Count:
        """Merge the states of many payloads."""
        return cls(sum(n for (n,) in plain(payloads)))

    def __sub__(self, other: Count) -> Count:
        return Count(self.n - other.n)

    def metric(self) -> Value:
        """Return the number."""
        return self.n


@dataclass(frozen=True, slots=True)
class Ratio(Invertible):
    """The number of matching rows, and of all rows."""

    kind: ClassVar[str] = "ratio"
    matches: int
    rows: int

    @classmethod
    def identity(cls) -> Ratio:
        """Return the state of no rows."""
        return cls(0, 0)

    def __add__(self, other: Ratio) -> Ratio:
        return Ratio(self.matches + other.matches, self.rows + other.rows)

    @classmethod
    def merged_payloads(cls, payloads: Sequence[bytes]) -> Ratio:
        """Merge the states of many payloads."""
        counts = plain(payloads)
        return cls(sum(matches for matches, _ in counts), sum(rows for _, rows in counts))

    def __sub__(self, other: Ratio) -> Ratio:
        return Ratio(self.matches - other.matches, self.rows - other.rows)

    def metric(self) -> Value | Undefined:
        """Return ``matches / rows``."""
        return self.matches / self.rows if self.rows else Undefined("it has no rows")


@dataclass(frozen=True)
class Size(ScanAnalyzer[Count]):
    """Count the rows.

    Notes
    -----
    With `where`, the rows that fulfil the condition.

    Examples
    --------
    >>> Size(where="paid").key
    'Size() where paid'
    """

    exposes_values: ClassVar[bool] = False

    def aggregate_exprs(self, schema: Schema) -> tuple[AggregateExpr, ...]:
        """Return one count."""
        return (rows(schema, self.where),)

    def state(self, values: Sequence[Any], schema: Schema) -> Count:
        """Create the state from the count."""
        return Count(values[0])


@dataclass(frozen=True)
class _RatioAnalyzer(ScanAnalyzer[Ratio]):
    """The base class of analyzers that count matching rows and all rows."""

    abstract: ClassVar[bool] = True
    exposes_values: ClassVar[bool] = False

    def state(self, values: Sequence[Any], schema: Schema) -> Ratio:
        """Create the state from the two counts."""
        return Ratio(*values)


@dataclass(frozen=True)
class Completeness(_RatioAnalyzer):
    """Measure the share of rows in which a column has a value.

    Parameters
    ----------
    column
        Name of a column; nested fields as ``address.zip``.

    Notes
    -----
    ``non-null values / rows`` (deequ-vldb18, section 3.1). NaN and the empty string are values.
    Undefined without rows.

    Examples
    --------
    >>> Completeness("email").key
    'Completeness(email)'
    """

    column: str = field(metadata=COLUMN)

    def aggregate_exprs(self, schema: Schema) -> tuple[AggregateExpr, ...]:
        """Return non-null values and rows."""
        column = schema.column(self.column)
        present = count_of(schema, f"{column.sql} IS NOT NULL", self.where, column)
        return present, rows(schema, self.where)

    def row_predicate(self, schema: Schema) -> MatchingRows:
        """Return rows with a value."""
        return MatchingRows(f"{schema.column(self.column).sql} IS NOT NULL")


@dataclass(frozen=True)
class Compliance(_RatioAnalyzer):
    """Measure the share of rows for which a condition is true.

    Parameters
    ----------
    predicate
        A condition in Spark SQL. A name in backticks may be a path, such as `` `address.city` ``.
    nulls
        ``"fail"``: a row for which the condition is null does not comply. ``"ignore"``: it
        complies, as in a CHECK constraint of SQL.

    Notes
    -----
    ``rows that comply / rows`` (deequ-vldb18, section 3.1). Undefined without rows.

    Examples
    --------
    >>> Compliance("amount > 0").key
    "Compliance('amount > 0')"
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
        """Return the predicate as a condition that is never null."""
        return f"coalesce({condition(schema.resolved(self.predicate))}, {_TRUTH[self.nulls]})"

    def aggregate_exprs(self, schema: Schema) -> tuple[AggregateExpr, ...]:
        """Return matches and rows."""
        holds = self.holds(schema)
        expr = count_of(schema, holds, self.where)
        columns = dict.fromkeys((*schema.mentioned(holds), *expr.columns))
        return AggregateExpr(expr.sql, tuple(columns)), rows(schema, self.where)

    def row_predicate(self, schema: Schema) -> MatchingRows:
        """Return rows for which the predicate is true."""
        return MatchingRows(self.holds(schema))


@dataclass(frozen=True)
class PatternMatch(_RatioAnalyzer):
    """Measure the share of rows whose string matches a regular expression.

    Parameters
    ----------
    column
        Name of a string column; nested fields as ``address.zip``.
    pattern
        A Java regular expression. It must match the whole string, unless `search` is set.
    nulls
        ``"fail"``: a null does not match. ``"ignore"``: it matches. ``"empty"``: it counts as the
        empty string. ``"skip"``: it does not count, so that the metric is a share of the values.
    search
        True if a match anywhere in the string is enough.

    Notes
    -----
    ``matching rows / rows``. ``$`` never matches before a trailing newline: ``"1\\n"`` does not
    match ``[0-9]+$``. Undefined without rows.

    Examples
    --------
    >>> PatternMatch("zip", "[0-9]{5}").key
    "PatternMatch(zip, '[0-9]{5}')"
    """

    column: str = field(metadata=COLUMN)
    pattern: str
    nulls: Nulls = "fail"
    search: bool = False

    @property
    def has_user_sql(self) -> bool:
        """True: the pattern may be invalid."""
        return True

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("nulls", self.nulls, ("ignore", "empty", "fail", "skip"))

    def aggregate_exprs(self, schema: Schema) -> tuple[AggregateExpr, ...]:
        """Return matches and rows."""
        column = schema.column(self.column).require(TEXT, "PatternMatch")
        matches = pattern_predicate(column.plain, self.pattern, self.nulls, search=self.search)
        total = rows(schema, self.where)
        if self.nulls == "skip":
            total = count_of(schema, f"{column.sql} IS NOT NULL", self.where, column)
        return count_of(schema, matches, self.where, column), total

    def row_predicate(self, schema: Schema) -> MatchingRows:
        """Return rows whose string matches."""
        nulls: Nulls = "ignore" if self.nulls == "skip" else self.nulls
        sql = schema.column(self.column).sql
        matches = pattern_predicate(sql, self.pattern, nulls, search=self.search)
        return MatchingRows(f"coalesce({matches}, false)")


@dataclass(frozen=True)
class _CountAnalyzer(_RatioAnalyzer):
    """The base class of analyzers that count values by a test."""

    abstract: ClassVar[bool] = True
    families: ClassVar[frozenset[str]] = NUMERIC
    test: ClassVar[str] = ""

    column: str = field(metadata=COLUMN)

    def aggregate_exprs(self, schema: Schema) -> tuple[AggregateExpr, ...]:
        """Return matches and rows."""
        column = schema.column(self.column).require(self.families, type(self).__name__)
        test = self.test.format(column.sql)
        return count_of(schema, test, self.where, column), rows(schema, self.where)

    def metric(self, state: Ratio) -> Value | Undefined:
        """Return the number of matches."""
        return state.matches

    def row_predicate(self, schema: Schema) -> RowPredicate | None:
        """Return rows that are counted."""
        return CountedRows(self.test.format(schema.column(self.column).sql))


@dataclass(frozen=True)
class ZerosCount(_CountAnalyzer):
    """Count the values that are zero.

    Parameters
    ----------
    column
        Name of a numeric column; nested fields as ``address.zip``.

    Notes
    -----
    Nulls are not counted.

    Examples
    --------
    >>> ZerosCount("amount").key
    'ZerosCount(amount)'
    """

    test: ClassVar[str] = "{} = 0"


@dataclass(frozen=True)
class NegativeCount(_CountAnalyzer):
    """Count the values below zero.

    Parameters
    ----------
    column
        Name of a numeric column; nested fields as ``address.zip``.

    Notes
    -----
    Nulls are not counted.

    Examples
    --------
    >>> NegativeCount("amount").key
    'NegativeCount(amount)'
    """

    test: ClassVar[str] = "{} < 0"


@dataclass(frozen=True)
class IntegerCount(_CountAnalyzer):
    """Count the values that are whole numbers, in a column of any numeric type.

    Parameters
    ----------
    column
        Name of a numeric column; nested fields as ``address.zip``.

    Notes
    -----
    Nulls, NaN and infinities are not counted.

    Examples
    --------
    >>> IntegerCount("amount").key
    'IntegerCount(amount)'
    """

    # NaN and infinities equal themselves after rounding
    test: ClassVar[str] = (
        "rint(cast({0} AS double)) = cast({0} AS double)"
        " AND abs(cast({0} AS double)) < double('infinity')"
    )

    def row_predicate(self, schema: Schema) -> None:
        """Return None: an expectation of more whole numbers has no failing rows."""
        return


@dataclass(frozen=True)
class NaNCount(_CountAnalyzer):
    """Count the values that are NaN (not a number), which is different from null.

    Parameters
    ----------
    column
        Name of a float or double column.

    Notes
    -----
    Nulls are not counted.

    Examples
    --------
    >>> NaNCount("ratio").key
    'NaNCount(ratio)'
    """

    families: ClassVar[frozenset[str]] = FLOATING
    test: ClassVar[str] = "isnan({})"


@dataclass(frozen=True)
class EmptyStringCount(_CountAnalyzer):
    """Count the empty strings.

    Parameters
    ----------
    column
        Name of a string column; nested fields as ``address.zip``.

    Notes
    -----
    Nulls are not counted.

    Examples
    --------
    >>> EmptyStringCount("name").key
    'EmptyStringCount(name)'
    """

    families: ClassVar[frozenset[str]] = TEXT
    test: ClassVar[str] = "length({}) = 0"
