"""Sets of rows as bits: one bit for each row, 64 to a word.

The rows that match a whole pattern are the intersection (AND) of the rows that match its parts.
Each line of an array is one set.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bitsets = NDArray[np.uint64]
    Counts = NDArray[np.int64]

__all__ = ["count_common_rows", "count_rows", "pack", "rows_of_each"]

_WORD_BITS = 64


def count_rows(bitsets: Bitsets) -> Counts:
    """Return the number of rows in each set."""
    counts: Counts = np.bitwise_count(bitsets).sum(axis=1, dtype=np.int64)
    return counts


def count_common_rows(bitsets: Sequence[Bitsets]) -> int:
    """Return the number of rows that are in all of these sets."""
    return int(count_rows(np.bitwise_and.reduce(bitsets)[None])[0])


def pack(matrix: NDArray[np.bool_]) -> Bitsets:
    """Convert lines of booleans to sets."""
    packed = np.packbits(matrix, axis=1)
    padded = _zeros(len(packed), matrix.shape[1])
    padded[:, : packed.shape[1]] = packed
    return padded.view(np.uint64)


def rows_of_each(
    numbers: Sequence[int], number_of_row: NDArray[np.intp], number_count: int
) -> Bitsets:
    """Return, for each number, the set of rows that have it.

    Only the bits that are 1 are written, so that many rare numbers cost little.
    """
    line_of_number = np.full(number_count, -1)
    line_of_number[list(numbers)] = np.arange(len(numbers))
    rows = np.flatnonzero(line_of_number[number_of_row] >= 0)
    octets = _zeros(len(numbers), len(number_of_row))
    bits = np.right_shift(128, rows % 8).astype(np.uint8)
    np.bitwise_or.at(octets, (line_of_number[number_of_row[rows]], rows // 8), bits)
    return octets.view(np.uint64)


def _zeros(set_count: int, row_count: int) -> NDArray[np.uint8]:
    """Return empty sets in bytes, padded to whole words."""
    words = -(-row_count // _WORD_BITS)
    return np.zeros((set_count, words * _WORD_BITS // 8), dtype=np.uint8)
