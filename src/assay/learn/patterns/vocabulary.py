"""Words that cannot be listed: where runs are ever new, what they look like says little.

The guard of an open vocabulary: in a shape of several tokens without a space, a position at which
at least so many of the runs occur once is described by ``<alphanum>+`` and nothing narrower.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from assay.checks.pattern import Token
from assay.learn.patterns.candidates import Position
from assay.learn.patterns.hierarchy import Option
from assay.learn.patterns.value_shape import Shaped

__all__ = ["guarded", "open_runs"]

_ANY = Option((Token("alphanum"),))


def open_runs(shape: Shaped, share: float) -> frozenset[int]:
    """The positions of a shape at which at least such a share of the rows has a run of its own."""
    if shape.tokens < 2 or any(map(str.isspace, shape.shape)):
        return frozenset()
    return frozenset(
        at
        for at, runs in enumerate(shape.runs)
        if _single(runs, shape.counts) >= share * shape.rows
    )


def _single(runs: Sequence[str], counts: Sequence[int]) -> int:
    """How many runs occur in one row."""
    rows: Counter[str] = Counter()
    for run, count in zip(runs, counts, strict=True):
        rows[run] += count
    return sum(count == 1 for count in rows.values())


def guarded(places: Sequence[Position], opened: Collection[int]) -> list[Position]:
    """With nothing but ``<alphanum>+`` at positions that are open, if that describes them."""
    return [
        place.only(_ANY) if at in opened and _ANY in place.options else place
        for at, place in enumerate(places)
    ]
