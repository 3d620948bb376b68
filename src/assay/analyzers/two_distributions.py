"""Two distributions side by side: counts of the same values, and cumulative shares of numbers.

Both come from counts or from sketches, of two batches or of two tables.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Counts",
    "CumulativeShares",
    "Floats",
    "IndexedCounts",
    "WeightedSample",
    "align_counts",
    "bin_counts",
    "cumulative_shares",
]

Floats = NDArray[np.float64]

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


class IndexedCounts:
    """Counts as an array, with the position of each value, for fast comparisons."""

    def __init__(self, counts: Mapping[str, float]) -> None:
        self.places = dict(zip(counts, range(len(counts)), strict=True))
        self.counts: Floats = np.fromiter(counts.values(), np.float64, len(counts))


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


def bin_counts(this: WeightedSample, before: WeightedSample) -> Counts:
    """Count the numbers of both samples in bins, which are made from the one before."""
    edges = _edges(before)
    return Counts(_binned(this, edges), _binned(before, edges))


def cumulative_shares(this: WeightedSample, before: WeightedSample) -> CumulativeShares:
    """Return the cumulative distributions of both samples, at every number of one of them."""
    at = np.union1d(this.values, before.values)
    return CumulativeShares(at, this.cumulative_share(at), before.cumulative_share(at))


def align_counts(
    this: Mapping[str, float], before: IndexedCounts, uncounted: tuple[float, float]
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
