"""The patterns of values of one shape, and which rows each of them matches.

Rows are bits: of every option at every position, the rows that it describes, so that what a whole
pattern matches is an AND (one bit a row, 64 at a time). This is the second step of Algorithm 1:
coarse patterns, here shapes, are drilled down into fine ones as long as enough rows match.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from heapq import nsmallest
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from assay.checks.pattern import Pattern, Piece
from assay.learn.patterns.hierarchy import (
    Hierarchy,
    Option,
    constant,
    forms,
    hash64,
    is_hexadecimal,
)
from assay.learn.patterns.shape import MARK, Shaped, is_number, shaped

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bits = NDArray[np.uint64]
    Counts = NDArray[np.int64]

__all__ = [
    "TOKENS",
    "Candidates",
    "Position",
    "Specialised",
    "candidates",
    "key_of",
    "pattern",
    "positions",
]

_SEED = np.uint64(0x243F6A8885A308D3)
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)
#: the bits of a key that tell how many tokens a pattern has; 31 and more are 31
TOKENS = np.uint64(31)
#: of the six letters of hexadecimal digits, so many have to occur
_HEXADECIMAL = frozenset("abcdef")
_LETTERS = 4
#: runs of so few forms come again and again, in column after column
_FEW = 8


@dataclass(frozen=True)
class Position:
    """What the runs at one position of a shape may be described by, and in which rows."""

    options: tuple[Option, ...]
    bits: Bits

    @property
    def support(self) -> Counts:
        """How many rows each option describes."""
        return _rows(self.bits)


@dataclass(frozen=True)
class Specialised:
    """Patterns of a part of a shape: hashes, choices of options, matched rows, generality."""

    hashes: Bits
    choices: NDArray[np.int32]
    bits: Bits | None
    support: Counts
    generality: NDArray[np.float64]

    @staticmethod
    def start(rows: int) -> Specialised:
        """The pattern of nothing, which every row matches."""
        return Specialised(
            np.array([_SEED]),
            np.zeros((1, 0), np.int32),
            None,
            np.array([rows]),
            np.zeros(1),
        )

    def extended(self, position: Position, *, at_least: int, most: int, wide: bool) -> Specialised:
        """With one more position: those that match enough rows, and of these no more than `most`.

        Kept are those that match the most rows, or else (not `wide`) the most specific.
        """
        options = position.options
        hashes = _folded(self.hashes[:, None], _hashes(options)[None]).ravel()
        widths = np.array([each.generality for each in options])
        generality = (self.generality[:, None] + widths[None]).ravel()
        if self.bits is None:
            bits = position.bits
        else:
            bits = (self.bits[:, None, :] & position.bits[None]).reshape(-1, position.bits.shape[1])
        support = _rows(bits)
        kept = np.flatnonzero(support >= at_least)
        if len(kept) > most:
            first, second = (-support, generality) if wide else (generality, -support)
            order = np.lexsort((hashes[kept], second[kept], first[kept]))
            kept = kept[order[:most]]
        before, option = np.divmod(kept, len(options))
        choices = np.concatenate(
            [self.choices[before], option[:, None].astype(np.int32)], axis=1, dtype=np.int32
        )
        return Specialised(hashes[kept], choices, bits[kept], support[kept], generality[kept])

    def keys(self, shape: str) -> Bits:
        """Their keys in the index, as patterns of this shape."""
        return _keys(self.hashes, shape)

    def __len__(self) -> int:
        return len(self.hashes)


@dataclass(frozen=True)
class Candidates:
    """The fine patterns of one shape."""

    values: Shaped
    positions: tuple[Position, ...]
    found: Specialised

    @property
    def keys(self) -> Bits:
        """Their keys in the index."""
        return self.found.keys(self.values.shape)

    def pattern(self, number: int) -> Pattern:
        """One of them, as a value."""
        chosen = zip(self.positions, self.found.choices[number], strict=True)
        return pattern(self.values.shape, [each.options[int(choice)] for each, choice in chosen])


def candidates(
    values: Shaped, hierarchy: Hierarchy, *, constants: int, most: int, at_least: int = 1
) -> Candidates:
    """The patterns that describe at least so many rows of a shape, the best supported."""
    found = Specialised.start(values.rows)
    places = positions(values, hierarchy, constants=constants, at_least=at_least)
    for place in places:
        found = found.extended(place, at_least=at_least, most=most, wide=True)
    return Candidates(values, tuple(places), found)


def positions(
    values: Shaped, hierarchy: Hierarchy, *, constants: int, at_least: int = 1
) -> list[Position]:
    """For each run of a shape, the options that describe at least so many rows.

    No more than so many constants, the most frequent, where there are several runs.
    """
    value_of_row = np.repeat(np.arange(len(values.runs)), values.counts)
    return [
        _position(runs, value_of_row, hierarchy, constants if values.width > 1 else None, at_least)
        for runs in zip(*values.runs, strict=True)
    ]


def _position(
    runs: Sequence[str],
    value_of_row: NDArray[np.intp],
    hierarchy: Hierarchy,
    constants: int | None,
    at_least: int,
) -> Position:
    numbers: dict[str, int] = {}
    run_of_value = np.array([numbers.setdefault(run, len(numbers)) for run in runs])
    run_of_row = run_of_value[value_of_row]
    rows = np.bincount(run_of_row, minlength=len(numbers))
    texts = list(numbers)
    often = np.flatnonzero(rows >= at_least).tolist()
    if constants is not None:
        order = list(zip((-rows).tolist(), texts, strict=True)).__getitem__
        often = nsmallest(constants, often, key=order)
    of_form = forms(texts)
    excluded = _not_spoken_of(of_form, "".join(texts))
    form_of_run = np.empty(len(texts), np.intp)
    for number, which in enumerate(of_form.values()):
        form_of_run[which] = number
    described = _described if len(of_form) <= _FEW else _described.__wrapped__
    options, matrix = described(hierarchy, tuple(of_form), frozenset(excluded))
    form_of_row = form_of_run[run_of_row]
    enough = matrix @ np.bincount(form_of_row, minlength=len(of_form)) >= at_least
    classes = [option for option, kept in zip(options, enough.tolist(), strict=True) if kept]
    bits = np.concatenate(
        [_one_hot(often, run_of_row, len(texts)), _packed(matrix[enough][:, form_of_row])]
    )
    return Position((*(constant(texts[number]) for number in often), *classes), bits)


@lru_cache(maxsize=1 << 14)
def _described(
    hierarchy: Hierarchy, of_form: tuple[str, ...], excluded: frozenset[str]
) -> tuple[list[Option], NDArray[np.bool_]]:
    """The classes that describe any of these forms, and for each which of them it describes."""
    found: dict[int, tuple[Option, list[int]]] = {}
    for number, form in enumerate(of_form):
        for option in hierarchy.classes(form):
            if option.kind not in excluded:
                found.setdefault(option.hash, (option, []))[1].append(number)
    matrix = np.zeros((len(found), len(of_form)), dtype=bool)
    for at, (_, which) in enumerate(found.values()):
        matrix[at, which] = True
    return [option for option, _ in found.values()], matrix


def pattern(shape: str, options: Sequence[Option]) -> Pattern:
    """The shape with its marks replaced."""
    pieces: list[Piece] = []
    chosen = iter(options)
    for character in shape:
        pieces += next(chosen).pieces if character == MARK else (character,)
    return Pattern((tuple(pieces),))


def key_of(sought: Pattern) -> np.uint64 | None:
    """The key of a pattern in the index; None if it is none that columns are described by."""
    if len(sought.alternatives) > 1:
        return None
    shape, options = "", list[Option]()
    for tokens, group in groupby(sought.alternatives[0], lambda each: not isinstance(each, str)):
        pieces = tuple(group)
        if tokens:
            inner, found = MARK, [Option(pieces)]
        else:
            inner, runs = shaped(str(pieces[0]))
            found = [Option((run,)) for run in runs]
        if shape.endswith(MARK) and inner.startswith(MARK):
            return None  # a constant that touches a token is no option of a run
        shape += inner
        options += found
    folded = np.array([_SEED])
    for option in options:
        folded = _folded(folded, np.uint64(option.hash))
    key: np.uint64 = _keys(folded, shape)[0]
    return key


def _keys(hashes: Bits, shape: str) -> Bits:
    """59 bits of hash, and 5 that tell the number of tokens."""
    return _folded(hashes, np.uint64(hash64(shape))) & ~TOKENS | np.uint64(min(len(shape), 31))


def _not_spoken_of(seen: Collection[str], letters: str) -> set[str]:
    """Numbers where no decimals or signs occur; hexadecimals where words or codes would do.

    Whole numbers are digits. Words of the letters a to f are words, and codes with one or two
    letters that happen to be among them are codes: some run has both kinds of digits, and nearly
    all of the letters occur.
    """
    excluded = set() if any(map(is_number, seen)) else {"num"}
    mixed = any("0" in each and not each.isdigit() and is_hexadecimal(each) for each in seen)
    mixed = mixed and len(_HEXADECIMAL.intersection(letters.lower())) >= _LETTERS
    return excluded if mixed else excluded | {"hex"}


def _hashes(options: Sequence[Option]) -> Bits:
    return np.array([each.hash for each in options], dtype=np.uint64)


def _folded(hashes: Bits, more: Bits | np.uint64) -> Bits:
    mixed = (hashes ^ more) * _FACTOR
    return mixed ^ (mixed >> _SHIFT)


def _packed(matrix: NDArray[np.bool_]) -> Bits:
    """Rows of booleans as rows of 64 bits."""
    octets = np.packbits(matrix, axis=1)
    padded = _octets(len(octets), matrix.shape[1])
    padded[:, : octets.shape[1]] = octets
    return padded.view(np.uint64)


def _one_hot(wanted: Sequence[int], of_row: NDArray[np.intp], numbers: int) -> Bits:
    """For each number that is wanted, the rows that have it: one bit a row, set where it stands."""
    place = np.full(numbers, -1)
    place[list(wanted)] = np.arange(len(wanted))
    rows = np.flatnonzero(place[of_row] >= 0)
    octets = _octets(len(wanted), len(of_row))
    bits = np.right_shift(128, rows % 8).astype(np.uint8)
    np.bitwise_or.at(octets, (place[of_row[rows]], rows // 8), bits)
    return octets.view(np.uint64)


def _octets(lines: int, bits: int) -> NDArray[np.uint8]:
    """Zeroes, as many as whole words of 64 bits have."""
    return np.zeros((lines, -(-bits // 64) * 8), dtype=np.uint8)


def _rows(bits: Bits) -> Counts:
    counts: Counts = np.bitwise_count(bits).sum(axis=1, dtype=np.int64)
    return counts
