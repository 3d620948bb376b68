"""The base class of all exceptions, and suggestions for misspelled names."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Sequence
from typing import Self

__all__ = [
    "AssayError",
    "describe_value",
    "did_you_mean",
    "list_names",
    "nearest",
    "percent_hint",
    "type_name",
]


#: column names listed in an error; more would not fit on a screen
MAX_COLUMNS_LISTED = 12
#: characters of a value that an error shows; the type of a longer one is named
MAX_VALUE_LENGTH = 80


class AssayError(Exception):
    """Base class of all exceptions of Assay.

    Attributes
    ----------
    code : str
        Stable name of the reason, for programs. It is also the code of a `Problem`.
    """

    code: str = "error"

    @classmethod
    def unexpected(cls, what: str, expected: str, got: object, remedy: str = "") -> Self:
        """Report a value that is not as expected.

        Parameters
        ----------
        what
            The fault in a few words, such as ``"invalid season"``.
        expected
            The values that are allowed.
        got
            The value.
        remedy
            Sentences that say what to do.

        Examples
        --------
        >>> AssayError.unexpected("invalid season", "a whole number of at least 2", 1)
        AssayError('invalid season: expected a whole number of at least 2, got 1.')
        """
        message = f"{what}: expected {expected}, got {describe_value(got)}."
        return cls(f"{message} {remedy}" if remedy else message)

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        # Tracebacks name the module from which users import an exception.
        if cls.__module__.startswith("assay.errors."):
            cls.__module__ = "assay.errors"


def nearest(name: str, candidates: Collection[str]) -> str | None:
    """Return the candidate with the most similar spelling, or None if no candidate is close.

    Examples
    --------
    >>> nearest("amuont", ["id", "amount"])
    'amount'
    """
    by_lower_case = {candidate.lower(): candidate for candidate in candidates}
    matches = difflib.get_close_matches(name.lower(), by_lower_case, n=1, cutoff=0.6)
    return by_lower_case[matches[0]] if matches else None


def did_you_mean(name: str, candidates: Collection[str]) -> str:
    """Return the end of a sentence about an unknown name: a suggestion, or a full stop.

    Examples
    --------
    >>> did_you_mean("amuont", ["id", "amount"])
    "; did you mean 'amount'?"
    >>> did_you_mean("xyz", ["id", "amount"])
    '.'
    """
    guess = nearest(name, candidates)
    return f"; did you mean {guess!r}?" if guess else "."


def list_names(names: Sequence[str], limit: int = MAX_COLUMNS_LISTED) -> str:
    """Return the first names, and how many more there are."""
    hidden = len(names) - limit
    return ", ".join(names[:limit]) + (f", … {hidden:,} more" if hidden > 0 else "")


def type_name(value: object) -> str:
    """Return the name of a value's class."""
    return type(value).__name__


def percent_hint(number: float) -> str:
    """Return a question to a user who may have written a share as a percentage.

    Examples
    --------
    >>> percent_hint(90), percent_hint(1.5)
    ('Did you mean 0.9?', '')
    """
    return f"Did you mean {float(number) / 100:g}?" if 2 <= number <= 100 else ""


def describe_value(value: object) -> str:
    """Return a short description of a value that a user has passed.

    Examples
    --------
    >>> describe_value("x"), describe_value(list), describe_value(object())
    ("'x'", 'the class list', 'object')
    """
    if isinstance(value, type):
        return f"the class {value.__name__}"
    package = type(value).__module__.partition(".")[0]
    if package not in ("builtins", "datetime", "decimal", "pathlib"):
        return type_name(value) if package == "assay" else f"{package}.{type_name(value)}"
    text = "none" if value == () else repr(value)
    if " at 0x" in text or len(text) > MAX_VALUE_LENGTH:
        return type_name(value)
    return text
