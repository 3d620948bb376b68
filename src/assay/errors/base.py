"""The base class of all exceptions, and suggestions for misspelled names."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Sequence

__all__ = ["AssayError", "did_you_mean", "list_names", "nearest", "type_name"]


#: column names listed in an error; more would not fit on a screen
MAX_COLUMNS_LISTED = 12


class AssayError(Exception):
    """Base class of all exceptions of Assay.

    Attributes
    ----------
    code : str
        Stable name of the reason, for programs. It is also the code of a `Problem`.
    """

    code: str = "error"

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
