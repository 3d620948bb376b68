"""The index of peculiarity of a column of text (novelty-edbt21, equation 1)."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

__all__ = ["peculiarity"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: Keys below this number are counted in a table. Sorting larger ones takes less memory.
_MAX_TABLE_SIZE = 1 << 21


def peculiarity(values: Mapping[str, int]) -> float:
    """Return the index of peculiarity of a column of text (equation 1; Morris and Cherry 1975).

    `values` maps each value to its count. The index is NaN if no value has three characters.
    The index of a trigram is ``I(xyz) = (log n(xy) + log n(yz)) / 2 - log n(xyz)``. A value has
    the root mean square over its trigrams. The column has the mean over its values.

    >>> peculiarity({"abab": 1, "abc": 1}) == math.log(3) / 2
    True
    """
    joined = "".join(values).encode("utf-32-le", "surrogatepass")
    characters = np.frombuffer(joined, dtype=np.uint32)
    if len(characters) < 3:
        return math.nan
    rows = np.fromiter(values.values(), np.float64, len(values))
    value = np.repeat(np.arange(len(values)), list(map(len, values)))
    codes, n_characters = _number_characters(characters)
    two = codes[:-1] * n_characters + codes[1:]
    in_two = value[:-1] == value[1:]
    in_three = value[:-2] == value[2:]
    if not in_three.any():
        return math.nan
    n2 = _sums(two, np.where(in_two, rows[value[:-1]], 0.0), n_characters**2)
    three = (two[:-1] * n_characters + codes[2:])[in_three]
    owner = value[:-2][in_three]
    n3 = _sums(three, rows[owner], n_characters**3)
    index = (np.log(n2[:-1][in_three]) + np.log(n2[1:][in_three])) / 2 - np.log(n3)
    number = np.bincount(owner, minlength=len(values))
    some = number > 0
    squares = np.bincount(owner, index * index, len(values))
    of_values = np.sqrt(squares[some] / number[some])
    return float(of_values @ rows[some] / rows[some].sum())


def _number_characters(codes: NDArray[np.uint32]) -> tuple[Ints, int]:
    """Number the characters that occur from 0, and return how many there are."""
    occurs = np.zeros(int(codes.max()) + 1, np.int64)
    occurs[codes] = 1
    numbers = np.cumsum(occurs) - 1
    return numbers[codes], int(numbers[-1]) + 1


def _sums(keys: Ints, weights: Floats, n_keys: int) -> Floats:
    """Return, at each place, the sum of the weights of all places with its key."""
    if n_keys > _MAX_TABLE_SIZE:
        distinct, keys = np.unique(keys, return_inverse=True)
        n_keys = len(distinct)
    sums: Floats = np.bincount(keys, weights, n_keys).astype(np.float64, copy=False)
    return sums[keys]
