"""Format estimates for people."""

from __future__ import annotations

__all__ = ["about"]


def about(estimate: float) -> str:
    """Format with four significant digits, and with all digits before the decimal point.

    >>> about(7.9999999999), about(926.857), about(1234567.8), about(0.000123456), about(1e20)
    ('8', '926.9', '1,234,568', '0.0001235', '1e+20')
    """
    return f"{estimate:,.0f}" if 1e4 <= abs(estimate) < 1e15 else f"{estimate:.4g}"
