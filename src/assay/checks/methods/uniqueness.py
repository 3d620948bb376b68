"""Demands on how often values occur."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self, Unpack

from assay.analyzers.frequencies import (
    CountDistinct,
    Distinctness,
    DuplicateRowCount,
    Entropy,
    MutualInformation,
    Uniqueness,
    UniqueValueRatio,
)
from assay.analyzers.histograms import Histogram, HistogramBinned, HistogramEqualWidth
from assay.analyzers.sketches import ApproxCountDistinct
from assay.checks.builder import Columns, Options, names
from assay.checks.methods.completeness import CompletenessMethods

__all__ = ["UniquenessMethods"]


class UniquenessMethods(CompletenessMethods):
    """Keys, distinct values, entropy, histograms."""

    def is_unique(self, *columns: Columns, **options: Unpack[Options]) -> Self:
        """No value, or combination of values, occurs twice; rows that are all null do not count."""
        return self._add("is_unique", Uniqueness, [names(columns)], options, equals=1.0)

    def is_primary_key(self, *columns: Columns, **options: Unpack[Options]) -> Self:
        """Every column of the key is complete, and their combination is unique."""
        return self._together(
            lambda check: check.is_complete(*columns, **options),
            lambda check: check.is_unique(*columns, **options),
        )

    def has_uniqueness(self, *columns: Columns, **options: Unpack[Options]) -> Self:
        """Values that occur once, over rows."""
        return self._add("has_uniqueness", Uniqueness, [names(columns)], options)

    def has_distinctness(self, *columns: Columns, **options: Unpack[Options]) -> Self:
        """Distinct values over rows."""
        return self._add("has_distinctness", Distinctness, [names(columns)], options)

    def has_unique_value_ratio(self, *columns: Columns, **options: Unpack[Options]) -> Self:
        """Values that occur once, over distinct values."""
        return self._add("has_unique_value_ratio", UniqueValueRatio, [names(columns)], options)

    def has_count_distinct(self, *columns: Columns, **options: Unpack[Options]) -> Self:
        """The number of distinct values, exactly."""
        return self._add("has_count_distinct", CountDistinct, [names(columns)], options)

    def has_approx_count_distinct(self, column: str, **options: Unpack[Options]) -> Self:
        """The number of distinct values, from a sketch in the shared scan."""
        return self._add("has_approx_count_distinct", ApproxCountDistinct, [column], options)

    def has_duplicate_rows(self, *columns: Columns, **options: Unpack[Options]) -> Self:
        """The number of rows that repeat another one, in these columns or in all."""
        return self._add("has_duplicate_rows", DuplicateRowCount, [names(columns)], options)

    def has_entropy(self, *columns: Columns, **options: Unpack[Options]) -> Self:
        """The entropy of the values, in nats."""
        return self._add("has_entropy", Entropy, [names(columns)], options)

    def has_mutual_information(self, first: str, second: str, **options: Unpack[Options]) -> Self:
        """What one column tells of the other, in nats."""
        pair = (first, second)
        return self._add("has_mutual_information", MutualInformation, [pair], options)

    def has_histogram(
        self,
        column: str,
        *,
        top: int = 1000,
        binning: str | None = None,
        **options: Unpack[Options],
    ) -> Self:
        """How often each value occurs: ``satisfies=lambda h: h.ratio("phone") <= 0.5``."""
        arguments = [column, top, binning]
        return self._add(
            "has_histogram", Histogram, arguments, options, shown=[column], several=True
        )

    def has_histogram_bins(
        self,
        column: str,
        *,
        bins: int = 10,
        edges: Sequence[float] | None = None,
        **options: Unpack[Options],
    ) -> Self:
        """Counts in bins of equal width, or between given edges."""
        analyzer = HistogramEqualWidth if edges is None else HistogramBinned
        arguments = [column, bins if edges is None else edges]
        return self._add(
            "has_histogram_bins", analyzer, arguments, options, shown=[column], several=True
        )
