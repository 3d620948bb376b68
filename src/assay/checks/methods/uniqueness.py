"""Constraints on how often values occur: keys, distinct values, entropy, histograms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self, Unpack

from assay.analyzers.distinctness import (
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
from assay.checks.builder import Columns, column_names
from assay.checks.constraint_method import constraint_method
from assay.checks.constraint_options import Options
from assay.checks.methods.completeness import CompletenessMethods

__all__ = ["UniquenessMethods"]


class UniquenessMethods(CompletenessMethods):
    """Keys, distinct values, entropy and histograms.

    Rows in which all columns are null are ignored. Other nulls are a value like any other.
    """

    @constraint_method(default={"equals": 1.0}, formula="values that occur once / rows")
    def is_unique(self, *columns: Columns, **options: Unpack[Options]) -> Self:
        """Require that no value, or combination of values, occurs twice.

        Rows in which all of the columns are null are ignored. A gate evaluates the constraint on
        the batch and on the whole dataset.

        Notes
        -----
        It costs one shuffle of the columns.

        Examples
        --------
        >>> Check("orders").is_unique("order_id").is_unique("shop", "receipt")
        Check('orders', 2 constraints)
        """
        return self._add("is_unique", Uniqueness, [column_names(columns)], options)

    @constraint_method(
        bounds="optional", formula="values that are not null / rows; values that occur once / rows"
    )
    def is_primary_key(self, *columns: Columns, **options: Unpack[Options]) -> Self:
        """Require each column to have no nulls, and their combination to be unique.

        Adds one constraint per column, as `is_complete` does, and one as `is_unique` does.

        Examples
        --------
        >>> Check("orders").is_primary_key("shop", "receipt")
        Check('orders', 3 constraints)
        """
        return self._add_all(
            lambda check: check.is_complete(*columns, **options),
            lambda check: check.is_unique(*columns, **options),
        )

    @constraint_method(formula="values that occur once / rows")
    def has_uniqueness(self, *columns: Columns, **options: Unpack[Options]) -> Self:
        """Require the share of rows whose value occurs once to lie within bounds.

        Rows in which all of the columns are null are ignored. A gate evaluates the constraint on
        the batch and on the whole dataset.

        Examples
        --------
        >>> Check("orders").has_uniqueness("order_id", at_least=0.99)
        Check('orders', 1 constraint)
        """
        return self._add("has_uniqueness", Uniqueness, [column_names(columns)], options)

    @constraint_method(formula="distinct values / rows")
    def has_distinctness(self, *columns: Columns, **options: Unpack[Options]) -> Self:
        """Require the number of distinct values per row to lie within bounds.

        Rows in which all of the columns are null are ignored.

        Examples
        --------
        >>> Check("orders").has_distinctness("customer_id", at_least=0.2)
        Check('orders', 1 constraint)
        """
        return self._add("has_distinctness", Distinctness, [column_names(columns)], options)

    @constraint_method(formula="values that occur once / distinct values")
    def has_unique_value_ratio(self, *columns: Columns, **options: Unpack[Options]) -> Self:
        """Require the share of distinct values that occur once to lie within bounds.

        Rows in which all of the columns are null are ignored.

        Examples
        --------
        >>> Check("orders").has_unique_value_ratio("customer_id", at_least=0.5)
        Check('orders', 1 constraint)
        """
        return self._add(
            "has_unique_value_ratio", UniqueValueRatio, [column_names(columns)], options
        )

    @constraint_method(formula="number of distinct values")
    def has_count_distinct(self, *columns: Columns, **options: Unpack[Options]) -> Self:
        """Require the exact number of distinct values to lie within bounds.

        Rows in which all of the columns are null are ignored. It costs one shuffle of the columns;
        `has_approx_count_distinct` costs none.

        Examples
        --------
        >>> Check("orders").has_count_distinct("country", at_most=30)
        Check('orders', 1 constraint)
        """
        return self._add("has_count_distinct", CountDistinct, [column_names(columns)], options)

    @constraint_method(formula="number of distinct values")
    def has_approx_count_distinct(self, column: str, **options: Unpack[Options]) -> Self:
        """Require the approximate number of distinct values to lie within bounds.

        Nulls are ignored. The number comes from a HyperLogLog sketch in the shared scan. Its
        relative standard error is below 2 %.

        Examples
        --------
        >>> Check("orders").has_approx_count_distinct("customer_id", at_least=1000)
        Check('orders', 1 constraint)
        """
        return self._add("has_approx_count_distinct", ApproxCountDistinct, [column], options)

    @constraint_method(needs_columns=False, formula="rows - distinct rows")
    def has_duplicate_rows(self, *columns: Columns, **options: Unpack[Options]) -> Self:
        """Require the number of rows that repeat an earlier one to lie within bounds.

        Rows in which all of the columns are null are ignored. Other nulls are values.

        Parameters
        ----------
        columns
            The columns that are compared; all columns if omitted.

        Examples
        --------
        >>> Check("orders").has_duplicate_rows(equals=0)
        Check('orders', 1 constraint)
        """
        return self._add("has_duplicate_rows", DuplicateRowCount, [column_names(columns)], options)

    @constraint_method(formula="-Σ p ln p")
    def has_entropy(self, *columns: Columns, **options: Unpack[Options]) -> Self:
        """Require the entropy of the values to lie within bounds.

        Rows in which all of the columns are null are ignored.

        Notes
        -----
        In nats. ``p`` is the share of rows with a value.

        Examples
        --------
        >>> Check("orders").has_entropy("country", at_least=0.5)
        Check('orders', 1 constraint)
        """
        return self._add("has_entropy", Entropy, [column_names(columns)], options)

    @constraint_method(formula="Σ p(x,y) ln(p(x,y) / (p(x) p(y)))")
    def has_mutual_information(self, first: str, second: str, **options: Unpack[Options]) -> Self:
        """Require the mutual information of two columns to lie within bounds.

        Rows in which both columns are null are ignored. Other nulls are values.

        Notes
        -----
        In nats: 0 for independent columns, the entropy for equal ones.

        Examples
        --------
        >>> Check("orders").has_mutual_information("city", "zip", at_least=1)
        Check('orders', 1 constraint)
        """
        arguments = [(first, second)]
        return self._add("has_mutual_information", MutualInformation, arguments, options)

    @constraint_method(bounds="function", formula="number of rows with each value")
    def has_histogram(
        self,
        column: str,
        *,
        top: int = 1000,
        binning: str | None = None,
        **options: Unpack[Options],
    ) -> Self:
        """Judge how often each value occurs by a function.

        Nulls are counted separately from the values.

        Parameters
        ----------
        top
            The number of most frequent values that the function gets.
        binning
            SQL expression that maps the column to bins, such as ``upper(country)``.
        satisfies
            A function that takes the `Distribution` and returns whether it is good. It is
            required, and bounds are refused.

        Examples
        --------
        >>> Check("views").has_histogram("device", satisfies=lambda h: h.ratio("phone") <= 0.5)
        Check('views', 1 constraint)
        """
        arguments = [column, top, binning]
        return self._add("has_histogram", Histogram, arguments, options, shown=[column])

    @constraint_method(bounds="function", formula="number of values in each bin")
    def has_histogram_bins(
        self,
        column: str,
        *,
        bins: int = 10,
        edges: Sequence[float] | None = None,
        **options: Unpack[Options],
    ) -> Self:
        """Judge the number of values in each bin by a function.

        Parameters
        ----------
        column
            Name of a numeric column. Nulls are ignored.
        bins
            The number of bins of equal width between the minimum and the maximum.
        edges
            Limits of the bins, in place of `bins`.
        satisfies
            A function that takes the `Distribution` and returns whether it is good. It is
            required, and bounds are refused.

        Examples
        --------
        >>> low = lambda histogram: histogram.count("< 0") == 0
        >>> Check("orders").has_histogram_bins("amount", edges=(0, 10, 100), satisfies=low)
        Check('orders', 1 constraint)
        """
        analyzer = HistogramEqualWidth if edges is None else HistogramBinned
        arguments = [column, bins if edges is None else edges]
        return self._add("has_histogram_bins", analyzer, arguments, options, shown=[column])
