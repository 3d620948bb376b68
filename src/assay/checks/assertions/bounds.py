"""Bounds on a metric, or a function that judges it.

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

from assay.checks.formatting import format_bound, format_literal
from assay.errors import CheckError
from assay.errors.base import percent_hint

__all__ = ["Assertion", "Bounds", "instant"]


class Bounds(TypedDict, total=False):
    """Bounds as keyword arguments. All that are given must hold."""

    equals: Any
    at_least: Any
    at_most: Any
    more_than: Any
    less_than: Any
    between: tuple[Any, Any]
    satisfies: Callable[[Any], bool]


_LEGAL_BOUNDS = f"one of {', '.join(Bounds.__annotations__)}"
_SIGNS: dict[str, tuple[str, Callable[[Any, Any], bool]]] = {
    "equals": ("==", operator.eq),
    "at_least": (">=", operator.ge),
    "more_than": (">", operator.gt),
    "at_most": ("<=", operator.le),
    "less_than": ("<", operator.lt),
}
_WORDS = {
    "equals": "",
    "at_least": "at least ",
    "more_than": "more than ",
    "at_most": "at most ",
    "less_than": "less than ",
}


@dataclass(frozen=True, slots=True)
class Assertion:
    """Bounds on a metric, or a function that judges it.

    Attributes
    ----------
    equals, at_least, at_most, more_than, less_than
        Bounds; None where there is none.
    satisfies
        A function that takes the metric and returns whether it is good.
    """

    equals: Any = None
    at_least: Any = None
    at_most: Any = None
    more_than: Any = None
    less_than: Any = None
    satisfies: Callable[[Any], bool] | None = None

    @classmethod
    def of(cls, *, between: Any = None, **bounds: Any) -> Assertion:
        """Create an assertion; `between` stands for `at_least` and `at_most`.

        Raises
        ------
        CheckError
            If a bound is missing or unknown, or no value can lie within the bounds.

        Examples
        --------
        >>> Assertion.of(between=(10, 40)).describe()
        'between 10 and 40'
        """
        unknown_names = sorted(set(bounds) - {f.name for f in fields(cls)})
        if unknown_names:
            raise CheckError.unexpected("invalid bound", _LEGAL_BOUNDS, unknown_names[0])
        present = {name: bound for name, bound in bounds.items() if bound is not None}
        if between is not None:
            if not isinstance(between, list | tuple) or len(between) != 2:
                raise CheckError.unexpected("invalid between", "a pair (low, high)", between)
            conflicting = next((name for name in ("at_least", "at_most") if name in present), None)
            if conflicting:
                raise CheckError(
                    f"conflicting bounds: expected between or {conflicting}, got both."
                )
            present |= {"at_least": between[0], "at_most": between[1]}
        assertion = cls(**present)
        if assertion == cls():
            raise CheckError(f"a bound is missing: expected {_LEGAL_BOUNDS}, got none.")
        assertion._require_possible()
        return assertion

    def _require_possible(self) -> None:
        """Raise `CheckError` for bounds that no value can lie within."""
        if self.satisfies is not None and not callable(self.satisfies):
            raise CheckError.unexpected("invalid satisfies", "a function", self.satisfies)
        for name in _SIGNS:
            bound = getattr(self, name)
            if bound != bound:
                raise CheckError.unexpected(f"invalid {name}", "a number", bound)
            if isinstance(bound, list | dict | set | tuple):
                raise CheckError.unexpected(
                    f"invalid {name}", "one value", bound, "Or use satisfies=…."
                )
        lows = ((self.at_least, True), (self.more_than, False))
        highs = ((self.at_most, True), (self.less_than, False))
        for (low, low_in), (high, high_in) in product(lows, highs):
            if low is None or high is None:
                continue
            try:
                possible = low < high or (low == high and low_in and high_in)
            except TypeError:
                raise CheckError.unexpected(
                    "invalid bounds", "values of one type", (low, high)
                ) from None
            if not possible:
                raise CheckError.unexpected(
                    "no value lies within the bounds", "low <= high", (low, high)
                )

    def require_share(self) -> None:
        """Raise `CheckError` if no share from 0 to 1 lies within the bounds."""
        for name, is_low in (
            ("equals", True),
            ("at_least", True),
            ("more_than", True),
            ("equals", False),
            ("at_most", False),
            ("less_than", False),
        ):
            bound = getattr(self, name)
            if not isinstance(bound, int | float | Decimal):
                continue
            if (is_low and bound > 1) or (not is_low and bound < 0):
                raise CheckError.unexpected(
                    f"invalid {name} of a share",
                    "a number from 0 to 1",
                    bound,
                    percent_hint(float(bound)),
                )

    def holds(self, value: Any) -> bool:
        """Return whether the metric lies within all bounds. NaN lies within none."""
        for name, (_, compare) in _SIGNS.items():
            bound = getattr(self, name)
            if bound is not None and not compare(*_to_comparable(value, bound)):
                return False
        return self.satisfies is None or bool(self.satisfies(value))

    @property
    def sides(self) -> tuple[bool, bool]:
        """A pair: whether the metric may be too low, and whether it may be too high.

        ``equals`` counts as a lower bound, unless it is 0: shares and counts cannot exceed what is
        required of them.
        """
        low = bool(self.equals) or self.at_least is not None or self.more_than is not None
        high = self.equals == 0 or self.at_most is not None or self.less_than is not None
        return low, high

    def describe(self, *, share: bool = False) -> str:
        """Return the bounds in words, as percentages if the metric is a `share`.

        Examples
        --------
        >>> Assertion.of(at_least=0.9).describe(share=True)
        'at least 90 %'
        """
        words = dict(_WORDS)
        parts = []
        if self.at_least is not None and self.at_most is not None:
            low, high = (format_bound(end, share=share) for end in (self.at_least, self.at_most))
            parts.append(f"between {low} and {high}")
            del words["at_least"], words["at_most"]
        parts += [
            f"{word}{format_bound(getattr(self, name), share=share)}"
            for name, word in words.items()
            if getattr(self, name) is not None
        ]
        if self.satisfies is not None:
            parts.append(f"a value that {self._describe_function()}")
        return " and ".join(parts)

    def _describe_function(self) -> str:
        name = getattr(self.satisfies, "__name__", "<lambda>")
        return f"satisfies {'the given function' if name == '<lambda>' else name}"

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
            parts.append(self._describe_function())
        return " and ".join(parts)


def _to_comparable(value: Any, bound: Any) -> tuple[Any, Any]:
    """Convert a metric and its bound to one type.

    =====================  ==============  =============================================
    metric                 bound           the bound is read as
    =====================  ==============  =============================================
    date, timestamp, time  text            ISO format
    date, timestamp        date            midnight; UTC if it has no zone
    time span              number          seconds
    decimal                float           the decimal as it is written: 0.1 is one tenth
    =====================  ==============  =============================================
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
    """Return a point in time from a date, a timestamp or its ISO text; UTC without a time zone."""
    if isinstance(moment, str):
        moment = datetime.fromisoformat(moment)
    if not isinstance(moment, datetime):
        moment = datetime(moment.year, moment.month, moment.day)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
