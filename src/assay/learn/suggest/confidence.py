"""How far from what was seen a bound must be, so that chance alone does not break it."""

from __future__ import annotations

import math
from collections.abc import Callable

__all__ = ["rounded_down", "rounded_up", "seen_always", "wilson"]

#: about one sound constraint in 16,000 is broken by chance
_Z = 4.0


def wilson(matches: int, rows: int, z: float = _Z) -> tuple[float, float]:
    """Wilson's interval of a share: where the true one lies, given what was seen.

    ``(p + z²/2n ± z √(p(1-p)/n + z²/4n²)) / (1 + z²/n)``; unlike Wald's it is right near 0 and 1.

    >>> low, high = wilson(80, 100)
    >>> round(low, 2), round(high, 2)
    (0.6, 0.91)
    """
    if not rows:
        return 0.0, 1.0
    share, square = matches / rows, z * z / rows
    middle = share + square / 2
    spread = z * math.sqrt(share * (1 - share) / rows + square / (4 * rows))
    low = max(0.0, (middle - spread) / (1 + square))
    high = min(1.0, (middle + spread) / (1 + square))
    return low, high


def seen_always(rows: int) -> float:
    """How sure one may be that the next row is like all of so many before (Laplace).

    >>> seen_always(0), round(seen_always(998), 3)
    (0.5, 0.999)
    """
    return (rows + 1) / (rows + 2)


def rounded_down(value: float, digits: int = 2) -> float:
    """A plain number not above this one."""
    return _rounded(value, digits, math.floor)


def rounded_up(value: float, digits: int = 2) -> float:
    """A plain number not below this one.

    >>> rounded_up(1234.5), rounded_down(-0.0123), rounded_down(0.98765)
    (1300.0, -0.013, 0.98)
    """
    return _rounded(value, digits, math.ceil)


def _rounded(value: float, digits: int, towards: Callable[[float], int]) -> float:
    if value == 0 or not math.isfinite(value):
        return value
    places = digits - 1 - math.floor(math.log10(abs(value)))
    # what is a hair from a plain number is that number
    scaled = towards(round(value * 10.0**places, 6))
    return round(scaled / 10.0**places, places) if places > 0 else float(scaled * 10**-places)
