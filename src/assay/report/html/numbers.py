"""Amounts at a glance: numbers of five digits, shares in percent, one in so many."""

from __future__ import annotations

import math

from assay.checks.formatting import format_value

__all__ = ["brief", "counted", "one_in", "share"]


def brief(value: float) -> str:
    """Whole numbers as they are; of others five digits, which is enough to compare.

    >>> brief(47248560.0), brief(4030.00000000004), brief(1e300), brief(-0.0), brief(math.nan)
    ('47,248,560', '4,030', '1e+300', '0', '-')
    """
    if value != value:
        return "-"
    if not math.isfinite(value):
        return format_value(value)
    if abs(value) < 1e12 and value == int(value):
        return f"{int(value):,}"
    rounded = float(f"{value:.5g}")
    return format_value(rounded).removesuffix(".0")


def counted(number: int, what: str, many: str = "") -> str:
    """So many of them.

    >>> counted(1, "column"), counted(2000, "batch", "batches")
    ('1 column', '2,000 batches')
    """
    return f"{number:,} {what}" if number == 1 else f"{number:,} {many or f'{what}s'}"


def share(part: float, whole: float) -> str:
    """In percent; what is little is never none, nor what is much all.

    >>> share(1, 3), share(1, 100_000), share(99_999, 100_000), share(0, 5), share(0, 0)
    ('33.3%', '<0.1%', '>99.9%', '0%', '-')
    """
    if not whole or part != part or whole != whole:
        return "-"
    if part <= 0 or part == whole:
        return "100%" if part > 0 else "0%"
    if part / whole < 0.001:
        return "<0.1%"
    return ">99.9%" if 0.999 < part / whole < 1 else f"{part / whole:.1%}"


def one_in(rate: float) -> str:
    """A rate, by how many it takes to see it once.

    >>> one_in(0.0025), one_in(1e-12), one_in(0.4), one_in(0.0)
    ('1 in 400', 'fewer than 1 in a billion', '40.0%', 'none')
    """
    if rate > 0.1:
        return share(rate, 1.0)
    if rate < 1e-9:
        return "fewer than 1 in a billion" if rate > 0 else "none"
    return f"1 in {float(f'{1 / rate:.3g}'):,.0f}"
