"""What is known of one column of one batch, and of two batches side by side.

Metrics are computed from facts alone: named numbers, how often each value and each pattern occurs,
and how numbers are distributed. Whether rows were counted or states were read makes no difference.
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
#: of which of the paper's tables a column's metrics are: Table 3, or Table 4
ColumnKind = Literal["numeric", "categorical"]

#: numbers are compared in so many bins of equal shares, and two beyond the ends
_BINS = 20


@dataclass(frozen=True)
class WeightedSample:
    """Numbers in ascending order with their weights, as counted or as a sketch of ranks has them.

    >>> WeightedSample.of([3.0, 1.0, 1.0]).cumulative_share(np.array([0.0, 1.0, 2.0, 3.0])).tolist()
    [0.0, 0.6666666666666666, 0.6666666666666666, 1.0]
    """

    values: Floats
    weights: Floats

    @staticmethod
    def of(numbers: object) -> WeightedSample:
        """Counted, one by one."""
        values, counts = np.unique(np.asarray(numbers, dtype=np.float64), return_counts=True)
        return WeightedSample(values, counts.astype(np.float64))

    @cached_property
    def _cumulated(self) -> Floats:
        return np.concatenate(([0.0], np.cumsum(self.weights)))

    @property
    def total(self) -> float:
        """How many numbers there are."""
        return float(self._cumulated[-1])

    def cumulative_share(self, at: Floats) -> Floats:
        """The share of the numbers that do not exceed each of these."""
        found: Floats = self._cumulated[np.searchsorted(self.values, at, side="right")] / self.total
        return found

    def quantiles(self, shares: Floats) -> Floats:
        """The least number that each share of the numbers does not exceed."""
        at = np.searchsorted(self._cumulated[1:], shares * self.total, side="left")
        found: Floats = self.values[np.minimum(at, len(self.values) - 1)]
        return found

    @property
    def median(self) -> float:
        """The one in the middle, or the mean of the two."""
        half = self.total / 2
        low = np.searchsorted(self._cumulated[1:], half, side="left")
        high = np.searchsorted(self._cumulated[1:], half, side="right")
        last = len(self.values) - 1
        two = self.values[min(int(low), last)] / 2 + self.values[min(int(high), last)] / 2
        return float(two)


class _Placed:
    """Counts as an array, and the place of each thing in it: to be compared to many a batch."""

    def __init__(self, counts: Mapping[str, int]) -> None:
        self.places = dict(zip(counts, range(len(counts)), strict=True))
        self.counts: Floats = np.fromiter(counts.values(), np.float64, len(counts))


@dataclass(frozen=True)
class ColumnStats:
    """One column of one batch.

    `named` numbers of any column: ``rows``, ``values`` (that are not null), ``distinct``, and the
    ``checksum`` of what was hashed. Of numbers: ``min``, ``max``, ``sum``, ``median``, ``sd``,
    ``zeros``, ``negatives`` and ``integers``, how many are whole. Of strings, in all:
    ``characters``, ``letters``, ``digits``, ``spaces``, ``symbols``, and ``empty`` values. Of
    `values` and `patterns` the most frequent will do; all others are compared as one. What is not
    named is unknown, and so is every metric that needs it.
    """

    kind: ColumnKind
    numbers: Mapping[str, float]
    sample: WeightedSample | None = None
    value_counts: Mapping[str, int] = field(default_factory=dict)
    shape_counts: Mapping[str, int] = field(default_factory=dict)

    def __getitem__(self, name: str) -> float:
        return float(self.numbers.get(name, math.nan))

    def per_value(self, name: str) -> float:
        """So much per value."""
        return self[name] / self["values"] if self["values"] else math.nan

    def uncounted(self, counts: Mapping[str, int]) -> float:
        """The values that are not among those counted: only the most frequent may be known."""
        left = self["values"] - sum(counts.values())
        return left if counts and left > 0 else 0.0

    @property
    def mostly_counted(self) -> bool:
        """Whether nearly all values are among those counted: what they are can be compared."""
        return bool(self.value_counts) and self.uncounted(self.value_counts) <= 0.1 * self["values"]

    def is_category(self, max_values: int) -> bool:
        """Whether its values split the rows: all are known, there are several, and not too many."""
        return 1 < len(self.value_counts) <= max_values and not self.uncounted(self.value_counts)

    @cached_property
    def indexed_values(self) -> _Placed:
        """The values, to be compared to."""
        return _Placed(self.value_counts)

    @cached_property
    def indexed_shapes(self) -> _Placed:
        """The patterns, to be compared to."""
        return _Placed(self.shape_counts)

    @property
    def mean(self) -> float:
        """The arithmetic mean of numbers."""
        return self.per_value("sum")

    @cached_property
    def digest(self) -> str | None:
        """The same of two columns that hold the same; empty without a value, None if unknown.

        It is of the ``checksum``; of what is counted where that is not known.
        """
        if not self["values"]:
            return ""
        told: object = self.numbers.get("checksum")
        if told is None and self.sample is not None:
            told = [self.sample.values.tolist(), self.sample.weights.tolist()]
        elif told is None and self.value_counts and not self.uncounted(self.value_counts):
            told = self.value_counts
        if told is None:
            return None
        document = json.dumps([self["rows"], self["values"], told], sort_keys=True)
        return blake2b(document.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


@dataclass(frozen=True)
class Fingerprint:
    """What a batch leaves behind: the facts of its columns, and which of them are null together.

    `nulls` counts rows by the names of their columns that are null, in order, parted by commas.
    """

    rows: int
    columns: Mapping[str, ColumnStats]
    nulls: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Counts:
    """How often the same things occur in this batch and in the one before.

    The last of them may be `others` bundled as one.
    """

    this: Floats
    before: Floats
    others: bool = False

    @cached_property
    def defined(self) -> bool:
        """Whether there is something in both."""
        return bool(self.this.sum() > 0 and self.before.sum() > 0)

    @cached_property
    def shares(self) -> tuple[Floats, Floats]:
        """Of this batch and of the one before, each summing up to 1."""
        return self.this / self.this.sum(), self.before / self.before.sum()

    @property
    def smoothed(self) -> Counts:
        """Half a count more of everything: nothing is impossible."""
        return Counts(self.this + 0.5, self.before + 0.5, self.others)


@dataclass(frozen=True)
class CumulativeShares:
    """The shares up to each number that occurs in this batch or in the one before."""

    at: Floats
    this: Floats
    before: Floats


@dataclass(frozen=True)
class Pair:
    """A batch beside the one before it: what two-distribution metrics compare (Definition 2)."""

    this: ColumnStats
    before: ColumnStats

    @cached_property
    def value_counts(self) -> Counts:
        """Of values; of numbers, those in bins that the batch before sets."""
        if self.this.kind == "categorical":
            rest = (
                self.this.uncounted(self.this.value_counts),
                self.before.uncounted(self.before.value_counts),
            )
            return _beside(self.this.value_counts, self.before.indexed_values, rest)
        this, before = self.this.sample, self.before.sample
        if this is None or before is None or not this.total or not before.total:
            return Counts(np.zeros(0), np.zeros(0))
        edges = _edges(before)
        return Counts(_binned(this, edges), _binned(before, edges))

    @cached_property
    def shape_counts(self) -> Counts:
        """Of the patterns of values."""
        rest = (
            self.this.uncounted(self.this.shape_counts),
            self.before.uncounted(self.before.shape_counts),
        )
        return _beside(self.this.shape_counts, self.before.indexed_shapes, rest)

    @cached_property
    def cumulative_shares(self) -> CumulativeShares | None:
        """How numbers are distributed in both."""
        this, before = self.this.sample, self.before.sample
        if this is None or before is None or not this.total or not before.total:
            return None
        at = np.union1d(this.values, before.values)
        return CumulativeShares(at, this.cumulative_share(at), before.cumulative_share(at))


def _beside(this: Mapping[str, int], before: _Placed, rest: tuple[float, float]) -> Counts:
    """One entry for each thing in either, and one for the rest of both.

    What is not known of one batch may be what only the other is known to have, and is taken to be,
    as far as it goes: that a sketch has forgotten rare values makes no batch unlike another.
    """
    counts = np.fromiter(this.values(), np.float64, len(this))
    places = np.fromiter(map(before.places.get, this, repeat(-1)), np.int64, len(this))
    known = places >= 0
    found: Floats = np.zeros(len(before.counts))
    found[places[known]] = counts[known]
    new = counts[~known]
    both = Counts(np.concatenate((found, new)), np.concatenate((before.counts, np.zeros(len(new)))))
    if not any(rest):
        return both
    filled, left = _filled(both.this, both.before, rest[0], rest[1])
    back, behind = _filled(both.before, both.this, rest[1], rest[0])
    return Counts(np.append(filled, left), np.append(back, behind), others=True)


def _filled(counts: Floats, others: Floats, rest: float, of_others: float) -> tuple[Floats, float]:
    """Counts with what is missing among them taken from the rest, and what is left of it."""
    total = others.sum() + of_others
    missing = np.where(counts == 0, others, 0.0) * ((counts.sum() + rest) / total if total else 0.0)
    needed = missing.sum()
    share = min(1.0, rest / needed) if needed else 0.0
    return counts + share * missing, max(0.0, rest - share * needed)


def _edges(before: WeightedSample) -> Floats:
    """Upper ends of bins: below the least number, equal shares up to the greatest."""
    inner = before.quantiles(np.arange(1, _BINS + 1) / _BINS)
    below = np.nextafter(before.values[0], -np.inf)
    return np.unique(np.concatenate(([below], inner, [before.values[-1]])))


def _binned(numbers: WeightedSample, edges: Floats) -> Floats:
    shares = np.concatenate(([0.0], numbers.cumulative_share(edges), [1.0]))
    # a difference of shares may miss 0 by its last digit
    found: Floats = np.maximum(np.diff(shares), 0.0) * numbers.total
    return found
