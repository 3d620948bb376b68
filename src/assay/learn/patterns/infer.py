"""Infer the pattern of a column's domain: FMDV and its cuts (Auto-Validate, sections 2.3 to 4).

Every variant looks for patterns h that the lake supports: FPR_T(h) <= r and Cov_T(h) >= m. They
differ in which patterns a column has, and in which of them is the best:

- ``fmdv``: all rows match; the least FPR_T (equations 5 to 7), of equals the most specific
  (Lemma 1);
- ``cmdv``: the least coverage instead;
- ``fmdv-h``: horizontal cuts, a share θ of the rows need not match (equations 12 to 16);
- ``fmdv-v``: vertical cuts, values are cut into segments; the least sum of their rates, at most r
  (equations 8 to 11);
- ``fmdv-vh``: both cuts;
- ``unified``, the default: both cuts. A run that the lake does not know is described by its class
  of characters, at a cost. The cost of a pattern weighs its rate against its generality. A column
  of several shapes gets several alternatives.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

from assay.checks.pattern import Pattern
from assay.errors import CheckError
from assay.learn.patterns.alignment import AlignedShape, align_shapes
from assay.learn.patterns.candidates import build_pattern
from assay.learn.patterns.index import PatternIndex, require_index
from assay.learn.patterns.inferred import InferredPattern, NoPattern
from assay.learn.patterns.search import Search, Variant, require_search
from assay.learn.patterns.segmentation import (
    Segment,
    describe_aligned,
    describe_shape,
    open_positions_of,
)
from assay.learn.patterns.value_shape import (
    LONGEST,
    ShapeGroup,
    group_by_shape,
    replace_surrogates,
)

__all__ = ["Search", "Variant", "infer"]

#: the smallest share of the rows that an alternative describes
_MIN_ALTERNATIVE_SHARE = 0.05
#: rows of a shape to look at; larger shapes are scaled down
_MAX_ROWS = 10_000
#: texts that stand for a missing value
_MISSING_MARKERS = frozenset(("-", "--", ".", "?", "n/a", "na", "nan", "nil", "none", "null"))


def infer(
    values: Iterable[str | None] | Mapping[str, int],
    index: PatternIndex | None = None,
    search: Search | None = None,
) -> InferredPattern | NoPattern:
    """Infer the pattern of a column.

    Parameters
    ----------
    values
        Values of the column, or the number of rows of each value. Empty strings and None are
        ignored.
    index
        Pattern index of the lake. Without an index, ``unified`` describes values by their classes
        of characters, and other variants find nothing.
    search
        The kinds of patterns to look for.

    Returns
    -------
    InferredPattern or NoPattern
        The pattern, or the reason why there is none. Text that people write has none.

    Raises
    ------
    CheckError
        If a value is not a string.

    Examples
    --------
    >>> print(infer(["ORD-41201", "ORD-41207", "ORD-50412"]).pattern)
    <upper>+-<digit>+
    >>> print(infer(["Hello there.", "How are you?", "Fine"]))
    no pattern: its values are of 3 shapes, as those of text are
    """
    if index is not None:
        require_index("index", index)
    if search is not None:
        require_search(search)
    index, search = index or PatternIndex.empty(), search or Search()
    row_counts = _count_values(values)
    if not row_counts:
        return NoPattern("it has no values")
    inferred = _infer(row_counts, index, search)
    if search.align and isinstance(inferred, NoPattern):
        # The common options of aligned shapes are too general: describe each shape by itself.
        return _infer(row_counts, index, replace(search, align=False))
    return inferred


@dataclass(frozen=True)
class _ChosenShapes:
    """The shapes that the pattern describes."""

    groups: Sequence[ShapeGroup]
    aligned: Sequence[AlignedShape]
    #: the number of rows of these shapes that need not match
    spare_rows: int


def _infer(
    row_counts: Counter[str], index: PatternIndex, search: Search
) -> InferredPattern | NoPattern:
    unified = search.variant == "unified"
    markers = {
        value for value in row_counts if unified and value.strip().lower() in _MISSING_MARKERS
    }
    present = Counter({value: n for value, n in row_counts.items() if value not in markers})
    present = present or row_counts
    chosen = _choose_shapes(present, index, search)
    if isinstance(chosen, NoPattern):
        return chosen
    segments = _describe_shapes(chosen, index, search)
    if segments is None:
        return NoPattern("the lake knows no pattern for it")
    try:
        return _combine(segments, row_counts, sorted(markers))
    except CheckError:  # the pattern language refuses ambiguous patterns
        return NoPattern("where its parts end is not clear")


def _choose_shapes(
    row_counts: Counter[str], index: PatternIndex, search: Search
) -> _ChosenShapes | NoPattern:
    rows = row_counts.total()
    groups = group_by_shape(row_counts)
    chosen, tolerance = groups[:1], search.tolerance if search.horizontal else 0.0
    aligned: list[AlignedShape] = []
    if search.variant == "unified":
        chosen = [group for group in groups if group.rows >= _MIN_ALTERNATIVE_SHARE * rows]
        aligned = align_shapes(chosen, index.hierarchy) if search.align else []
        chosen = _first_alternatives(chosen, aligned, search.alternatives)
    required_rows = math.ceil((1 - tolerance) * rows - 1e-9)
    spare_rows = sum(group.rows for group in chosen) - required_rows
    if not groups:
        return NoPattern(f"its values are longer than {LONGEST} characters, and have no shape")
    if spare_rows < 0 or (len(chosen) > 1 and len(row_counts) < 2 * len(chosen)):
        return NoPattern(f"its values are of {len(groups):,} shapes, as those of text are")
    return _ChosenShapes(chosen, aligned, spare_rows)


def _describe_shapes(
    chosen: _ChosenShapes, index: PatternIndex, search: Search
) -> list[tuple[ShapeGroup, Segment]] | None:
    described = describe_aligned(chosen.aligned, index, search) if len(chosen.aligned) > 1 else {}
    if described is None:
        return None
    spare_rows = chosen.spare_rows
    segments: list[tuple[ShapeGroup, Segment]] = []
    for group in chosen.groups:
        scaled = _scale_down(group)
        opened = open_positions_of(group, search)
        segment = described.get(group.shape)
        # Rows of the shape may be exceptions only if no pattern describes all of them.
        if segment is None and search.variant == "unified":
            segment = describe_shape(scaled, scaled.rows, index, search, opened)
        if segment is None:
            exceptions = spare_rows * scaled.rows // group.rows
            segment = describe_shape(scaled, scaled.rows - exceptions, index, search, opened)
            spare_rows = 0
        if segment is None:
            return None
        segments.append((scaled, segment))
    return segments


def _count_values(values: Iterable[str | None] | Mapping[str, int]) -> Counter[str]:
    """Return the number of rows of each value, without nulls and empty strings."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise CheckError(f"values: expected a list of strings, or rows by value, got {values!r}.")
    try:
        rows_by_value: Mapping[Any, Any] = (
            values if isinstance(values, Mapping) else Counter(values)
        )
    except TypeError:
        raise CheckError("values: expected strings, got lists. Cast them first.") from None
    row_counts: Counter[str] = Counter()
    for value, rows in rows_by_value.items():
        if value is None or value == "":
            continue
        if not isinstance(value, str):
            raise CheckError(f"values: expected strings, got {value!r}. Cast them first.")
        if not isinstance(rows, Integral):
            raise CheckError(f"values: expected an integer for {value!r}, got {rows!r}.")
        if int(rows) > 0:
            row_counts[replace_surrogates(value)] += int(rows)
    return row_counts


