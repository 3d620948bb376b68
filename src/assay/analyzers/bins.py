"""Bins of equal width, and how they are called."""

from __future__ import annotations

from fractions import Fraction

__all__ = ["bin_of", "edges_between", "interval"]


def interval(low: float, high: float, *, last: bool) -> str:
    """A bin's label: closed on the left, and on the right only where it is the last."""
    return f"[{low:g}, {high:g}{']' if last else ')'}"


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
