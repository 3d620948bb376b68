"""Assertions: what a metric must be, as bounds or as a function.

>>> str(Assertion.of(at_least=0.9)), str(Assertion.of(between=(10, 40)))
('>= 0.9', 'in [10, 40]')
>>> Assertion.of(more_than=0).holds(0)
False
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass, fields
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from itertools import product
from typing import Any, TypedDict

from assay.checks.formatting import format_literal
from assay.errors import CheckError

__all__ = ["Assertion", "Bounds", "instant"]


class Bounds(TypedDict, total=False):
    """How a metric is bounded; several together must all hold."""

    equals: Any
    at_least: Any
    at_most: Any
    more_than: Any
    less_than: Any
    between: tuple[Any, Any]
    satisfies: Callable[[Any], bool]


_THERE_ARE = f"there are: {', '.join(Bounds.__annotations__)}"
_SIGNS: dict[str, tuple[str, Callable[[Any, Any], bool]]] = {
    "equals": ("==", operator.eq),
    "at_least": (">=", operator.ge),
    "more_than": (">", operator.gt),
    "at_most": ("<=", operator.le),
    "less_than": ("<", operator.lt),
}


@dataclass(frozen=True, slots=True)
class Assertion:
    """Bounds on a metric, or a function that judges it."""

    equals: Any = None
    at_least: Any = None
    at_most: Any = None
    more_than: Any = None
    less_than: Any = None
    satisfies: Callable[[Any], bool] | None = None

    @classmethod
    def of(cls, *, between: Any = None, **bounds: Any) -> Assertion:
        """The bounds given; `between` is `at_least` and `at_most`."""
        unknown = sorted(set(bounds) - {f.name for f in fields(cls)})
        if unknown:
            raise CheckError(f"no bound is called {unknown[0]!r}; {_THERE_ARE}.")
        given = {name: bound for name, bound in bounds.items() if bound is not None}
        if between is not None:
            if not isinstance(between, list | tuple) or len(between) != 2:
                raise CheckError(f"between takes a pair (low, high), not {between!r}.")
            twice = next((name for name in ("at_least", "at_most") if name in given), None)
            if twice:
                raise CheckError(f"between and {twice} say the same twice.")
            given |= {"at_least": between[0], "at_most": between[1]}
        assertion = cls(**given)
        if assertion == cls():
            raise CheckError(f"a bound is missing; {_THERE_ARE}.")
        assertion._examine()
        return assertion

    def _examine(self) -> None:
        """Complain of bounds that no value can be within."""
        if self.satisfies is not None and not callable(self.satisfies):
            raise CheckError(f"satisfies takes a function, not {self.satisfies!r}.")
        for name in _SIGNS:
            bound = getattr(self, name)
            if bound != bound:
                raise CheckError(f"{name} takes no NaN: nothing is within it.")
            if isinstance(bound, list | dict | set | tuple):
                raise CheckError(f"{name} takes one value, not {bound!r}; judge it by satisfies.")
        lows = ((self.at_least, True), (self.more_than, False))
        highs = ((self.at_most, True), (self.less_than, False))
        for (low, low_in), (high, high_in) in product(lows, highs):
            if low is None or high is None:
                continue
            try:
                possible = low < high or (low == high and low_in and high_in)
            except TypeError:
                raise CheckError(f"{low!r} and {high!r} are not of one kind.") from None
            if not possible:
                raise CheckError(f"no value lies between {low!r} and {high!r}.")

    def holds(self, value: Any) -> bool:
        """Whether the metric is within all bounds. A NaN is within none."""
        for name, (_, compare) in _SIGNS.items():
            bound = getattr(self, name)
            if bound is not None and not compare(*_alike(value, bound)):
                return False
        return self.satisfies is None or bool(self.satisfies(value))

    def __str__(self) -> str:
        signs = dict(_SIGNS)
        parts = []
        if self.at_least is not None and self.at_most is not None:
            parts.append(f"in [{format_literal(self.at_least)}, {format_literal(self.at_most)}]")
            del signs["at_least"], signs["at_most"]
        parts += [
            f"{sign} {format_literal(getattr(self, name))}"
            for name, (sign, _) in signs.items()
            if getattr(self, name) is not None
        ]
        if self.satisfies is not None:
            name = getattr(self.satisfies, "__name__", "<lambda>")
            parts.append(f"satisfies {'the given function' if name == '<lambda>' else name}")
        return " and ".join(parts)


def _alike(value: Any, bound: Any) -> tuple[Any, Any]:
    """Both in one type.

    Text beside a date, a timestamp or a time of day is one in ISO's form; a number beside a time
    span is seconds; a number beside a decimal is what was written (0.1 is one tenth). What has no
    time zone is in UTC, and a date is its midnight.
    """
    match value, bound:
        case (date(), str() | datetime()) | (datetime(), date()):
            return instant(value), instant(bound)
        case time(), str():
            return value, time.fromisoformat(bound)
        case timedelta(), int() | float():
            return value, timedelta(seconds=bound)
        case Decimal(), float():
            return value, Decimal(repr(float(bound)))
        case float(), Decimal():
            return value, float(bound)
        case _ if isinstance(value, str) is isinstance(bound, str):
            return value, bound
        case _:
            raise TypeError(f"{value!r} and {bound!r} are not of one kind")


def instant(moment: date | str) -> datetime:
    """A point in time from what may be a date, without a time zone, or ISO's text of it."""
    if isinstance(moment, str):
        moment = datetime.fromisoformat(moment)
    if not isinstance(moment, datetime):
        moment = datetime(moment.year, moment.month, moment.day)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
