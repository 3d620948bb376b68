"""Sums, means and ratios of sums. They are exact and independent of the order of rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal, localcontext
from typing import Any, ClassVar

from assay.analyzers.aggregate_expr import AggregateExpr, count_of, filtered, reads
from assay.analyzers.analyzer import COLUMN, ScanAnalyzer
from assay.analyzers.exact import Exact, as_float
from assay.analyzers.extremes import length_of
from assay.analyzers.metric import Undefined, Value
from assay.analyzers.schema import NUMERIC, Column, Schema
from assay.analyzers.state import Invertible
from assay.errors import NotComputableError

__all__ = [
    "Mean",
    "MeanLength",
    "RatioOfSums",
    "Sum",
    "Total",
    "TwoTotals",
    "total_exprs",
    "total_of",
]

_NO_VALUES = Undefined("it has no values")


@dataclass(frozen=True, slots=True)
class Total(Invertible):
    """A sum and the number of values in it; `is_integral` is true if all values are integers."""

    kind: ClassVar[str] = "total"
    sum: Exact
    n: int
    is_integral: bool = True

    @classmethod
    def identity(cls) -> Total:
        """Return the state of no rows."""
        return cls(Exact(), 0)

    def __add__(self, other: Total) -> Total:
        return Total(self.sum + other.sum, self.n + other.n, self.is_integral and other.is_integral)

    def __sub__(self, other: Total) -> Total:
        if not other.sum.finite:
            raise NotComputableError.not_finite()
        return Total(self.sum - other.sum, self.n - other.n, self.is_integral)

    def total(self) -> int | float | Decimal:
        """Return the sum, in the type of the values."""
        return int(self.sum.fraction()) if self.is_integral else self.sum.value()

    def metric(self) -> Value | Undefined:
        """Return the mean, ``sum / n``; the mean of decimals is a decimal."""
        if not self.n:
            return _NO_VALUES
        if not self.sum.finite:
            return self.sum.special
        mean = self.sum.fraction() / self.n
        if self.sum.base == 10:
            with localcontext(prec=38):
                return Decimal(mean.numerator) / Decimal(mean.denominator)
        return as_float(mean)


@dataclass(frozen=True, slots=True)
class TwoTotals(Invertible):
    """The sums of two columns."""

    kind: ClassVar[str] = "totals"
    numerator: Exact
    denominator: Exact
    n: int
    below: int = 0

    @classmethod
    def identity(cls) -> TwoTotals:
        """Return the state of no rows."""
        return cls(Exact(), Exact(), 0)

    def __add__(self, other: TwoTotals) -> TwoTotals:
        return TwoTotals(
            self.numerator + other.numerator,
            self.denominator + other.denominator,
            self.n + other.n,
            self.below + other.below,
        )

    def __sub__(self, other: TwoTotals) -> TwoTotals:
        if not (other.numerator.finite and other.denominator.finite):
            raise NotComputableError.not_finite()
        return TwoTotals(
            self.numerator - other.numerator,
            self.denominator - other.denominator,
            self.n - other.n,
            self.below - other.below,
        )

    def metric(self) -> Value | Undefined:
        """Return ``numerator / denominator``."""
        if not self.n or not self.below:
            return _NO_VALUES
        if not (self.numerator.finite and self.denominator.finite):
            below = float(self.denominator.value())
            return float(self.numerator.value()) / below if below else math.nan
        if not self.denominator.mantissa:
            return Undefined("the denominator's sum is zero")
        return as_float(self.numerator.fraction() / self.denominator.fraction())


@dataclass(frozen=True)
class _TotalAnalyzer(ScanAnalyzer[Total]):
    abstract: ClassVar[bool] = True
    exposes_values: ClassVar[bool] = False

    column: str = field(metadata=COLUMN)

    def aggregate_exprs(self, schema: Schema) -> tuple[AggregateExpr, ...]:
        """Return the number of values and their sum."""
        column = schema.column(self.column).require(NUMERIC, type(self).__name__)
        return total_exprs(column, schema, self.where)

    def state(self, values: Sequence[Any], schema: Schema) -> Total:
        """Create the state from the sum and the number."""
        return total_of(schema.column(self.column), values)


@dataclass(frozen=True)
class Mean(_TotalAnalyzer):
    """Measure the arithmetic mean.

    Parameters
    ----------
    column
        Name of a numeric column; nested fields as ``address.zip``.

    Notes
    -----
    ``Σ x / n``. The sum is exact and independent of the order of rows. The mean of decimals is a
    decimal. Nulls are ignored. Undefined without values.

    Examples
    --------
    >>> Mean("amount", where="paid").key
    'Mean(amount) where paid'
    """


@dataclass(frozen=True)
class Sum(_TotalAnalyzer):
    """Sum the values.

    Parameters
    ----------
    column
        Name of a numeric column; nested fields as ``address.zip``.

    Notes
    -----
    The sum of integers is an integer of any size, and that of decimals is a decimal without
    rounding. Nulls are ignored. Undefined without values.

    Examples
    --------
    >>> Sum("amount").key
    'Sum(amount)'
    """

    def metric(self, state: Total) -> Value | Undefined:
        """Return the sum."""
        return state.total() if state.n else _NO_VALUES


@dataclass(frozen=True)
class MeanLength(ScanAnalyzer[Total]):
    """Measure the mean length of strings, in characters.

    Parameters
    ----------
    column
        Name of a column of strings or binaries (in bytes).

    Notes
    -----
    ``Σ length(x) / n``. Nulls are ignored. Undefined without values.

    Examples
    --------
    >>> MeanLength("name").key
    'MeanLength(name)'
    """

    exposes_values: ClassVar[bool] = False

    column: str = field(metadata=COLUMN)

    def aggregate_exprs(self, schema: Schema) -> tuple[AggregateExpr, ...]:
        """Return the number of strings and their total length."""
        column = schema.column(self.column).require(frozenset({"string", "binary"}), "MeanLength")
        sql = f"sum({filtered(length_of(column.sql, 'ignore'), self.where)})"
        return (
            count_of(schema, f"{column.sql} IS NOT NULL", self.where, column),
            AggregateExpr(sql, reads(schema, self.where, column)),
        )

    def state(self, values: Sequence[Any], schema: Schema) -> Total:
        """Create the state from the lengths."""
        return Total(Exact.of(values[1] or 0), values[0])


@dataclass(frozen=True)
class RatioOfSums(ScanAnalyzer[TwoTotals]):
    """Measure the sum of one column divided by the sum of another.

    Parameters
    ----------
    numerator
        Name of a numeric column; nested fields as ``address.zip``.
    denominator
        Name of a numeric column; nested fields as ``address.zip``.

    Notes
    -----
    ``Σ numerator / Σ denominator``. Nulls are ignored in each column. Undefined if one of the
    columns has no values, or if the denominator's sum is zero.

    Examples
    --------
    >>> RatioOfSums("tax", "amount").key
    'RatioOfSums(tax, amount)'
    """

    exposes_values: ClassVar[bool] = False

    numerator: str = field(metadata=COLUMN)
    denominator: str = field(metadata=COLUMN)

    def aggregate_exprs(self, schema: Schema) -> tuple[AggregateExpr, ...]:
        """Return both sums."""
        return tuple(
            expr
            for name in (self.numerator, self.denominator)
            for expr in total_exprs(
                schema.column(name).require(NUMERIC, "RatioOfSums"), schema, self.where
            )
        )

    def state(self, values: Sequence[Any], schema: Schema) -> TwoTotals:
        """Create the state from both sums."""
        first, second = schema.column(self.numerator), schema.column(self.denominator)
        at = len(total_exprs(first, schema, self.where))
        above, below = total_of(first, values[:at]), total_of(second, values[at:])
        return TwoTotals(above.sum, below.sum, above.n, below.n)


def total_exprs(column: Column, schema: Schema, where: str | None) -> tuple[AggregateExpr, ...]:
    """Return the number of values and their sum, in a form that neither overflows nor rounds."""
    count = count_of(schema, f"{column.sql} IS NOT NULL", where, column)
    read = reads(schema, where, column)
    if column.type == "bigint":
        # the sum of each half fits into a long for 4 billion rows; Python adds both
        low = filtered(f"({column.sql} & 4294967295L) - 2147483648L", where)
        high = filtered(f"shiftright({column.sql}, 32)", where)
        return (
            count,
            AggregateExpr(f"try_sum({high})", read, 2),
            AggregateExpr(f"try_sum({low})", read, 2),
        )
    if column.family == "fractional":
        return count, AggregateExpr(
            f"sum({filtered(f'cast({column.sql} AS double)', where)})", read
        )
    function = "try_sum" if column.family == "decimal" else "sum"
    return count, AggregateExpr(f"{function}({filtered(column.sql, where)})", read, 2)


def total_of(column: Column, values: Sequence[Any]) -> Total:
    """Create a total from the results of `total_exprs`."""
    n, parts = values[0], values[1:]
    if not n:
        return Total.identity()
    if any(part is None for part in parts):
        raise NotComputableError.overflow(column.name, column.type)
    if column.type == "bigint":
        return Total(Exact.of((parts[0] << 32) + parts[1] + (n << 31)), n)
    return Total(Exact.of(parts[0]), n, is_integral=column.family == "integral")