def _scale_down(group: ShapeGroup) -> ShapeGroup:
    """Return the group with at most about `_MAX_ROWS` rows, in the same proportions.

    Each value keeps at least one row. If there are more distinct values, a sample is taken.
    """
    if group.rows <= _MAX_ROWS:
        return group
    if len(group.row_counts) > _MAX_ROWS:
        group = group.sample(_MAX_ROWS)
    row_counts = [max(1, count * _MAX_ROWS // group.rows) for count in group.row_counts]
    return ShapeGroup(group.shape, group.flat_runs, row_counts)


def _combine(
    segments: list[tuple[ShapeGroup, Segment]], row_counts: Counter[str], markers: Sequence[str]
) -> InferredPattern:
    """Combine the patterns of all shapes; markers of missing values are constants."""
    patterns = [build_pattern(group.shape, segment.options) for group, segment in segments]
    pattern = Pattern(tuple(pieces for one in patterns for pieces in one.alternatives))
    constants = tuple((marker,) for marker in markers if not pattern.matches(marker))
    pattern = Pattern((*pattern.alternatives, *constants))
    mismatches = {value: n for value, n in row_counts.items() if not pattern.matches(value)}
    indexed = [segment for _, segment in segments if segment.coverage]
    return InferredPattern(
        pattern,
        rows=row_counts.total(),
        missed=sum(mismatches.values()),
        distinct=len(row_counts),
        distinct_missed=len(mismatches),
        rate=max((segment.rate for segment in indexed), default=None),
        coverage=min((segment.coverage for segment in indexed), default=0),
    )


def _first_alternatives(
    groups: list[ShapeGroup], aligned: Sequence[AlignedShape], limit: int
) -> list[ShapeGroup]:
    """Return the shapes with the most rows. Aligned shapes count as one."""
    aligned_shapes = {shape.group.shape for shape in aligned}
    others = [group.shape for group in groups if group.shape not in aligned_shapes]
    kept = aligned_shapes.union(others[: limit - 1 if aligned_shapes else limit])
    return [group for group in groups if group.shape in kept]
