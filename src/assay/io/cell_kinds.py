"""Classify the cells of a text file: number, year, time, code or text.

>>> [cell_kind(cell) for cell in ("1.234,50", "2019", "3/2/20", "S-017", "Main Street", "")]
['number', 'year', 'time', 'a-9', '', '']
"""

from __future__ import annotations

import re
from functools import lru_cache

from assay.io.column_types import MISSING_MARKERS

__all__ = ["cell_kind", "is_blank", "is_missing"]

_NUMBER = re.compile(
    r"""[($€£]*\s?[+-]?\s?[$€£]?\s?
    (?:\d{1,3}(?:[.,'\u2019\ \u00a0\u202f]\d{3})+(?:[.,]\d+)?  # 1.234.567,89
     |\d+[.,]?\d*(?:[eE][+-]?\d+)?                        # 12,5 and 1e-3
     |[.,]\d+(?:[eE][+-]?\d+)?)
    \s?[%€)]*""",
    re.VERBOSE,
)
_YEAR = re.compile(r"(?:19|20)\d\d")
_TIME = re.compile(
    r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:[ T]\d{1,2}:\d{2}.*)?|\d{1,2}:\d{2}.*|(?:19|20)\d\d-\d\d"
)
#: a code mixes letters and digits, and has no spaces
_CODE = re.compile(r"(?=\S*\d)(?=\S*[^\W\d_])\S{2,40}")
_DIGITS, _LETTERS = re.compile(r"\d+"), re.compile(r"[^\W\d_]+")
#: words in the place of a value, beyond those that are read as null
_MISSING = frozenset({*MISSING_MARKERS, "..", "...", "*", "?", "x", ":", "--", "n.a.", "s", "c"})


@lru_cache(maxsize=1 << 14)
def cell_kind(cell: str) -> str:
    """Return "year", "number", "time", the shape of a code such as "a-9", or "" for other text.

    Years are a kind of their own, since columns may be named after years.
    """
    value = cell.strip()
    if _YEAR.fullmatch(value):
        return "year"
    if _NUMBER.fullmatch(value):
        return "number"
    if _TIME.fullmatch(value):
        return "time"
    if _CODE.fullmatch(value):
        return _LETTERS.sub("a", _DIGITS.sub("9", value))
    return ""


def is_blank(cell: str) -> bool:
    """Return whether a cell has no characters but white space."""
    return not cell or cell.isspace()


def is_missing(cell: str) -> bool:
    """Return whether a cell is blank or a word for a missing value.

    Examples
    --------
    >>> [is_missing(cell) for cell in ("", "n/a", "..", "0")]
    [True, True, True, False]
    """
    return is_blank(cell) or cell.strip() in _MISSING
