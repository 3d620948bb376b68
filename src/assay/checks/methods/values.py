"""Demands on each row: values, ranges, pairs of columns, predicates.

A null is no violation, as in SQL's CHECK, unless ``nulls="fail"``; only `satisfies` and
`satisfies_if` take a predicate that is null for one that does not hold, as the paper does. The
rest is as in Spark too: NaN is above all numbers, and a time without a zone is in the session's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Literal, Self, Unpack

from assay.analyzers.analyzer import Analyzer
from assay.analyzers.counting import Compliance
from assay.analyzers.schema import NUMERIC
from assay.checks.builder import CheckBuilder, Options, Verbatim
from assay.checks.formatting import format_literal
from assay.checks.sql import compared, contained, implied, quoted, stated, within

__all__ = ["ValueMethods"]

Nulls = Literal["ignore", "fail"]
Closed = Literal["both", "left", "right", "neither"]


class ValueMethods(CheckBuilder):
    """What every row must be like; with bounds, what share of the rows."""

    def satisfies(
        self, predicate: str, *, nulls: Nulls = "fail", **options: Unpack[Options]
    ) -> Self:
        """A predicate of Spark SQL holds."""
        return self._rows(
            "satisfies", [Verbatim(predicate)], lambda: stated(predicate), nulls, options
        )

    def satisfies_if(self, condition: str, predicate: str, **options: Unpack[Options]) -> Self:
        """Where the condition holds, the predicate holds: the share of *all* rows."""
        shown = [Verbatim(condition), Verbatim(predicate)]
        return self._rows(
            "satisfies_if", shown, lambda: implied(condition, predicate), "fail", options
        )

    def is_contained_in(
        self,
        column: str,
        values: Iterable[Any],
        *,
        nulls: Nulls = "ignore",
        **options: Unpack[Options],
    ) -> Self:
        """The value is one of these."""
        listed = _ordered(values)
        shown = [column, Verbatim(_listed(listed))]
        return self._rows(
            "is_contained_in", shown, lambda: contained(column, listed), nulls, options
        )

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
        """The value lies between two ends, or above or below one."""
        shown = [column, Verbatim(_interval(low, high, closed))]
        return self._rows(
            "is_in_range", shown, lambda: within(column, low, high, closed), nulls, options
        )

    def is_non_negative(
        self, column: str, *, nulls: Nulls = "ignore", **options: Unpack[Options]
    ) -> Self:
        """The number is zero or above."""
        return self._number("is_non_negative", column, ">= 0", nulls, options)

    def is_positive(
        self, column: str, *, nulls: Nulls = "ignore", **options: Unpack[Options]
    ) -> Self:
        """The number is above zero."""
        return self._number("is_positive", column, "> 0", nulls, options)

    def is_less_than(
        self, first: str, second: str, *, nulls: Nulls = "ignore", **options: Unpack[Options]
    ) -> Self:
        """The first column is below the second."""
        return self._pair("is_less_than", first, "<", second, nulls, options)

    def is_at_most(
        self, first: str, second: str, *, nulls: Nulls = "ignore", **options: Unpack[Options]
    ) -> Self:
        """The first column is not above the second."""
        return self._pair("is_at_most", first, "<=", second, nulls, options)

    def is_greater_than(
        self, first: str, second: str, *, nulls: Nulls = "ignore", **options: Unpack[Options]
    ) -> Self:
        """The first column is above the second."""
        return self._pair("is_greater_than", first, ">", second, nulls, options)

    def is_at_least(
        self, first: str, second: str, *, nulls: Nulls = "ignore", **options: Unpack[Options]
    ) -> Self:
        """The first column is not below the second."""
        return self._pair("is_at_least", first, ">=", second, nulls, options)

    def is_equal_to(
        self, first: str, second: str, *, nulls: Nulls = "ignore", **options: Unpack[Options]
    ) -> Self:
        """Both columns are the same."""
        return self._pair("is_equal_to", first, "=", second, nulls, options)

    def _pair(
        self, kind: str, first: str, sign: str, second: str, nulls: Nulls, options: Options
    ) -> Self:
        return self._rows(
            kind, [first, second], lambda: compared(first, sign, second), nulls, options
        )

    def _number(self, kind: str, column: str, test: str, nulls: Nulls, options: Options) -> Self:
        needs = [(column, NUMERIC)]
        return self._rows(kind, [column], lambda: f"{quoted(column)} {test}", nulls, options, needs)

    def _rows(
        self,
        kind: str,
        shown: Iterable[object],
        predicate: Callable[[], str],
        nulls: Nulls,
        options: Options,
        requires: Iterable[tuple[str, frozenset[str]]] = (),
    ) -> Self:
        def compliance(where: str | None) -> Analyzer:
            return Compliance(predicate(), nulls, where=where)

        return self._add(kind, compliance, [], options, shown=shown, requires=requires, equals=1.0)


def _ordered(values: Any) -> Any:
    """A list; of a set in the same order every time, since the constraint's name shows it."""
    if isinstance(values, set | frozenset):
        return sorted(values, key=repr)
    return list(values) if isinstance(values, Iterable) and not isinstance(values, str) else values


def _listed(values: object) -> str:
    if not isinstance(values, list):
        return repr(values)
    head = ", ".join(map(format_literal, values[:5]))
    return f"[{head}{', …' if values[5:] else ''}]"


def _interval(low: object, high: object, closed: str) -> str:
    left, right = closed in {"both", "left"}, closed in {"both", "right"}
    if high is None:
        return f"{'>=' if left else '>'} {format_literal(low)}"
    if low is None:
        return f"{'<=' if right else '<'} {format_literal(high)}"
    ends = f"{format_literal(low)}, {format_literal(high)}"
    return f"{'[' if left else '('}{ends}{']' if right else ')'}"
