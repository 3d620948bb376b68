"""Regular expressions as SQL conditions, with ``$`` at the very end of the string."""

from __future__ import annotations

import re
from typing import Literal

from assay.analyzers.aggregate_expr import sql_string

__all__ = ["Nulls", "full_match", "pattern_predicate", "regex_problem", "strict_end"]

#: how a null counts: as a match (as in a CHECK of SQL), as the empty string, as no match, or not
#: at all
Nulls = Literal["ignore", "empty", "fail", "skip"]


#: an escaped character, a class of characters, or the end of the string
_DOLLAR = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\$", re.DOTALL)


#: syntax that Java and Python read differently: other escapes, nested classes, groups with ``?``
_ONLY_JAVA = re.compile(r"\\[^\WdDwWsSbBnrtf]|\[[^\]]*(?:\[|&&|\\)|\(\?(?!:)")
#: messages of Python for errors that are errors in Java as well
_ERRORS = (
    "unterminated character set",
    "missing ), unterminated",
    "unbalanced paren",
    "bad escape (",
)


def regex_problem(pattern: str) -> str | None:
    """Return why a regular expression is invalid in Java, if that is certain without Java.

    >>> regex_problem("[a-"), regex_problem("[0-9]+"), regex_problem(r"\\Q[\\E")
    ('unterminated character set', None, None)
    """
    if _ONLY_JAVA.search(pattern):
        return None
    if pattern[:1] in ("*", "+", "?"):
        return "nothing to repeat"
    try:
        re.compile(pattern)
    except re.error as error:
        return error.msg if error.msg.startswith(_ERRORS) else None
    return None


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
    if "(?m" in pattern:  # the pattern asks for the ends of lines
        return pattern
    return _DOLLAR.sub(lambda part: r"\z" if part.group() == "$" else part.group(), pattern)
