"""Oracles of sums and moments: rational arithmetic over the values that DuckDB selects."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

from assay.analyzers import (
    Analyzer,
    Correlation,
    Kurtosis,
    Mean,
    RatioOfSums,
    Skewness,
    StandardDeviation,
    Sum,
    Variance,
)
from tests.oracle.duck import Ask, Duck
from tests.oracle.expected import UNDEFINED, Close


def total(values: Sequence[Any]) -> Any:
    """The sum in the type of the values, rounded once."""
    if not all(map(math.isfinite, values)):
        return sum(v for v in values if not math.isfinite(v))
    with localcontext(prec=80):
        exact = sum(values) if isinstance(values[0], int | Decimal) else None
    return exact if exact is not None else float(sum(map(Fraction, values)))


def _sum(analyzer: Sum, duck: Duck) -> object:
    values = duck.numbers(analyzer.column, analyzer.where)
    return _rounded(total(values), values) if values else UNDEFINED


def _mean(analyzer: Mean, duck: Duck) -> object:
    values = duck.numbers(analyzer.column, analyzer.where)
    if not values:
        return UNDEFINED
    if isinstance(values[0], Decimal):
        with localcontext(prec=80):
            exact = total(values) / len(values)
        with localcontext(prec=38):
            return +exact
    if isinstance(values[0], int):
        return float(Fraction(sum(values), len(values)))
    return _rounded(total(values) / len(values), values)


def _rounded(number: Any, values: Sequence[Any]) -> object:
    """Return a number that is equal to others within the rounding errors of a sum."""
    if not isinstance(number, float):
        return number
    return Close(number, scale=sum(abs(v) for v in values if math.isfinite(v)))


def _ratio_of_sums(analyzer: RatioOfSums, duck: Duck) -> object:
    above = duck.numbers(analyzer.numerator, analyzer.where)
    below = duck.numbers(analyzer.denominator, analyzer.where)
    if not above or not below:
        return UNDEFINED
    if not all(map(math.isfinite, above + below)):
        return Close(float(total(above)) / float(total(below)))
    if not total(below):
        return UNDEFINED
    return Close(float(sum(map(Fraction, above)) / sum(map(Fraction, below))))


def _moment(formula: Callable[[Sequence[Fraction]], object]) -> Ask:
    def ask(analyzer: Any, duck: Duck) -> object:
        values = duck.numbers(analyzer.column, analyzer.where)
        if not values or not all(map(math.isfinite, values)):
            return UNDEFINED if not values else math.nan
        exact = [Fraction(v) for v in values]
        mean = Fraction(sum(exact)) / len(exact)
        away = [v - mean for v in exact]
        powers = ([math.prod([v] * p, start=Fraction(1)) for v in away] for p in range(5))
        return formula([Fraction(sum(value)) / len(exact) for value in powers])

    return ask


def _skewness(m: Sequence[Fraction]) -> object:
    if not m[2]:
        return UNDEFINED
    return Close(math.copysign(math.sqrt(m[3] ** 2 / m[2] ** 3), m[3]), scale=1e3)


def _kurtosis(m: Sequence[Fraction]) -> object:
    return Close(float(m[4] / m[2] ** 2) - 3, scale=1e3) if m[2] else UNDEFINED


def _correlation(analyzer: Correlation, duck: Duck) -> object:
    pairs = duck.pairs(analyzer.first, analyzer.second, analyzer.where)
    if not pairs or not all(math.isfinite(v) for pair in pairs for v in pair):
        return UNDEFINED if not pairs else math.nan
    n = len(pairs)
    x, y = ([Fraction(pair[i]) for pair in pairs] for i in (0, 1))
    mx, my = sum(x) / n, sum(y) / n
    spread = sum((a - mx) ** 2 for a in x) * sum((b - my) ** 2 for b in y)
    together = sum((a - mx) * (b - my) for a, b in zip(x, y, strict=True))
    if not spread:
        return UNDEFINED
    return Close(math.copysign(math.sqrt(together**2 / spread), together), scale=1e3)


ORACLES: Mapping[type[Analyzer], Ask] = {
    Sum: _sum,
    Mean: _mean,
    RatioOfSums: _ratio_of_sums,
    Variance: _moment(lambda m: Close(float(m[2]), scale=1e-3)),
    StandardDeviation: _moment(lambda m: Close(math.sqrt(m[2]), scale=1e-3)),
    Skewness: _moment(_skewness),
    Kurtosis: _moment(_kurtosis),
    Correlation: _correlation,
}
