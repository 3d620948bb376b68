"""Text for people: counts, text on one line, and characters that act on a terminal.

Names and values come from data. Control characters and characters that reorder text are replaced by
their escape sequences, so that they cannot act on a terminal.

>>> visible("a\\x1b[31mb"), one_line("a > 0\\n  AND b > 0")
('a\\\\x1b[31mb', 'a > 0 AND b > 0')
"""

from __future__ import annotations

import re
import unicodedata

__all__ = ["count_noun", "one_line", "visible"]

#: Unicode categories that are escaped: control and format characters, surrogates, separators of
#: lines and paragraphs
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def visible(text: str) -> str:
    """Return the text with escape sequences for characters that act on a terminal."""
    return "".join(
        character.encode("unicode_escape").decode()
        if unicodedata.category(character) in _HIDDEN
        else character
        for character in text
    )


def one_line(text: str) -> str:
    """Return text of several lines, such as SQL, as one line."""
    return visible(re.sub(r"\s*\n\s*", " ", text).strip())


def count_noun(number: int, singular: str, plural: str = "") -> str:
    """Return a number with its noun.

    >>> count_noun(1, "row"), count_noun(1200, "row"), count_noun(2, "pass", "passes")
    ('1 row', '1,200 rows', '2 passes')
    """
    return f"1 {singular}" if number == 1 else f"{number:,} {plural or singular + 's'}"
