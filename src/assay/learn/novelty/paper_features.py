"""The paper's features of a batch (section 4): of itself alone, as they are.

Completeness, the number of distinct values and the share of the most frequent one; of numbers the
maximum, mean, minimum and standard deviation; of strings the index of peculiarity.

>>> from assay.learn.fingerprint.from_rows import fingerprint, numbers
>>> found = statistics(fingerprint({"n": numbers([1, 2, 2, None])}))
>>> {feature.metric: round(each, 2) for feature, each in found.items()}
{'completeness': 0.75, 'count distinct': 2.0, 'top': 0.5, 'plain max': 2.0, 'plain mean': 1.67,
 'plain min': 1.0, 'plain sd': 0.47}
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from assay.learn.fingerprint.column_stats import ColumnStats, Fingerprint
from assay.learn.fingerprint.from_rows import Text
from assay.learn.novelty.batch_features import top_share
from assay.learn.novelty.metrics import METRICS, Feature

__all__ = ["peculiarity", "statistics"]

#: Bits of a Unicode code point: two or three fit into one 64-bit key.
_BITS = 21


def statistics(batch: Fingerprint) -> dict[Feature, float]:
    """The features of all columns."""
    return {
        Feature(name, metric): METRICS[metric].inward(value)
        for name, stats in batch.columns.items()
        for metric, value in _of(stats).items()
    }


def _of(stats: ColumnStats) -> dict[str, float]:
    rows, values = stats["rows"], stats["values"]
    found = {
        "completeness": values / rows if rows else math.nan,
        "count distinct": stats["distinct"],
        # of the size of the batch, nulls and all
        "top": top_share(stats) * values / rows if rows else math.nan,
    }
    if stats.kind == "categorical":
        return found | {"peculiarity": peculiarity(stats.value_counts)}
    return found | {
        "plain max": stats["max"],
        "plain mean": stats.mean,
        "plain min": stats["min"],
        "plain sd": stats["sd"],
    }


def peculiarity(values: Mapping[str, int]) -> float:
    """Return the index of peculiarity of a column of text (equation 1; Morris and Cherry 1975).

    `values` are the counts of the values. The index is NaN if no value has three characters.
    The index of a trigram is ``I(xyz) = (log n(xy) + log n(yz)) / 2 - log n(xyz)``. A value has
    the root mean square over its trigrams; the column has the mean over its values.

    >>> peculiarity({"abab": 1, "abc": 1}) == math.log(3) / 2
    True
    """
    text = Text.of(list(values))
    if len(text.codes) < 3:
        return math.nan
    rows = np.fromiter(values.values(), np.float64, len(values))
    value = np.repeat(np.arange(len(values)), text.lengths)
    codes = text.codes.astype(np.int64)
    two = (codes[:-1] << _BITS) | codes[1:]
    in_two = value[:-1] == value[1:]
    in_three = value[:-2] == value[2:]
    if not in_three.any():
        return math.nan
    pairs, pair_at = np.unique(two, return_inverse=True)
    pair_rows = np.where(in_two, rows[value[:-1]], 0.0)
    n2 = np.bincount(pair_at, pair_rows, len(pairs))[pair_at]
    three = ((two[:-1] << _BITS) | codes[2:])[in_three]
    owner = value[:-2][in_three]
    trigrams, at = np.unique(three, return_inverse=True)
    n3 = np.bincount(at, rows[owner], len(trigrams))[at]
    index = (np.log(n2[:-1][in_three]) + np.log(n2[1:][in_three])) / 2 - np.log(n3)
    number = np.bincount(owner, minlength=len(values))
    some = number > 0
    squares = np.bincount(owner, index * index, len(values))
    of_values = np.sqrt(squares[some] / number[some])
    return float(of_values @ rows[some] / rows[some].sum())
