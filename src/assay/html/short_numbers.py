"""Write numbers with few digits."""

from __future__ import annotations

import math

__all__ = ["short_number"]

#: beyond this, floats are not whole numbers any more
_MAX_WHOLE = 1e12


def short_number(value: float) -> str:
    """Write whole numbers in full and other numbers with five digits.

    >>> short_number(47248560.0), short_number(4030.00000000004), short_number(1e300)
    ('47,248,560', '4,030', '1e+300')
    >>> short_number(-0.0), short_number(math.nan), short_number(0.32531)
    ('0', '-', '0.32531')
    """
    if math.isnan(value):
        return "-"
    if not math.isfinite(value):
        return str(value)
    if abs(value) < _MAX_WHOLE and value == int(value):
        return f"{int(value):,}"
    return f"{float(f'{value:.5g}'):,}".removesuffix(".0")
