"""Moments: deviation, variance, skewness, kurtosis, correlation.

Spark computes the central moments (Chan, Golub, LeVeque; Meng). The states keep them as exact power
sums ``S_p = Σ x^p``, so that merging does not round and can be undone. Central moments are computed
from them in rational arithmetic, such as ``M_2 = S_2 - S_1²/n``, where no digits are lost.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar, Self

from assay.analyzers.aggregate_expr import AggregateExpr, filtered, reads
from assay.analyzers.analyzer import COLUMN, ScanAnalyzer
from assay.analyzers.exact import Exact, as_float
from assay.analyzers.metric import Undefined, Value
from assay.analyzers.schema import NUMERIC, Schema
from assay.analyzers.state import Invertible
from assay.analyzers.totals import total_exprs, total_of
from assay.errors import NotComputableError

__all__ = [
    "CoMoments",
    "Correlation",
    "Kurtosis",
    "Moments",
    "Skewness",
    "StandardDeviation",
    "Variance",
]

_NO_VALUES = Undefined("it has no values")
_CONSTANT = Undefined("all values are equal")


@dataclass(frozen=True, slots=True)
class PowerSums(Invertible):
    """The number of values and sums of powers or products; without sums, the identity."""

    n: int
    sums: tuple[Exact, ...]

    @classmethod
    def identity(cls) -> Self:
        """Return the state of no rows."""
        return cls(0, ())

    @property
    def finite(self) -> bool:
        """True if all values are finite."""
        return all(power_sum.finite for power_sum in self.sums)

    def __add__(self, other: Self) -> Self:
        if not self.n or not other.n:
            return self if self.n else other
        sums = tuple(a + b for a, b in zip(self.sums, other.sums, strict=True))
        return type(self)(self.n + other.n, sums)

    def __sub__(self, other: Self) -> Self:
        if not other.n:
            return self
        if not other.finite:
            raise NotComputableError.not_finite()
        if self.n == other.n:
            return self.identity()
        sums = tuple(a - b for a, b in zip(self.sums, other.sums, strict=True))
        return type(self)(self.n - other.n, sums)


@dataclass(frozen=True, slots=True)
class Moments(PowerSums):
    """The number of values and the power sums ``S_1 … S_p`` that the analyzer needs."""

    kind: ClassVar[str] = "moments"

    @classmethod
    def of(cls, n: int, mean: float, *central: float) -> Moments:
        """Create the state from the mean and the central sums ``Σ (x - mean)^p``, p = 2, 3, 4."""
        if not n:
            return cls.identity()
        sums = (mean * n, *central)
        if not all(math.isfinite(number) for number in sums):
            return cls(n, tuple(Exact(special=math.nan) for _ in sums))
        at = Exact.of(mean)
        moments = [Exact.of(n), Exact(), *map(Exact.of, central)]
        return cls(n, tuple(_shifted(moments, p, at) for p in range(1, len(moments))))

    def central(self, order: int) -> Fraction:
        """Return the central moment ``M_p / n`` of this order."""
        mean = self.sums[0].fraction() / self.n
        raw = [Fraction(1), *(s.fraction() / self.n for s in self.sums)]
        moment = sum(
            (math.comb(order, k) * raw[k] * (-mean) ** (order - k) for k in range(order + 1)),
            Fraction(0),
        )
        return max(moment, Fraction(0)) if order % 2 == 0 else moment

    def metric(self) -> Value | Undefined:
        """Return the standard deviation of the population, ``sqrt(M_2 / n)``."""
        return self.read(lambda state: math.sqrt(as_float(state.central(2))))

    def read(self, formula: Callable[[Moments], float | Undefined]) -> Value | Undefined:
        """Apply a formula, if there are values and all are finite."""
        if not self.n:
            return _NO_VALUES
        return formula(self) if self.finite else math.nan


def _shifted(moments: Sequence[Exact], order: int, at: Exact) -> Exact:
    """Return a raw power sum from sums about a point: ``S_p = Σ_k C(p,k) M_k at^(p-k)``."""
    total = Exact()
    for k in range(order + 1):
        term = moments[k].scaled(Exact.of(math.comb(order, k)))
        for _ in range(order - k):
            term = term.scaled(at)
        total = total + term
    return total


@dataclass(frozen=True, slots=True)
class CoMoments(PowerSums):
    """``n, Σx, Σy, Σx², Σy², Σxy`` of the rows in which both columns have a value."""

    kind: ClassVar[str] = "comoments"

    @classmethod
    def of(cls, n: int, x: float, y: float, xx: float, yy: float, xy: float) -> CoMoments:
        """Create the state from the means and the central sums of squares and products."""
        if not n:
            return cls.identity()
        if not all(math.isfinite(number) for number in (x, y, xx, yy, xy)):
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

    def metric(self) -> Value | Undefined:
        """Return Pearson's correlation."""
        if not self.n:
            return Undefined("it has no pairs of values")
        if not self.finite:
            return math.nan
        x, y, xx, yy, xy = (s.fraction() for s in self.sums)
        spread = (xx - x * x / self.n) * (yy - y * y / self.n)
        if spread <= 0:
            return Undefined("one of the columns is constant")
        together = xy - x * y / self.n
        # square first: a ratio of rationals cannot overflow when it becomes a double
        size = math.sqrt(min(1.0, as_float(together * together / spread)))
        return math.copysign(size, together)


