"""Text for people: counts, text on one line, and characters that act on a terminal.

Names and values come from data. Control characters and characters that reorder text are replaced by
their escape sequences, so that they cannot act on a terminal.

>>> visible("a\\x1b[31mb"), one_line("a > 0\\n  AND b > 0")
('a\\\\x1b[31mb', 'a > 0 AND b > 0')
"""

from __future__ import annotations

import math
import re
import unicodedata

__all__ = ["count_noun", "one_line", "percent", "visible"]

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


def percent(part: float, total: float = 1.0) -> str:
    """Write a share in percent. Only nothing is 0 %, and only everything is 100 %.

    >>> percent(1, 3), percent(0.0142), percent(1, 100_000), percent(99_999, 100_000)
    ('33 %', '1.4 %', '<0.1 %', '>99.9 %')
    >>> percent(0, 5), percent(5, 5), percent(0, 0)
    ('0 %', '100 %', '-')
    """
    if not total or math.isnan(part) or math.isnan(total):
        return "-"
    share = part / total
    if share <= 0 or share == 1:
        return "100 %" if share > 0 else "0 %"
    if share < 0.001:
        return "<0.1 %"
    if 0.999 < share < 1:
        return ">99.9 %"
    n_digits = 0 if 0.1 <= share <= 0.9 else 1
    return f"{100 * share:.{n_digits}f} %"
