"""Extreme values: minimum, maximum, range, lengths, freshness."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal, localcontext
from typing import Any, ClassVar, Literal, Self, TypeVar, cast

from assay.analyzers.aggregate_expr import AggregateExpr, check_choice, filtered, reads
from assay.analyzers.analyzer import COLUMN, ScanAnalyzer
from assay.analyzers.codec import decode_all
from assay.analyzers.metric import Undefined, Value
from assay.analyzers.row_predicate import ExtremeRows
from assay.analyzers.schema import COMPARABLE, NUMERIC, TEMPORAL, Column, Schema
from assay.analyzers.state import State
from assay.errors import NotComputableError

__all__ = [
    "Freshness",
    "Greatest",
    "Least",
    "MaxLength",
    "Maximum",
    "MinLength",
    "Minimum",
    "Range",
    "Span",
    "length_of",
]

Scalar = int | float | Decimal | str | bool | bytes | date | datetime | time | timedelta

_NO_VALUES = Undefined("it has no values")


@dataclass(frozen=True, slots=True)
class _Extreme(State):
    """The base class of the lowest and the highest value."""

    choose: ClassVar[Callable[..., Any]]
    #: the aggregate in SQL, and the name of the end
    function: ClassVar[str]
    end: ClassVar[Literal["lowest", "highest"]]

    value: Scalar | None

    @classmethod
    def of(cls, values: Iterable[Scalar | None]) -> Self:
        """Return the state of some values."""
        present = [value for value in values if value is not None]
        return cls(cls.choose(present, key=_order, default=None))

    @classmethod
    def identity(cls) -> Self:
        """Return the state of no rows."""
        return cls(None)

    def __add__(self, other: Self) -> Self:
        return self.of((self.value, other.value))

    @classmethod
    def merged_payloads(cls, payloads: Sequence[bytes]) -> Self:
        """Merge the states of many payloads."""
        # batches of one table mostly have equal extremes
        return cls.of(value for (value,) in decode_all(list(set(payloads))))

    def metric(self) -> Value | Undefined:
        """Return the value."""
        return _NO_VALUES if self.value is None else self.value


@dataclass(frozen=True, slots=True)
class Least(_Extreme):
    """The lowest value; NaN is higher than all numbers, as in Spark."""

    kind: ClassVar[str] = "least"
    choose: ClassVar[Callable[..., Any]] = min
    function: ClassVar[str] = "min"
    end: ClassVar[Literal["lowest", "highest"]] = "lowest"


@dataclass(frozen=True, slots=True)
class Greatest(_Extreme):
    """The highest value; NaN is higher than all numbers, as in Spark."""

    kind: ClassVar[str] = "greatest"
    choose: ClassVar[Callable[..., Any]] = max
    function: ClassVar[str] = "max"
    end: ClassVar[Literal["lowest", "highest"]] = "highest"


@dataclass(frozen=True, slots=True)
class Span(State):
    """The lowest and the highest value."""

    kind: ClassVar[str] = "span"
    low: Scalar | None
    high: Scalar | None

    @classmethod
    def identity(cls) -> Span:
        """Return the state of no rows."""
        return cls(None, None)

    def __add__(self, other: Span) -> Span:
        low = Least(self.low) + Least(other.low)
        high = Greatest(self.high) + Greatest(other.high)
        return Span(low.value, high.value)

    def metric(self) -> Value | Undefined:
        """Return ``highest - lowest``: a number, or a time span for dates and timestamps."""
        if self.low is None or self.high is None:
            return _NO_VALUES
        with localcontext(prec=100):  # more than the 38 digits of a decimal
            difference: Value = self.high - self.low  # type: ignore[operator]
        return difference


E = TypeVar("E", bound=_Extreme)


@dataclass(frozen=True)
class _ExtremeAnalyzer(ScanAnalyzer[E]):
    """The base class of analyzers of the lowest or the highest value."""

    abstract: ClassVar[bool] = True
    extreme: ClassVar[type[_Extreme]]

    column: str = field(metadata=COLUMN)

    def measured(self, schema: Schema) -> Column:
        """Return the column, or an expression of it, whose extreme is found."""
        return schema.column(self.column).require(COMPARABLE, type(self).__name__)

    def aggregate_exprs(self, schema: Schema) -> tuple[AggregateExpr, ...]:
        """Return one minimum or maximum."""
        return (extreme_expr(self.extreme.function, self.measured(schema), schema, self.where),)

    def state(self, values: Sequence[Any], schema: Schema) -> E:
        """Create the state from the minimum or maximum."""
        return cast("E", self.extreme(_decode(values[0], self.measured(schema))))

    def row_predicate(self, schema: Schema) -> ExtremeRows:
        """Return rows by their value."""
        return ExtremeRows(self.measured(schema), self.extreme.end)


@dataclass(frozen=True)
class Minimum(_ExtremeAnalyzer[Least]):
    """Find the lowest value.

    Parameters
    ----------
    column
        Name of a column of numbers, strings, dates, timestamps, booleans or binaries.

    Notes
    -----
    Nulls are ignored. NaN is higher than every number. Undefined without values.

    Examples
    --------
    >>> Minimum("amount").key
    'Minimum(amount)'
    """

    extreme: ClassVar[type[_Extreme]] = Least


@dataclass(frozen=True)
class Maximum(_ExtremeAnalyzer[Greatest]):
    """Find the highest value.

    Parameters
    ----------
    column
        Name of a column of numbers, strings, dates, timestamps, booleans or binaries.

    Notes
    -----
    Nulls are ignored. NaN is higher than every number. Undefined without values.

    Examples
    --------
    >>> Maximum("amount").key
    'Maximum(amount)'
    """

    extreme: ClassVar[type[_Extreme]] = Greatest


@dataclass(frozen=True)
class Range(ScanAnalyzer[Span]):
    """Measure the difference between the highest and the lowest value.

    Parameters
    ----------
    column
        Name of a column of numbers, dates or timestamps.

    Notes
    -----
    ``maximum - minimum``: a number, or a time span for dates and timestamps. Nulls are ignored.
    Undefined without values.

    Examples
    --------
    >>> Range("amount").key
    'Range(amount)'
    """

    column: str = field(metadata=COLUMN)

    def aggregate_exprs(self, schema: Schema) -> tuple[AggregateExpr, ...]:
        """Return the minimum and the maximum."""
        column = schema.column(self.column).require(NUMERIC | TEMPORAL, "Range")
        return (
            extreme_expr("min", column, schema, self.where),
            extreme_expr("max", column, schema, self.where),
        )

    def state(self, values: Sequence[Any], schema: Schema) -> Span:
        """Create the state from both ends."""
        column = schema.column(self.column)
        return Span(_decode(values[0], column), _decode(values[1], column))


@dataclass(frozen=True)
class Freshness(ScanAnalyzer[Greatest]):
    """Measure the age of the newest timestamp.

    Parameters
    ----------
    column
        Name of a column of dates or timestamps.
    as_of
        The time at which the age is measured. By default, the current time.

    Notes
    -----
    ``as_of - maximum``, as a time span. A timestamp without a time zone is read as UTC, and a date
    as its midnight. Nulls are ignored. Undefined without values.

    Examples
    --------
    >>> Freshness("updated_at").key
    'Freshness(updated_at)'
    """

    column: str = field(metadata=COLUMN)
    as_of: datetime | None = None

    def aggregate_exprs(self, schema: Schema) -> tuple[AggregateExpr, ...]:
        """Return the maximum."""
        column = schema.column(self.column).require(TEMPORAL, "Freshness")
        return (extreme_expr("max", column, schema, self.where),)

    def state(self, values: Sequence[Any], schema: Schema) -> Greatest:
        """Create the state from the newest value."""
        return Greatest(_decode(values[0], schema.column(self.column)))

    def metric(self, state: Greatest) -> Value | Undefined:
        """Return the age as a time span."""
        if state.value is None:
            return _NO_VALUES
        return _instant(self.as_of or datetime.now(UTC)) - _instant(state.value)


@dataclass(frozen=True)
class _LengthAnalyzer(_ExtremeAnalyzer[E]):
    """The base class of analyzers of the shortest or the longest string."""

    abstract: ClassVar[bool] = True
    exposes_values: ClassVar[bool] = False

    nulls: Literal["ignore", "empty"] = "ignore"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("nulls", self.nulls, ("ignore", "empty"))

    def measured(self, schema: Schema) -> Column:
        """Return the length of the column."""
        column = schema.column(self.column).require(frozenset({"string", "binary"}), "a length")
        return replace(column, sql=length_of(column.sql, self.nulls), type="int")


@dataclass(frozen=True)
class MinLength(_LengthAnalyzer[Least]):
    """Measure the length of the shortest string, in characters.

    Parameters
    ----------
    column
        Name of a column of strings or binaries (in bytes).
    nulls
        ``"ignore"``: nulls do not count. ``"empty"``: a null has the length 0.

    Notes
    -----
    Undefined without values.

    Examples
    --------
    >>> MinLength("name").key
    'MinLength(name)'
    """

    extreme: ClassVar[type[_Extreme]] = Least


@dataclass(frozen=True)
class MaxLength(_LengthAnalyzer[Greatest]):
    """Measure the length of the longest string, in characters.

    Parameters
    ----------
    column
        Name of a column of strings or binaries (in bytes).
    nulls
        ``"ignore"``: nulls do not count. ``"empty"``: a null has the length 0.

    Notes
    -----
    Undefined without values.

    Examples
    --------
    >>> MaxLength("name").key
    'MaxLength(name)'
    """

    extreme: ClassVar[type[_Extreme]] = Greatest


def length_of(sql: str, nulls: Literal["ignore", "empty"]) -> str:
    """Return SQL for the length of a value."""
    return f"length({sql})" if nulls == "ignore" else f"coalesce(length({sql}), 0)"


def extreme_expr(function: str, column: Column, schema: Schema, where: str | None) -> AggregateExpr:
    """Return ``min`` or ``max`` of a column, in a form that no time zone changes."""
    sql = f"{function}({filtered(column.plain, where)})"
    form = {
        "date": "unix_date({})",
        "timestamp": "unix_micros({})",
        # an interval: `timestampdiff` would go through the session's time zone
        "timestamp_ntz": "{} - TIMESTAMP_NTZ'1970-01-01 00:00:00'",
        "time": "cast({} AS string)",
    }.get(column.family, "{}")
    return AggregateExpr(form.format(sql), reads(schema, where, column))


def _decode(value: Any, column: Column) -> Scalar | None:
    """Convert a value from Spark to the value that it represents."""
    if value is None:
        return None
    try:
        match column.family:
            case "date":
                return date(1970, 1, 1) + timedelta(days=value)
            case "timestamp":
                return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=value)
            case "timestamp_ntz":
                since: timedelta = value
                return datetime(1970, 1, 1) + since
            case "time":
                return time.fromisoformat(value)
            case "binary":
                return bytes(value)
            case _:
                decoded: Scalar = value
                return decoded
    except OverflowError as error:
        raise NotComputableError.beyond_calendar(column.name) from error


def _instant(moment: Scalar) -> datetime:
    if not isinstance(moment, datetime):
        assert isinstance(moment, date)
        return datetime(moment.year, moment.month, moment.day, tzinfo=UTC)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _order(value: Any) -> tuple[str, bool, Any, float]:
    """Return a sort key: numbers by value, whatever their type, and other types separately."""
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return type(value).__name__, False, value, 0.0
    if isinstance(value, float):
        # -0.0 before 0.0, so that merging does not depend on the order of states
        missing = math.isnan(value)
        return "", missing, 0.0 if missing else value, math.copysign(1.0, value)
    return "", False, value, 1.0
