"""Constraints on the lengths of strings."""

from __future__ import annotations

from typing import Literal, Self, Unpack

from assay.analyzers.extremes import MaxLength, MinLength
from assay.analyzers.totals import MeanLength
from assay.checks.builder import CheckBuilder
from assay.checks.constraint_method import constraint_method
from assay.checks.constraint_options import Options

__all__ = ["LengthMethods", "LengthNulls"]

LengthNulls = Literal["ignore", "empty"]


#: texts of the parameters of this module
_STRINGS = {
    "column": "Name of a string column.",
    "nulls": '``"ignore"``: nulls are ignored. ``"empty"``: a null has length 0.',
}


class LengthMethods(CheckBuilder):
    """The shortest, the longest and the mean length of strings."""

    @constraint_method(formula="min(length(x))", docs=_STRINGS)
    def has_min_length(
        self, column: str, *, nulls: LengthNulls = "ignore", **options: Unpack[Options]
    ) -> Self:
        """Require the length of the shortest string to lie within bounds.

        Examples
        --------
        >>> Check("orders").has_min_length("order_id", at_least=8)
        Check('orders', 1 constraint)
        """
        return self._add("has_min_length", MinLength, [column, nulls], options, shown=[column])

    @constraint_method(formula="max(length(x))", docs=_STRINGS)
    def has_max_length(
        self, column: str, *, nulls: LengthNulls = "ignore", **options: Unpack[Options]
    ) -> Self:
        """Require the length of the longest string to lie within bounds.

        Examples
        --------
        >>> Check("orders").has_max_length("order_id", at_most=12)
        Check('orders', 1 constraint)
        """
        return self._add("has_max_length", MaxLength, [column, nulls], options, shown=[column])

    @constraint_method(formula="Σ length(x) / n", docs=_STRINGS)
    def has_mean_length(self, column: str, **options: Unpack[Options]) -> Self:
        """Require the mean length of the strings to lie within bounds.

        Nulls are ignored. The constraint cannot be evaluated if no row has a value.

        Examples
        --------
        >>> Check("orders").has_mean_length("comment", at_least=5)
        Check('orders', 1 constraint)
        """
        return self._add("has_mean_length", MeanLength, [column], options)
