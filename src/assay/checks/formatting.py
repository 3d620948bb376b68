"""Format values, shares and bounds for people."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from datetime import date, time, timedelta
from decimal import Decimal

from assay.analyzers.metric import Distribution
from assay.text import count_noun, one_line, percent, visible

__all__ = [
    "count_noun",
    "counted_batches",
    "format_bound",
    "format_literal",
    "format_number",
    "format_share",
    "format_value",
    "one_line",
    "percent",
    "visible",
    "whole_seconds",
]

#: larger numbers are written with an exponent
_LARGEST = 1e15
#: smaller numbers are written with an exponent: they would be a row of zeros
_SMALLEST = 1e-12
#: digits of a number in a sentence: more only if it would look like another number
_DIGITS = (4, 6, 8, 10, 12, 15)
#: the relative error of a whole number that was computed from fractions
_ROUNDING_ERROR = 1e-14


def whole_seconds(text: str) -> str:
    """Return the text without zeros at the end of a timestamp's seconds.

    >>> whole_seconds("2013-02-08T13:00:00.000000Z"), whole_seconds("1.000000Z")
    ('2013-02-08T13:00:00Z', '1.000000Z')
    """
    return re.sub(r"(T\d\d:\d\d:\d\d)\.0+(Z?)\Z", r"\1\2", text)


def counted_batches(number: int) -> str:
    """Return a number of batches, such as ``1 batch`` or ``1,200 batches``."""
    return count_noun(number, "batch", "batches")


def format_literal(value: object) -> str:
    """Return a value in full, as its author would write it in Python or SQL."""
    value = value.item() if hasattr(value, "item") else value  # a NumPy scalar
    plain = isinstance(value, date | time | timedelta | Decimal)
    return visible(str(value) if plain else repr(value))


def format_bound(value: object, *, share: bool = False) -> str:
    """Return a bound in full, numbers with thousands separators.

    >>> format_bound(10000), format_bound(0.25), format_bound(0.25, share=True), format_bound("x")
    ('10,000', '0.25', '25 %', "'x'")
    >>> format_bound(0.00002)
    '0.00002'
    """
    if isinstance(value, int | float | Decimal) and not isinstance(value, bool):
        if share:
            return format_share(float(value))
        return _without_exponent(repr(value)) if isinstance(value, float) else f"{value:,}"
    return format_literal(value)


def format_share(share: float) -> str:
    """Return a share as a percentage that does not look like 0 % or 100 % unless it is.

    >>> [format_share(share) for share in (2 / 3, 0.5, 1.0, 0.999999, 0.0)]
    ['66.67 %', '50 %', '100 %', '99.9999 %', '0 %']
    """
    percentage = share * 100
    for digits in (2, 4, 6, 8, 12):
        text = f"{percentage:.{digits}f}".rstrip("0").rstrip(".")
        if text not in {"0", "100"} or share in {0, 1}:
            break
    return f"{text} %"


def format_value(value: object) -> str:
    """Return a value, with numbers cut to a few digits.

    >>> [format_value(value) for value in (0.996712345, 1234567, 1.0, 0.99999999, "it")]
    ['0.9967', '1,234,567', '1.0', '0.99999999', "'it'"]
    >>> format_value(0.0000123456), format_value(12345678901.25)
    ('0.00001235', '12,345,678,901.25')
    >>> format_value(0.9999999999999999)  # rounded by the computer
    '1.0'
    """
    match value:
        case None:
            return "-"
        case bool():
            return str(value)
        case int():
            return f"{value:,}"
        case float():
            return _number(value)
        case Decimal():
            return f"{value:,f}"
        case str():
            return format_literal(value)
        case Distribution():
            return visible(str(value))
        case Mapping():
            return ", ".join(
                f"{visible(str(key))}: {format_value(entry)}" for key, entry in value.items()
            )
        case _:
            return visible(str(value))


def format_number(value: float, *, other_than: Iterable[float] = ()) -> str:
    """Return a number with four digits. Whole numbers are not rounded.

    Parameters
    ----------
    value
        The number.
    other_than
        Numbers that are shown next to it. It has more digits if it would look like one of them.

    Examples
    --------
    >>> format_number(2633.0), format_number(0.996712), format_number(4578.0095)
    ('2,633', '0.9967', '4,578')
    >>> format_number(2013.02, other_than=[2013.1, 2012.9]), format_number(0.99999)
    ('2,013.02', '0.99999')
    >>> format_number(0.0000123456), format_number(float("nan"))
    ('0.00001235', 'nan')
    """
    value = _without_rounding_error(float(value))
    if not math.isfinite(value):
        return str(value)
    different = [float(other) for other in other_than if other != value and math.isfinite(other)]
    for digits in _DIGITS:
        text = _with_digits(value, digits)
        looks_like_bound = float(text.replace(",", "")) in (0.0, 1.0) and value not in (0, 1)
        if not looks_like_bound and all(_with_digits(other, digits) != text for other in different):
            return text
    return _without_exponent(repr(value))


def _with_digits(value: float, digits: int) -> str:
    """Return a number with this number of digits, and with all digits before the point."""
    is_whole = value.is_integer() or abs(value) >= 10 ** (digits - 1)
    if is_whole and abs(value) < _LARGEST:
        return f"{value:,.0f}"
    return _without_exponent(f"{value:.{digits}g}")


def _number(value: float) -> str:
    """Return four decimal digits, or more if the number would look rounder than it is."""
    if value == 0:
        return "0.0"
    if not math.isfinite(value):
        return str(value)
    value = _without_rounding_error(value)
    for digits in (4, 6, 8, 10, 12):
        text = (
            _without_exponent(f"{value:.{digits}g}")
            if abs(value) < 1e-4 or abs(value) >= _LARGEST
            else (f"{value:,.{digits}f}".rstrip("0"))
        )
        text = text + "0" if text.endswith(".") else text
        rounded = float(text.replace(",", ""))
        if rounded == value or rounded not in (0.0, 1.0, float(round(value))):
            return text
    return repr(value)


def _without_rounding_error(value: float) -> float:
    """Return the whole number that a value is but for an error of the computer."""
    if not math.isfinite(value):
        return value
    nearest = float(round(value))
    return nearest if abs(value - nearest) <= _ROUNDING_ERROR * abs(nearest) else value


def _without_exponent(number: str) -> str:
    """Write a number with separators, without an exponent unless it would be very long."""
    size = abs(float(number))
    if size and not _SMALLEST <= size < _LARGEST:
        return number
    return f"{Decimal(number):,f}"
