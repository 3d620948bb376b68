"""The statistics of a column in one batch, and comparisons of two batches.

Metrics are computed from these statistics only: numbers, counts of values and of shapes, and the
distribution of numbers. They are the same whether they come from rows or from stored states.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from typing import Literal

import numpy as np

from assay.analyzers.two_distributions import (
    Counts,
    CumulativeShares,
    Floats,
    IndexedCounts,
    WeightedSample,
    align_counts,
    bin_counts,
    cumulative_shares,
)
from assay.learn.relations.relation import Relation, RelationCounts

__all__ = [
    "ColumnKind",
    "ColumnStats",
    "Counts",
    "CumulativeShares",
    "Fingerprint",
    "Floats",
    "Pair",
    "WeightedSample",
]

#: The kind of a column. avh-kdd23 lists the metrics of numbers in Table 3, of others in Table 4.
ColumnKind = Literal["numeric", "categorical"]


@dataclass(frozen=True)
class ColumnStats:
    """The statistics of one column in one batch.

    Parameters
    ----------
    kind
        True if the column holds numbers.
    numbers
        Numbers by name. Any column: ``rows``, ``values`` (not null), ``distinct``, ``checksum``.
        Columns of numbers: ``min``, ``max``, ``sum``, ``median``, ``sd``, and the counts ``zeros``,
        ``negatives`` and ``integers``. Text: the total ``characters``, ``letters``, ``digits``,
        ``spaces`` and ``symbols``, and the count ``empty``. ``sampled`` is the number of values
        that are counted exactly: all, or those of a sample by hash. ``sampled_distinct`` is the
        number of distinct ones. A missing name means that the number is unknown.
    sample
        The distribution of numbers. None for text and for private columns.
    value_counts, shape_counts
        How often each value and each shape occurs. They may hold the most frequent only: the others
        are then compared as one value.
    sampled_counts
        If `value_counts` are incomplete: the counts of a sample of the distinct values.
    """

    kind: ColumnKind
    numbers: Mapping[str, float]
    sample: WeightedSample | None = None
    value_counts: Mapping[str, int] = field(default_factory=dict)
    shape_counts: Mapping[str, int] = field(default_factory=dict)
    sampled_counts: Mapping[str, int] = field(default_factory=dict)

    def __getitem__(self, name: str) -> float:
        return float(self.numbers.get(name, math.nan))

    def per_value(self, name: str) -> float:
        """Return a number divided by the number of values; NaN without values."""
        return self[name] / self["values"] if self["values"] else math.nan

    def uncounted(self, counts: Mapping[str, int]) -> float:
        """Return the number of values that are not in `counts`. Without counts, it is 0."""
        uncounted = self["values"] - sum(counts.values())
        return uncounted if counts and uncounted > 0 else 0.0

    @property
    def mostly_counted(self) -> bool:
        """True if at least 90 % of the values are counted, which is enough to compare them."""
        return bool(self.value_counts) and self.uncounted(self.value_counts) <= 0.1 * self["values"]

    def is_category(self, max_values: int) -> bool:
        """Return whether the column has 2 to `max_values` distinct values, all counted."""
        return 1 < len(self.value_counts) <= max_values and not self.uncounted(self.value_counts)

    @cached_property
    def indexed_values(self) -> IndexedCounts:
        """The counts of values, indexed for comparisons."""
        return IndexedCounts(self.value_counts)

    @cached_property
    def indexed_shapes(self) -> IndexedCounts:
        """The counts of shapes, indexed for comparisons."""
        return IndexedCounts(self.shape_counts)

    @property
    def mean(self) -> float:
        """The arithmetic mean of the numbers."""
        return self.per_value("sum")

    @cached_property
    def digest(self) -> str | None:
        """A hash that is equal for columns with the same values in any order.

        It is computed from the checksum, or from the counts without a checksum. It is empty
        for a column without values, and None if the values are unknown.
        """
        if not self["values"]:
            return ""
        content: object = self.numbers.get("checksum")
        if content is None and self.sample is not None:
            content = [self.sample.values.tolist(), self.sample.weights.tolist()]
        elif content is None and self.value_counts and not self.uncounted(self.value_counts):
            content = self.value_counts
        if content is None:
            return None
        document = json.dumps([self["rows"], self["values"], content], sort_keys=True)
        return blake2b(document.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


@dataclass(frozen=True)
class Fingerprint:
    """The statistics of a batch.

    Parameters
    ----------
    rows
        The number of rows.
    columns
        The statistics of each column.
    nulls
        The number of rows with each combination of null columns. Keys are the names of the null
        columns in order, separated by commas.
    row_counts
        The number of equal rows, by their hash in hexadecimal. Empty if they were not counted
        exactly.
    rows_one_in
        If only some rows are counted: those whose hash is a multiple of this power of 2.
    relations
        The relations between columns that were measured, with their counts.
    """

    rows: int
    columns: Mapping[str, ColumnStats]
    nulls: Mapping[str, int] = field(default_factory=dict)
    row_counts: Mapping[str, int] = field(default_factory=dict)
    rows_one_in: int = 1
    relations: Mapping[Relation, RelationCounts] = field(default_factory=dict)


@dataclass(frozen=True)
class Pair:
    """A column in a batch and in the one before, for two-distribution metrics (Definition 2)."""

    this: ColumnStats
    before: ColumnStats

    @cached_property
    def value_counts(self) -> Counts:
        """Counts of values. Numbers are counted in bins, which are made from the batch before."""
        if self.this.kind == "categorical":
            uncounted = (
                self.this.uncounted(self.this.value_counts),
                self.before.uncounted(self.before.value_counts),
            )
            return align_counts(self.this.value_counts, self.before.indexed_values, uncounted)
        this, before = self.this.sample, self.before.sample
        if this is None or before is None or not this.total or not before.total:
            return Counts(np.zeros(0), np.zeros(0))
        return bin_counts(this, before)

    @cached_property
    def shape_counts(self) -> Counts:
        """Counts of the shapes of values."""
        uncounted = (
            self.this.uncounted(self.this.shape_counts),
            self.before.uncounted(self.before.shape_counts),
        )
        return align_counts(self.this.shape_counts, self.before.indexed_shapes, uncounted)

    @cached_property
    def cumulative_shares(self) -> CumulativeShares | None:
        """The distributions of numbers in both batches; None if one is unknown."""
        this, before = self.this.sample, self.before.sample
        if this is None or before is None or not this.total or not before.total:
            return None
        return cumulative_shares(this, before)
