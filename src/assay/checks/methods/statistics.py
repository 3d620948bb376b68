"""Constraints on numbers: extremes, moments, quantiles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self, Unpack

from assay.analyzers.extremes import Maximum, Minimum, Range
from assay.analyzers.moments import Correlation, Kurtosis, Skewness, StandardDeviation, Variance
from assay.analyzers.quantiles import ExactQuantile
from assay.analyzers.sketches import (
    ApproxQuantile,
    ApproxQuantiles,
    InterquartileRange,
    Median,
    QuantileBuckets,
)
from assay.analyzers.totals import Mean, RatioOfSums, Sum
from assay.checks.builder import CheckBuilder
from assay.checks.constraint_method import constraint_method
from assay.checks.constraint_options import Options

__all__ = ["StatisticsMethods"]


#: text of a parameter that most methods of this module have
_NUMBERS = {"column": "Name of a numeric column. Write a nested field as ``address.zip``."}


class StatisticsMethods(CheckBuilder):
    """Summary statistics of a column.

    Nulls are ignored. A metric of no values is undefined, and its constraint is not evaluated.
    """

    @constraint_method(formula="min(x)")
    def has_min(self, column: str, **options: Unpack[Options]) -> Self:
        """Require the smallest value of a column to lie within bounds.

        Nulls are ignored. The constraint cannot be evaluated if no row has a value.

        Parameters
        ----------
        column
            Name of a column of numbers, dates, timestamps or strings.

        Notes
        -----
        Bounds on dates and timestamps may be text in ISO format, such as ``"2026-01-31"``.
        Spark ranks NaN above all numbers.

        Examples
        --------
        >>> Check("orders").has_min("amount", at_least=0)
        Check('orders', 1 constraint)
        """
        return self._add("has_min", Minimum, [column], options)

    @constraint_method(formula="max(x)")
    def has_max(self, column: str, **options: Unpack[Options]) -> Self:
        """Require the largest value of a column to lie within bounds.

        Nulls are ignored. The constraint cannot be evaluated if no row has a value.

        Parameters
        ----------
        column
            Name of a column of numbers, dates, timestamps or strings.

        Notes
        -----
        Bounds on dates and timestamps may be text in ISO format, such as ``"2026-01-31"``.
        Spark ranks NaN above all numbers: the maximum of a column with NaN is NaN, which lies
        within no bounds.

        Examples
        --------
        >>> Check("orders").has_max("amount", at_most=10_000)
        Check('orders', 1 constraint)
        """
        return self._add("has_max", Maximum, [column], options)

    @constraint_method(formula="max(x) - min(x)", docs=_NUMBERS)
    def has_range(self, column: str, **options: Unpack[Options]) -> Self:
        """Require the difference between the largest and the smallest value to lie within bounds.

        Nulls are ignored. The constraint cannot be evaluated if no row has a value.

        Examples
        --------
        >>> Check("orders").has_range("amount", at_most=500)
        Check('orders', 1 constraint)
        """
        return self._add("has_range", Range, [column], options)

    @constraint_method(formula="Σx / n", docs=_NUMBERS)
    def has_mean(self, column: str, **options: Unpack[Options]) -> Self:
        """Require the mean of a numeric column to lie within bounds.

        Nulls are ignored. The constraint cannot be evaluated if no row has a value.

        Notes
        -----
        ``n`` is the number of values that are not null.

        Examples
        --------
        >>> Check("orders").has_mean("amount", between=(10, 40))
        Check('orders', 1 constraint)
        """
        return self._add("has_mean", Mean, [column], options)

    @constraint_method(formula="Σx", docs=_NUMBERS)
    def has_sum(self, column: str, **options: Unpack[Options]) -> Self:
        """Require the sum of a numeric column to lie within bounds.

        Nulls are ignored. The constraint cannot be evaluated if no row has a value.

        Notes
        -----
        The sum is exact: it does not depend on the order of the rows.

        Examples
        --------
        >>> Check("orders").has_sum("amount", at_least=1000)
        Check('orders', 1 constraint)
        """
        return self._add("has_sum", Sum, [column], options)

    @constraint_method(formula="√(Σ(x - mean)² / n)", docs=_NUMBERS)
    def has_standard_deviation(self, column: str, **options: Unpack[Options]) -> Self:
        """Require the standard deviation of a numeric column to lie within bounds.

        Nulls are ignored. The constraint cannot be evaluated if no row has a value.

        Notes
        -----
        The standard deviation of the population, and not of a sample.

        Examples
        --------
        >>> Check("orders").has_standard_deviation("amount", at_most=50)
        Check('orders', 1 constraint)
        """
        return self._add("has_standard_deviation", StandardDeviation, [column], options)

    @constraint_method(formula="Σ(x - mean)² / n", docs=_NUMBERS)
    def has_variance(self, column: str, **options: Unpack[Options]) -> Self:
        """Require the variance of a numeric column to lie within bounds.

        Nulls are ignored. The constraint cannot be evaluated if no row has a value.

        Notes
        -----
        The variance of the population, and not of a sample.

        Examples
        --------
        >>> Check("orders").has_variance("amount", at_most=2500)
        Check('orders', 1 constraint)
        """
        return self._add("has_variance", Variance, [column], options)

    @constraint_method(formula="m₃ / m₂^1.5", docs=_NUMBERS)
    def has_skewness(self, column: str, **options: Unpack[Options]) -> Self:
        """Require the skewness of a numeric column to lie within bounds.

        Nulls are ignored. The constraint cannot be evaluated if no row has a value.

        Notes
        -----
        ``m_k = Σ(x - mean)^k / n``. It is 0 for a symmetric distribution.

        Examples
        --------
        >>> Check("orders").has_skewness("amount", between=(-1, 3))
        Check('orders', 1 constraint)
        """
        return self._add("has_skewness", Skewness, [column], options)

    @constraint_method(formula="m₄ / m₂² - 3", docs=_NUMBERS)
    def has_kurtosis(self, column: str, **options: Unpack[Options]) -> Self:
        """Require the excess kurtosis of a numeric column to lie within bounds.

        Nulls are ignored. The constraint cannot be evaluated if no row has a value.

        Notes
        -----
        ``m_k = Σ(x - mean)^k / n``. It is 0 for a normal distribution.

        Examples
        --------
        >>> Check("orders").has_kurtosis("amount", at_most=10)
        Check('orders', 1 constraint)
        """
        return self._add("has_kurtosis", Kurtosis, [column], options)

    @constraint_method(formula="Σ(x - mean x)(y - mean y) / (n sd(x) sd(y))")
    def has_correlation(self, first: str, second: str, **options: Unpack[Options]) -> Self:
        """Require Pearson's correlation of two numeric columns to lie within bounds.

        Rows in which either column is null are ignored.

        Notes
        -----
        It lies between -1 and 1.

        Examples
        --------
        >>> Check("orders").has_correlation("net", "gross", at_least=0.9)
        Check('orders', 1 constraint)
        """
        return self._add("has_correlation", Correlation, [first, second], options)

    @constraint_method(formula="Σx / Σy")
    def has_ratio_of_sums(
        self, numerator: str, denominator: str, **options: Unpack[Options]
    ) -> Self:
        """Require the sum of one column divided by the sum of another to lie within bounds.

        Nulls are ignored in each sum.

        Parameters
        ----------
        numerator, denominator
            Names of numeric columns.

        Examples
        --------
        >>> Check("orders").has_ratio_of_sums("tax", "net", between=(0.05, 0.25))
        Check('orders', 1 constraint)
        """
        return self._add("has_ratio_of_sums", RatioOfSums, [numerator, denominator], options)

    @constraint_method(formula="0.5 quantile", docs=_NUMBERS)
    def has_median(self, column: str, **options: Unpack[Options]) -> Self:
        """Require the median of a numeric column to lie within bounds.

        Nulls are ignored. The constraint cannot be evaluated if no row has a value.

        Notes
        -----
        From a KLL sketch, whose rank error is about 1.3 %. `has_exact_quantile` is exact
        and slower.

        Examples
        --------
        >>> Check("orders").has_median("amount", between=(10, 30))
        Check('orders', 1 constraint)
        """
        return self._add("has_median", Median, [column], options)

    @constraint_method(formula="0.75 quantile - 0.25 quantile", docs=_NUMBERS)
    def has_interquartile_range(self, column: str, **options: Unpack[Options]) -> Self:
        """Require the interquartile range of a numeric column to lie within bounds.

        Nulls are ignored. The constraint cannot be evaluated if no row has a value.

        Notes
        -----
        From a KLL sketch, whose rank error is about 1.3 %.

        Examples
        --------
        >>> Check("orders").has_interquartile_range("amount", at_most=40)
        Check('orders', 1 constraint)
        """
        return self._add("has_interquartile_range", InterquartileRange, [column], options)

    @constraint_method(formula="the quantile", docs=_NUMBERS)
    def has_approx_quantile(self, column: str, quantile: float, **options: Unpack[Options]) -> Self:
        """Require a quantile of a numeric column to lie within bounds.

        Nulls are ignored. The constraint cannot be evaluated if no row has a value.

        Parameters
        ----------
        quantile
            The share of values below the result: 0.9 for the 90th percentile.

        Notes
        -----
        From a KLL sketch, whose rank error is about 1.3 %. `has_exact_quantile` is exact
        and slower.

        Examples
        --------
        >>> Check("orders").has_approx_quantile("amount", 0.9, at_most=100)
        Check('orders', 1 constraint)
        """
        return self._add("has_approx_quantile", ApproxQuantile, [column, quantile], options)

    @constraint_method(bounds="function", formula="the quantiles", docs=_NUMBERS)
    def has_approx_quantiles(
        self, column: str, quantiles: Sequence[float], **options: Unpack[Options]
    ) -> Self:
        """Judge several quantiles of a numeric column by a function.

        Nulls are ignored. The constraint cannot be evaluated if no row has a value.

        Parameters
        ----------
        quantiles
            The shares of values below the results, such as ``[0.5, 0.9]``.
        satisfies
            A function that takes the quantiles, with text such as ``"0.9"`` as keys, and returns
            whether they are good. It is required, and bounds are refused.

        Examples
        --------
        >>> steep = lambda q: q["0.9"] < 10 * q["0.5"]
        >>> Check("orders").has_approx_quantiles("amount", [0.5, 0.9], satisfies=steep)
        Check('orders', 1 constraint)
        """
        return self._add("has_approx_quantiles", ApproxQuantiles, [column, quantiles], options)

    @constraint_method(bounds="function", formula="number of values in each bucket", docs=_NUMBERS)
    def has_quantile_buckets(
        self, column: str, *, buckets: int = 10, **options: Unpack[Options]
    ) -> Self:
        """Judge the number of values in buckets of equal width by a function.

        Nulls are ignored. The constraint cannot be evaluated if no row has a value.

        Parameters
        ----------
        buckets
            The number of buckets between the minimum and the maximum.
        satisfies
            A function that takes the `Distribution` and returns whether it is good. It is
            required, and bounds are refused.

        Notes
        -----
        The counts come from a KLL sketch. `has_histogram_bins` is exact, and reads the data twice
        if the edges are omitted.

        Examples
        --------
        >>> low = lambda buckets: list(buckets.counts.values())[-1] < 100
        >>> Check("orders").has_quantile_buckets("amount", satisfies=low)
        Check('orders', 1 constraint)
        """
        return self._add(
            "has_quantile_buckets", QuantileBuckets, [column, buckets], options, shown=[column]
        )

    @constraint_method(formula="the quantile", docs=_NUMBERS)
    def has_exact_quantile(self, column: str, quantile: float, **options: Unpack[Options]) -> Self:
        """Require an exact quantile of a numeric column to lie within bounds.

        Nulls are ignored. The constraint cannot be evaluated if no row has a value.

        Parameters
        ----------
        quantile
            The share of values below the result: 0.9 for the 90th percentile.

        Notes
        -----
        It costs about ten times as much as `has_approx_quantile`. The values of two batches cannot
        be merged: a dataset evaluates the constraint on batches only.

        Examples
        --------
        >>> Check("orders").has_exact_quantile("amount", 0.5, equals=20)
        Check('orders', 1 constraint)
        """
        return self._add("has_exact_quantile", ExactQuantile, [column, quantile], options)
