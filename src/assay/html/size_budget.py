"""Keep a page small: show as many parts as fit, and count the others.

>>> shown, n_omitted = fit(lambda n: Html("a" * n), [40] * 5, 100)
>>> len(shown), n_omitted
(2, 3)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from assay.html.markup import Html, element
from assay.text import count_noun

__all__ = ["fit", "omission"]

T = TypeVar("T")


def fit(
    render: Callable[[T], Html], subjects: Sequence[T], max_bytes: int
) -> tuple[list[Html], int]:
    """Render the first subjects until the budget is used up.

    Returns
    -------
    tuple
        The rendered parts, and the number of subjects that are left out.
    """
    parts: list[Html] = []
    for subject in subjects:
        part = render(subject)
        max_bytes -= len(part.encode())
        if max_bytes < 0:
            break
        parts.append(part)
    return parts, len(subjects) - len(parts)


def omission(number: int, noun: str) -> Html:
    """Say how many parts are left out; empty if there are none.

    >>> print(omission(2, "column"))
    <p class="quiet">Not shown, to keep this page small: 2 more columns.</p>
    """
    if not number:
        return Html()
    sentence = f"Not shown, to keep this page small: {count_noun(number, f'more {noun}')}."
    return element("p", sentence, class_="quiet")
