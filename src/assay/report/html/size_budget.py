"""Room on a page: parts of it may be any number, the page stays small.

>>> kept, left = within(lambda each: Html("a" * each), [40] * 5, 100)
>>> len(kept), left
(2, 3)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from assay.report.html.markup import Html, element
from assay.report.html.numbers import counted

__all__ = ["omitted", "within"]

T = TypeVar("T")


def within(make: Callable[[T], Html], things: Sequence[T], room: int) -> tuple[list[Html], int]:
    """Parts made of the first things, of no more than so many bytes; how many things are left."""
    kept: list[Html] = []
    for each in things:
        part = make(each)
        room -= len(part.encode())
        if room < 0:
            break
        kept.append(part)
    return kept, len(things) - len(kept)


def omitted(number: int, what: str) -> Html:
    """A word on what found no room.

    >>> print(omitted(2, "column"))
    <p class="quiet">Left out here, to keep this page small: 2 more columns.</p>
    """
    if not number:
        return Html()
    words = f"Left out here, to keep this page small: {counted(number, f'more {what}')}."
    return element("p", words, class_="quiet")
