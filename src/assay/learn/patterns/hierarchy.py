"""What a run of letters and digits may be generalised to (auto-validate, Figure 4; pluggable).

>>> [str(each) for each in FIGURE_4.options("9")]
['9', '<digit>{1}', '<digit>+', '<num>', '<alphanum>{1}', '<alphanum>+']
>>> [str(each) for each in FINE.options("S01")]
['S01', '<upper>{1}<digit>{2}', '<upper>+<digit>+', '<alphanum>{3}', '<alphanum>+']
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from hashlib import blake2b
from string import ascii_lowercase, ascii_uppercase

from assay.checks.pattern import CLASSES, LETTER, Pattern, Piece, Token
from assay.learn.patterns.value_shape import is_number

__all__ = [
    "FIGURE_4",
    "FINE",
    "HIERARCHIES",
    "Hierarchy",
    "Option",
    "constant",
    "constant_hash",
    "forms",
    "hash64",
    "is_hexadecimal",
    "know",
]

_SINGLE = re.compile(f"[0-9]+|[{LETTER}]+")
_MOST_RUNS = 6
#: so many forms are known at once
_MOST_KNOWN = 1 << 16
_CLASSES = {
    **{kind: re.compile(f"{each}+") for kind, each in CLASSES.items()},
    "capitalised": re.compile(Token("capitalised").regex),
    "num": re.compile(Token("num").regex),
}


@dataclass(frozen=True)
class Option:
    """One way to describe a run: a constant, or tokens."""

    pieces: tuple[Piece, ...]

    @cached_property
    def hash(self) -> int:
        """64 bits that stand for it in the index."""
        return hash64(str(self))

    def __hash__(self) -> int:
        return self.hash

    @cached_property
    def generality(self) -> float:
        """How much it leaves open (see `Pattern.generality`)."""
        return 0.0 if self.constant else Pattern((self.pieces,)).generality

    @property
    def constant(self) -> bool:
        """Whether it is the run itself."""
        return isinstance(self.pieces[0], str)

    @cached_property
    def kind(self) -> str:
        """The class of characters, if it is one; else nothing."""
        first = self.pieces[0]
        return first.kind if isinstance(first, Token) and len(self.pieces) == 1 else ""

    @property
    def open_ended(self) -> bool:
        """Whether it says nothing of lengths."""
        return all(isinstance(each, Token) and each.count is None for each in self.pieces)

    def __str__(self) -> str:
        first = self.pieces[0]
        if isinstance(first, str) and first.isalnum():
            return first  # a pattern says as much, but takes its time
        return str(Pattern((self.pieces,)))


@dataclass(frozen=True)
class Hierarchy:
    """Classes of characters, the narrowest first; each is offered with a count and without.

    The root, any character at all, is no option: it would describe every column. With `runs`, a
    mixture of letters and digits is also described by what follows what.
    """

    name: str
    kinds: tuple[str, ...]
    runs: bool = False
    _known: dict[str, tuple[Option, ...]] = field(default_factory=dict, repr=False, compare=False)

    def options(self, run: str) -> tuple[Option, ...]:
        """All ways to describe a run: the constant first."""
        return (constant(run), *self.classes(run))

    def classes(self, run: str) -> tuple[Option, ...]:
        """The ways to describe a run that are no constants; the same for all runs of its form."""
        found = self._known.get(run)
        if found is None:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            found = self._known[run] = tuple(_classes(self, run))
        return found


def forms(runs: Iterable[str]) -> dict[str, list[int]]:
    """Runs by their form, one of the same classes: so few differ that what is known can be kept."""
    found: dict[str, list[int]] = {}
    for number, alike in enumerate("\n".join(runs).translate(_ALIKE).split("\n")):
        found.setdefault(alike, []).append(number)
    merged: dict[str, list[int]] = {}
    for alike, numbers in found.items():
        form = alike if is_hexadecimal(alike) else alike.translate(_NOT_HEXADECIMAL)
        merged.setdefault(form, []).extend(numbers)
    return merged


def is_hexadecimal(run: str) -> bool:
    """Whether all its characters are hexadecimal digits."""
    return _CLASSES["hex"].fullmatch(run) is not None


def _classes(hierarchy: Hierarchy, run: str) -> list[Option]:
    if is_number(run):
        return [_option(Token("num"))] if "num" in hierarchy.kinds else []
    found: list[Option] = []
    parts = _SINGLE.findall(run)
    if hierarchy.runs and 1 < len(parts) <= _MOST_RUNS:
        kinds = [_narrowest(part) for part in parts]
        sizes = zip(kinds, parts, strict=True)
        found.append(_option(*(Token(kind, len(part)) for kind, part in sizes)))
        found.append(_option(*map(Token, kinds)))
    for kind in hierarchy.kinds:
        if kind == "num":
            found += [_option(Token("num"))] if _CLASSES["digit"].fullmatch(run) else []
        elif _CLASSES[kind].fullmatch(run):
            found += [_option(Token(kind, len(run))), _option(Token(kind))]
    return found


def _narrowest(part: str) -> str:
    """The class of a run of letters alone, or of digits alone."""
    single = ("digit", "lower", "upper", "letter")
    return next(kind for kind in single if _CLASSES[kind].fullmatch(part))


@lru_cache(maxsize=1 << 16)
def _option(*tokens: Token) -> Option:
    return Option(tokens)


def constant(run: str) -> Option:
    """The run itself."""
    return Option((run,))


@lru_cache(maxsize=1 << 18)
def constant_hash(run: str) -> int:
    """The hash of the run itself, as an option."""
    # most constants by far are their own text, and an option takes its time
    return hash64(run) if run.isalnum() else constant(run).hash


#: for every digit and letter, one that belongs to the same classes
_ALIKE = str.maketrans(
    f"123456789{ascii_lowercase}{ascii_uppercase}",
    "0" * 9 + "a" * 6 + "z" * 20 + "A" * 6 + "Z" * 20,
)
#: and in a run that is not hexadecimal
_NOT_HEXADECIMAL = str.maketrans("aA", "zZ")


def hash64(text: str) -> int:
    """The same 64 bits everywhere and always."""
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little")


#: the paper's own
FIGURE_4 = Hierarchy("figure-4", ("digit", "num", "letter", "alphanum"))
#: the default
FINE = Hierarchy(
    "fine",
    ("digit", "num", "lower", "upper", "capitalised", "letter", "hex", "alphanum"),
    runs=True,
)
#: by name; one of your own is added here
HIERARCHIES = {each.name: each for each in (FIGURE_4, FINE)}


def know(hierarchy: Hierarchy) -> None:
    """Have it known here: executors know of themselves only those that Assay brings."""
    if HIERARCHIES.get(hierarchy.name) != hierarchy:
        HIERARCHIES[hierarchy.name] = hierarchy
