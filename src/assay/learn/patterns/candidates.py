"""The patterns of values of one shape, and which rows each of them matches.

Rows are bits: of every option at every position, the rows that it describes, so that what a whole
pattern matches is an AND (one bit a row, 64 at a time). This is the second step of Algorithm 1:
coarse patterns, here shapes, are drilled down into fine ones as long as enough rows match.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from heapq import nsmallest
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.checks.pattern import Pattern, Piece, Token
from assay.learn.patterns.hierarchy import (
    Hierarchy,
    Option,
    constant,
    constant_hash,
    forms,
    hash64,
    is_hexadecimal,
)
from assay.learn.patterns.value_shape import MARK, Shaped, is_number, split_shape

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
    "common",
    "key_of",
    "pattern",
    "positions",
    "shape_of",
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
    """What the runs at one position of a shape may be described by, and in which rows.

    Options are constants, then classes. Many classes describe the very same rows: `sets` are the
    rows that differ, and `of_option` tells whose they are.
    """

    constants: tuple[str, ...]
    classes: tuple[Option, ...]
    #: how many rows each option describes
    support: Counts
    of_option: NDArray[np.intp]
    _made: Callable[[], Bits]

    @cached_property
    def options(self) -> tuple[Option, ...]:
        """All ways to describe a run here."""
        return (*map(constant, self.constants), *self.classes)

    @cached_property
    def sets(self) -> Bits:
        """Sets of rows: made when asked for, since the only run of a shape needs none."""
        return self._made()

    def rows_of(self, option: int) -> Bits:
        """The rows that an option describes."""
        rows: Bits = self.sets[self.of_option[option]]
        return rows

    def only(self, option: Option) -> Position:
        """With one of its options alone."""
        at = self.options.index(option)
        constants = self.constants[at : at + 1]
        classes = () if constants else (option,)
        first = np.zeros(1, np.intp)
        return Position(
            constants, classes, self.support[[at]], first, lambda: self.rows_of(at)[None]
        )

    @property
    def hashes(self) -> Bits:
        """The hashes of the options."""
        every = (*map(constant_hash, self.constants), *(each.hash for each in self.classes))
        return np.array(every, dtype=np.uint64)

    @property
    def generality(self) -> NDArray[np.float64]:
        """How much each option leaves open."""
        return np.array([0.0] * len(self.constants) + [each.generality for each in self.classes])


@dataclass(frozen=True)
class Specialised:
    """Patterns of a part of a shape: hashes, choices of options, matched rows, generality.

    Patterns that match the same rows share a set of them: `of_pattern` tells which.
    """

    hashes: Bits
    choices: NDArray[np.int32]
    support: Counts
    generality: NDArray[np.float64]
    of_pattern: NDArray[np.intp]
    #: of the only position so far they are made when they are needed
    sets: Bits | Position | None

    @staticmethod
    def start(rows: int) -> Specialised:
        """The pattern of nothing, which every row matches."""
        zero = np.zeros(1, np.intp)
        return Specialised(
            np.array([_SEED]), np.zeros((1, 0), np.int32), np.array([rows]), np.zeros(1), zero, None
        )

    def extended(self, position: Position, *, at_least: int, most: int, wide: bool) -> Specialised:
        """With one more position: those that match enough rows, and of these no more than `most`.

        Kept are those that match the most rows, or else (not `wide`) the most specific.
        """
        hashes = _folded(self.hashes[:, None], position.hashes[None]).ravel()
        generality = (self.generality[:, None] + position.generality[None]).ravel()
        sets: Bits | Position
        if self.sets is None:
            support, sets, of_pattern = position.support, position, position.of_option
        else:
            rows = self.sets.sets if isinstance(self.sets, Position) else self.sets
            used, of_used = np.unique(self.of_pattern, return_inverse=True)
            sets = (rows[used][:, None] & position.sets[None]).reshape(-1, rows.shape[1])
            of_pattern = of_used[:, None] * len(position.sets) + position.of_option[None]
            of_pattern = of_pattern.ravel()
            support = _rows(sets)[of_pattern]
        kept = np.flatnonzero(support >= at_least)
        if len(kept) > most:
            by = (-support, generality, hashes) if wide else (generality, -support, hashes)
            kept = kept[_least(most, *(each[kept] for each in by))]
        before, option = np.divmod(kept, len(position.of_option))
        choices = np.concatenate(
            [self.choices[before], option[:, None].astype(np.int32)], axis=1, dtype=np.int32
        )
        return Specialised(
            hashes[kept], choices, support[kept], generality[kept], of_pattern[kept], sets
        )

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
    value_of_row = np.repeat(np.arange(len(values.counts)), values.counts)
    return [
        _position(runs, value_of_row, hierarchy, constants if values.width > 1 else None, at_least)
        for runs in values.runs
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
    found = described(hierarchy, tuple(of_form), frozenset(excluded))
    form_of_row = form_of_run[run_of_row]
    support = (found.forms @ np.bincount(form_of_row, minlength=len(of_form)))[found.of_option]
    enough = np.flatnonzero(support >= at_least)

    def sets() -> Bits:
        one_hot = _one_hot(often, run_of_row, len(texts))
        return np.concatenate([one_hot, _packed(found.forms[:, form_of_row])])

    return Position(
        tuple(texts[number] for number in often),
        tuple(found.options[at] for at in enough.tolist()),
        np.concatenate([rows[often], support[enough]]),
        np.concatenate([np.arange(len(often)), found.of_option[enough] + len(often)]),
        sets,
    )


class _Described(NamedTuple):
    """Classes; those that describe the same forms have the same number, a line in `forms`."""

    options: list[Option]
    of_option: NDArray[np.intp]
    forms: NDArray[np.bool_]


@lru_cache(maxsize=1 << 14)
def _described(
    hierarchy: Hierarchy, of_form: tuple[str, ...], excluded: frozenset[str]
) -> _Described:
    """The classes that describe any of these forms, and for each which of them it describes."""
    found: dict[int, tuple[Option, list[int]]] = {}
    for number, form in enumerate(of_form):
        for option in hierarchy.classes(form):
            if option.kind not in excluded:
                known = found.get(option.hash)
                if known is None:
                    found[option.hash] = (option, [number])
                else:
                    known[1].append(number)
    _widen([each for each in found.values() if len(each[0].pieces) > 1])
    lines: dict[tuple[int, ...], int] = {}
    of_option = [lines.setdefault(tuple(which), len(lines)) for _, which in found.values()]
    matrix = np.zeros((len(lines), len(of_form)), dtype=bool)
    for which, line in lines.items():
        matrix[line, which] = True
    options = [option for option, _ in found.values()]
    return _Described(options, np.array(of_option, np.intp), matrix)


def _widen(mixtures: Sequence[tuple[Option, list[int]]]) -> None:
    """Mixtures describe what narrower ones do: letters after a digit, capitals after a digit."""
    alike: dict[tuple[int | None, ...], list[tuple[tuple[str, ...], list[int]]]] = {}
    for option, which in mixtures:
        tokens = [each for each in option.pieces if isinstance(each, Token)]
        counts = tuple(each.count for each in tokens)
        alike.setdefault(counts, []).append((tuple(each.kind for each in tokens), which))
    for group in alike.values():
        own = [(kinds, tuple(which)) for kinds, which in group]
        for wide, which in group:
            for narrow, theirs in own if len(own) > 1 else ():
                if narrow != wide and all(map(_within, narrow, wide)):
                    which.extend(theirs)
            which.sort()


def _within(kind: str, other: str) -> bool:
    """Whether all runs of a single class are also of the other."""
    return kind == other or (other == "letter" and kind != "digit")


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
    shape, options = shape_of(sought.alternatives[0])
    if MARK * 2 in shape:
        return None  # a constant that touches a token is no option of a run
    folded = np.array([_SEED])
    for option in options:
        folded = _folded(folded, np.uint64(option.hash))
    key: np.uint64 = _keys(folded, shape)[0]
    return key


def shape_of(pieces: Sequence[Piece]) -> tuple[str, list[Option]]:
    """The shape of the values that a sequence of pieces describes, and what describes each run.

    Two marks side by side are a constant and a token that touch.
    """
    shape, options = "", list[Option]()
    groups = [tuple(group) for _, group in groupby(pieces, lambda each: isinstance(each, str))]
    for at, group in enumerate(groups):
        if isinstance(group[0], str):
            inner, runs = _between(group[0], before=at > 0, after=at < len(groups) - 1)
            shape += inner
            options += map(constant, runs)
        else:
            shape += MARK
            options.append(Option(group))
    return shape, options


def _between(text: str, *, before: bool, after: bool) -> tuple[str, list[str]]:
    """The shape of a constant and its runs, beside tokens: what follows a run is no number."""
    inner, runs = split_shape("x" * before + text + "x" * after)
    if (before and runs[0] != "x") or (after and runs[-1] != "x"):
        return split_shape(text)  # a token's run goes on in it
    return inner[before : len(inner) - after], runs[before : len(runs) - after]


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


def _folded(hashes: Bits, more: Bits | np.uint64) -> Bits:
    mixed = (hashes ^ more) * _FACTOR
    return mixed ^ (mixed >> _SHIFT)


def _least(most: int, *keys: NDArray[Any]) -> NDArray[np.intp]:
    """Which are the least, so many, by the first key, then the next; in no order."""
    first, *others = keys
    limit = np.partition(first, most - 1)[most - 1]
    below, tied = np.flatnonzero(first < limit), np.flatnonzero(first == limit)
    left = most - len(below)
    if others and len(tied) > left:
        tied = tied[_least(left, *(each[tied] for each in others))]
    return np.concatenate([below, tied[:left]])


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


def common(sets: Sequence[Bits]) -> int:
    """How many rows all of these have."""
    return int(_rows(np.bitwise_and.reduce(sets)[None])[0])


def _rows(bits: Bits) -> Counts:
    counts: Counts = np.bitwise_count(bits).sum(axis=1, dtype=np.int64)
    return counts
