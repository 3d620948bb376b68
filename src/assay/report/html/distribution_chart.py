"""Draw the distribution of a column now and before: bins of numbers and moments, or values."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

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
    edges = (np.geomspace if is_logarithmic else np.linspace)(low, high, _BINS + 1)
    shares = [tuple(_bin_shares(sample, edges).tolist()) for sample in samples]
    unit = " (logarithmic)" if is_logarithmic else ""
    return Distributions(
        shares[0],
        shares[1] if len(shares) > 1 else (),
        describe(low),
        f"{describe(high)}{unit}",
    )


def _bin_shares(sample: WeightedSample, edges: Floats) -> Floats:
    shares: Floats = np.maximum(np.diff(sample.cumulative_share(edges)), 0.0)
    # values equal to the first edge belong to the first bin
    shares[0] += sample.cumulative_share(edges[:1])[0]
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
