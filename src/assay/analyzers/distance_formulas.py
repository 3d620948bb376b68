"""Distances between two distributions: the two-distribution metrics of Tables 3 and 4.

All are 0 for equal distributions and grow with the difference. The paper uses p-values of tests,
which shrink with the difference. Assay uses the statistics instead: Kolmogorov-Smirnov's D, and
``sqrt(χ²/n)``. Distances are NaN if one batch has no values. No rounding error exceeds their range.

>>> both = Counts(np.array([8.0, 2.0]), np.array([5.0, 5.0]))
>>> round(l1(both), 3), round(l_inf(both), 3), round(chi_squared(both), 3)
(0.6, 0.3, 0.314)
"""

from __future__ import annotations

import math

import numpy as np

from assay.analyzers.two_distributions import Counts, CumulativeShares, Floats

__all__ = [
    "chi_squared",
    "cosine",
    "earth_mover",
    "jensen_shannon",
    "kolmogorov_smirnov",
    "kullback_leibler",
    "l1",
    "l_inf",
    "standardized_difference",
]


def l1(counts: Counts) -> float:
    """``Σ |p - q|``, from 0 to 2."""
    if not counts.defined:
        return math.nan
    p, q = counts.shares
    return min(2.0, float(np.abs(p - q).sum()))


def l_inf(counts: Counts) -> float:
    """``max |p - q|``, from 0 to 1. The entry for all other values is ignored."""
    if not counts.defined:
        return math.nan
    p, q = counts.shares
    differences = np.abs(p - q)
    return min(1.0, float((differences[:-1] if counts.others else differences).max(initial=0.0)))


def cosine(counts: Counts) -> float:
    """``1 - p·q / |p||q|``, from 0 to 1."""
    if not counts.defined:
        return math.nan
    p, q = counts.shares
    # No dot products: for long vectors they start threads, which cost more than they save.
    near = float((p * q).sum()) / math.sqrt(float((p * p).sum()) * float((q * q).sum()))
    return min(1.0, max(0.0, 1.0 - near))


def chi_squared(counts: Counts) -> float:
    """``sqrt(χ²/n)`` of both batches, with n the number of values in both, from 0 to 1."""
    if not counts.defined:
        return math.nan
    n, m = counts.this.sum(), counts.before.sum()
    both = counts.this + counts.before
    some = both > 0
    p, q = counts.shares
    differences = n * m * ((p - q)[some] ** 2 / both[some]).sum()
    return min(1.0, math.sqrt(float(differences / (n + m))))


def jensen_shannon(counts: Counts) -> float:
    """``KL(p, m)/2 + KL(q, m)/2`` in bits, with m the mean of p and q, from 0 to 1."""
    if not counts.defined:
        return math.nan
    p, q = counts.shares
    middle = (p + q) / 2
    bits = (_relative(p, middle) + _relative(q, middle)) / 2 / math.log(2)
    return min(1.0, max(0.0, bits))


def kullback_leibler(counts: Counts) -> float:
    """``Σ p ln(p/q)``. Half a count is added to each value, so that the result is finite."""
    if not counts.defined:
        return math.nan
    return max(0.0, _relative(*counts.smoothed.shares))


def _relative(p: Floats, q: Floats) -> float:
    some = p > 0
    return float((p[some] * np.log(p[some] / q[some])).sum())


def earth_mover(curves: CumulativeShares | None) -> float:
    """``∫ |F - G|``, in the unit of the numbers."""
    if curves is None:
        return math.nan
    differences = np.abs(curves.this - curves.before)[:-1]
    moved = differences > 0
    return float((differences[moved] * np.diff(curves.at)[moved]).sum())


def kolmogorov_smirnov(curves: CumulativeShares | None) -> float:
    """``max |F - G|``, from 0 to 1."""
    if curves is None:
        return math.nan
    return min(1.0, float(np.abs(curves.this - curves.before).max()))


def standardized_difference(
    this: tuple[float, float, float], before: tuple[float, float, float]
) -> float:
    """``|mean - mean'| / pooled sd``: Cohen's d. It is infinite for two different constants.

    Parameters
    ----------
    this, before
        The number of values, their mean and their standard deviation, that of the population.
    """
    (n, mean, sd), (m, mean_before, sd_before) = this, before
    if not n or not m:
        return math.nan
    difference = abs(mean - mean_before)
    # sd is that of the population, so that n · sd² is the sum of squares
    degrees = n + m - 2
    squares = n * sd**2 + m * sd_before**2
    if difference == 0:
        return 0.0 if squares == squares else math.nan
    if squares == 0 or degrees <= 0:
        return math.inf
    return difference / math.sqrt(squares / degrees)
