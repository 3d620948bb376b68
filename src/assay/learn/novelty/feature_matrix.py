"""The features of accepted batches as a matrix, and what would have been predicted of each.

A number is predicted from those before it: by their mean, by the last, or by the one a season ago.
NaN is no number: it is neither predicted nor used.

>>> past = matrix([{Feature("a", "mean"): each} for each in (1.0, 2.0, 6.0)])
>>> means(past.values).ravel().tolist(), lasts(past.values).ravel().tolist()
([nan, 1.0, 1.5, 3.0], [nan, 1.0, 2.0, 6.0])
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from assay.learn.fingerprint.column_stats import Floats
from assay.learn.novelty.metrics import UNCHANGED, Feature, Features

__all__ = ["FeatureMatrix", "lasts", "matrix", "means", "seasons"]


@dataclass(frozen=True)
class FeatureMatrix:
    """One row per batch, one column per feature."""

    features: tuple[Feature, ...]
    values: Floats

    def row(self, observed: Features) -> Floats:
        """Another batch in the same order."""
        return np.array([observed.get(each, np.nan) for each in self.features], np.float64)

    def of(self, feature: Feature) -> Floats:
        """One feature of all batches; NaN where it has none."""
        if feature not in self._places:
            return np.full(len(self.values), np.nan)
        found: Floats = self.values[:, self._places[feature]]
        return found

    @cached_property
    def _places(self) -> dict[Feature, int]:
        return {feature: place for place, feature in enumerate(self.features)}


def matrix(history: Sequence[Features]) -> FeatureMatrix:
    """All features that any of the batches has, in an order that does not depend on theirs.

    But how much is as in the batch before, which is nearly none or nearly all (see `repetition`).
    """
    every = {feature for each in history for feature in each} - {UNCHANGED}
    ordered = tuple(sorted(every, key=lambda each: (each.column or "", each.metric)))
    rows = [[each.get(feature, np.nan) for feature in ordered] for each in history]
    values = np.array(rows, np.float64).reshape(len(history), len(ordered))
    values[~np.isfinite(values)] = np.nan
    return FeatureMatrix(ordered, values)


def means(values: Floats) -> Floats:
    """The mean of all numbers before each row, and before the row to come."""
    some = np.isfinite(values)
    sums = np.cumsum(np.where(some, values, 0.0), axis=0)
    counts = np.cumsum(some, axis=0)
    found = np.full((len(values) + 1, values.shape[1]), np.nan)
    np.divide(sums, counts, out=found[1:], where=counts > 0)
    return found


def lasts(values: Floats) -> Floats:
    """The last number before each row, and before the row to come."""
    at = np.where(np.isfinite(values), np.arange(len(values))[:, None], -1)
    at = np.maximum.accumulate(at, axis=0)
    found = np.full((len(values) + 1, values.shape[1]), np.nan)
    found[1:] = np.where(at >= 0, np.take_along_axis(values, np.maximum(at, 0), axis=0), np.nan)
    return found


def seasons(values: Floats, lag: int) -> Floats:
    """The number so many rows before each row, and before the row to come."""
    found = np.full((len(values) + 1, values.shape[1]), np.nan)
    if lag <= len(values):
        found[lag:] = values[: len(values) + 1 - lag]
    return found
