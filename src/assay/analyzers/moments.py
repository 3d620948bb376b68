"""Sums and moments: mean, sum, deviation, skewness, kurtosis, correlation.

Spark computes the central moments (Chan, Golub, LeVeque; Meng); the states keep them as exact
power sums, so that merging rounds nothing and can be undone. With ``S_p = Σ x^p``:
``M_2 = S_2 - S_1²/n`` and so on, in rational arithmetic, where that formula loses no digit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any, ClassVar

from assay.analyzers.analyzer import COLUMN, ScanAnalyzer
from assay.analyzers.exact import Exact, as_float
from assay.analyzers.extremes import length_of
from assay.analyzers.leaf import Leaf, count_of, filtered, reads
from assay.analyzers.metric import Undefined, Value
from assay.analyzers.schema import NUMERIC, Column, Schema
from assay.analyzers.state import Invertible
from assay.errors import NotComputableError

__all__ = [
    "CoMoments",
    "Correlation",
    "Kurtosis",
    "Mean",
    "MeanLength",
    "Moments",
    "RatioOfSums",
    "Skewness",
    "StandardDeviation",
    "Sum",
    "Total",
    "TwoTotals",
    "Variance",
]

_NO_VALUES = Undefined("there are no values")
_CONSTANT = Undefined("all values are equal")


@dataclass(frozen=True, slots=True)
class Total(Invertible):
    """A sum and the number of values in it. `whole` says that the values are integers."""

    kind: ClassVar[str] = "total"
    sum: Exact
    n: int
    whole: bool = True

    @classmethod
    def identity(cls) -> Total:
        """Nothing summed."""
        return cls(Exact(), 0)

    def __add__(self, other: Total) -> Total:
        return Total(self.sum + other.sum, self.n + other.n, self.whole and other.whole)

    def __sub__(self, other: Total) -> Total:
        if not other.sum.finite:
            raise NotComputableError.not_finite()
        return Total(self.sum - other.sum, self.n - other.n, self.whole)

    def total(self) -> int | float | Decimal:
        """The sum, in the type of the values."""
        return int(self.sum.fraction()) if self.whole else self.sum.value()

    def metric(self) -> Value | Undefined:
        """The mean, ``sum / n``; of decimals a decimal."""
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
    """Two sums."""

    kind: ClassVar[str] = "totals"
    numerator: Exact
    denominator: Exact
    n: int

    @classmethod
    def identity(cls) -> TwoTotals:
        """Nothing summed."""
        return cls(Exact(), Exact(), 0)

    def __add__(self, other: TwoTotals) -> TwoTotals:
        return TwoTotals(
            self.numerator + other.numerator,
            self.denominator + other.denominator,
            self.n + other.n,
        )

    def __sub__(self, other: TwoTotals) -> TwoTotals:
        if not (other.numerator.finite and other.denominator.finite):
            raise NotComputableError.not_finite()
        return TwoTotals(
            self.numerator - other.numerator,
            self.denominator - other.denominator,
            self.n - other.n,
        )

    def metric(self) -> Value | Undefined:
        """``numerator / denominator``."""
        if not self.n:
            return _NO_VALUES
        if not (self.numerator.finite and self.denominator.finite):
            below = float(self.denominator.value())
            return float(self.numerator.value()) / below if below else math.nan
        if not self.denominator.mantissa:
            return Undefined("the denominator's sum is zero")
        return as_float(self.numerator.fraction() / self.denominator.fraction())


@dataclass(frozen=True, slots=True)
class Moments(Invertible):
    """``n`` and the power sums ``S_1 … S_p``, as far as the analyzer needs them."""

    kind: ClassVar[str] = "moments"
    n: int
    sums: tuple[Exact, ...]

    @classmethod
    def identity(cls) -> Moments:
        """No values."""
        return cls(0, ())

    @classmethod
    def of(cls, n: int, mean: float, *central: float) -> Moments:
        """From the mean and the central sums ``M_p = Σ (x - mean)^p``, p = 2, 3, 4."""
        if not n:
            return cls.identity()
        sums = (mean * n, *central)
        if not all(math.isfinite(each) for each in sums):
            return cls(n, tuple(Exact(special=math.nan) for _ in sums))
        at = Exact.of(mean)
        moments = [Exact.of(n), Exact(), *map(Exact.of, central)]
        return cls(n, tuple(_shifted(moments, p, at) for p in range(1, len(moments))))

    def __add__(self, other: Moments) -> Moments:
        if not self.n or not other.n:
            return self if self.n else other
        sums = tuple(a + b for a, b in zip(self.sums, other.sums, strict=True))
        return Moments(self.n + other.n, sums)

    def __sub__(self, other: Moments) -> Moments:
        if not other.n:
            return self
        if not all(s.finite for s in other.sums):
            raise NotComputableError.not_finite()
        if self.n == other.n:
            return Moments.identity()
        sums = tuple(a - b for a, b in zip(self.sums, other.sums, strict=True))
        return Moments(self.n - other.n, sums)

    def central(self, order: int) -> Fraction:
        """``M_p / n``, the central moment of this order."""
        mean = self.sums[0].fraction() / self.n
        raw = [Fraction(1), *(s.fraction() / self.n for s in self.sums)]
        moment = sum(
            (math.comb(order, k) * raw[k] * (-mean) ** (order - k) for k in range(order + 1)),
            Fraction(0),
        )
        return max(moment, Fraction(0)) if order % 2 == 0 else moment

    def metric(self) -> Value | Undefined:
        """The standard deviation of the population, ``sqrt(M_2 / n)``."""
        return self.read(lambda state: math.sqrt(as_float(state.central(2))))

    def read(self, formula: Callable[[Moments], float | Undefined]) -> Value | Undefined:
        """A formula over the moments, where there are values and all are finite."""
        if not self.n:
            return _NO_VALUES
        return formula(self) if all(s.finite for s in self.sums) else math.nan


def _shifted(moments: Sequence[Exact], order: int, at: Exact) -> Exact:
    """The raw power sum from those about a point: ``S_p = Σ_k C(p,k) M_k at^(p-k)``."""
    total = Exact()
    for k in range(order + 1):
        term = moments[k].scaled(Exact.of(math.comb(order, k)))
        for _ in range(order - k):
            term = term.scaled(at)
        total = total + term
    return total


@dataclass(frozen=True, slots=True)
class CoMoments(Invertible):
    """``n, Σx, Σy, Σx², Σy², Σxy`` of the pairs in which both have a value."""

    kind: ClassVar[str] = "comoments"
    n: int
    sums: tuple[Exact, ...]

    @classmethod
    def identity(cls) -> CoMoments:
        """No pairs."""
        return cls(0, ())

    @classmethod
    def of(cls, n: int, x: float, y: float, xx: float, yy: float, xy: float) -> CoMoments:
        """From the means and the central sums of squares and products."""
        if not n:
            return cls.identity()
        if not all(math.isfinite(each) for each in (x, y, xx, yy, xy)):
            return cls(n, tuple(Exact(special=math.nan) for _ in range(5)))
        ex, ey, en = Exact.of(x), Exact.of(y), Exact.of(n)
        return cls(
            n,
            (
                ex.scaled(en),
                ey.scaled(en),
                Exact.of(xx) + ex.scaled(ex).scaled(en),
                Exact.of(yy) + ey.scaled(ey).scaled(en),
                Exact.of(xy) + ex.scaled(ey).scaled(en),
            ),
        )

    def __add__(self, other: CoMoments) -> CoMoments:
        if not self.n or not other.n:
            return self if self.n else other
        sums = tuple(a + b for a, b in zip(self.sums, other.sums, strict=True))
        return CoMoments(self.n + other.n, sums)

    def __sub__(self, other: CoMoments) -> CoMoments:
        if not other.n:
            return self
        if not all(s.finite for s in other.sums):
            raise NotComputableError.not_finite()
        if self.n == other.n:
            return CoMoments.identity()
        sums = tuple(a - b for a, b in zip(self.sums, other.sums, strict=True))
        return CoMoments(self.n - other.n, sums)

    def metric(self) -> Value | Undefined:
        """Pearson's correlation."""
        if not self.n:
            return Undefined("there are no pairs of values")
        if not all(s.finite for s in self.sums):
            return math.nan
        x, y, xx, yy, xy = (s.fraction() for s in self.sums)
        spread = (xx - x * x / self.n) * (yy - y * y / self.n)
        if spread <= 0:
            return Undefined("one of the columns is constant")
        together = xy - x * y / self.n
        # the square first: a ratio of rationals cannot overflow on its way to a double
        size = math.sqrt(min(1.0, as_float(together * together / spread)))
        return math.copysign(size, together)


