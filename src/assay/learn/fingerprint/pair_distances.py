"""Distances between a column of a batch and of the one before.

`assay.analyzers.distance_formulas` has the formulas of Tables 3 and 4 of avh-kdd23.
"""

from __future__ import annotations

from assay.analyzers.distance_formulas import (
    chi_squared,
    cosine,
    earth_mover,
    jensen_shannon,
    kolmogorov_smirnov,
    kullback_leibler,
    l1,
    l_inf,
    standardized_difference,
)
from assay.learn.fingerprint.column_stats import ColumnStats

__all__ = [
    "chi_squared",
    "cohen_d",
    "cosine",
    "earth_mover",
    "jensen_shannon",
    "kolmogorov_smirnov",
    "kullback_leibler",
    "l1",
    "l_inf",
]


def cohen_d(this: ColumnStats, before: ColumnStats) -> float:
    """``|mean - mean'| / pooled sd``. It is infinite for two different constants."""
    return standardized_difference(
        (this.n_values, this.mean, this.sd), (before.n_values, before.mean, before.sd)
    )
