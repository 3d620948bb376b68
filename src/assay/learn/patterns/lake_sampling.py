"""Choose what to read of a lake: which values of a column, and which columns.

>>> take_evenly(range(10), 4)
[0, 2, 4, 6]
>>> take_evenly(iter("abc"), 4)
['a', 'b', 'c']
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from assay.learn.patterns.arguments import require_integer

__all__ = ["Sampling", "has_patterns", "take_evenly"]

T = TypeVar("T")

_NUMBER = re.compile(r"\s*[+-]?(?:[0-9][0-9,]*\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\s*")
_LEADING_ZERO = re.compile(r"0[0-9]+")
#: digits that all have the same length of at least 8 are codes, not quantities
_MIN_CODE_LENGTH = 8


@dataclass(frozen=True)
class Sampling:
    """Settings for how much of a lake to read.

    Parameters
    ----------
    rows
        The number of values to read of each column.
    least_values
        Columns with fewer values are not indexed.
    files
        The number of files to read of a table, evenly spaced in the order of their names.
    """

    rows: int = 1000
    least_values: int = 20
    files: int = 64

    def __post_init__(self) -> None:
        require_integer("rows", self.rows, 1)
        require_integer("least_values", self.least_values, 0)
        require_integer("files", self.files, 1)


def take_evenly(items: Iterable[T], limit: int) -> list[T]:
    """Return at most `limit` of the items, evenly spaced, in one pass.

    No more than twice as many items are held in memory.
    """
    kept: list[T] = []
    stride = 1
    for number, item in enumerate(items):
        if number % stride == 0:
            kept.append(item)
            if len(kept) == 2 * limit:
                kept = kept[::2]
                stride *= 2
    if len(kept) <= limit:
        return kept
    return [kept[at * len(kept) // limit] for at in range(limit)]


def has_patterns(row_counts: Mapping[str, int], least_values: int) -> bool:
    """Return whether a column is worth indexing.

    It needs `least_values` values, two of them different, and must not be a quantity. Numbers with
    leading zeros or of one width are codes, and are indexed.

    >>> [has_patterns(dict.fromkeys(values, 10), 20) for values in (["12", "7"], ["012", "007"])]
    [False, True]
    """
    values = {value: rows for value, rows in row_counts.items() if value}
    if sum(values.values()) < least_values or len(values) < 2:
        return False
    if not all(map(_NUMBER.fullmatch, values)):
        return True
    if not all(value.isdigit() for value in values):
        return False
    widths = {len(value) for value in values}
    if any(map(_LEADING_ZERO.fullmatch, values)):
        return True
    return len(widths) == 1 and min(widths) >= _MIN_CODE_LENGTH
