"""How far a suggested bound must be from the measured value, so that chance does not break it."""

from __future__ import annotations

import math
from collections.abc import Callable

__all__ = ["laplace_confidence", "round_down", "round_up", "wilson"]

#: standard deviations. A quarter of the rows differs from all rows by three of its own, √(1 + 4)
#: each: chance breaks a correct constraint in about 1 of 700 parts (`coverage`)
_Z = 3.0 * math.sqrt(5)


def wilson(matches: int, rows: int, z: float = _Z) -> tuple[float, float]:
    """Return Wilson's confidence interval of a share.

    ``(p + z²/2n ± z √(p(1-p)/n + z²/4n²)) / (1 + z²/n)``; unlike Wald's interval it is correct for
    shares near 0 and 1.

    Parameters
    ----------
    matches, rows
        The number of rows that match, and of all rows.
    z
        The width of the interval in standard deviations.

    Examples
    --------
    >>> low, high = wilson(80, 100, z=4.0)
    >>> round(low, 2), round(high, 2)
    (0.6, 0.91)
    """
    if not rows:
        return 0.0, 1.0
    share, square = matches / rows, z * z / rows
    middle = share + square / 2
    spread = z * math.sqrt(share * (1 - share) / rows + square / (4 * rows))
    # rounding may leave the share itself outside
    low = max(0.0, min(share, (middle - spread) / (1 + square)))
    high = min(1.0, max(share, (middle + spread) / (1 + square)))
    return low, high


def laplace_confidence(rows: int) -> float:
    """Return the probability that the next row is like all earlier ones (rule of succession).

    >>> laplace_confidence(0), round(laplace_confidence(998), 3)
    (0.5, 0.999)
    """
    return (rows + 1) / (rows + 2)


def round_down(value: float, digits: int = 2) -> float:
    """Return a number of few digits that is not above the value."""
    return _round(value, digits, math.floor)


def round_up(value: float, digits: int = 2) -> float:
    """Return a number of few digits that is not below the value.

    >>> round_up(1234.5), round_down(-0.0123), round_down(0.98765)
    (1300.0, -0.013, 0.98)
    """
    return _round(value, digits, math.ceil)


def _round(value: float, digits: int, towards: Callable[[float], int]) -> float:
    if value == 0 or not math.isfinite(value):
        return value
    places = digits - 1 - math.floor(math.log10(abs(value)))
    # Rounding first corrects errors of binary fractions: 0.29 * 100 is 28.999…
    scaled = towards(round(value * 10.0**places, 6))
    return round(scaled / 10.0**places, places) if places > 0 else float(scaled * 10**-places)