@dataclass(frozen=True)
class _TotalAnalyzer(ScanAnalyzer[Total]):
    abstract: ClassVar[bool] = True

    column: str = field(metadata=COLUMN)

    def leaves(self, schema: Schema) -> tuple[Leaf, ...]:
        """Number of values, and their sum."""
        column = schema.column(self.column).require(NUMERIC, type(self).__name__)
        return total_leaves(column, schema, self.where)

    def state(self, values: Sequence[Any], schema: Schema) -> Total:
        """The sum and the number."""
        return total_of(schema.column(self.column), values)


@dataclass(frozen=True)
class Mean(_TotalAnalyzer):
    """The arithmetic mean of the values that are there."""


@dataclass(frozen=True)
class Sum(_TotalAnalyzer):
    """The sum: of integers an integer of any size, of decimals a decimal, without rounding."""

    def metric(self, state: Total) -> Value | Undefined:
        """The sum."""
        return state.total() if state.n else _NO_VALUES


@dataclass(frozen=True)
class MeanLength(ScanAnalyzer[Total]):
    """The mean length of the strings that are there."""

    column: str = field(metadata=COLUMN)

    def leaves(self, schema: Schema) -> tuple[Leaf, ...]:
        """Number of strings, and their length in all."""
        column = schema.column(self.column).require(frozenset({"string", "binary"}), "MeanLength")
        sql = f"sum({filtered(length_of(column.sql, 'ignore'), self.where)})"
        return (
            count_of(schema, f"{column.sql} IS NOT NULL", self.where, column),
            Leaf(sql, reads(schema, self.where, column)),
        )

    def state(self, values: Sequence[Any], schema: Schema) -> Total:
        """The lengths."""
        return Total(Exact.of(values[1] or 0), values[0])


