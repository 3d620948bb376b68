"""Format estimates for people."""

from __future__ import annotations

__all__ = ["format_estimate"]


def format_estimate(estimate: float) -> str:
    """Format with four significant digits, and with all digits before the decimal point.

    >>> [format_estimate(number) for number in (7.9999999999, 926.857, 1234567.8, 0.000123456)]
    ['8', '926.9', '1,234,568', '0.0001235']
    """
    return f"{estimate:,.0f}" if 1e4 <= abs(estimate) < 1e15 else f"{estimate:.4g}"
