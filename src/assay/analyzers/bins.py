"""Bins of equal width, and how they are called."""

from __future__ import annotations

from fractions import Fraction

__all__ = ["bin_of", "brief", "edges_between", "interval"]


def interval(low: float, high: float, *, last: bool) -> str:
    """A bin's label: closed on the left, and on the right only where it is the last."""
    return f"[{brief(low)}, {brief(high)}{']' if last else ')'}"


def brief(number: float) -> str:
    """A number in as few digits as tell it from every other.

    >>> brief(0.5), brief(1234567.0), brief(0.1 + 0.2)
    ('0.5', '1234567.0', '0.30000000000000004')
    """
    short = f"{number:g}"
    return short if float(short) == number else repr(float(number))


def edges_between(low: float, high: float, number: int) -> tuple[float, ...]:
    """The edges of so many bins, even where ``high - low`` is beyond the doubles.

    >>> edges_between(0.0, 1.0, 4)
    (0.0, 0.25, 0.5, 0.75, 1.0)
    """
    start, width = Fraction(low), (Fraction(high) - Fraction(low)) / number
    return (*(float(start + width * i) for i in range(number)), high)


def bin_of(value: float, low: float, high: float, number: int) -> int:
    """The position of the bin that holds a value."""
    if low == high:
        return 0
    share = (Fraction(value) - Fraction(low)) / (Fraction(high) - Fraction(low))
    return min(number - 1, int(share * number))
