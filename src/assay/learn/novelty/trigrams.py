"""Count trigrams of characters, and compute how surprising a text is compared with earlier texts.

Two marks are added before each value, and one after it. The surprise is the cross-entropy in bits
per character, given the two characters before. Unseen characters together count as one occurrence,
which is divided among 256 characters:

    P(z | xy) = (n(xyz) + 1/256) / (n(xy) + 1)

>>> earlier = Trigrams.of({"abc": 3, "abd": 1})
>>> int(earlier.counts.sum()), round(earlier.surprise(Trigrams.of({"abc": 1})), 2)
(16, 0.45)
>>> earlier.surprise(Trigrams.of({"xyz": 1})) > 8
True
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from assay.learn.fingerprint.column_stats import Floats
from assay.learn.fingerprint.from_rows import Text

__all__ = ["Trigrams"]

Ints = NDArray[np.int64]

_BEGIN, _END = "\x02", "\x03"
#: The bits of a Unicode code point.
_BITS = 21
_ALPHABET = 256


def _empty() -> Ints:
    return np.zeros(0, np.int64)


@dataclass(frozen=True, eq=False)
class Trigrams:
    """Trigrams as numbers in ascending order, with their counts."""

    keys: Ints = field(default_factory=_empty)
    counts: Ints = field(default_factory=_empty)

    @staticmethod
    def of(values: Mapping[str, int], *, marks: bool = True) -> Trigrams:
        """Count the trigrams of values, given the count of each value.

        Without `marks`, trigrams at the beginning and the end of values are left out.
        """
        begin, end = (_BEGIN * 2, _END) if marks else ("", "")
        listed = [f"{begin}{value}{end}" for value in values]
        text = Text.of(listed)
        if len(text.codes) < 3:
            return Trigrams()
        codes = text.codes.astype(np.int64)
        keys = (codes[:-2] << 2 * _BITS) | (codes[1:-1] << _BITS) | codes[2:]
        rows = np.fromiter(values.values(), np.int64, len(values))
        value = np.repeat(np.arange(len(values)), text.lengths)
        within = value[:-2] == value[2:]
        return _add_up(keys[within], rows[value[:-2][within]])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Trigrams):
            return NotImplemented
        same = np.array_equal(self.keys, other.keys)
        return same and np.array_equal(self.counts, other.counts)

    def __add__(self, other: Trigrams) -> Trigrams:
        both = np.concatenate((self.keys, other.keys))
        return _add_up(both, np.concatenate((self.counts, other.counts)))

    def most_frequent(self, limit: int) -> Trigrams:
        """Keep the most frequent trigrams."""
        if len(self.keys) <= limit:
            return self
        kept = np.sort(np.argsort(-self.counts, kind="stable")[:limit])
        return Trigrams(self.keys[kept], self.counts[kept])

    @cached_property
    def pairs(self) -> tuple[Ints, Ints]:
        """The first two characters of the trigrams, in ascending order, and their counts."""
        firsts = self.keys >> _BITS
        starts = np.flatnonzero(np.diff(firsts, prepend=-1))
        sums = np.add.reduceat(self.counts, starts) if len(starts) else _empty()
        return firsts[starts], sums

    def surprise(self, text: Trigrams) -> float:
        """Return the surprise of a text in bits per character; NaN if either has no trigrams."""
        if not len(self.keys) or not len(text.keys):
            return math.nan
        following = _look_up(self.keys, self.counts, text.keys)
        before = _look_up(*self.pairs, text.keys >> _BITS)
        bits = np.log2(before + 1) - np.log2(following + 1 / _ALPHABET)
        return float(bits @ text.counts / text.counts.sum())

    def written(self) -> dict[str, int]:
        """Convert to JSON types: the counts by the three characters."""
        mask = (1 << _BITS) - 1
        return {
            "".join(chr((key >> bits) & mask) for bits in (2 * _BITS, _BITS, 0)): count
            for key, count in zip(self.keys.tolist(), self.counts.tolist(), strict=True)
        }

    @staticmethod
    def read(document: Mapping[str, int]) -> Trigrams:
        """Convert a document of `written` back."""
        return Trigrams.of(document, marks=False)


def _add_up(keys: Ints, counts: Ints) -> Trigrams:
    if not len(keys):
        return Trigrams()
    order = np.argsort(keys)
    keys, counts = keys[order], counts[order]
    starts = np.flatnonzero(np.diff(keys, prepend=-1))
    return Trigrams(keys[starts], np.add.reduceat(counts, starts))


def _look_up(keys: Ints, counts: Ints, wanted: Ints) -> Floats:
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    counted: Floats = np.where(keys[at] == wanted, counts[at], 0).astype(np.float64)
    return counted
