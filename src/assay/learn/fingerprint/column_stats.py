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
from typing import Final, Literal

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
    "Stat",
    "WeightedSample",
]

#: The kind of a column. avh-kdd23 lists the metrics of numbers in Table 3, of others in Table 4.
ColumnKind = Literal["numeric", "categorical"]


class Stat:
    """The names in `ColumnStats.numbers`. They are stored with verdicts, so they never change."""

    ROWS: Final = "rows"
    #: values that are not null
    VALUES: Final = "values"
    DISTINCT: Final = "distinct"
    CHECKSUM: Final = "checksum"
    #: values that are counted exactly: all, or those of a sample by hash
    SAMPLED: Final = "sampled"
    SAMPLED_DISTINCT: Final = "sampled_distinct"

    # Columns of numbers
    MIN: Final = "min"
    MAX: Final = "max"
    SUM: Final = "sum"
    MEDIAN: Final = "median"
    SD: Final = "sd"
    ZEROS: Final = "zeros"
    NEGATIVES: Final = "negatives"
    INTEGERS: Final = "integers"

    # Text: the total number of characters, and of those of each class
    CHARACTERS: Final = "characters"
    LETTERS: Final = "letters"
    DIGITS: Final = "digits"
    SPACES: Final = "spaces"
    SYMBOLS: Final = "symbols"
    #: empty strings
    EMPTY: Final = "empty"


@dataclass(frozen=True)
class ColumnStats:
    """The statistics of one column in one batch.

    Parameters
    ----------
    kind
        Whether the column holds numbers.
    numbers
        The statistics that are numbers, by their name (`Stat`). A missing name means that the
        number is unknown. The properties return NaN for it.
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

    @property
    def n_rows(self) -> float:
        """The number of rows."""
        return self[Stat.ROWS]

    @property
    def n_values(self) -> float:
        """The number of values that are not null."""
        return self[Stat.VALUES]

    @property
    def n_distinct(self) -> float:
        """The number of distinct values, which may be an estimate."""
        return self[Stat.DISTINCT]

    @property
    def n_sampled(self) -> float:
        """The number of values that are counted exactly: all, or those of a sample by hash."""
        return self[Stat.SAMPLED]

    @property
    def n_sampled_distinct(self) -> float:
        """The number of distinct values among those that are counted exactly."""
        return self[Stat.SAMPLED_DISTINCT]

    @property
    def minimum(self) -> float:
        """The smallest number."""
        return self[Stat.MIN]

    @property
    def maximum(self) -> float:
        """The largest number."""
        return self[Stat.MAX]

    @property
    def total(self) -> float:
        """The sum of the numbers."""
        return self[Stat.SUM]

    @property
    def median(self) -> float:
        """The median of the numbers."""
        return self[Stat.MEDIAN]

    @property
    def sd(self) -> float:
        """The standard deviation of the numbers."""
        return self[Stat.SD]

    @property
    def n_integers(self) -> float:
        """The number of whole numbers."""
        return self[Stat.INTEGERS]

    @property
    def n_characters(self) -> float:
        """The number of characters of all values."""
        return self[Stat.CHARACTERS]

    @property
    def holds_integers(self) -> bool:
        """True if every value is a whole number."""
        return self.n_integers == self.n_values

    @property
    def null_share(self) -> float:
        """The share of rows that are null; NaN without rows."""
        return 1 - self.n_values / self.n_rows if self.n_rows else math.nan

    def per_value(self, name: str) -> float:
        """Return a number divided by the number of values; NaN without values."""
        return self[name] / self.n_values if self.n_values else math.nan

    def uncounted(self, counts: Mapping[str, int]) -> float:
        """Return the number of values that are not in `counts`. Without counts, it is 0."""
        uncounted = self.n_values - sum(counts.values())
        return uncounted if counts and uncounted > 0 else 0.0

    @property
    def mostly_counted(self) -> bool:
        """True if at least 90 % of the values are counted, which is enough to compare them."""
        return bool(self.value_counts) and self.uncounted(self.value_counts) <= 0.1 * self.n_values

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
        return self.per_value(Stat.SUM)

    @cached_property
    def digest(self) -> str | None:
        """A hash that is equal for columns with the same values in any order.

        It is computed from the checksum, or from the counts without a checksum. It is empty
        for a column without values, and None if the values are unknown.
        """
        if not self.n_values:
            return ""
        content: object = self.numbers.get(Stat.CHECKSUM)
        if content is None and self.sample is not None:
            content = [self.sample.values.tolist(), self.sample.weights.tolist()]
        elif content is None and self.value_counts and not self.uncounted(self.value_counts):
            content = self.value_counts
        if content is None:
            return None
        document = json.dumps([self.n_rows, self.n_values, content], sort_keys=True)
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
