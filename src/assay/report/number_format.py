"""Write numbers for people: five digits, percentages, "1 in 400"."""

from __future__ import annotations

from assay.checks.formatting import percent

__all__ = ["counted", "false_alarms", "one_in", "percent"]

_RAREST = 1e-9


def counted(number: int, singular: str, plural: str = "") -> str:
    """Write a number with its noun.

    >>> counted(1, "column"), counted(2000, "batch", "batches")
    ('1 column', '2,000 batches')
    """
    return f"{number:,} {singular}" if number == 1 else f"{number:,} {plural or f'{singular}s'}"


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
