"""The shape of a value: its symbols, with a mark for each run of letters and digits.

>>> shape, runs = shaped("9/07/2010 9:07 AM")
>>> shape.replace(MARK, "#"), runs
('#/#/# #:# #', ['9', '07', '2010', '9', '07', 'AM'])

A number with decimals or a sign that stands alone is one run; what only looks like one is not.

>>> [shaped(each)[1] for each in ("[-0.5]", "10.0.0.1", "3-5")]
[['-0.5'], ['10', '0', '0', '1'], ['3', '5']]
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

# longer values have no shape: no domain of machine-made values is so wide, and samples cut them
from assay.analyzers.sample import LONGEST
from assay.checks.pattern import ALPHANUM

__all__ = ["LONGEST", "MARK", "Shaped", "by_shape", "is_number", "shaped"]

#: stands for a run; from the private use area, and a value that has it has no shape
MARK = "\ue000"

_NUMBER = r"(?<![\w.])(?:-?[0-9]+\.[0-9]+|-[0-9]+)(?![\w.])"
_RUN = re.compile(f"({_NUMBER}|[{ALPHANUM}]+)")


@dataclass(frozen=True)
class Shaped:
    """The values of one shape: the runs of each distinct value, and how many rows have it."""

    shape: str
    runs: tuple[tuple[str, ...], ...]
    counts: tuple[int, ...]

    @property
    def rows(self) -> int:
        """How many rows are of this shape."""
        return sum(self.counts)

    @property
    def width(self) -> int:
        """How many runs a value has."""
        return len(self.runs[0])

    @property
    def tokens(self) -> int:
        """Runs and symbols, each symbol one token."""
        return len(self.shape)


def shaped(value: str) -> tuple[str, list[str]]:
    """The shape of a value, and its runs."""
    parts = _RUN.split(value)
    return MARK.join(parts[::2]), parts[1::2]


def _all_shaped(values: list[str]) -> Iterator[tuple[str, list[str]]]:
    """The shape and runs of each value, all at once: a line ends a run as an end does."""
    text = "\n".join(values)
    if text.count("\n") >= len(values):
        yield from map(shaped, values)
        return
    runs, at = _RUN.findall(text), 0
    for shape in _RUN.sub(MARK, text).split("\n") if values else ():
        start, at = at, at + shape.count(MARK)
        yield shape, runs[start:at]


def is_number(run: str) -> bool:
    """Whether a run is a number with decimals or a sign."""
    return run[0] == "-" or "." in run


def by_shape(values: Iterable[str] | Mapping[str, int]) -> list[Shaped]:
    """Values, or rows by value, one entry for each shape, those with the most rows first."""
    found: dict[str, tuple[list[tuple[str, ...]], list[int]]] = {}
    counts: Mapping[str, int] = values if isinstance(values, Mapping) else Counter(values)
    if any(len(value) > LONGEST or MARK in value for value in counts):
        counts = {v: n for v, n in counts.items() if len(v) <= LONGEST and MARK not in v}
    for (shape, runs), count in zip(_all_shaped(list(counts)), counts.values(), strict=True):
        of_shape = found.get(shape)
        if of_shape is None:
            of_shape = found[shape] = ([], [])
        of_shape[0].append(tuple(runs))
        of_shape[1].append(count)
    every = (Shaped(shape, tuple(runs), tuple(counts)) for shape, (runs, counts) in found.items())
    return sorted(every, key=lambda each: (-each.rows, each.shape))
