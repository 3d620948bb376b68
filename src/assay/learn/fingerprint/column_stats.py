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
from itertools import repeat
from typing import Literal

import numpy as np
from numpy.typing import NDArray

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

Floats = NDArray[np.float64]
#: The kind of a column. avh-kdd23 lists the metrics of numbers in Table 3, of others in Table 4.
ColumnKind = Literal["numeric", "categorical"]

#: The number of bins with equal shares for comparing numbers. Two more bins are beyond the ends.
_BINS = 20


@dataclass(frozen=True)
class WeightedSample:
    """Numbers in ascending order with their weights, from counts or from a quantile sketch.

    >>> WeightedSample.of([3.0, 1.0, 1.0]).cumulative_share(np.array([0.0, 1.0, 2.0, 3.0])).tolist()
    [0.0, 0.6666666666666666, 0.6666666666666666, 1.0]
    """

    values: Floats
    weights: Floats

    @staticmethod
    def of(numbers: object) -> WeightedSample:
        """Count numbers."""
        values, counts = np.unique(np.asarray(numbers, dtype=np.float64), return_counts=True)
        return WeightedSample(values, counts.astype(np.float64))

    @cached_property
    def _cumulated(self) -> Floats:
        return np.concatenate(([0.0], np.cumsum(self.weights)))

    @property
    def total(self) -> float:
        """The number of numbers, as the sum of their weights."""
        return float(self._cumulated[-1])

    def cumulative_share(self, at: Floats) -> Floats:
        """Return the share of numbers that are at most each given number."""
        shares: Floats = (
            self._cumulated[np.searchsorted(self.values, at, side="right")] / self.total
        )
        return shares

    def quantiles(self, shares: Floats) -> Floats:
        """Return the smallest number that each share of the numbers does not exceed."""
        at = np.searchsorted(self._cumulated[1:], shares * self.total, side="left")
        numbers: Floats = self.values[np.minimum(at, len(self.values) - 1)]
        return numbers

    @property
    def median(self) -> float:
        """The median: the middle number, or the mean of the two in the middle."""
        half = self.total / 2
        low = np.searchsorted(self._cumulated[1:], half, side="left")
        high = np.searchsorted(self._cumulated[1:], half, side="right")
        last = len(self.values) - 1
        two = self.values[min(int(low), last)] / 2 + self.values[min(int(high), last)] / 2
        return float(two)


