"""The features of novelty-edbt21 (section 4), on a linear scale and without history.

For each column: completeness, the number of distinct values, and the share of the most frequent
value. For numbers: maximum, mean, minimum and standard deviation. For text: the index of
peculiarity.

>>> from assay.learn.fingerprint.from_rows import fingerprint, numbers
>>> features = compute_paper_features(fingerprint({"n": numbers([1, 2, 2, None])}))
>>> {feature.metric: round(value, 2) for feature, value in features.items()}
{'complete_ratio': 0.75, 'plain_distinct_count': 2.0, 'top_share': 0.5, 'plain_max': 2.0,
 'plain_mean': 1.67, 'plain_min': 1.0, 'plain_sd': 0.47}
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from assay.analyzers.trigrams import peculiarity
from assay.learn.fingerprint import metrics as catalogue
from assay.learn.fingerprint.column_stats import ColumnStats, Fingerprint
from assay.learn.fingerprint.metrics import MetricValues
from assay.learn.novelty.batch_features import top_share
from assay.learn.novelty.features import Feature, Features

__all__ = ["compute_paper_features", "convert_to_paper"]

#: The stored metric behind each feature of the paper, and the linear one that the paper uses.
_STORED = {
    catalogue.COMPLETENESS: catalogue.COMPLETENESS,
    catalogue.DISTINCT_COUNT: catalogue.PLAIN_DISTINCT_COUNT,
    catalogue.TOP_SHARE: catalogue.TOP_SHARE,
    catalogue.MAX: catalogue.PLAIN_MAX,
    catalogue.MEAN: catalogue.PLAIN_MEAN,
    catalogue.MIN: catalogue.PLAIN_MIN,
    catalogue.STANDARD_DEVIATION: catalogue.PLAIN_SD,
}


def compute_paper_features(batch: Fingerprint) -> dict[Feature, float]:
    """Compute the features of all columns."""
    features = {
        Feature(name, metric): value
        for name, stats in batch.columns.items()
        for metric, value in _column_features(stats).items()
    }
    return {feature: feature.to_scale(value) for feature, value in features.items()}


def _column_features(stats: ColumnStats) -> dict[str, float]:
    rows, n_values = stats.n_rows, stats.n_values
    values = {
        catalogue.COMPLETENESS: n_values / rows if rows else math.nan,
        catalogue.PLAIN_DISTINCT_COUNT: stats.n_distinct,
        # The paper divides by the number of rows, nulls included.
        catalogue.TOP_SHARE: top_share(stats) * n_values / rows if rows else math.nan,
    }
    if stats.kind == "categorical":
        return values | {catalogue.PECULIARITY: peculiarity(stats.value_counts)}
    return values | {
        catalogue.PLAIN_MAX: stats.maximum,
        catalogue.PLAIN_MEAN: stats.mean,
        catalogue.PLAIN_MIN: stats.minimum,
        catalogue.PLAIN_SD: stats.sd,
    }


def convert_to_paper(
    features: Features, by_column: Mapping[str, MetricValues]
) -> dict[Feature, float]:
    """Convert the stored features and metrics of a batch to those of the paper.

    Parameters
    ----------
    features
        The features of the batch. They have all but the index of peculiarity.
    by_column
        The metrics of the batch, by column and name.
    """
    converted = {
        Feature(feature.column, _STORED[feature.metric]): value
        for feature, scaled in features.items()
        if feature.column is not None and feature.metric in _STORED
        for value in [feature.from_scale(scaled) if math.isfinite(scaled) else scaled]
    }
    return converted | {
        Feature(column, catalogue.PECULIARITY): values[catalogue.PECULIARITY]
        for column, values in by_column.items()
        if catalogue.PECULIARITY in values
    }
