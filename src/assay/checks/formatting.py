"""Values, names and SQL as people read them, in a terminal too.

What comes from data or from names is shown so that it cannot do anything: a control character, or
one that reorders the text, stands as its escape.

>>> visible("a\\x1b[31mb"), one_line("a > 0\\n  AND b > 0")
('a\\\\x1b[31mb', 'a > 0 AND b > 0')
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from datetime import date, time, timedelta
from decimal import Decimal

from assay.analyzers.metric import Distribution

__all__ = [
    "counted_batches",
    "format_literal",
    "format_value",
    "one_line",
    "visible",
    "whole_seconds",
]

#: control characters, invisible ones that change the text around them, halves of characters,
#: separators of lines and paragraphs
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def visible(text: str) -> str:
    """Text in which nothing acts on the terminal."""
    return "".join(
        each.encode("unicode_escape").decode() if unicodedata.category(each) in _HIDDEN else each
        for each in text
    )


def whole_seconds(text: str) -> str:
    """Text without the noughts that a moment ends with.

    >>> whole_seconds("2013-02-08T13:00:00.000000Z"), whole_seconds("1.000000Z")
    ('2013-02-08T13:00:00Z', '1.000000Z')
    """
    return re.sub(r"(T\d\d:\d\d:\d\d)\.0+(Z?)\Z", r"\1\2", text)


def counted_batches(number: int) -> str:
    """A number of batches, such as ``1 batch`` or ``1,200 batches``."""
    return "1 batch" if number == 1 else f"{number:,} batches"


def one_line(text: str) -> str:
    """Text that may be laid out over several lines, such as SQL, on one."""
    return visible(re.sub(r"\s*\n\s*", " ", text).strip())


def format_literal(value: object) -> str:
    """A value in full, much as its author would write it."""
    value = value.item() if hasattr(value, "item") else value  # a scalar of NumPy's
    plain = isinstance(value, date | time | timedelta | Decimal)
    return visible(str(value) if plain else repr(value))


def format_value(value: object) -> str:
    """A value in a few characters.

    >>> [format_value(value) for value in (0.996712345, 1234567, 1.0, 0.99999999, "it")]
    ['0.9967', '1,234,567', '1.0', '0.99999999', "'it'"]
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
                f"{visible(str(key))}: {format_value(item)}" for key, item in value.items()
            )
        case _:
            return visible(str(value))


def _number(value: float) -> str:
    """Four digits, or as many as it takes not to look like a round number it is not."""
    if value == 0:
        return "0.0"
    if value - value != 0:  # infinite, or not a number
        return str(value)
    for digits in (4, 6, 8, 10, 12):
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
