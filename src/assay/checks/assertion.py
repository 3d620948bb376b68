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
from typing import Any, TypedDict

from assay.errors import CheckError

__all__ = ["Assertion", "Bounds"]


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
    def of(cls, *, between: tuple[Any, Any] | None = None, **bounds: Any) -> Assertion:
        """The bounds given; `between` is `at_least` and `at_most`."""
        unknown = sorted(set(bounds) - {f.name for f in fields(cls)})
        if unknown:
            raise CheckError(f"no bound is called {unknown[0]!r}; {_THERE_ARE}.")
        if between is not None:
            if len(between) != 2:
                raise CheckError(f"between takes a pair (low, high), not {between!r}.")
            bounds = {"at_least": between[0], "at_most": between[1], **bounds}
        assertion = cls(**bounds)
        if assertion == cls():
            raise CheckError(f"a bound is missing; {_THERE_ARE}.")
        if callable(assertion.satisfies) is False and assertion.satisfies is not None:
            raise CheckError(f"satisfies takes a function, not {assertion.satisfies!r}.")
        low, high = assertion.at_least, assertion.at_most
        if low is not None and high is not None and low > high:
            raise CheckError(
                f"no value lies between {low!r} and {high!r}: the first is the greater."
            )
        return assertion

    def holds(self, value: Any) -> bool:
        """Whether the metric is within all bounds. A NaN is within none."""
        for name, (_, compare) in _SIGNS.items():
            bound = getattr(self, name)
            if bound is not None and not compare(*_alike(value, bound)):
                return False
        return self.satisfies is None or bool(self.satisfies(value))

    def __str__(self) -> str:
        if self.at_least is not None and self.at_most is not None:
            return f"in [{_shown(self.at_least)}, {_shown(self.at_most)}]"
        parts = [
            f"{sign} {_shown(getattr(self, name))}"
            for name, (sign, _) in _SIGNS.items()
            if getattr(self, name) is not None
        ]
        if self.satisfies is not None:
            name = getattr(self.satisfies, "__name__", "function")
            parts.append(
                "satisfies the given function" if name == "<lambda>" else f"satisfies {name}"
            )
        return " and ".join(parts)


def _alike(value: Any, bound: Any) -> tuple[Any, Any]:
    """Both in one type: text beside a date is a date, a number beside a time span seconds."""
    if isinstance(bound, str) and isinstance(value, datetime):
        bound = datetime.fromisoformat(bound)
    elif isinstance(bound, str) and isinstance(value, date):
        bound = date.fromisoformat(bound)
    elif isinstance(bound, str) and isinstance(value, time):
        bound = time.fromisoformat(bound)
    elif isinstance(bound, int | float) and isinstance(value, timedelta):
        bound = timedelta(seconds=bound)
    if isinstance(value, datetime) and isinstance(bound, date):
        if not isinstance(bound, datetime):
            bound = datetime(bound.year, bound.month, bound.day, tzinfo=UTC)
        return _aware(value), _aware(bound)
    return value, bound


def _aware(moment: datetime) -> datetime:
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _shown(bound: object) -> str:
    return str(bound) if isinstance(bound, date | timedelta) else repr(bound)
