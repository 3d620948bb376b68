"""The features of accepted batches as a matrix, and predictions of each row from earlier rows.

A value is predicted by the mean of the earlier values, by the last value, or by the value a season
ago. NaN values are ignored.

>>> past = matrix([{Feature("a", catalogue.MEAN): value} for value in (1.0, 2.0, 6.0)])
>>> means(past.values).ravel().tolist(), lasts(past.values).ravel().tolist()
([nan, 1.0, 1.5, 3.0], [nan, 1.0, 2.0, 6.0])
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from assay.learn.fingerprint import metrics as catalogue
from assay.learn.fingerprint.column_stats import Floats
from assay.learn.novelty.features import UNCHANGED, Feature, Features

__all__ = ["FeatureMatrix", "lasts", "matrix", "means", "seasons"]


@dataclass(frozen=True)
class FeatureMatrix:
    """One row per batch, one column per feature."""

    features: tuple[Feature, ...]
    values: Floats

    def row(self, observed: Features) -> Floats:
        """Return the features of another batch in the same order."""
        return np.array([observed.get(feature, np.nan) for feature in self.features], np.float64)

    def of(self, feature: Feature) -> Floats:
        """Return one feature of all batches, with NaN for batches without it."""
        if feature not in self._places:
            return np.full(len(self.values), np.nan)
        values: Floats = self.values[:, self._places[feature]]
        return values

    @cached_property
    def _places(self) -> dict[Feature, int]:
        return {feature: place for place, feature in enumerate(self.features)}


def matrix(history: Sequence[Features]) -> FeatureMatrix:
    """Return all features of the batches as a matrix. The order of features is deterministic.

    The share of unchanged columns is left out, since `repetition` judges it.
    """
    features = {feature for batch in history for feature in batch} - {UNCHANGED}
    ordered = tuple(sorted(features, key=_sort_key))
    rows = [[batch.get(feature, np.nan) for feature in ordered] for batch in history]
    values = np.array(rows, np.float64).reshape(len(history), len(ordered))
    values[~np.isfinite(values)] = np.nan
    return FeatureMatrix(ordered, values)


def _sort_key(feature: Feature) -> tuple[str, str]:
    """Sort by the metric names of version 0.1: methods with random choices depend on the order."""
    metric = catalogue.find(feature.metric)
    name = feature.metric if metric is None else (*metric.aliases, metric.name)[0]
    return feature.column or "", name


def means(values: Floats) -> Floats:
    """Return the mean of all values before each row, and before the next row."""
    defined = np.isfinite(values)
    sums = np.cumsum(np.where(defined, values, 0.0), axis=0)
    counts = np.cumsum(defined, axis=0)
    predicted = np.full((len(values) + 1, values.shape[1]), np.nan)
    np.divide(sums, counts, out=predicted[1:], where=counts > 0)
    return predicted


def lasts(values: Floats) -> Floats:
    """Return the last value before each row, and before the next row."""
    at = np.where(np.isfinite(values), np.arange(len(values))[:, None], -1)
    at = np.maximum.accumulate(at, axis=0)
    predicted = np.full((len(values) + 1, values.shape[1]), np.nan)
    predicted[1:] = np.where(at >= 0, np.take_along_axis(values, np.maximum(at, 0), axis=0), np.nan)
    return predicted


def seasons(values: Floats, lag: int) -> Floats:
    """Return the value `lag` rows before each row, and before the next row."""
    predicted = np.full((len(values) + 1, values.shape[1]), np.nan)
    if lag <= len(values):
        predicted[lag:] = values[: len(values) + 1 - lag]
    return predicted
