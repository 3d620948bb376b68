"""The index of peculiarity of a column of text (novelty-edbt21, equation 1)."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from assay.learn.fingerprint.from_rows import Text

__all__ = ["peculiarity"]

#: The bits of a Unicode code point. Three code points fit into one 64-bit key.
_BITS = 21


def peculiarity(values: Mapping[str, int]) -> float:
    """Return the index of peculiarity of a column of text (equation 1; Morris and Cherry 1975).

    `values` maps each value to its count. The index is NaN if no value has three characters.
    The index of a trigram is ``I(xyz) = (log n(xy) + log n(yz)) / 2 - log n(xyz)``. A value has
    the root mean square over its trigrams. The column has the mean over its values.

    >>> peculiarity({"abab": 1, "abc": 1}) == math.log(3) / 2
    True
    """
    text = Text.of(list(values))
    if len(text.codes) < 3:
        return math.nan
    rows = np.fromiter(values.values(), np.float64, len(values))
    value = np.repeat(np.arange(len(values)), text.lengths)
    codes = text.codes.astype(np.int64)
    two = (codes[:-1] << _BITS) | codes[1:]
    in_two = value[:-1] == value[1:]
    in_three = value[:-2] == value[2:]
    if not in_three.any():
        return math.nan
    pairs, pair_at = np.unique(two, return_inverse=True)
    pair_rows = np.where(in_two, rows[value[:-1]], 0.0)
    n2 = np.bincount(pair_at, pair_rows, len(pairs))[pair_at]
    three = ((two[:-1] << _BITS) | codes[2:])[in_three]
    owner = value[:-2][in_three]
    trigrams, at = np.unique(three, return_inverse=True)
    n3 = np.bincount(at, rows[owner], len(trigrams))[at]
    index = (np.log(n2[:-1][in_three]) + np.log(n2[1:][in_three])) / 2 - np.log(n3)
    number = np.bincount(owner, minlength=len(values))
    some = number > 0
    squares = np.bincount(owner, index * index, len(values))
    of_values = np.sqrt(squares[some] / number[some])
    return float(of_values @ rows[some] / rows[some].sum())
