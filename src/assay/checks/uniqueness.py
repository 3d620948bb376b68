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
from assay.checks.building import Options
from assay.checks.completeness import CompletenessDemands

__all__ = ["UniquenessDemands"]

Columns = str | Sequence[str]


class UniquenessDemands(CompletenessDemands):
    """Keys, distinct values, entropy, histograms."""

    def is_unique(self, *columns: str, **options: Unpack[Options]) -> Self:
        """No value, or combination of values, occurs twice; rows that are all null do not count."""
        analyzer = Uniqueness(columns, where=options.get("where"))
        return self.demand("is_unique", columns, analyzer, options, equals=1.0)

    def is_primary_key(self, *columns: str, **options: Unpack[Options]) -> Self:
        """Every column of the key is complete, and their combination is unique."""
        return self.together(
            lambda check: check.is_complete(*columns, **options),
            lambda check: check.is_unique(*columns, **options),
        )

    def has_uniqueness(self, columns: Columns, **options: Unpack[Options]) -> Self:
        """Values that occur once, over rows."""
        analyzer = Uniqueness(_names(columns), where=options.get("where"))
        return self.demand("has_uniqueness", _names(columns), analyzer, options)

    def has_distinctness(self, columns: Columns, **options: Unpack[Options]) -> Self:
        """Distinct values over rows."""
        analyzer = Distinctness(_names(columns), where=options.get("where"))
        return self.demand("has_distinctness", _names(columns), analyzer, options)

    def has_unique_value_ratio(self, columns: Columns, **options: Unpack[Options]) -> Self:
        """Values that occur once, over distinct values."""
        analyzer = UniqueValueRatio(_names(columns), where=options.get("where"))
        return self.demand("has_unique_value_ratio", _names(columns), analyzer, options)

    def has_count_distinct(self, columns: Columns, **options: Unpack[Options]) -> Self:
        """The number of distinct values, exactly."""
        analyzer = CountDistinct(_names(columns), where=options.get("where"))
        return self.demand("has_count_distinct", _names(columns), analyzer, options)

    def has_approx_count_distinct(self, column: str, **options: Unpack[Options]) -> Self:
        """The number of distinct values, from a sketch in the shared scan."""
        analyzer = ApproxCountDistinct(column, where=options.get("where"))
        return self.demand("has_approx_count_distinct", [column], analyzer, options)

    def has_duplicate_rows(self, *columns: str, **options: Unpack[Options]) -> Self:
        """The number of rows that repeat another one, in these columns or in all."""
        analyzer = DuplicateRowCount(columns, where=options.get("where"))
        return self.demand("has_duplicate_rows", columns, analyzer, options)

    def has_entropy(self, columns: Columns, **options: Unpack[Options]) -> Self:
        """The entropy of the values, in nats."""
        analyzer = Entropy(_names(columns), where=options.get("where"))
        return self.demand("has_entropy", _names(columns), analyzer, options)

    def has_mutual_information(self, first: str, second: str, **options: Unpack[Options]) -> Self:
        """What one column tells of the other, in nats."""
        analyzer = MutualInformation((first, second), where=options.get("where"))
        return self.demand("has_mutual_information", [first, second], analyzer, options)

    def has_histogram(
        self,
        column: str,
        *,
        top: int = 1000,
        binning: str | None = None,
        **options: Unpack[Options],
    ) -> Self:
        """How often each value occurs: ``satisfies=lambda h: h.ratio("phone") <= 0.5``."""
        analyzer = Histogram(column, top, binning, where=options.get("where"))
        return self.demand("has_histogram", [column], analyzer, options)

    def has_histogram_bins(
        self,
        column: str,
        *,
        bins: int = 10,
        edges: Sequence[float] | None = None,
        **options: Unpack[Options],
    ) -> Self:
        """Counts in bins of equal width, or between given edges."""
        where = options.get("where")
        analyzer = (
            HistogramEqualWidth(column, bins, where=where)
            if edges is None
            else HistogramBinned(column, tuple(edges), where=where)
        )
        return self.demand("has_histogram_bins", [column], analyzer, options)


def _names(columns: Columns) -> tuple[str, ...]:
    return (columns,) if isinstance(columns, str) else tuple(columns)
