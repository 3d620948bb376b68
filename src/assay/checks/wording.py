"""Metrics as people read them."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from assay.analyzers.metric import Distribution

__all__ = ["shown"]


def shown(value: object) -> str:
    """A value in a few characters.

    >>> shown(0.996712345), shown(1234567), shown(1.0), shown(0.99999999)
    ('0.9967', '1,234,567', '1.0', '0.99999999')
    """
    match value:
        case None:
            return "-"
        case bool() | str():
            return str(value)
        case int():
            return f"{value:,}"
        case float():
            return _number(value)
        case Decimal():
            return f"{value:,f}"
        case Distribution():
            return str(value)
        case Mapping():
            return ", ".join(f"{key}: {shown(item)}" for key, item in value.items())
        case _:
            return str(value)


def _number(value: float) -> str:
    """Four digits, or as many as it takes not to look like a round number it is not."""
    if value == 0:
        return "0.0"
    for digits in (4, 6, 8, 17):
        text = (
            f"{value:,.{digits}g}"
            if abs(value) < 1e-4 or abs(value) >= 1e9
            else (f"{value:,.{digits}f}".rstrip("0"))
        )
        text = text + "0" if text.endswith(".") else text
        rounded = float(text.replace(",", ""))
        if rounded == value or rounded not in (0.0, 1.0, float(round(value))):
            return text
    return repr(value)