@dataclass(frozen=True)
class RatioOfSums(ScanAnalyzer[TwoTotals]):
    """``Σ numerator / Σ denominator``."""

    numerator: str = field(metadata=COLUMN)
    denominator: str = field(metadata=COLUMN)

    def leaves(self, schema: Schema) -> tuple[Leaf, ...]:
        """Both sums."""
        return tuple(
            leaf
            for name in (self.numerator, self.denominator)
            for leaf in total_leaves(
                schema.column(name).require(NUMERIC, "RatioOfSums"), schema, self.where
            )
        )

    def state(self, values: Sequence[Any], schema: Schema) -> TwoTotals:
        """Both sums."""
        first, second = schema.column(self.numerator), schema.column(self.denominator)
        at = len(total_leaves(first, schema, self.where))
        above, below = total_of(first, values[:at]), total_of(second, values[at:])
        return TwoTotals(above.sum, below.sum, min(above.n, below.n))


@dataclass(frozen=True)
class _MomentAnalyzer(ScanAnalyzer[Moments]):
    abstract: ClassVar[bool] = True
    functions: ClassVar[tuple[tuple[str, int], ...]] = (("var_pop", 3),)

    column: str = field(metadata=COLUMN)

    def leaves(self, schema: Schema) -> tuple[Leaf, ...]:
        """The sum, and Spark's central moments up to the order needed."""
        column = schema.column(self.column).require(NUMERIC, type(self).__name__)
        subject = filtered(f"cast({column.sql} AS double)", self.where)
        read = reads(schema, self.where, column)
        higher = (Leaf(f"{name}({subject})", read, size) for name, size in self.functions)
        return (*total_leaves(column, schema, self.where), *higher)

    def state(self, values: Sequence[Any], schema: Schema) -> Moments:
        """The power sums."""
        at = len(values) - len(self.functions)
        total = total_of(schema.column(self.column), values[:at])
        if not total.n:
            return Moments.identity()
        mean = float(total.metric())  # type: ignore[arg-type]
        n, variance = total.n, values[at]
        central = [variance * n]
        # Spark's skewness is √n·M₃/M₂^1.5, its kurtosis n·M₄/M₂² - 3; of a constant both are null
        if len(self.functions) > 1:
            skewness = values[at + 1]
            central.append(_product(n, skewness, variance, 1.5))
        if len(self.functions) > 2:
            kurtosis = values[at + 2]
            central.append(_product(n, None if kurtosis is None else kurtosis + 3.0, variance, 2.0))
        return Moments.of(n, mean, *central)


@dataclass(frozen=True)
class StandardDeviation(_MomentAnalyzer):
    """The standard deviation of the population, ``sqrt(Σ (x - mean)² / n)``."""


