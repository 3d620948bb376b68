"""The index of peculiarity: how unusual the trigrams of a column of text are."""

from __future__ import annotations

import math
from dataclasses import dataclass

from assay.analyzers.metric import Undefined, Value
from assay.analyzers.sample import Sample, Sampled

__all__ = ["Peculiarity"]


@dataclass(frozen=True)
class Peculiarity(Sample):
    """Measure how unusual the trigrams of a column of text are.

    Parameters
    ----------
    column
        Name of a string column; nested fields as ``address.zip``.
    k
        The largest number of distinct values that are compared.

    Notes
    -----
    The index of a trigram is ``(log n(xy) + log n(yz)) / 2 - log n(xyz)``. Here n is the number of
    occurrences of the trigram, or of one of its two pairs of characters. A value has the root mean
    square of its trigrams, and a column the mean of its values (novelty-edbt21, equation 1).
    Misspelled words raise it. With more than `k` distinct values, it is that of a sample: the
    values with the smallest hashes, and all their rows. Values of more than 500 characters are cut
    to 501. Nulls are ignored. Undefined if no value has three characters.

    Examples
    --------
    >>> Peculiarity("name").key
    'Peculiarity(name)'
    """

    def metric(self, state: Sampled) -> Value | Undefined:
        """Return the mean index of the values."""
        from assay.analyzers.trigrams import peculiarity  # it imports NumPy

        index = peculiarity(state.values)
        return Undefined("no value has three characters") if math.isnan(index) else index
