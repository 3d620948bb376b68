"""Demands on numbers: extremes, moments, quantiles, lengths."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Self, Unpack

from assay.analyzers.extremes import Maximum, MaxLength, Minimum, MinLength, Range
from assay.analyzers.moments import Correlation, Kurtosis, Skewness, StandardDeviation, Variance
from assay.analyzers.quantiles import ExactQuantile
from assay.analyzers.sketches import (
    ApproxQuantile,
    ApproxQuantiles,
    InterquartileRange,
    Median,
    QuantileBuckets,
)
from assay.analyzers.totals import Mean, MeanLength, RatioOfSums, Sum
from assay.checks.builder import CheckBuilder, Options

__all__ = ["StatisticsMethods"]

LengthNulls = Literal["ignore", "empty"]


class StatisticsMethods(CheckBuilder):
    """Summary statistics of a column, of a selection of the rows."""

    def has_min(self, column: str, **options: Unpack[Options]) -> Self:
        """The least value: a number, date, timestamp or string."""
        return self._add("has_min", Minimum, [column], options)

    def has_max(self, column: str, **options: Unpack[Options]) -> Self:
        """The greatest value: a number, date, timestamp or string."""
        return self._add("has_max", Maximum, [column], options)

    def has_range(self, column: str, **options: Unpack[Options]) -> Self:
        """The difference between the greatest and the least value."""
        return self._add("has_range", Range, [column], options)

    def has_mean(self, column: str, **options: Unpack[Options]) -> Self:
        """The mean."""
        return self._add("has_mean", Mean, [column], options)

    def has_sum(self, column: str, **options: Unpack[Options]) -> Self:
        """The sum."""
        return self._add("has_sum", Sum, [column], options)

    def has_standard_deviation(self, column: str, **options: Unpack[Options]) -> Self:
        """The standard deviation of the population."""
        return self._add("has_standard_deviation", StandardDeviation, [column], options)

    def has_variance(self, column: str, **options: Unpack[Options]) -> Self:
        """The variance of the population."""
        return self._add("has_variance", Variance, [column], options)

    def has_skewness(self, column: str, **options: Unpack[Options]) -> Self:
        """The skewness of the population."""
        return self._add("has_skewness", Skewness, [column], options)

    def has_kurtosis(self, column: str, **options: Unpack[Options]) -> Self:
        """The excess kurtosis of the population."""
        return self._add("has_kurtosis", Kurtosis, [column], options)

    def has_correlation(self, first: str, second: str, **options: Unpack[Options]) -> Self:
        """Pearson's correlation of two columns."""
        return self._add("has_correlation", Correlation, [first, second], options)

    def has_ratio_of_sums(
        self, numerator: str, denominator: str, **options: Unpack[Options]
    ) -> Self:
        """One column's sum over another's."""
        return self._add("has_ratio_of_sums", RatioOfSums, [numerator, denominator], options)

    def has_median(self, column: str, **options: Unpack[Options]) -> Self:
        """The middle value, from a sketch."""
        return self._add("has_median", Median, [column], options)

    def has_interquartile_range(self, column: str, **options: Unpack[Options]) -> Self:
        """The width of the middle half, from a sketch."""
        return self._add("has_interquartile_range", InterquartileRange, [column], options)

    def has_approx_quantile(self, column: str, quantile: float, **options: Unpack[Options]) -> Self:
        """A quantile, from a sketch."""
        return self._add("has_approx_quantile", ApproxQuantile, [column, quantile], options)

    def has_approx_quantiles(
        self, column: str, quantiles: Sequence[float], **options: Unpack[Options]
    ) -> Self:
        """Several quantiles: ``satisfies=lambda q: q["0.9"] < 10 * q["0.5"]``."""
        arguments = [column, quantiles]
        return self._add("has_approx_quantiles", ApproxQuantiles, arguments, options, several=True)

    def has_quantile_buckets(
        self, column: str, *, buckets: int = 10, **options: Unpack[Options]
    ) -> Self:
        """The sketch as buckets of equal width: ``satisfies=lambda d: …``."""
        arguments, shown = [column, buckets], [column]
        return self._add(
            "has_quantile_buckets", QuantileBuckets, arguments, options, shown=shown, several=True
        )

    def has_exact_quantile(self, column: str, quantile: float, **options: Unpack[Options]) -> Self:
        """A quantile, exactly; dearer than from a sketch, and not incremental."""
        return self._add("has_exact_quantile", ExactQuantile, [column, quantile], options)

    def has_min_length(
        self, column: str, *, nulls: LengthNulls = "ignore", **options: Unpack[Options]
    ) -> Self:
        """The length of the shortest string; with ``nulls='empty'`` a null has length 0."""
        return self._add("has_min_length", MinLength, [column, nulls], options, shown=[column])

    def has_max_length(
        self, column: str, *, nulls: LengthNulls = "ignore", **options: Unpack[Options]
    ) -> Self:
        """The length of the longest string; with ``nulls='empty'`` a null has length 0."""
        return self._add("has_max_length", MaxLength, [column, nulls], options, shown=[column])

    def has_mean_length(self, column: str, **options: Unpack[Options]) -> Self:
        """The mean length of the strings."""
        return self._add("has_mean_length", MeanLength, [column], options)