class _IndexedCounts:
    """Counts as an array, with the position of each value, for fast comparisons."""

    def __init__(self, counts: Mapping[str, int]) -> None:
        self.places = dict(zip(counts, range(len(counts)), strict=True))
        self.counts: Floats = np.fromiter(counts.values(), np.float64, len(counts))


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
        that are counted exactly, and ``sampled_distinct`` how many of them are distinct: all
        values, or those of a sample by hash. A missing name means that the number is unknown.
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
    def indexed_values(self) -> _IndexedCounts:
        """The counts of values, indexed for comparisons."""
        return _IndexedCounts(self.value_counts)

    @cached_property
    def indexed_shapes(self) -> _IndexedCounts:
        """The counts of shapes, indexed for comparisons."""
        return _IndexedCounts(self.shape_counts)

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
        How often rows occur, by their hash in hexadecimal. Empty if they were not counted exactly.
    rows_one_in
        If only some rows are counted: those whose hash is a multiple of this power of 2.
    """

    rows: int
    columns: Mapping[str, ColumnStats]
    nulls: Mapping[str, int] = field(default_factory=dict)
    row_counts: Mapping[str, int] = field(default_factory=dict)
    rows_one_in: int = 1


@dataclass(frozen=True)
class Counts:
    """Counts of the same values in this batch and in the one before.

    If `others` is true, the last entry is the count of all other values together.
    """

    this: Floats
    before: Floats
    others: bool = False

    @cached_property
    def defined(self) -> bool:
        """True if both batches have values."""
        return bool(self.this.sum() > 0 and self.before.sum() > 0)

    @cached_property
    def shares(self) -> tuple[Floats, Floats]:
        """The shares of the values in this batch and in the one before."""
        return self.this / self.this.sum(), self.before / self.before.sum()

    @property
    def smoothed(self) -> Counts:
        """The counts plus one half, so that no share is 0."""
        return Counts(self.this + 0.5, self.before + 0.5, self.others)


@dataclass(frozen=True)
class CumulativeShares:
    """The cumulative distribution of numbers in this batch and in the one before."""

    at: Floats
    this: Floats
    before: Floats


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
            return _align(self.this.value_counts, self.before.indexed_values, uncounted)
        this, before = self.this.sample, self.before.sample
        if this is None or before is None or not this.total or not before.total:
            return Counts(np.zeros(0), np.zeros(0))
        edges = _edges(before)
        return Counts(_binned(this, edges), _binned(before, edges))

    @cached_property
    def shape_counts(self) -> Counts:
        """Counts of the shapes of values."""
        uncounted = (
            self.this.uncounted(self.this.shape_counts),
            self.before.uncounted(self.before.shape_counts),
        )
        return _align(self.this.shape_counts, self.before.indexed_shapes, uncounted)

    @cached_property
    def cumulative_shares(self) -> CumulativeShares | None:
        """The distributions of numbers in both batches; None if one is unknown."""
        this, before = self.this.sample, self.before.sample
        if this is None or before is None or not this.total or not before.total:
            return None
        at = np.union1d(this.values, before.values)
        return CumulativeShares(at, this.cumulative_share(at), before.cumulative_share(at))


def _align(
    this: Mapping[str, int], before: _IndexedCounts, uncounted: tuple[float, float]
) -> Counts:
    """Return one entry for each value of either batch, and one for all uncounted values.

    A sketch may have dropped a rare value that the other batch counted. Uncounted values are
    assumed to be such dropped values, as far as their number allows. Dropping then makes no
    difference.
    """
    counts = np.fromiter(this.values(), np.float64, len(this))
    places = np.fromiter(map(before.places.get, this, repeat(-1)), np.int64, len(this))
    is_shared = places >= 0
    aligned: Floats = np.zeros(len(before.counts))
    aligned[places[is_shared]] = counts[is_shared]
    new = counts[~is_shared]
    both = Counts(
        np.concatenate((aligned, new)), np.concatenate((before.counts, np.zeros(len(new))))
    )
    if not any(uncounted):
        return both
    this_counts, this_others = _fill_from_uncounted(
        both.this, both.before, uncounted[0], uncounted[1]
    )
    before_counts, before_others = _fill_from_uncounted(
        both.before, both.this, uncounted[1], uncounted[0]
    )
    return Counts(
        np.append(this_counts, this_others), np.append(before_counts, before_others), others=True
    )


def _fill_from_uncounted(
    counts: Floats, others: Floats, uncounted: float, of_others: float
) -> tuple[Floats, float]:
    """Fill missing counts from uncounted values.

    Returns the counts, and the number of values that are still uncounted.
    """
    total = others.sum() + of_others
    missing = np.where(counts == 0, others, 0.0) * (
        (counts.sum() + uncounted) / total if total else 0.0
    )
    needed = missing.sum()
    share = min(1.0, uncounted / needed) if needed else 0.0
    return counts + share * missing, max(0.0, uncounted - share * needed)


def _edges(before: WeightedSample) -> Floats:
    """Return the upper ends of bins: one below the minimum, then equal shares to the maximum."""
    inner = before.quantiles(np.arange(1, _BINS + 1) / _BINS)
    below = np.nextafter(before.values[0], -np.inf)
    return np.unique(np.concatenate(([below], inner, [before.values[-1]])))


def _binned(numbers: WeightedSample, edges: Floats) -> Floats:
    shares = np.concatenate(([0.0], numbers.cumulative_share(edges), [1.0]))
    # A difference of shares may be below 0 by a rounding error.
    counts: Floats = np.maximum(np.diff(shares), 0.0) * numbers.total
    return counts
