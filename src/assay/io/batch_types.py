"""Choose the types of the columns of many batches, in the order of the batches.

The first batches with values choose the type of a column. Later batches keep it, by the rules of
`assay.io.column_types.keep_type`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assay.io.column_types import TypeCounts, choose_type, is_widening, keep_type
from assay.io.ragged_rows import RAGGED_COLUMN

__all__ = ["Counts", "choose_types", "keep_types", "merge_counts"]

#: files that choose the types of a folder's columns: several, since in one file all prices may be
#: whole numbers
_LOOKAHEAD_FILES = 5

Counts = Mapping[str, TypeCounts]


def choose_types(batches: Sequence[Counts]) -> list[dict[str, str]]:
    """Choose the types of all batches in their order."""
    first_counts: dict[str, list[TypeCounts]] = {}
    for counts in batches:
        for name, column in counts.items():
            if column.n_values and len(first_counts.setdefault(name, [])) < _LOOKAHEAD_FILES:
                first_counts[name].append(column)
    current = {name: _widest_type(columns) for name, columns in first_counts.items()}
    chosen = []
    for counts in batches:
        types = keep_types(counts, current)
        for name, kind in types.items():
            if is_widening(current.get(name, kind), kind):
                current[name] = kind
        chosen.append(types)
    return chosen


def _widest_type(columns: Sequence[TypeCounts]) -> str:
    """Return the type of a column's first batch, widened as the next batches need it."""
    type_name = choose_type(columns[0]) or "string"
    for counts in columns[1:]:
        kept = keep_type(counts, type_name)
        type_name = kept if is_widening(type_name, kept) else type_name
    return type_name


def keep_types(counts: Counts, expected: Mapping[str, str]) -> dict[str, str]:
    """Return the types of a batch's columns, which are the expected ones if the values allow it."""
    return {
        name: keep_type(column, expected[name])
        if name in expected
        else choose_type(column) or "string"
        for name, column in counts.items()
        if name != RAGGED_COLUMN
    }


def merge_counts(batches: Sequence[Counts]) -> Counts:
    """Add the counts of batches, or of the files of one batch."""
    merged: dict[str, TypeCounts] = {}
    for counts in batches:
        for name, column in counts.items():
            merged[name] = merged.get(name, TypeCounts()) + column
    return merged
