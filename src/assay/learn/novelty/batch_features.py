"""Compute the features of a batch, alone and compared with accepted batches.

>>> from assay.learn.fingerprint.from_rows import fingerprint, strings
>>> first = fingerprint({"code": strings(["a-1", "b-2", "b-2", None])})
>>> second = fingerprint({"code": strings(["a-1", "A 1", "b-2", "c-3"])})
>>> computed = compute_features(second, SeenValues().add(first))
>>> names = (catalogue.UNSEEN_VALUES, catalogue.UNSEEN_SHAPES, catalogue.TOP_SHARE)
>>> [round(computed[Feature("code", name)], 2) for name in names]
[0.5, 0.25, 0.25]
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from assay.learn.fingerprint import metrics as catalogue
from assay.learn.fingerprint import pair_distances
from assay.learn.fingerprint.column_stats import ColumnStats, Fingerprint, Floats, Pair, Stat
from assay.learn.novelty.features import Feature
from assay.learn.novelty.repetition import share_of_unchanged_columns
from assay.learn.novelty.seen_values import (
    SeenColumn,
    SeenValues,
    null_combinations,
    shorten_values,
)
from assay.learn.novelty.trigrams import Trigrams

__all__ = ["column_features", "compute_features", "entropy", "table_features", "top_share"]

#: A combination of nulls is rare if fewer than 1 in 1,000 earlier rows had it.
_RARE_SHARE = 0.001
_QUARTILES = {
    catalogue.LOWER_QUARTILE: 0.25,
    catalogue.MIDDLE_QUARTILE: 0.5,
    catalogue.UPPER_QUARTILE: 0.75,
}
#: Metrics that are a count divided by the number of values.
_COUNTS = {
    catalogue.ZERO_RATIO: "zeros",
    catalogue.NEGATIVE_RATIO: "negatives",
    catalogue.INTEGER_RATIO: "integers",
}
#: Metrics that are a count divided by the number of characters.
_CHARACTER_COUNTS = {
    catalogue.LETTER_RATIO: "letters",
    catalogue.DIGIT_RATIO: "digits",
    catalogue.SPACE_RATIO: "spaces",
    catalogue.SYMBOL_RATIO: "symbols",
}


def compute_features(batch: Fingerprint, seen: SeenValues) -> dict[Feature, float]:
    """Compute all features of a batch.

    A column that earlier batches had and this one lacks is treated as a column without values.

    Parameters
    ----------
    batch
        The batch.
    seen
        The values of the accepted batches before it.
    """
    features = table_features(batch, seen)
    for name, stats in batch.columns.items():
        features |= column_features(name, stats, seen.columns.get(name, SeenColumn()))
    for name in seen.columns:
        if name not in batch.columns:
            features |= dict.fromkeys((Feature(name, m) for m in _FEATURES_OF_MISSING), 0.0)
    return features


_FEATURES_OF_MISSING = (catalogue.COMPLETENESS, catalogue.HAS_VALUES)


def table_features(batch: Fingerprint, seen: SeenValues) -> dict[Feature, float]:
    """Compute the features of the whole batch: rows, combinations of nulls, unchanged columns."""
    unseen = rare = math.nan
    if batch.rows and seen.rows and batch.nulls:
        now, before = _comparable_nulls(batch, seen)
        min_rows = _RARE_SHARE * seen.rows
        unseen = sum(n for names, n in now.items() if names not in before) / batch.rows
        rare = sum(n for names, n in now.items() if before.get(names, 0) < min_rows) / batch.rows
    values = {
        catalogue.ROW_COUNT: float(batch.rows),
        catalogue.UNSEEN_NULLS: unseen,
        catalogue.RARE_NULLS: rare,
        catalogue.UNCHANGED: share_of_unchanged_columns(batch, seen.last, seen.several),
    }
    return _scaled(None, values)


def column_features(name: str, stats: ColumnStats, seen: SeenColumn) -> dict[Feature, float]:
    """Compute the features of one column.

    Parameters
    ----------
    name
        The column.
    stats
        Its statistics in this batch.
    seen
        Its values in accepted batches.
    """
    rows, n_values = stats.n_rows, stats.n_values
    values = {
        catalogue.COMPLETENESS: n_values / rows if rows else math.nan,
        # If completeness varies, its band is wide. This feature still detects an empty column.
        catalogue.HAS_VALUES: float(n_values > 0) if rows else math.nan,
        catalogue.IS_NUMERIC: float(stats.kind == "numeric") if n_values else math.nan,
        catalogue.DISTINCT_COUNT: stats.n_distinct if n_values else math.nan,
        catalogue.DISTINCT_RATIO: min(stats.per_value(Stat.DISTINCT), 1.0),
        catalogue.TOP_SHARE: top_share(stats),
        catalogue.ENTROPY: entropy(stats),
    }
    # Numbers that overflow become infinite and are judged as such.
    with np.errstate(over="ignore", invalid="ignore"):
        values |= _of_numbers(stats) if stats.kind == "numeric" else _of_strings(stats, seen)
        for metric in catalogue.for_novelty(stats.kind):
            if metric.name not in values and metric.of_batch is not None:
                values[metric.name] = float(metric.of_batch(stats))
    return _scaled(name, values)


def _scaled(column: str | None, values: Mapping[str, float]) -> dict[Feature, float]:
    features = {Feature(column, metric): value for metric, value in values.items()}
    return {feature: feature.to_scale(value) for feature, value in features.items()}


def _of_numbers(stats: ColumnStats) -> dict[str, float]:
    values = {metric: stats.per_value(count) for metric, count in _COUNTS.items()}
    if stats.sample is not None and stats.sample.total:
        quartiles = stats.sample.quantiles(np.array(list(_QUARTILES.values())))
        values |= dict(zip(_QUARTILES, quartiles.tolist(), strict=True))
    return values


def _of_strings(stats: ColumnStats, seen: SeenColumn) -> dict[str, float]:
    characters = stats.n_characters
    features = {
        metric: stats[count] / characters if characters else math.nan
        for metric, count in _CHARACTER_COUNTS.items()
    }
    if not seen.total or not stats.value_counts:
        return features
    values, shapes = shorten_values(stats.value_counts), shorten_values(stats.shape_counts)
    pair = Pair(
        ColumnStats("categorical", stats.numbers, value_counts=values, shape_counts=shapes),
        seen.stats,
    )
    return features | {
        catalogue.UNSEEN_VALUES: _unseen_share(values, seen.values),
        catalogue.UNSEEN_SHAPES: _unseen_share(shapes, seen.shapes),
        catalogue.SURPRISE: seen.trigrams.surprise(Trigrams.of(stats.value_counts)),
        catalogue.L1_TO_HISTORY: pair_distances.l1(pair.value_counts),
        catalogue.L_INF_TO_HISTORY: pair_distances.l_inf(pair.value_counts),
    }


def _unseen_share(now: Mapping[str, int], before: Mapping[str, int]) -> float:
    """Return the share of the counted values that no earlier batch had.

    Values that are not counted are ignored, since they may be new or not.
    """
    total = sum(now.values())
    return sum(n for value, n in now.items() if value not in before) / total if total else math.nan


def top_share(stats: ColumnStats) -> float:
    """Return the share of the most frequent value (section 4 of novelty-edbt21)."""
    counts, uncounted = _value_counts(stats)
    total = counts.sum() + uncounted
    return float(counts.max() / total) if len(counts) and total > 0 else math.nan


def entropy(stats: ColumnStats) -> float:
    """Return ``-Σ p ln p``. Uncounted values are assumed to be equally frequent."""
    counts, uncounted = _value_counts(stats)
    total = counts.sum() + uncounted
    if not len(counts) or not total > 0:
        return math.nan
    p = counts[counts > 0] / total
    nats = -float(p @ np.log(p))
    if uncounted:
        n_others = max(1.0, stats.n_distinct - len(counts))
        nats -= uncounted / total * math.log(uncounted / total / n_others)
    return max(0.0, nats)


def _value_counts(stats: ColumnStats) -> tuple[Floats, float]:
    """Return the count of each known value, and the number of all other values."""
    if stats.value_counts or stats.sample is None:
        counts = np.fromiter(stats.value_counts.values(), np.float64, len(stats.value_counts))
        return counts, stats.uncounted(stats.value_counts)
    return stats.sample.weights, 0.0


def _comparable_nulls(
    batch: Fingerprint, seen: SeenValues
) -> tuple[Mapping[str, int], Mapping[str, int]]:
    """Return the combinations of nulls now and before, for the columns that both have."""
    both = batch.columns.keys() & seen.columns.keys()
    if both == seen.columns.keys():
        return null_combinations(batch.nulls, both), seen.nulls
    return null_combinations(batch.nulls, both), null_combinations(seen.nulls, both)
