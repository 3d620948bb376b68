"""Constraints on single rows: predicates, ranges, sets of values, pairs of columns.

A null passes, as in SQL's CHECK, unless ``nulls="fail"``. For `satisfies` and
`satisfies_if`, a predicate that is null is false, as in the deequ paper. Values compare as in
Spark: NaN is greater than all numbers, and a time without a zone is in the session's zone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Literal, Self, Unpack

from assay.analyzers.analyzer import Analyzer
from assay.analyzers.counting import Compliance
from assay.analyzers.schema import NUMERIC
from assay.checks.builder import CheckBuilder, Details, Verbatim
from assay.checks.code_lists import CODE_LISTS, CodeStandard
from assay.checks.constraint_method import constraint_method
from assay.checks.constraint_options import Options
from assay.checks.formatting import format_literal
from assay.checks.sql import compared, contained, implied, quoted, require_predicate, within
from assay.errors import CheckError

__all__ = ["ValueMethods"]

Nulls = Literal["ignore", "fail"]
Closed = Literal["both", "left", "right", "neither"]

_ALL_ROWS = {"equals": 1.0}
_NO_DETAILS = Details()


class ValueMethods(CheckBuilder):
    """Predicates on rows. The metric is the share of rows that pass; bounds judge this share."""

    @constraint_method(default=_ALL_ROWS)
    def satisfies(
        self, predicate: str, *, nulls: Nulls = "fail", **options: Unpack[Options]
    ) -> Self:
        """Require a predicate of Spark SQL to be true for every row.

        Parameters
        ----------
        predicate
            A condition such as ``shipped >= ordered``. Write a nested field in backticks:
            `` `address.zip` ``.
        nulls
            ``"fail"``: a row for which the predicate is null violates it. ``"ignore"``: it does
            not.

        Examples
        --------
        >>> Check("orders").satisfies("shipped >= ordered", at_least=0.99)
        Check('orders', 1 constraint)
        """
        return self._on_rows(
            "satisfies",
            [Verbatim(predicate)],
            lambda: require_predicate(predicate),
            nulls,
            options,
        )

    @constraint_method(default=_ALL_ROWS)
    def satisfies_if(self, condition: str, predicate: str, **options: Unpack[Options]) -> Self:
        """Require a predicate of Spark SQL to be true for every row that fulfils a condition.

        Parameters
        ----------
        condition
            A condition. Rows for which it is false or null pass.
        predicate
            The predicate. A row for which it is null violates it.

        Notes
        -----
        The share of all rows, and not of those that fulfil the condition.

        Examples
        --------
        >>> Check("orders").satisfies_if("status = 'paid'", "amount > 0")
        Check('orders', 1 constraint)
        """
        shown = [Verbatim(condition), Verbatim(predicate)]
        return self._on_rows(
            "satisfies_if", shown, lambda: implied(condition, predicate), "fail", options
        )

    @constraint_method(default=_ALL_ROWS)
    def is_contained_in(
        self,
        column: str,
        values: Iterable[Any],
        *,
        nulls: Nulls = "ignore",
        **options: Unpack[Options],
    ) -> Self:
        """Require the values of a column to be among a list of values.

        Parameters
        ----------
        values
            The legal values, of the type of the column.

        Examples
        --------
        >>> Check("orders").is_contained_in("status", ["open", "paid", "shipped"])
        Check('orders', 1 constraint)
        """
        legal = _to_list(values)
        shown = [column, Verbatim(_show_list(legal))]
        return self._on_rows(
            "is_contained_in", shown, lambda: contained(column, legal), nulls, options
        )

    @constraint_method(default=_ALL_ROWS)
    def is_code(
        self,
        column: str,
        standard: CodeStandard,
        *,
        nulls: Nulls = "ignore",
        **options: Unpack[Options],
    ) -> Self:
        """Require the values of a column to be codes of a standard: countries or currencies.

        Parameters
        ----------
        standard
            ``"ISO 3166-1 alpha-2"`` or ``"ISO 3166-1 alpha-3"`` for countries, ``"ISO 4217"`` for
            currencies. Codes are in upper case.

        Examples
        --------
        >>> Check("orders").is_code("country", "ISO 3166-1 alpha-2")
        Check('orders', 1 constraint)
        """
        if standard not in CODE_LISTS:
            raise CheckError.unexpected(
                "invalid standard", f"one of {', '.join(CODE_LISTS)}", standard
            )
        legal = sorted(CODE_LISTS[standard])
        return self._on_rows(
            "is_code",
            [column, Verbatim(standard)],
            lambda: contained(column, legal),
            nulls,
            options,
        )

    @constraint_method(default=_ALL_ROWS)
    def is_in_range(
        self,
        column: str,
        low: Any = None,
        high: Any = None,
        *,
        closed: Closed = "both",
        nulls: Nulls = "ignore",
        **options: Unpack[Options],
    ) -> Self:
        """Require the values of a column to lie between two limits, or on one side of a limit.

        Parameters
        ----------
        low, high
            The limits, of the type of the column. One may be omitted.
        closed
            Limits that belong to the range: ``"both"``, ``"left"``, ``"right"`` or ``"neither"``.

        Examples
        --------
        >>> Check("orders").is_in_range("discount", 0, 0.5)
        Check('orders', 1 constraint)
        """
        shown = [column, Verbatim(_show_range(low, high, closed))]
        return self._on_rows(
            "is_in_range", shown, lambda: within(column, low, high, closed), nulls, options
        )

    @constraint_method(default=_ALL_ROWS)
    def is_non_negative(
        self, column: str, *, nulls: Nulls = "ignore", **options: Unpack[Options]
    ) -> Self:
        """Require numbers to be 0 or greater.

        Parameters
        ----------
        column
            Name of a numeric column.

        Examples
        --------
        >>> Check("orders").is_non_negative("amount")
        Check('orders', 1 constraint)
        """
        return self._compare_to_zero("is_non_negative", column, ">= 0", nulls, options)

    @constraint_method(default=_ALL_ROWS)
    def is_positive(
        self, column: str, *, nulls: Nulls = "ignore", **options: Unpack[Options]
    ) -> Self:
        """Require numbers to be greater than 0.

        Parameters
        ----------
        column
            Name of a numeric column.

        Examples
        --------
        >>> Check("orders").is_positive("amount")
        Check('orders', 1 constraint)
        """
        return self._compare_to_zero("is_positive", column, "> 0", nulls, options)

    @constraint_method(default=_ALL_ROWS)
    def is_less_than(
        self, first: str, second: str, *, nulls: Nulls = "ignore", **options: Unpack[Options]
    ) -> Self:
        """Require one column to be less than another in every row.

        Examples
        --------
        >>> Check("orders").is_less_than("ordered", "shipped")
        Check('orders', 1 constraint)
        """
        return self._compare_columns("is_less_than", first, "<", second, nulls, options)

    @constraint_method(default=_ALL_ROWS)
    def is_at_most(
        self, first: str, second: str, *, nulls: Nulls = "ignore", **options: Unpack[Options]
    ) -> Self:
        """Require one column to be less than or equal to another in every row.

        Examples
        --------
        >>> Check("orders").is_at_most("ordered", "shipped")
        Check('orders', 1 constraint)
        """
        return self._compare_columns("is_at_most", first, "<=", second, nulls, options)

    @constraint_method(default=_ALL_ROWS)
    def is_greater_than(
        self, first: str, second: str, *, nulls: Nulls = "ignore", **options: Unpack[Options]
    ) -> Self:
        """Require one column to be greater than another in every row.

        Examples
        --------
        >>> Check("orders").is_greater_than("gross", "net")
        Check('orders', 1 constraint)
        """
        return self._compare_columns("is_greater_than", first, ">", second, nulls, options)

    @constraint_method(default=_ALL_ROWS)
    def is_at_least(
        self, first: str, second: str, *, nulls: Nulls = "ignore", **options: Unpack[Options]
    ) -> Self:
        """Require one column to be greater than or equal to another in every row.

        Examples
        --------
        >>> Check("orders").is_at_least("gross", "net")
        Check('orders', 1 constraint)
        """
        return self._compare_columns("is_at_least", first, ">=", second, nulls, options)

    @constraint_method(default=_ALL_ROWS)
    def is_equal_to(
        self, first: str, second: str, *, nulls: Nulls = "ignore", **options: Unpack[Options]
    ) -> Self:
        """Require one column to be equal to another in every row.

        Examples
        --------
        >>> Check("orders").is_equal_to("total", "sum_of_items")
        Check('orders', 1 constraint)
        """
        return self._compare_columns("is_equal_to", first, "=", second, nulls, options)

    def _compare_columns(
        self, method: str, first: str, sign: str, second: str, nulls: Nulls, options: Options
    ) -> Self:
        return self._on_rows(
            method, [first, second], lambda: compared(first, sign, second), nulls, options
        )

    def _compare_to_zero(
        self, method: str, column: str, comparison: str, nulls: Nulls, options: Options
    ) -> Self:
        def predicate() -> str:
            return f"{quoted(column)} {comparison}"

        details = Details(requires=((column, NUMERIC),))
        return self._on_rows(method, [column], predicate, nulls, options, details)

    def _on_rows(
        self,
        method: str,
        shown: Iterable[object],
        predicate: Callable[[], str],
        nulls: Nulls,
        options: Options,
        details: Details = _NO_DETAILS,
    ) -> Self:
        def compliance(where: str | None) -> Analyzer:
            return Compliance(predicate(), nulls, where=where)

        return self._add(method, compliance, [], options, shown=shown, details=details)


def _to_list(values: Any) -> Any:
    """Return a list. Sets are sorted, since the name of the constraint shows the values."""
    if isinstance(values, set | frozenset):
        return sorted(values, key=repr)
    return list(values) if isinstance(values, Iterable) and not isinstance(values, str) else values


def _show_list(values: object) -> str:
    if not isinstance(values, list):
        return repr(values)
    head = ", ".join(map(format_literal, values[:5]))
    return f"[{head}{', …' if values[5:] else ''}]"


def _show_range(low: object, high: object, closed: str) -> str:
    has_low, has_high = closed in {"both", "left"}, closed in {"both", "right"}
    if high is None:
        return f"{'>=' if has_low else '>'} {format_literal(low)}"
    if low is None:
        return f"{'<=' if has_high else '<'} {format_literal(high)}"
    limits = f"{format_literal(low)}, {format_literal(high)}"
    return f"{'[' if has_low else '('}{limits}{']' if has_high else ')'}"
