"""Compute bins of equal width and their labels."""

from __future__ import annotations

from fractions import Fraction

__all__ = ["bin_of", "brief", "edges_between", "interval"]


def interval(low: float, high: float, *, last: bool) -> str:
    """Return the label of a bin. It includes its lower edge; the last bin has both."""
    return f"[{brief(low)}, {brief(high)}{']' if last else ')'}"


def brief(number: float) -> str:
    """Format a number with as few digits as distinguish it from all others.

    >>> brief(0.5), brief(1234567.0), brief(0.1 + 0.2)
    ('0.5', '1234567.0', '0.30000000000000004')
    """
    short = f"{number:g}"
    return short if float(short) == number else repr(float(number))


def edges_between(low: float, high: float, number: int) -> tuple[float, ...]:
    """Return the edges of bins of equal width; ``high - low`` may exceed the range of doubles.

    >>> edges_between(0.0, 1.0, 4)
    (0.0, 0.25, 0.5, 0.75, 1.0)
    """
    start, width = Fraction(low), (Fraction(high) - Fraction(low)) / number
    return (*(float(start + width * i) for i in range(number)), high)


def bin_of(value: float, low: float, high: float, number: int) -> int:
    """Return the position of the bin that contains a value."""
    if low == high:
        return 0
    share = (Fraction(value) - Fraction(low)) / (Fraction(high) - Fraction(low))
    return min(number - 1, int(share * number))
