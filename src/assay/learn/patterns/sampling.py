"""What is taken of a lake: how many values of a column, and which columns at all.

>>> evenly(range(10), 4)
[0, 2, 4, 6]
>>> evenly(iter("abc"), 4)
['a', 'b', 'c']
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from assay.learn.patterns.arguments import require_whole

__all__ = ["Sampling", "evenly", "is_of_interest"]

T = TypeVar("T")

_NUMBER = re.compile(r"\s*[+-]?(?:[0-9][0-9,]*\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\s*")
_ZEROS_FIRST = re.compile(r"0[0-9]+")
#: digits of one width from here on are codes, not quantities
_CODE = 8


@dataclass(frozen=True)
class Sampling:
    """How much of a lake is read.

    Of each column about `rows` values, where there are `least_values`; of a table of more files
    than `files`, so many of them, spread evenly over their names.
    """

    rows: int = 1000
    least_values: int = 20
    files: int = 64

    def __post_init__(self) -> None:
        require_whole("rows", self.rows, 1)
        require_whole("least_values", self.least_values, 0)
        require_whole("files", self.files, 1)


def evenly(items: Iterable[T], most: int) -> list[T]:
    """At most so many of the items, evenly spaced; never are more than twice as many kept."""
    kept: list[T] = []
    stride = 1
    for number, item in enumerate(items):
        if number % stride == 0:
            kept.append(item)
            if len(kept) == 2 * most:
                kept = kept[::2]
                stride *= 2
    if len(kept) <= most:
        return kept
    return [kept[at * len(kept) // most] for at in range(most)]


def is_of_interest(counts: Mapping[str, int], least_values: int) -> bool:
    """Whether a column, rows by value, has patterns: enough values, several, and no quantities.

    >>> [is_of_interest(dict.fromkeys(each, 10), 20) for each in (["12", "7"], ["012", "007"])]
    [False, True]
    """
    values = {value: rows for value, rows in counts.items() if value}
    if sum(values.values()) < least_values or len(values) < 2:
        return False
    if not all(map(_NUMBER.fullmatch, values)):
        return True
    if not all(value.isdigit() for value in values):
        return False
    widths = {len(value) for value in values}
    return any(map(_ZEROS_FIRST.fullmatch, values)) or (len(widths) == 1 and min(widths) >= _CODE)
