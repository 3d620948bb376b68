"""The shape of a value: its symbols, with a mark for each run of letters and digits.

>>> shape, runs = split_shape("9/07/2010 9:07 AM")
>>> shape.replace(MARK, "#"), runs
('#/#/# #:# #', ['9', '07', '2010', '9', '07', 'AM'])

A number with decimals or a sign that stands alone is one run; what only looks like one is not.

>>> [split_shape(each)[1] for each in ("[-0.5]", "10.0.0.1", "3-5")]
[['-0.5'], ['10', '0', '0', '1'], ['3', '5']]
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import nsmallest
from zlib import crc32

# longer values have no shape: no domain of machine-made values is so wide, and samples cut them
from assay.analyzers.sample import LONGEST
from assay.checks.pattern import ALPHANUM

__all__ = ["LONGEST", "MARK", "Shaped", "encodable", "group_by_shape", "is_number", "split_shape"]

#: stands for a run; from the private use area, and a value that has it has no shape
MARK = "\ue000"

# marks of letters (accents, vowel signs) are part of runs, and no `\w`
_WORD = rf"[\w.{ALPHANUM}]"
# what it begins with is looked at first, which is fast
_NUMBER = rf"(?=[-0-9])(?<!{_WORD})(?:-?[0-9]+\.[0-9]+|-[0-9]+)(?!{_WORD})"
_RUN = re.compile(f"({_NUMBER}|[{ALPHANUM}]+)")


@dataclass(frozen=True)
class Shaped:
    """The values of one shape: the runs of the distinct values, one after the other, and rows."""

    shape: str
    every_run: Sequence[str]
    counts: Sequence[int]

    @cached_property
    def runs(self) -> tuple[Sequence[str], ...]:
        """At each position, the runs of the distinct values."""
        return tuple(self.every_run[at :: self.width] for at in range(self.width))

    @cached_property
    def rows(self) -> int:
        """How many rows are of this shape."""
        return sum(self.counts)

    @cached_property
    def width(self) -> int:
        """How many runs a value has."""
        return self.shape.count(MARK)

    def least(self, most: int) -> Shaped:
        """Of the distinct values so many, with the least hashes: as good as drawn by lot."""
        width = self.width
        runs = [self.every_run[at : at + width] for at in range(0, len(self.counts) * width, width)]
        hashes = [crc32("\0".join(each).encode()) for each in runs]
        kept = sorted(nsmallest(most, range(len(runs)), key=hashes.__getitem__))
        every = [run for at in kept for run in runs[at]]
        return Shaped(self.shape, every, [self.counts[at] for at in kept])

    @property
    def tokens(self) -> int:
        """Runs and symbols, each symbol one token."""
        return len(self.shape)


def split_shape(value: str) -> tuple[str, list[str]]:
    """The shape of a value, and its runs."""
    parts = _RUN.split(value)
    return MARK.join(parts[::2]), parts[1::2]


def _all_shaped(values: list[str]) -> tuple[list[str], list[str]]:
    """The shapes of values, and the runs of them all: a line ends a run as an end does."""
    text = "\n".join(values)
    if text.count("\n") < len(values):
        shapes, runs = split_shape(text)
        return shapes.split("\n"), runs
    each = [split_shape(value) for value in values]
    return [shape for shape, _ in each], [run for _, runs in each for run in runs]


def is_number(run: str) -> bool:
    """Whether a run is a number with decimals or a sign."""
    return run[0] == "-" or "." in run


def encodable(value: str) -> str:
    """The value; halves of a character, which no file can hold, are replaced."""
    return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")


def group_by_shape(values: Iterable[str] | Mapping[str, int]) -> list[Shaped]:
    """Values, or rows by value, one entry for each shape, those with the most rows first."""
    counts: Mapping[str, int] = values if isinstance(values, Mapping) else Counter(values)
    if any(len(value) > LONGEST or MARK in value for value in counts):
        counts = {v: n for v, n in counts.items() if len(v) <= LONGEST and MARK not in v}
    if not counts:
        return []
    shapes, every_run = _all_shaped(list(counts))
    found: dict[str, tuple[list[str], list[int]]] = {each: ([], []) for each in set(shapes)}
    widths = {each: each.count(MARK) for each in found}
    if len(found) == 1:
        found[shapes[0]] = (every_run, list(counts.values()))
    else:
        start = 0
        for shape, count in zip(shapes, counts.values(), strict=True):
            end = start + widths[shape]
            runs, rows = found[shape]
            runs += every_run[start:end]
            rows.append(count)
            start = end
    every = (Shaped(shape, runs, rows) for shape, (runs, rows) in found.items())
    return sorted(every, key=lambda each: (-each.rows, each.shape))
