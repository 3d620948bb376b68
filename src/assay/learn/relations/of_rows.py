"""Compute relations from rows in memory, as `measured` does in the scan of a batch.

>>> import numpy as np
>>> relations = RelationsOfRows({"a": np.array([1.0, 2.0, 3.0]), "b": np.array([2.0, 2.0, 1.0])})
>>> counts = relations[Relation(RelationKind.COMPARISON, ("a", "b"))]
>>> (counts.rows, counts.broken, counts.below)
(3, 1, 1)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.learn.relations.measured import counts_of_pairs, sum_tolerance
from assay.learn.relations.relation import Relation, RelationCounts, RelationKind

__all__ = ["RelationsOfRows"]

#: An array of doubles, in which NaN is null, or of objects, in which None is null.
_Column = NDArray[Any]


@dataclass(frozen=True)
class RelationsOfRows(Mapping[Relation, RelationCounts]):
    """The counts of any relation between columns in memory. They are computed when asked for.

    Parameters
    ----------
    columns
        The columns by name, all of one length.
    """

    columns: Mapping[str, _Column]
    _computed: dict[Relation, RelationCounts | None] = field(
        default_factory=dict, repr=False, compare=False
    )

    def __getitem__(self, relation: Relation) -> RelationCounts:
        if relation not in self._computed:
            columns = [self.columns.get(name) for name in relation.columns]
            present = [column for column in columns if column is not None]
            has_all = len(present) == len(columns)
            self._computed[relation] = _counts(relation, present) if has_all else None
        counts = self._computed[relation]
        if counts is None:
            raise KeyError(relation)
        return counts

    def __iter__(self) -> Iterator[Relation]:
        return (relation for relation, counts in self._computed.items() if counts is not None)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _counts(relation: Relation, columns: list[_Column]) -> RelationCounts | None:
    first, second = columns[:2]
    rows = len(first)
    if relation.kind in (RelationKind.KEY, RelationKind.DEPENDENCY):
        pairs = Counter(
            (str(one), str(other))
            for one, other in zip(first.tolist(), second.tolist(), strict=True)
            if _is_value(one) and _is_value(other)
        )
        names = (relation.columns[0], relation.columns[1])
        is_key = relation.kind is RelationKind.KEY
        return counts_of_pairs(pairs, names, is_key=is_key)[relation]
    if relation.kind is RelationKind.EQUALITY:
        same = sum(
            one == other or not (_is_value(one) or _is_value(other))
            for one, other in zip(first.tolist(), second.tolist(), strict=True)
        )
        return RelationCounts(rows, rows - same)
    if any(column.dtype == object for column in columns):
        return None
    numbers = [column.astype(np.float64) for column in columns]
    if relation.kind is RelationKind.COMPARISON:
        return RelationCounts(
            rows, int((numbers[0] > numbers[1]).sum()), int((numbers[0] < numbers[1]).sum())
        )
    if relation.kind is RelationKind.SUM:
        total, *parts = (column[np.isfinite(numbers[0])] for column in numbers)
        errors = np.abs(total - np.nansum(parts, axis=0))
        are_whole = all(bool((np.isnan(c) | (c == np.rint(c))).all()) for c in (total, *parts))
        deviation = float(total.std()) if len(total) else 0.0
        tolerance = sum_tolerance(deviation, are_whole=are_whole)
        return RelationCounts(rows, int((errors > tolerance).sum()))
    present = np.isfinite(np.stack(numbers)).all(axis=0)
    values = [column[present] for column in numbers]
    if len(values[0]) < 2 or not values[0].std() or not values[1].std():
        return None
    coefficient = float(np.corrcoef(values[0], values[1])[0, 1])
    return RelationCounts(len(values[0]), value=coefficient)


def _is_value(value: object) -> bool:
    return value is not None and value == value
