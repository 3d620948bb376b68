"""The ways to describe a run of letters and digits: the generalization hierarchy.

A run is described by itself (a constant) or by classes of characters, with or without a length
(Auto-Validate, section 2.1 and Figure 4). Other hierarchies can be registered.

>>> [str(option) for option in FIGURE_4.options("9")]
['9', '<digit>{1}', '<digit>+', '<num>', '<alphanum>{1}', '<alphanum>+']
>>> [str(option) for option in FINE.options("S01")]
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
    "group_by_form",
    "hash64",
    "is_hexadecimal",
    "register_hierarchy",
]

_LETTERS_OR_DIGITS = re.compile(f"[0-9]+|[{LETTER}]+")
#: runs that alternate more often between letters and digits are not described part by part
_MAX_PARTS = 6
#: entries of the cache of a hierarchy
_CACHE_SIZE = 1 << 16
_CLASSES = {
    **{kind: re.compile(f"{characters}+") for kind, characters in CLASSES.items()},
    "capitalised": re.compile(Token("capitalised").regex),
    "num": re.compile(Token("num").regex),
}


@dataclass(frozen=True)
class Option:
    """One way to describe a run: a constant, or tokens."""

    pieces: tuple[Piece, ...]

    @cached_property
    def hash(self) -> int:
        """A hash of 64 bits, which identifies the option in an index."""
        return hash64(str(self))

    def __hash__(self) -> int:
        return self.hash

    @cached_property
    def generality(self) -> float:
        """A measure of the values that the option allows; 0 for a constant."""
        return 0.0 if self.constant else Pattern((self.pieces,)).generality

    @property
    def constant(self) -> bool:
        """True if the option is the run itself."""
        return isinstance(self.pieces[0], str)

    @cached_property
    def kind(self) -> str:
        """The class of characters if the option is a single token, else an empty string."""
        first = self.pieces[0]
        return first.kind if isinstance(first, Token) and len(self.pieces) == 1 else ""

    @property
    def open_ended(self) -> bool:
        """True if the option allows any length."""
        return all(isinstance(piece, Token) and piece.count is None for piece in self.pieces)

    def __str__(self) -> str:
        first = self.pieces[0]
        if isinstance(first, str) and first.isalnum():
            return first  # `str(Pattern(…))` is the same text, and slower
        return str(Pattern((self.pieces,)))


@dataclass(frozen=True)
class Hierarchy:
    """Classes of characters, the narrowest first. Each is tried with and without a length.

    Parameters
    ----------
    name
        The name under which an index remembers the hierarchy.
    kinds
        Names of classes. The root of Figure 4 (any character) is left out, since it describes
        every column.
    runs
        Also describe a mixture of letters and digits part by part, as ``<upper>{1}<digit>{2}``.
    """

    name: str
    kinds: tuple[str, ...]
    runs: bool = False
    _cache: dict[str, tuple[Option, ...]] = field(default_factory=dict, repr=False, compare=False)

    def options(self, run: str) -> tuple[Option, ...]:
        """Return all ways to describe a run, the constant first."""
        return (constant(run), *self.classes(run))

    def classes(self, run: str) -> tuple[Option, ...]:
        """Return the ways to describe a run that are not constants.

        Runs of the same form (see `group_by_form`) have the same classes.
        """
        options = self._cache.get(run)
        if options is None:
            if len(self._cache) >= _CACHE_SIZE:
                self._cache.clear()
            options = self._cache[run] = tuple(_classes(self, run))
        return options


def group_by_form(runs: Iterable[str]) -> dict[str, list[int]]:
    """Group the numbers of runs by form: runs of one form belong to the same classes.

    The form of a run replaces its digits by ``0`` and its letters by one representative each. There
    are few forms, so that their classes can be cached.
    """
    runs_of_text: dict[str, list[int]] = {}
    for number, text in enumerate("\n".join(runs).translate(_REPRESENTATIVES).split("\n")):
        runs_of_text.setdefault(text, []).append(number)
    runs_of_form: dict[str, list[int]] = {}
    for text, numbers in runs_of_text.items():
        form = text if is_hexadecimal(text) else text.translate(_NOT_HEXADECIMAL)
        runs_of_form.setdefault(form, []).extend(numbers)
    return runs_of_form


def is_hexadecimal(run: str) -> bool:
    """Return whether all characters are hexadecimal digits."""
    return _CLASSES["hex"].fullmatch(run) is not None


def _classes(hierarchy: Hierarchy, run: str) -> list[Option]:
    if is_number(run):
        return [_option(Token("num"))] if "num" in hierarchy.kinds else []
    options: list[Option] = []
    parts = _LETTERS_OR_DIGITS.findall(run)
    if hierarchy.runs and 1 < len(parts) <= _MAX_PARTS:
        kinds = [_narrowest_class(part) for part in parts]
        pairs = zip(kinds, parts, strict=True)
        options.append(_option(*(Token(kind, len(part)) for kind, part in pairs)))
        options.append(_option(*map(Token, kinds)))
    for kind in hierarchy.kinds:
        if kind == "num":
            options += [_option(Token("num"))] if _CLASSES["digit"].fullmatch(run) else []
        elif _CLASSES[kind].fullmatch(run):
            options += [_option(Token(kind, len(run))), _option(Token(kind))]
    return options


def _narrowest_class(part: str) -> str:
    """Return the narrowest class of a text that has only letters or only digits."""
    kinds = ("digit", "lower", "upper", "letter")
    return next(kind for kind in kinds if _CLASSES[kind].fullmatch(part))


@lru_cache(maxsize=1 << 16)
def _option(*tokens: Token) -> Option:
    return Option(tokens)


def constant(run: str) -> Option:
    """Return the option that is the run itself."""
    return Option((run,))


@lru_cache(maxsize=1 << 18)
def constant_hash(run: str) -> int:
    """Return the hash of ``constant(run)``."""
    # Most constants are their own text. Creating an `Option` for each would be slow.
    return hash64(run) if run.isalnum() else constant(run).hash


#: each ASCII digit and letter, and the representative of its classes: 0, a (hexadecimal), z, A, Z
_REPRESENTATIVES = str.maketrans(
    f"123456789{ascii_lowercase}{ascii_uppercase}",
    "0" * 9 + "a" * 6 + "z" * 20 + "A" * 6 + "Z" * 20,
)
#: in a run that is not hexadecimal, letters up to f have the same classes as others
_NOT_HEXADECIMAL = str.maketrans("aA", "zZ")


def hash64(text: str) -> int:
    """Return a hash of 64 bits, the same on every machine and in every process."""
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little")


#: the hierarchy of the paper
FIGURE_4 = Hierarchy("figure-4", ("digit", "num", "letter", "alphanum"))
#: the default: tells lower case from upper case, and hexadecimal digits from words
FINE = Hierarchy(
    "fine",
    ("digit", "num", "lower", "upper", "capitalised", "letter", "hex", "alphanum"),
    runs=True,
)
#: hierarchies by name
HIERARCHIES = {hierarchy.name: hierarchy for hierarchy in (FIGURE_4, FINE)}


def register_hierarchy(hierarchy: Hierarchy) -> None:
    """Add a hierarchy to `HIERARCHIES`.

    Executors call this, since a process starts with only the hierarchies of this module.
    """
    if HIERARCHIES.get(hierarchy.name) != hierarchy:
        HIERARCHIES[hierarchy.name] = hierarchy
