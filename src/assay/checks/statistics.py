"""Demands on numbers: extremes, moments, quantiles, lengths."""

from __future__ import annotations

from typing import Self, Unpack

from assay.analyzers.extremes import Maximum, MaxLength, Minimum, MinLength, Range
from assay.analyzers.moments import (
    Correlation,
    Kurtosis,
    Mean,
    MeanLength,
    RatioOfSums,
    Skewness,
    StandardDeviation,
    Sum,
    Variance,
)
from assay.analyzers.quantiles import ExactQuantile
from assay.analyzers.sketches import (
    ApproxQuantile,
    ApproxQuantiles,
    InterquartileRange,
    Median,
    QuantileBuckets,
)
from assay.checks.building import Building, Options

__all__ = ["StatisticsDemands"]


class StatisticsDemands(Building):
    """Summary statistics of a column, of a selection of the rows."""

    def has_min(self, column: str, **options: Unpack[Options]) -> Self:
        """The least value: a number, date, timestamp or string."""
        return self.demand(
            "has_min", [column], Minimum(column, where=options.get("where")), options
        )

    def has_max(self, column: str, **options: Unpack[Options]) -> Self:
        """The greatest value: a number, date, timestamp or string."""
        return self.demand(
            "has_max", [column], Maximum(column, where=options.get("where")), options
        )

    def has_range(self, column: str, **options: Unpack[Options]) -> Self:
        """The difference between the greatest and the least value."""
        return self.demand(
            "has_range", [column], Range(column, where=options.get("where")), options
        )

    def has_mean(self, column: str, **options: Unpack[Options]) -> Self:
        """The mean."""
        return self.demand("has_mean", [column], Mean(column, where=options.get("where")), options)

    def has_sum(self, column: str, **options: Unpack[Options]) -> Self:
        """The sum."""
        return self.demand("has_sum", [column], Sum(column, where=options.get("where")), options)

    def has_standard_deviation(self, column: str, **options: Unpack[Options]) -> Self:
        """The standard deviation of the population."""
        analyzer = StandardDeviation(column, where=options.get("where"))
        return self.demand("has_standard_deviation", [column], analyzer, options)

    def has_variance(self, column: str, **options: Unpack[Options]) -> Self:
        """The variance of the population."""
        analyzer = Variance(column, where=options.get("where"))
        return self.demand("has_variance", [column], analyzer, options)

    def has_skewness(self, column: str, **options: Unpack[Options]) -> Self:
        """The skewness of the population."""
        analyzer = Skewness(column, where=options.get("where"))
        return self.demand("has_skewness", [column], analyzer, options)

    def has_kurtosis(self, column: str, **options: Unpack[Options]) -> Self:
        """The excess kurtosis of the population."""
        analyzer = Kurtosis(column, where=options.get("where"))
        return self.demand("has_kurtosis", [column], analyzer, options)

    def has_correlation(self, first: str, second: str, **options: Unpack[Options]) -> Self:
        """Pearson's correlation of two columns."""
        analyzer = Correlation(first, second, where=options.get("where"))
        return self.demand("has_correlation", [first, second], analyzer, options)

    def has_ratio_of_sums(
        self, numerator: str, denominator: str, **options: Unpack[Options]
    ) -> Self:
        """One column's sum over another's."""
        analyzer = RatioOfSums(numerator, denominator, where=options.get("where"))
        return self.demand("has_ratio_of_sums", [numerator, denominator], analyzer, options)

    def has_median(self, column: str, **options: Unpack[Options]) -> Self:
        """The middle value, from a sketch."""
        return self.demand(
            "has_median", [column], Median(column, where=options.get("where")), options
        )

    def has_interquartile_range(self, column: str, **options: Unpack[Options]) -> Self:
        """The width of the middle half, from a sketch."""
        analyzer = InterquartileRange(column, where=options.get("where"))
        return self.demand("has_interquartile_range", [column], analyzer, options)

    def has_approx_quantile(self, column: str, quantile: float, **options: Unpack[Options]) -> Self:
        """A quantile, from a sketch."""
        analyzer = ApproxQuantile(column, quantile, where=options.get("where"))
        return self.demand("has_approx_quantile", [column, quantile], analyzer, options)

    def has_approx_quantiles(
        self, column: str, quantiles: tuple[float, ...], **options: Unpack[Options]
    ) -> Self:
        """Several quantiles: ``satisfies=lambda q: q["0.9"] < 10 * q["0.5"]``."""
        analyzer = ApproxQuantiles(column, tuple(quantiles), where=options.get("where"))
        return self.demand("has_approx_quantiles", [column, *quantiles], analyzer, options)

    def has_quantile_buckets(
        self, column: str, *, buckets: int = 10, **options: Unpack[Options]
    ) -> Self:
        """The sketch as buckets of equal width: ``satisfies=lambda d: …``."""
        analyzer = QuantileBuckets(column, buckets, where=options.get("where"))
        return self.demand("has_quantile_buckets", [column], analyzer, options)

    def has_exact_quantile(self, column: str, quantile: float, **options: Unpack[Options]) -> Self:
        """A quantile, exactly; dearer than from a sketch, and not incremental."""
        analyzer = ExactQuantile(column, quantile, where=options.get("where"))
        return self.demand("has_exact_quantile", [column, quantile], analyzer, options)

    def has_min_length(self, column: str, **options: Unpack[Options]) -> Self:
        """The length of the shortest string."""
        analyzer = MinLength(column, where=options.get("where"))
        return self.demand("has_min_length", [column], analyzer, options)

    def has_max_length(self, column: str, **options: Unpack[Options]) -> Self:
        """The length of the longest string."""
        analyzer = MaxLength(column, where=options.get("where"))
        return self.demand("has_max_length", [column], analyzer, options)

    def has_mean_length(self, column: str, **options: Unpack[Options]) -> Self:
        """The mean length of the strings."""
        analyzer = MeanLength(column, where=options.get("where"))
        return self.demand("has_mean_length", [column], analyzer, options)