@dataclass(frozen=True)
class _MomentAnalyzer(ScanAnalyzer[Moments]):
    abstract: ClassVar[bool] = True
    exposes_values: ClassVar[bool] = False
    functions: ClassVar[tuple[tuple[str, int], ...]] = (("var_pop", 3),)

    column: str = field(metadata=COLUMN)

    def aggregate_exprs(self, schema: Schema) -> tuple[AggregateExpr, ...]:
        """Return the sum, and Spark's central moments up to the order needed."""
        column = schema.column(self.column).require(NUMERIC, type(self).__name__)
        subject = filtered(f"cast({column.sql} AS double)", self.where)
        read = reads(schema, self.where, column)
        higher = (AggregateExpr(f"{name}({subject})", read, size) for name, size in self.functions)
        return (*total_exprs(column, schema, self.where), *higher)

    def state(self, values: Sequence[Any], schema: Schema) -> Moments:
        """Create the state from the sum and the moments."""
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
    """Measure the standard deviation of the population.

    Parameters
    ----------
    column
        Name of a numeric column; nested fields as ``address.zip``.

    Notes
    -----
    ``sqrt(Σ (x - mean)² / n)``. Nulls are ignored. NaN if a value is NaN or infinite. Undefined
    without values.

    Examples
    --------
    >>> StandardDeviation("amount").key
    'StandardDeviation(amount)'
    """


@dataclass(frozen=True)
class Variance(_MomentAnalyzer):
    """Measure the variance of the population.

    Parameters
    ----------
    column
        Name of a numeric column; nested fields as ``address.zip``.

    Notes
    -----
    ``Σ (x - mean)² / n``. Nulls are ignored. NaN if a value is NaN or infinite. Undefined
    without values.

    Examples
    --------
    >>> Variance("amount").key
    'Variance(amount)'
    """

    def metric(self, state: Moments) -> Value | Undefined:
        """Return ``M_2 / n``."""
        return state.read(lambda moments: as_float(moments.central(2)))


@dataclass(frozen=True)
class Skewness(_MomentAnalyzer):
    """Measure the skewness of the population: the asymmetry of the distribution.

    Parameters
    ----------
    column
        Name of a numeric column; nested fields as ``address.zip``.

    Notes
    -----
    ``m_3 / m_2^1.5`` with the central moments ``m_p = Σ (x - mean)^p / n``. Nulls are ignored.
    Undefined without values, or if all values are equal.

    Examples
    --------
    >>> Skewness("amount").key
    'Skewness(amount)'
    """

    functions: ClassVar[tuple[tuple[str, int], ...]] = (("var_pop", 3), ("skewness", 4))

    def metric(self, state: Moments) -> Value | Undefined:
        """Return ``m_3 / m_2^1.5``."""
        return state.read(_skewness)


@dataclass(frozen=True)
class Kurtosis(_MomentAnalyzer):
    """Measure the excess kurtosis of the population: the weight of the tails.

    Parameters
    ----------
    column
        Name of a numeric column; nested fields as ``address.zip``.

    Notes
    -----
    ``m_4 / m_2² - 3`` with the central moments ``m_p = Σ (x - mean)^p / n``; 0 for a normal
    distribution. Nulls are ignored. Undefined without values, or if all values are equal.

    Examples
    --------
    >>> Kurtosis("amount").key
    'Kurtosis(amount)'
    """

    functions: ClassVar[tuple[tuple[str, int], ...]] = (
        ("var_pop", 3),
        ("skewness", 4),
        ("kurtosis", 5),
    )

    def metric(self, state: Moments) -> Value | Undefined:
        """Return ``m_4 / m_2² - 3``."""
        return state.read(_kurtosis)


@dataclass(frozen=True)
class Correlation(ScanAnalyzer[CoMoments]):
    """Measure Pearson's correlation of two columns.

    Parameters
    ----------
    first, second
        Name of a numeric column; nested fields as ``address.zip``.

    Notes
    -----
    ``Σ (x - x̄)(y - ȳ) / sqrt(Σ (x - x̄)² · Σ (y - ȳ)²)`` over the rows in which both columns have
    a value. Undefined without such rows, or if a column is constant.

    Examples
    --------
    >>> Correlation("price", "tax").key
    'Correlation(price, tax)'
    """

    exposes_values: ClassVar[bool] = False

    first: str = field(metadata=COLUMN)
    second: str = field(metadata=COLUMN)

    def aggregate_exprs(self, schema: Schema) -> tuple[AggregateExpr, ...]:
        """Return the number of pairs, both means, and central sums of squares and products."""
        x, y = (schema.column(n).require(NUMERIC, "Correlation") for n in (self.first, self.second))
        x_sql = filtered(f"cast({x.sql} AS double)", self.where)
        y_sql = filtered(f"cast({y.sql} AS double)", self.where)
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
            AggregateExpr(f"{name}({y_sql}, {x_sql})", read, buffers)
            for name, buffers in functions.items()
        )

    def state(self, values: Sequence[Any], schema: Schema) -> CoMoments:
        """Create the state from the sums."""
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
    """Return ``n · moment · variance^power``; 0 for a constant column, NaN out of range."""
    if moment is None or not variance:
        return 0.0
    try:
        divisor = (n * variance) ** (2 * power if power == 1.5 else power)
        # if Spark's divisor exceeded the range of doubles, its result is wrong
        return float(n * moment * variance**power) if 1e-290 < divisor < math.inf else math.nan
    except OverflowError:
        return math.nan