@dataclass(frozen=True)
class Variance(_MomentAnalyzer):
    """The variance of the population, ``Σ (x - mean)² / n``."""

    def metric(self, state: Moments) -> Value | Undefined:
        """``M_2 / n``."""
        return state.read(lambda moments: as_float(moments.central(2)))


@dataclass(frozen=True)
class Skewness(_MomentAnalyzer):
    """The skewness of the population, ``m_3 / m_2^1.5``."""

    functions: ClassVar[tuple[tuple[str, int], ...]] = (("var_pop", 3), ("skewness", 4))

    def metric(self, state: Moments) -> Value | Undefined:
        """``m_3 / m_2^1.5``."""
        return state.read(_skewness)


@dataclass(frozen=True)
class Kurtosis(_MomentAnalyzer):
    """The excess kurtosis of the population, ``m_4 / m_2² - 3`` (0 for a normal distribution)."""

    functions: ClassVar[tuple[tuple[str, int], ...]] = (
        ("var_pop", 3),
        ("skewness", 4),
        ("kurtosis", 5),
    )

    def metric(self, state: Moments) -> Value | Undefined:
        """``m_4 / m_2² - 3``."""
        return state.read(_kurtosis)


@dataclass(frozen=True)
class Correlation(ScanAnalyzer[CoMoments]):
    """Pearson's correlation of two columns, over the rows in which both have a value."""

    first: str = field(metadata=COLUMN)
    second: str = field(metadata=COLUMN)

    def leaves(self, schema: Schema) -> tuple[Leaf, ...]:
        """Number of pairs, both means, and the central sums of squares and products."""
        x, y = (schema.column(n).require(NUMERIC, "Correlation") for n in (self.first, self.second))
        left = filtered(f"cast({x.sql} AS double)", self.where)
        right = filtered(f"cast({y.sql} AS double)", self.where)
        read = reads(schema, self.where, x, y)
        # the regression functions skip pairs with a null; SQL puts the dependent variable first
        functions = {
            "regr_count": 1,
            "regr_avgx": 2,
            "regr_avgy": 2,
            "regr_sxx": 3,
            "regr_syy": 3,
            "regr_sxy": 4,
        }
        return tuple(
            Leaf(f"{name}({right}, {left})", read, buffers) for name, buffers in functions.items()
        )

    def state(self, values: Sequence[Any], schema: Schema) -> CoMoments:
        """The sums."""
        return CoMoments.of(*values)


def _skewness(moments: Moments) -> float | Undefined:
    second = moments.central(2)
    if not second:
        return _CONSTANT
    third = moments.central(3)
    return math.copysign(math.sqrt(as_float(third * third / second**3)), third)


def _kurtosis(moments: Moments) -> float | Undefined:
    second = moments.central(2)
    return as_float(moments.central(4) / second**2) - 3.0 if second else _CONSTANT


def _product(n: int, moment: float | None, variance: float, power: float) -> float:
    """``n · moment · variance^power``; 0 of a constant column, infinite beyond the doubles."""
    if moment is None or not variance:
        return 0.0
    try:
        return float(n * moment * variance**power)
    except OverflowError:
        return math.inf


def total_leaves(column: Column, schema: Schema, where: str | None) -> tuple[Leaf, ...]:
    """The number of values and their sum, in a form that neither overflows nor rounds integers."""
    count = count_of(schema, f"{column.sql} IS NOT NULL", where, column)
    read = reads(schema, where, column)
    if column.type == "bigint":
        # each half fits a long for four thousand million rows; Python puts them together
        low = filtered(f"({column.sql} & 4294967295L) - 2147483648L", where)
        high = filtered(f"shiftright({column.sql}, 32)", where)
        return count, Leaf(f"try_sum({high})", read, 2), Leaf(f"try_sum({low})", read, 2)
    if column.family == "fractional":
        return count, Leaf(f"sum({filtered(f'cast({column.sql} AS double)', where)})", read)
    function = "try_sum" if column.family == "decimal" else "sum"
    return count, Leaf(f"{function}({filtered(column.sql, where)})", read, 2)


def total_of(column: Column, values: Sequence[Any]) -> Total:
    """The sum from what `total_leaves` gave."""
    n, parts = values[0], values[1:]
    if not n:
        return Total.identity()
    if any(part is None for part in parts):
        raise NotComputableError.overflow(column.name, column.type)
    if column.type == "bigint":
        return Total(Exact.of((parts[0] << 32) + parts[1] + (n << 31)), n)
    return Total(Exact.of(parts[0]), n, whole=column.family == "integral")
