"""Regular expressions as SQL conditions, with ``$`` at the very end of the string."""

from __future__ import annotations

import re
from typing import Literal

from assay.analyzers.aggregate_expr import sql_string

__all__ = ["Nulls", "full_match", "pattern_predicate", "strict_end"]

#: how a null counts: as a match (as in a CHECK of SQL), as the empty string, as no match, or not
#: at all
Nulls = Literal["ignore", "empty", "fail", "skip"]


#: an escaped character, a class of characters, or the end of the string
_DOLLAR = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\$", re.DOTALL)


def pattern_predicate(sql: str, pattern: str, nulls: Nulls, *, search: bool = False) -> str:
    """Return SQL that is true if a value matches a pattern."""
    subject = f"coalesce({sql}, '')" if nulls == "empty" else sql
    regex = strict_end(pattern) if search else full_match(pattern)
    matches = f"{subject} rlike {sql_string(regex)}"
    return f"({sql} IS NULL OR {matches})" if nulls == "ignore" else f"({matches})"


def full_match(pattern: str) -> str:
    """A regular expression that must cover the whole string, to the last character.

    >>> full_match("[0-9]+$")
    '\\\\A(?:[0-9]+\\\\z)\\\\z'
    """
    return rf"\A(?:{strict_end(pattern)})\z"


def strict_end(pattern: str) -> str:
    """The same regular expression, with ``$`` for the very end and not before a last newline.

    >>> strict_end(r"a$|[$]|\\$")
    'a\\\\z|[$]|\\\\$'
    """
    if "(?m" in pattern:  # lines are meant
        return pattern
    return _DOLLAR.sub(lambda part: r"\z" if part.group() == "$" else part.group(), pattern)
