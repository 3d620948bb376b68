"""Draw the distribution of a column now and before: bins of numbers and moments, or values."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from assay.gate.verdict_evidence import N_QUANTILES
from assay.html.histogram import histogram, histogram_figure
from assay.html.markup import Html
from assay.html.short_numbers import short_number
from assay.learn.fingerprint.column_stats import ColumnStats, Floats, WeightedSample
from assay.report.html.dates_and_times import moments_of

__all__ = ["Distributions", "distributions", "most_frequent", "repeats"]

#: bins of numbers
_BINS = 32
#: frequent values that are drawn
_MAX_VALUES = 10
#: ratio of the largest to the smallest value from which on the axis is logarithmic
_MIN_LOGARITHMIC_RATIO = 1000.0
#: quantiles at the ends of the axis
_ENDS = (0.005, 0.995)


@dataclass(frozen=True)
class Distributions:
    """The distribution of a column now and before, over the same bins.

    `low` and `high` are the ends of the axis in words; they are empty for values.
    """

    now: tuple[float, ...]
    before: tuple[float, ...]
    low: str = ""
    high: str = ""

    @property
    def picture(self) -> Html | None:
        """The picture alone, for a table."""
        axis = f", from {self.low} to {self.high}" if self.low else " of frequent values"
        batches = "now and before" if any(self.before) else "now"
        return histogram(self.now, self.before, title=f"Distribution {batches}{axis}.")

    @property
    def figure(self) -> Html | None:
        """The picture with its axis and a legend."""
        picture = self.picture
        if picture is None:
            return None
        legend = "filled: now" + ("; dashed: before" if any(self.before) else "")
        return histogram_figure(picture, self.low, self.high, legend)


def distributions(now: ColumnStats | None, before: ColumnStats | None) -> Distributions | None:
    """Compare the distributions of a column; None without two different values."""
    if now is None or not now.n_values:
        return None
    if before is not None and before.kind != now.kind:
        before = None
    if now.sample is not None:
        return _of_numbers(now.sample, None if before is None else before.sample, short_number)
    moments, moments_before = moments_of(now), moments_of(before)
    if moments is not None:
        sample = None if moments_before is None else moments_before.sample
        return _of_numbers(moments.sample, sample, moments.format)
    return _of_values(now, before)


def _of_numbers(
    now: WeightedSample, before: WeightedSample | None, describe: Callable[[float], str]
) -> Distributions | None:
    samples = [sample for sample in (now, before) if sample is not None and sample.total]
    if not now.total:
        return None
    ends = [sample.quantiles(np.array(_ENDS)) for sample in samples]
    low, high = min(float(end[0]) for end in ends), max(float(end[1]) for end in ends)
    if not math.isfinite(high - low) or not low < high:
        return None
    is_number = describe is short_number
    is_logarithmic = is_number and low > 0 and high / low > _MIN_LOGARITHMIC_RATIO
    edges = _edges(samples, low, high, is_number=is_number, is_logarithmic=is_logarithmic)
    shares = [tuple(_bin_shares(sample, edges).tolist()) for sample in samples]
    unit = " (logarithmic)" if is_logarithmic else ""
    return Distributions(
        shares[0],
        shares[1] if len(shares) > 1 else (),
        describe(low),
        f"{describe(high)}{unit}",
    )


def _edges(
    samples: Sequence[WeightedSample],
    low: float,
    high: float,
    *,
    is_number: bool,
    is_logarithmic: bool,
) -> Floats:
    """Return the edges of the bins. Few whole numbers get a bin each."""
    if is_number and _are_few_integers(samples, low, high):
        edges: Floats = np.arange(math.floor(low), math.ceil(high) + 2, dtype=np.float64) - 0.5
        return edges
    steps: Floats = np.linspace(0, 1, _BINS + 1)
    if is_logarithmic:
        logarithmic: Floats = low * (high / low) ** steps
        return logarithmic
    return low + (high - low) * steps


def _are_few_integers(samples: Sequence[WeightedSample], low: float, high: float) -> bool:
    """Return whether all values are whole numbers that fit into one bin each."""
    is_whole = all(bool((sample.values % 1 == 0).all()) for sample in samples)
    return is_whole and high - low < _BINS


def _bin_shares(sample: WeightedSample, edges: Floats) -> Floats:
    """Return the share of the values in each bin; those beyond the ends are in the outer bins."""
    cumulative = _cumulative_shares(sample, edges)
    cumulative[0], cumulative[-1] = 0.0, 1.0
    return np.maximum(np.diff(cumulative), 0.0)


def _cumulative_shares(sample: WeightedSample, edges: Floats) -> Floats:
    """Return the share of values up to each edge.

    A verdict records quantiles of columns with many different values. Values between two quantiles
    are taken as evenly spread.
    """
    are_quantiles = len(sample.values) == N_QUANTILES and np.ptp(sample.weights) == 0
    if not are_quantiles:
        return sample.cumulative_share(edges)
    shares: Floats = np.interp(edges, sample.values, np.linspace(0, 1, N_QUANTILES))
    return shares


def _of_values(now: ColumnStats, before: ColumnStats | None) -> Distributions | None:
    counts = now.value_counts if repeats(now) else now.shape_counts
    counts_before: Mapping[str, int] = {}
    if before is not None:
        counts_before = before.value_counts if repeats(now) else before.shape_counts
    names = list(
        dict.fromkeys(
            (*most_frequent(counts_before, _MAX_VALUES), *most_frequent(counts, _MAX_VALUES))
        )
    )
    if len(names) < 2:
        return None
    n_before = 0.0 if before is None else before.n_values
    return Distributions(
        _shares(counts, names, now.n_values), _shares(counts_before, names, n_before)
    )


def repeats(stats: ColumnStats) -> bool:
    """Return whether values repeat. Otherwise their shapes describe a column better."""
    return bool(stats.value_counts) and stats.n_distinct <= stats.n_values / 2


def most_frequent(counts: Mapping[str, int], number: int) -> list[str]:
    """Return the most frequent values, equally frequent ones in alphabetical order."""
    return sorted(counts, key=lambda value: (-counts[value], value))[:number]


def _shares(counts: Mapping[str, int], names: Sequence[str], total: float) -> tuple[float, ...]:
    return tuple(counts.get(name, 0) / total if total else 0.0 for name in names)
