"""Cut the values of one shape into segments for which the index has patterns (section 3).

Vertical cuts: the best cut of the first tokens is extended by one segment, from left to right
(equation 11). Symbols between segments cost nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from assay.learn.patterns.alignment import AlignedShape
from assay.learn.patterns.bitsets import count_common_rows
from assay.learn.patterns.candidates import PatternSet
from assay.learn.patterns.hierarchy import Option
from assay.learn.patterns.index import PatternIndex
from assay.learn.patterns.positions import (
    Position,
    find_positions,
    guard_open_positions,
    open_positions,
)
from assay.learn.patterns.search import Search
from assay.learn.patterns.value_shape import MARK, ShapeGroup

__all__ = ["Segment", "describe_aligned", "describe_shape", "open_positions_of"]

#: the cost of describing a run by its class, since the index does not know it (f0)
_UNKNOWN_COST = 0.01
#: the cost of each degree of generality (λ). Measured with `benchmarks.patterns`: .69 of small
#: changes are caught and F1 is .909; with 0.004 it is .65 and .911
_GENERALITY_COST = 0.01
#: patterns of one segment to look up at most
_MAX_PATTERNS = 4000
#: constants to try at each position
_MAX_CONSTANTS = 16


class Segment(NamedTuple):
    """A segment of a shape and the best pattern for it, or several segments together.

    `rate` is the sum of their false-positive rates, `coverage` the least coverage (0 if the index
    knows none of them). `start` is the first token.
    """

    cost: float
    rate: float
    coverage: int
    start: int
    options: tuple[Option, ...]


_EMPTY = Segment(0.0, 0.0, 0, 0, ())


@dataclass(frozen=True)
class _Segmenter:
    """Find patterns for the segments of one shape in an index."""

    group: ShapeGroup
    positions: list[Position]
    #: the number of rows that must match
    min_rows: int
    index: PatternIndex
    search: Search
    #: options that are fixed for some positions, known to the index or not
    fixed: Mapping[int, Option] = field(default_factory=dict)

    @property
    def runs_before(self) -> list[int]:
        """The number of runs before each token of the shape."""
        is_run = (int(token == MARK) for token in self.group.shape)
        return [0, *accumulate(is_run)]

    def matching_rows(self, options: tuple[Option, ...]) -> int:
        """Return the number of rows that match all options together."""
        pairs = zip(self.positions, options, strict=True)
        return count_common_rows(
            [position.rows_of(position.options.index(option)) for position, option in pairs]
        )

    def segments_from(self, start: int) -> Iterator[tuple[int, Segment]]:
        """Yield, for each end, the best known pattern of the tokens from `start` to that end."""
        patterns = PatternSet.start(self.group.rows)
        last = min(len(self.group.shape), start + self.index.enumeration.tokens)
        run = self.runs_before[start]
        for end in range(start, last):
            if self.group.shape[end] == MARK:
                patterns = patterns.extended(
                    self.positions[run],
                    min_rows=self.min_rows,
                    limit=_MAX_PATTERNS,
                    prefer_general=False,
                )
                run += 1
                if not len(patterns):
                    return
            if patterns.choices.shape[1]:
                segment = self._best_pattern(patterns, start, end + 1)
                if segment is not None:
                    yield end + 1, segment

    def _best_pattern(self, patterns: PatternSet, start: int, end: int) -> Segment | None:
        search = self.search
        keys = patterns.keys(self.group.shape[start:end])
        coverages, rates = self.index.look_up(keys, column_impurity=search.column_impurity)
        if search.variant == "unified":
            doubted = rates * coverages + search.doubt / 2
            rates = doubted / np.maximum(coverages + search.doubt, 1)
        feasible = np.flatnonzero((coverages >= max(search.coverage, 1)) & (rates <= search.rate))
        if not len(feasible):
            return None
        coverage, rate = coverages[feasible], rates[feasible]
        generality = patterns.generality[feasible]
        match search.variant:
            case "cmdv":
                cost = coverage.astype(float)
            case "unified":
                cost = rate + _GENERALITY_COST * generality
            case _:
                cost = rate
        # Equal costs: the most specific pattern (Lemma 1), then the smallest key.
        best = np.lexsort((patterns.keys("")[feasible], generality, cost))[0]
        first = self.runs_before[start]
        choices = patterns.choices[feasible[best]]
        options = tuple(
            self.positions[first + at].options[int(choice)] for at, choice in enumerate(choices)
        )
        return Segment(float(cost[best]), float(rate[best]), int(coverage[best]), start, options)

    def generic_segment(self, token: int) -> Segment | None:
        """Return a segment for one run that need not be known to the index (``unified``)."""
        run = self.runs_before[token]
        option = self.fixed.get(run)
        if option is None and self.search.generic:
            option = _generic_option(self.positions[run], self.min_rows)
        if option is None:
            return None
        cost = _UNKNOWN_COST + _GENERALITY_COST * option.generality
        return Segment(cost, 0.0, 0, token, (option,))


def _cut(segmenter: _Segmenter) -> Segment | None:
    """Return the cheapest cut of a whole shape (equation 11), or None if there is none."""
    shape, search = segmenter.group.shape, segmenter.search
    best: list[Segment | None] = [_EMPTY, *[None] * len(shape)]

    def extend(end: int, previous: Segment, segment: Segment) -> None:
        cost = previous.cost + segment.cost
        current = best[end]
        if current is not None and current.cost <= cost:
            return
        coverages = [part.coverage for part in (previous, segment) if part.coverage]
        best[end] = Segment(
            cost,
            previous.rate + segment.rate,
            min(coverages, default=0),
            0,
            previous.options + segment.options,
        )

    for at, token in enumerate(shape):
        previous = best[at]
        if previous is None:
            continue
        if token != MARK:
            extend(at + 1, previous, _EMPTY)
        elif search.variant == "unified":
            generic = segmenter.generic_segment(at)
            if generic is not None:
                extend(at + 1, previous, generic)
        for end, segment in segmenter.segments_from(at):
            extend(end, previous, segment)
    complete = best[len(shape)]
    if complete is None or (search.variant != "unified" and complete.rate > search.rate):
        return None
    return complete


def _generic_option(position: Position, min_rows: int) -> Option | None:
    """Return the most specific class of any length that matches enough rows."""
    supported = zip(position.options, position.support, strict=True)
    options = [option for option, rows in supported if option.open_ended and rows >= min_rows]
    return min(options, key=lambda option: (option.generality, option.hash), default=None)


def open_positions_of(group: ShapeGroup, search: Search) -> frozenset[int]:
    """Return the positions of an open vocabulary, if the search guards them."""
    share = search.open_vocabulary
    return frozenset() if share is None else open_positions(group, share)


def describe_shape(
    group: ShapeGroup, min_rows: int, index: PatternIndex, search: Search, opened: frozenset[int]
) -> Segment | None:
    """Return the best pattern that at least `min_rows` rows of a shape match.

    Parameters
    ----------
    group
        The values of the shape.
    min_rows
        The number of rows that must match.
    index, search
        What is known of the lake, and what to look for.
    opened
        The positions of an open vocabulary.
    """
    if not group.run_count:
        return _EMPTY if search.variant == "unified" else None
    positions = find_positions(
        group, index.hierarchy, max_constants=_MAX_CONSTANTS, min_rows=min_rows
    )
    positions = guard_open_positions(positions, opened)
    if not all(position.options for position in positions):
        return None
    segmenter = _Segmenter(group, positions, min_rows, index, search)
    if not search.vertical:
        return dict(segmenter.segments_from(0)).get(len(group.shape))
    segment = _cut(segmenter)
    if segment is None or min_rows == group.rows:
        return segment
    if segmenter.matching_rows(segment.options) >= min_rows:
        return segment
    # Each segment matches enough rows, but together they do not: require all rows.
    return describe_shape(group, group.rows, index, search, opened)


def describe_aligned(
    shapes: Sequence[AlignedShape], index: PatternIndex, search: Search
) -> dict[str, Segment] | None:
    """Return the best pattern of each aligned shape, or None if one has none.

    The option that one shape gets for a column of the alignment is used for the next shapes, too.
    """
    opened_columns = {
        shape.columns[run] for shape in shapes for run in open_positions_of(shape.group, search)
    }
    option_of_column: dict[int, Option] = {}
    segments: dict[str, Segment] = {}
    for group, columns, positions in shapes:
        fixed = {
            run: option_of_column[column]
            for run, column in enumerate(columns)
            if column in option_of_column
        }
        opened = {run for run, column in enumerate(columns) if column in opened_columns}
        restricted = [
            position.only(fixed[run]) if run in fixed else position
            for run, position in enumerate(guard_open_positions(positions, opened))
        ]
        one_row = ShapeGroup(group.shape, group.flat_runs[: group.run_count], [1])
        segment = _cut(_Segmenter(one_row, restricted, 1, index, search, fixed))
        if segment is None:
            return None
        option_of_column |= zip(columns, segment.options, strict=True)
        segments[group.shape] = segment
    return segments
