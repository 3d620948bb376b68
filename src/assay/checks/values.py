"""Demands on each row: values, ranges, pairs of columns, predicates.

A null is no violation, as in SQL's CHECK, unless ``nulls="fail"``; only `satisfies` and
`satisfies_if` take a predicate that is null for one that does not hold, as the paper does.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, Self, Unpack

from assay.analyzers.counting import Compliance, Nulls
from assay.analyzers.schema import NUMERIC
from assay.checks.building import Building, Options, Verbatim
from assay.checks.sql import compared, contained, quote, within

__all__ = ["ValuesDemands"]


class ValuesDemands(Building):
    """What every row must be like; with bounds, what share of the rows."""

    def satisfies(
        self, predicate: str, *, nulls: Nulls = "fail", **options: Unpack[Options]
    ) -> Self:
        """A predicate of Spark SQL holds."""
        analyzer = Compliance(predicate, nulls, where=options.get("where"))
        return self.demand("satisfies", [Verbatim(predicate)], analyzer, options, equals=1.0)

    def satisfies_if(self, condition: str, predicate: str, **options: Unpack[Options]) -> Self:
        """Where the condition holds, the predicate holds: the share of *all* rows."""
        implied = f"NOT coalesce(({condition}), false) OR ({predicate})"
        analyzer = Compliance(implied, where=options.get("where"))
        shown = [Verbatim(condition), Verbatim(predicate)]
        return self.demand("satisfies_if", shown, analyzer, options, equals=1.0)

    def is_contained_in(
        self,
        column: str,
        values: Iterable[Any],
        *,
        nulls: Nulls = "ignore",
        **options: Unpack[Options],
    ) -> Self:
        """The value is one of these."""
        listed = list(values)
        predicate = contained(column, listed)
        analyzer = Compliance(predicate, nulls, where=options.get("where"))
        shown: list[object] = [column, _listed(listed)]
        return self.demand("is_contained_in", shown, analyzer, options, equals=1.0)

    def is_in_range(
        self,
        column: str,
        low: Any = None,
        high: Any = None,
        *,
        closed: Literal["both", "left", "right", "neither"] = "both",
        nulls: Nulls = "ignore",
        **options: Unpack[Options],
    ) -> Self:
        """The value lies between two ends, or above or below one."""
        analyzer = Compliance(within(column, low, high, closed), nulls, where=options.get("where"))
        ends = f"{'[' if closed in {'both', 'left'} else '('}{low}, {high}"
        interval = Verbatim(f"{ends}{']' if closed in {'both', 'right'} else ')'}")
        return self.demand("is_in_range", [column, interval], analyzer, options, equals=1.0)

    def is_non_negative(
        self, column: str, *, nulls: Nulls = "ignore", **options: Unpack[Options]
    ) -> Self:
        """The number is zero or above."""
        analyzer = Compliance(f"{quote(column)} >= 0", nulls, where=options.get("where"))
        needs = [(column, NUMERIC)]
        return self.demand("is_non_negative", [column], analyzer, options, needs, equals=1.0)

    def is_positive(
        self, column: str, *, nulls: Nulls = "ignore", **options: Unpack[Options]
    ) -> Self:
        """The number is above zero."""
        analyzer = Compliance(f"{quote(column)} > 0", nulls, where=options.get("where"))
        needs = [(column, NUMERIC)]
        return self.demand("is_positive", [column], analyzer, options, needs, equals=1.0)

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
        analyzer = Compliance(compared(first, sign, second), nulls, where=options.get("where"))
        return self.demand(kind, [first, second], analyzer, options, equals=1.0)


def _listed(values: list[Any]) -> Verbatim:
    head = ", ".join(repr(value) for value in values[:5])
    return Verbatim(f"[{head}{', …' if values[5:] else ''}]")
