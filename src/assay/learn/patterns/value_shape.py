"""Split values into runs of letters and digits, and group them by what lies between the runs.

The *shape* of a value is the value with a mark in place of each run. Values of one shape have the
same symbols and the same number of runs, so that their runs can be compared position by position.

>>> shape, runs = split_shape("9/07/2010 9:07 AM")
>>> shape.replace(MARK, "#"), runs
('#/#/# #:# #', ['9', '07', '2010', '9', '07', 'AM'])

A number that stands alone is one run, with its sign and decimals. Versions and ranges are not
numbers.

>>> [split_shape(value)[1] for value in ("[-0.5]", "10.0.0.1", "3-5")]
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

# Longer values have no shape: machine-made values are not so long, and samples cut longer ones.
from assay.analyzers.sample import LONGEST
from assay.checks.pattern import ALPHANUM

__all__ = [
    "LONGEST",
    "MARK",
    "ShapeGroup",
    "group_by_shape",
    "is_number",
    "replace_surrogates",
    "split_shape",
]

#: replaces a run; a private-use character: a value that contains it has no shape
MARK = "\ue000"

# Combining marks (accents, vowel signs) belong to runs, although they are not `\w`.
_WORD = rf"[\w.{ALPHANUM}]"
# The lookahead at the first character is fast and skips most positions.
_NUMBER = rf"(?=[-0-9])(?<!{_WORD})(?:-?[0-9]+\.[0-9]+|-[0-9]+)(?!{_WORD})"
_RUN = re.compile(f"({_NUMBER}|[{ALPHANUM}]+)")


@dataclass(frozen=True)
class ShapeGroup:
    """The distinct values of one shape, with the number of rows of each.

    `flat_runs` holds the runs of the first value, then those of the second, and so on.
    """

    shape: str
    flat_runs: Sequence[str]
    row_counts: Sequence[int]

    @cached_property
    def runs(self) -> tuple[Sequence[str], ...]:
        """The runs at each position, one for each distinct value."""
        return tuple(self.flat_runs[at :: self.run_count] for at in range(self.run_count))

    @cached_property
    def rows(self) -> int:
        """The number of rows that have this shape."""
        return sum(self.row_counts)

    @cached_property
    def run_count(self) -> int:
        """The number of runs in each value."""
        return self.shape.count(MARK)

    @property
    def token_count(self) -> int:
        """The number of runs and symbols in each value."""
        return len(self.shape)

    def sample(self, size: int) -> ShapeGroup:
        """Return `size` of the distinct values: those with the smallest hashes."""
        width = self.run_count
        starts = range(0, len(self.row_counts) * width, width)
        runs_of_value = [self.flat_runs[start : start + width] for start in starts]
        hashes = [crc32("\0".join(runs).encode()) for runs in runs_of_value]
        kept = sorted(nsmallest(size, range(len(hashes)), key=hashes.__getitem__))
        flat_runs = [run for value in kept for run in runs_of_value[value]]
        return ShapeGroup(self.shape, flat_runs, [self.row_counts[value] for value in kept])


def split_shape(value: str) -> tuple[str, list[str]]:
    """Return the shape of a value, and its runs."""
    parts = _RUN.split(value)
    return MARK.join(parts[::2]), parts[1::2]


def _split_shapes(values: list[str]) -> tuple[list[str], list[str]]:
    """Return the shape of each value, and the runs of all values in one list."""
    # One call for all values is faster. A line break ends a run as the end of a value does.
    text = "\n".join(values)
    if text.count("\n") < len(values):
        shapes, runs = split_shape(text)
        return shapes.split("\n"), runs
    split = [split_shape(value) for value in values]
    return [shape for shape, _ in split], [run for _, runs in split for run in runs]


def is_number(run: str) -> bool:
    """Return whether a run is a number with a sign or decimals."""
    return run[0] == "-" or "." in run


def replace_surrogates(value: str) -> str:
    """Return the value with unpaired surrogates replaced: UTF-8 cannot encode them."""
    return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")


def group_by_shape(values: Iterable[str] | Mapping[str, int]) -> list[ShapeGroup]:
    """Group values by shape.

    Parameters
    ----------
    values
        Values, or the number of rows of each distinct value. Values that are longer than `LONGEST`
        characters or contain `MARK` have no shape and are left out.

    Returns
    -------
    list of ShapeGroup
        The shape with the most rows first.
    """
    row_counts: Mapping[str, int] = values if isinstance(values, Mapping) else Counter(values)
    if any(len(value) > LONGEST or MARK in value for value in row_counts):
        row_counts = {
            value: rows
            for value, rows in row_counts.items()
            if len(value) <= LONGEST and MARK not in value
        }
    if not row_counts:
        return []
    shapes, flat_runs = _split_shapes(list(row_counts))
    groups: dict[str, tuple[list[str], list[int]]] = {shape: ([], []) for shape in set(shapes)}
    widths = {shape: shape.count(MARK) for shape in groups}
    if len(groups) == 1:
        groups[shapes[0]] = (flat_runs, list(row_counts.values()))
    else:
        start = 0
        for shape, rows in zip(shapes, row_counts.values(), strict=True):
            end = start + widths[shape]
            group_runs, group_rows = groups[shape]
            group_runs += flat_runs[start:end]
            group_rows.append(rows)
            start = end
    shape_groups = (ShapeGroup(shape, runs, rows) for shape, (runs, rows) in groups.items())
    return sorted(shape_groups, key=lambda group: (-group.rows, group.shape))
