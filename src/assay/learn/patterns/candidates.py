"""Enumerate the patterns of values of one shape (Auto-Validate, Algorithm 1, second step).

Coarse patterns, here shapes, are refined position by position. A pattern is dropped as soon as too
few rows match it. Patterns are hashed as they grow, so that an index can look up many at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.checks.pattern import Pattern, Piece
from assay.learn.patterns.bitsets import count_rows
from assay.learn.patterns.hierarchy import Hierarchy, Option, constant, hash64
from assay.learn.patterns.positions import Position, find_positions
from assay.learn.patterns.value_shape import MARK, ShapeGroup, split_shape

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.learn.patterns.bitsets import Bitsets, Counts

    Hashes = NDArray[np.uint64]

__all__ = [
    "TOKEN_BITS",
    "Candidates",
    "PatternSet",
    "build_pattern",
    "enumerate_patterns",
    "pattern_key",
    "split_pieces",
]

# Constants of a multiplicative hash. Saved indexes depend on them: they must not change.
_SEED = np.uint64(0x243F6A8885A308D3)
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)
#: the bits of a key that hold the number of tokens of the pattern, at most 31
TOKEN_BITS = np.uint64(31)


@dataclass(frozen=True)
class PatternSet:
    """Patterns of the first positions of a shape, or of some consecutive positions.

    Patterns that match the same rows share a set of rows: ``bitset_of_pattern[i]`` is the line of
    pattern ``i``.
    """

    hashes: Hashes
    #: for each pattern, the number of the chosen option at each position
    choices: NDArray[np.int32]
    #: the number of rows that each pattern matches
    support: Counts
    generality: NDArray[np.float64]
    bitset_of_pattern: NDArray[np.intp]
    #: the sets of rows; those of a single position are made only when they are needed
    bitsets: Bitsets | Position | None

    @staticmethod
    def start(rows: int) -> PatternSet:
        """Return the empty pattern, which every row matches."""
        zero = np.zeros(1, np.intp)
        return PatternSet(
            np.array([_SEED]), np.zeros((1, 0), np.int32), np.array([rows]), np.zeros(1), zero, None
        )

    def extended(
        self, position: Position, *, min_rows: int, limit: int, prefer_general: bool
    ) -> PatternSet:
        """Return the patterns with one more position.

        Parameters
        ----------
        position
            The next position of the shape.
        min_rows
            Patterns that match fewer rows are dropped.
        limit
            The number of patterns to keep.
        prefer_general
            If there are more: keep those that match the most rows, and not the most specific.
        """
        hashes = _combine_hashes(self.hashes[:, None], position.hashes[None]).ravel()
        generality = (self.generality[:, None] + position.generality[None]).ravel()
        bitsets: Bitsets | Position
        if self.bitsets is None:
            support, bitsets = position.support, position
            bitset_of_pattern = position.bitset_of_option
        else:
            previous = self.bitsets.bitsets if isinstance(self.bitsets, Position) else self.bitsets
            used, of_used = np.unique(self.bitset_of_pattern, return_inverse=True)
            pairs = previous[used][:, None] & position.bitsets[None]
            bitsets = pairs.reshape(-1, previous.shape[1])
            lines = of_used[:, None] * len(position.bitsets) + position.bitset_of_option[None]
            bitset_of_pattern = lines.ravel()
            support = count_rows(bitsets)[bitset_of_pattern]
        kept = np.flatnonzero(support >= min_rows)
        if len(kept) > limit:
            ranks = (-support, generality) if prefer_general else (generality, -support)
            kept = kept[_smallest(limit, *(rank[kept] for rank in (*ranks, hashes)))]
        previous_pattern, option = np.divmod(kept, len(position.bitset_of_option))
        choices = np.concatenate(
            [self.choices[previous_pattern], option[:, None].astype(np.int32)],
            axis=1,
            dtype=np.int32,
        )
        return PatternSet(
            hashes[kept], choices, support[kept], generality[kept], bitset_of_pattern[kept], bitsets
        )

    def keys(self, shape: str) -> Hashes:
        """Return the keys in the index, if the patterns are of this shape."""
        return _keys(self.hashes, shape)

    def __len__(self) -> int:
        return len(self.hashes)


@dataclass(frozen=True)
class Candidates:
    """The patterns of one shape."""

    group: ShapeGroup
    positions: tuple[Position, ...]
    patterns: PatternSet

    @property
    def keys(self) -> Hashes:
        """The keys of the patterns in the index."""
        return self.patterns.keys(self.group.shape)

    def pattern(self, number: int) -> Pattern:
        """Return one of the patterns."""
        chosen = zip(self.positions, self.patterns.choices[number], strict=True)
        options = [position.options[int(choice)] for position, choice in chosen]
        return build_pattern(self.group.shape, options)


def enumerate_patterns(
    group: ShapeGroup, hierarchy: Hierarchy, *, max_constants: int, limit: int, min_rows: int = 1
) -> Candidates:
    """Enumerate the patterns of one shape.

    Parameters
    ----------
    group
        The values of one shape.
    hierarchy
        The classes of characters to try.
    max_constants
        The number of constants to try at each position.
    limit
        The number of patterns to keep: those that match the most rows.
    min_rows
        Patterns that match fewer rows are dropped.
    """
    patterns = PatternSet.start(group.rows)
    positions = find_positions(group, hierarchy, max_constants=max_constants, min_rows=min_rows)
    for position in positions:
        patterns = patterns.extended(position, min_rows=min_rows, limit=limit, prefer_general=True)
    return Candidates(group, tuple(positions), patterns)


def build_pattern(shape: str, options: Sequence[Option]) -> Pattern:
    """Return the shape with each mark replaced by an option."""
    pieces: list[Piece] = []
    remaining = iter(options)
    for character in shape:
        pieces += next(remaining).pieces if character == MARK else (character,)
    return Pattern((tuple(pieces),))


def pattern_key(pattern: Pattern) -> np.uint64 | None:
    """Return the key of a pattern in the index.

    It is None for patterns that are never enumerated: those with alternatives, and those in which
    a constant touches a token.
    """
    if len(pattern.alternatives) > 1:
        return None
    shape, options = split_pieces(pattern.alternatives[0])
    if MARK * 2 in shape:
        return None
    combined = np.array([_SEED])
    for option in options:
        combined = _combine_hashes(combined, np.uint64(option.hash))
    key: np.uint64 = _keys(combined, shape)[0]
    return key


def split_pieces(pieces: Sequence[Piece]) -> tuple[str, list[Option]]:
    """Return the shape of the values that match the pieces, and the option at each mark.

    Two adjacent marks are a constant and a token that touch.
    """
    shape, options = "", list[Option]()
    groups = [tuple(group) for _, group in groupby(pieces, lambda piece: isinstance(piece, str))]
    for number, group in enumerate(groups):
        if isinstance(group[0], str):
            follows, precedes = number > 0, number < len(groups) - 1
            inner, runs = _split_constant(group[0], follows_token=follows, precedes_token=precedes)
            shape += inner
            options += map(constant, runs)
        else:
            shape += MARK
            options.append(Option(group))
    return shape, options


def _split_constant(
    text: str, *, follows_token: bool, precedes_token: bool
) -> tuple[str, list[str]]:
    """Return the shape and the runs of a constant: next to a token, ``-5`` is not a number."""
    inner, runs = split_shape("x" * follows_token + text + "x" * precedes_token)
    if (follows_token and runs[0] != "x") or (precedes_token and runs[-1] != "x"):
        return split_shape(text)  # the constant touches the token
    shape = inner[follows_token : len(inner) - precedes_token]
    return shape, runs[follows_token : len(runs) - precedes_token]


def _keys(hashes: Hashes, shape: str) -> Hashes:
    """Return keys of 59 bits of hash and 5 bits for the number of tokens."""
    tokens = np.uint64(min(len(shape), int(TOKEN_BITS)))
    return _combine_hashes(hashes, np.uint64(hash64(shape))) & ~TOKEN_BITS | tokens


def _combine_hashes(hashes: Hashes, others: Hashes | np.uint64) -> Hashes:
    mixed = (hashes ^ others) * _FACTOR
    return mixed ^ (mixed >> _SHIFT)


def _smallest(limit: int, *ranks: NDArray[Any]) -> NDArray[np.intp]:
    """Return the positions of the `limit` smallest entries, in no order.

    Entries are compared by the first rank, equal ones by the next. A partial sort is faster than a
    full one.
    """
    first, *others = ranks
    threshold = np.partition(first, limit - 1)[limit - 1]
    below, tied = np.flatnonzero(first < threshold), np.flatnonzero(first == threshold)
    missing = limit - len(below)
    if others and len(tied) > missing:
        tied = tied[_smallest(missing, *(rank[tied] for rank in others))]
    return np.concatenate([below, tied[:missing]])
