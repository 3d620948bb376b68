"""Features of a batch: one number per metric of each column, and of the whole batch.

The catalogue of batch metrics defines the scale on which a feature is compared. A mean is compared
as ``asinh(x)``, which is linear near 0 and logarithmic far from it. A row count is compared as
``log(1 + n)``. Reports show the number itself.

>>> str(Feature("price", catalogue.MEAN)), str(Feature(None, catalogue.ROW_COUNT))
('price: the mean', 'the number of rows')
>>> mean = Feature("price", catalogue.MEAN)
>>> round(mean.to_scale(1000.0), 3), mean.from_scale(mean.to_scale(1000.0))
(7.601, 1000.0)
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from assay.checks.formatting import visible
from assay.learn.fingerprint import metrics as catalogue

__all__ = ["ROW_COUNT", "UNCHANGED", "Feature", "Features", "read", "written"]


class Feature(NamedTuple):
    """A metric of a column, or of the whole batch if `column` is None."""

    column: str | None
    metric: str

    def __str__(self) -> str:
        metric = catalogue.find(self.metric)
        label = visible(self.metric) if metric is None else metric.label
        return label if self.column is None else f"{visible(self.column)}: {label}"

    @property
    def share_of(self) -> Literal["rows", "values"] | None:
        """The base of a share: all rows, or the non-null values. None for other metrics."""
        metric = catalogue.find(self.metric)
        return None if metric is None else metric.share_of

    def to_scale(self, value: float) -> float:
        """Convert a value to the scale on which batches are compared."""
        metric = catalogue.find(self.metric)
        return value if metric is None else metric.to_scale(value)

    def from_scale(self, value: float) -> float:
        """Convert a value back for people, within the range of the metric."""
        metric = catalogue.find(self.metric)
        return value if metric is None else metric.from_scale(value)


ROW_COUNT = Feature(None, catalogue.ROW_COUNT)
UNCHANGED = Feature(None, catalogue.UNCHANGED)
#: The features of one batch, on the scale on which batches are compared; NaN if undefined.
Features = Mapping[Feature, float]


def written(features: Features) -> list[list[str | float | None]]:
    """Convert features to JSON types: column, metric and value. Undefined ones are omitted."""
    return [[*feature, value] for feature, value in features.items() if math.isfinite(value)]


def read(document: Iterable[Sequence[Any]]) -> dict[Feature, float]:
    """Convert a document of `written` back. Metric names of version 0.1 are read too."""
    return {
        Feature(column, catalogue.canonical_name(metric)): value
        for column, metric, value in document
    }
