"""Write numbers for people: five digits, percentages, "1 in 400"."""

from __future__ import annotations

import math

from assay.checks.formatting import format_value

__all__ = ["counted", "false_alarms", "one_in", "percent", "short_number"]

#: beyond this, floats are not whole numbers any more
_MAX_WHOLE = 1e12
_RAREST = 1e-9


def short_number(value: float) -> str:
    """Write whole numbers in full and other numbers with five digits.

    >>> short_number(47248560.0), short_number(4030.00000000004), short_number(1e300)
    ('47,248,560', '4,030', '1e+300')
    >>> short_number(-0.0), short_number(math.nan)
    ('0', '-')
    """
    if math.isnan(value):
        return "-"
    if not math.isfinite(value):
        return format_value(value)
    if abs(value) < _MAX_WHOLE and value == int(value):
        return f"{int(value):,}"
    rounded = float(f"{value:.5g}")
    return format_value(rounded).removesuffix(".0")


def counted(number: int, singular: str, plural: str = "") -> str:
    """Write a number with its noun.

    >>> counted(1, "column"), counted(2000, "batch", "batches")
    ('1 column', '2,000 batches')
    """
    return f"{number:,} {singular}" if number == 1 else f"{number:,} {plural or f'{singular}s'}"


def percent(part: float, whole: float = 1.0) -> str:
    """Write a share in percent. Only nothing is 0 %, and only everything is 100 %.

    >>> percent(1, 3), percent(0.0142), percent(1, 100_000), percent(99_999, 100_000)
    ('33 %', '1.4 %', '<0.1 %', '>99.9 %')
    >>> percent(0, 5), percent(5, 5), percent(0, 0)
    ('0 %', '100 %', '-')
    """
    if not whole or math.isnan(part) or math.isnan(whole):
        return "-"
    share = part / whole
    if share <= 0 or share == 1:
        return "100 %" if share > 0 else "0 %"
    if share < 0.001:
        return "<0.1 %"
    if 0.999 < share < 1:
        return ">99.9 %"
    n_digits = 0 if 0.1 <= share <= 0.9 else 1
    return f"{100 * share:.{n_digits}f} %"


def one_in(rate: float) -> str:
    """Write a small rate as one in a number.

    >>> one_in(0.0025), one_in(1e-12), one_in(0.4), one_in(0.0)
    ('1 in 400', 'fewer than 1 in a billion', '40 %', 'none')
    """
    if rate > 0.1:
        return percent(rate)
    if rate < _RAREST:
        return "fewer than 1 in a billion" if rate > 0 else "none"
    return f"1 in {float(f'{1 / rate:.3g}'):,.0f}"


def false_alarms(rate: float) -> str:
    """Write how often good batches raise a false alarm.

    >>> false_alarms(0.0025), false_alarms(0.0)
    ('about 1 false alarm in 400 batches', 'no false alarms')
    >>> false_alarms(0.25)
    'about 25 false alarms in 100 batches'
    """
    if rate <= 0:
        return "no false alarms"
    if rate < _RAREST:
        return "fewer than 1 false alarm in a billion batches"
    if rate > 0.1:
        return f"about {min(100, 100 * rate):.0f} false alarms in 100 batches"
    return f"about 1 false alarm in {float(f'{1 / rate:.3g}'):,.0f} batches"
