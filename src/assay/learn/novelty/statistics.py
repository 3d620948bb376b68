"""The paper's features of a batch (section 4): of itself alone, as they are.

Completeness, the number of distinct values and the share of the most frequent one; of numbers the
maximum, mean, minimum and standard deviation; of strings the index of peculiarity.

>>> from assay.learn.fingerprint.column import fingerprint, numbers
>>> found = statistics(fingerprint({"n": numbers([1, 2, 2, None])}))
>>> {feature.metric: round(each, 2) for feature, each in found.items()}
{'completeness': 0.75, 'count distinct': 2.0, 'top': 0.5, 'plain max': 2.0, 'plain mean': 1.67,
 'plain min': 1.0, 'plain sd': 0.47}
"""

from __future__ import annotations

import math

from assay.learn.fingerprint.facts import Facts, Fingerprint
from assay.learn.novelty.features import top_share
from assay.learn.novelty.metrics import METRICS, Feature
from assay.learn.novelty.peculiarity import peculiarity

__all__ = ["statistics"]


def statistics(batch: Fingerprint) -> dict[Feature, float]:
    """The features of all columns."""
    return {
        Feature(name, metric): METRICS[metric].inward(value)
        for name, facts in batch.columns.items()
        for metric, value in _of(facts).items()
    }


def _of(facts: Facts) -> dict[str, float]:
    rows, values = facts["rows"], facts["values"]
    found = {
        "completeness": values / rows if rows else math.nan,
        "count distinct": facts["distinct"],
        # of the size of the batch, nulls and all
        "top": top_share(facts) * values / rows if rows else math.nan,
    }
    if facts.table == "categorical":
        return found | {"peculiarity": peculiarity(facts.values)}
    return found | {
        "plain max": facts["max"],
        "plain mean": facts.mean,
        "plain min": facts["min"],
        "plain sd": facts["sd"],
    }
