"""Decide whether an unusual metric has a practical effect that is worth a warning.

In a large batch, a difference can be certain and still not matter: the maximum is 2,358 for the
first time, after 2,359 on every day. A finding of limits or novelty is dropped if the change is
smaller than this:

- shares: 1 % of the rows or values, and 2 of them; nulls and empty values: 0.5 %, or 20 rows;
- distances: the floors in `_MIN_DISTANCES`;
- minimum, maximum, median, quartiles and range: 2 % of the range of the column before, unless the
  sign changes;
- mean, standard deviation and sum: 10 % of the standard deviation before;
- counts of rows or distinct values, and lengths: 5 %.

Metrics of other packages are always kept.

A label column has one value per batch, such as a day or a number of the delivery. If it rose with
every batch and rises again, its size does not matter: 20200701 follows 20200630.

A large effect needs no second opinion. A metric leaves its limits by this much:

- shares, and distances that are shares: 20 % of the rows;
- minimum, maximum, median, quartiles and range: the range of the column before;
- mean, standard deviation and earth mover's distance: the standard deviation before.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Set
from itertools import pairwise

from assay.gate.finding import Finding
from assay.gate.history import GateHistory
from assay.learn.fingerprint import metrics
from assay.learn.fingerprint.column_stats import ColumnStats, Fingerprint, Stat
from assay.learn.fingerprint.metrics import BatchMetric

__all__ = [
    "MIN_SHARE",
    "has_large_effect",
    "has_practical_effect",
    "rising_labels",
    "with_practical_effect",
]

#: Two ordinary batches of a table are this far apart (benchmarks.judgement).
_MIN_DISTANCES: Mapping[str, float] = {
    metrics.KOLMOGOROV_SMIRNOV: 0.05,
    metrics.COHEN_D: 0.1,
    metrics.L1: 0.04,
    metrics.L_INF: 0.02,
    metrics.COSINE: 0.01,
    metrics.CHI_SQUARED: 0.05,
    metrics.JENSEN_SHANNON: 0.02,
    metrics.KULLBACK_LEIBLER: 0.02,
    metrics.PATTERN_L1: 0.04,
    metrics.PATTERN_L_INF: 0.02,
    metrics.PATTERN_COSINE: 0.01,
    metrics.PATTERN_CHI_SQUARED: 0.05,
    metrics.PATTERN_JENSEN_SHANNON: 0.02,
    metrics.PATTERN_KULLBACK_LEIBLER: 0.02,
    metrics.L1_TO_HISTORY: 0.04,
    metrics.L_INF_TO_HISTORY: 0.02,
    metrics.ENTROPY: 0.05,
    metrics.SURPRISE: 0.1,
    metrics.MEAN_HOUR: 0.5,
}
MIN_SHARE = 0.01
#: One row never warns. The margin allows for rounding errors.
_MIN_ROWS = 2 - 1e-9
_MIN_NULL_SHARE, _MIN_NULL_ROWS = 0.005, 20
_MIN_SHARE_OF_RANGE = 0.02
_MIN_DEVIATIONS = 0.1
_MIN_RELATIVE_CHANGE = 0.05
_LARGE_SHARE = 0.2
_LARGE_SHARE_OF_RANGE = 1.0
_LARGE_DEVIATIONS = 1.0
#: Distances, and the part of each that is a share of rows: rows that move count twice in L1.
_SHARES_OF_DISTANCES: Mapping[str, float] = {
    metrics.KOLMOGOROV_SMIRNOV: 1.0,
    metrics.L1: 0.5,
    metrics.L_INF: 1.0,
    metrics.PATTERN_L1: 0.5,
    metrics.PATTERN_L_INF: 1.0,
    metrics.L1_TO_HISTORY: 0.5,
    metrics.L_INF_TO_HISTORY: 1.0,
}
#: Metrics about missing values, for which a smaller share matters.
_OF_MISSING_VALUES = frozenset(
    (metrics.COMPLETENESS, metrics.EMPTY_RATIO, metrics.UNSEEN_NULLS, metrics.RARE_NULLS)
)
_MOMENTS = frozenset((metrics.MEAN, metrics.STANDARD_DEVIATION, metrics.SUM, metrics.EARTH_MOVER))
_COUNTS = frozenset(
    (
        metrics.ROW_COUNT,
        metrics.DISTINCT_COUNT,
        metrics.MEAN_LENGTH,
        metrics.LETTERS_PER_VALUE,
        metrics.DIGITS_PER_VALUE,
        metrics.SYMBOLS_PER_VALUE,
        metrics.SPACES_PER_VALUE,
    )
)


def with_practical_effect(
    findings: Iterable[Finding],
    batch: Fingerprint,
    last: Fingerprint | None,
    rising: Set[str] = frozenset(),
) -> list[Finding]:
    """Return the findings whose metrics changed enough to matter.

    Parameters
    ----------
    findings
        Findings of limits or novelty.
    batch, last
        The batch, and the last accepted batch.
    rising
        The label columns that have always risen (`rising_labels`).
    """
    return [
        finding
        for finding in findings
        if has_practical_effect(finding, _counted(finding, batch), _column(finding, last))
        and (finding.column not in rising or finding.metric in metrics.OF_NULLS)
    ]


def rising_labels(batch: Fingerprint, history: GateHistory) -> frozenset[str]:
    """Return the columns of numbers with one value per batch that has always risen."""

    def has_risen(name: str) -> bool:
        earlier = [values.get(metrics.MIN, math.nan) for values in history.metrics.of(name)]
        values = [*earlier, batch.columns[name][Stat.MIN]]
        return len(earlier) > 1 and all(one < two for one, two in pairwise(values))

    return frozenset(
        name
        for name in history.labels(batch)
        if batch.columns[name].kind == "numeric" and has_risen(name)
    )


def has_practical_effect(finding: Finding, rows: int, before: ColumnStats | None) -> bool:
    """Return whether the change of a metric is large enough to matter.

    Parameters
    ----------
    finding
        A finding of limits or novelty.
    rows
        The number of rows of the batch, or of values if the metric is a share of values.
    before
        The column in the last batch.
    """
    metric = metrics.find(finding.metric)
    actual, low, high = finding.actual, finding.low, finding.high
    if metric is None or actual is None or low is None or high is None:
        return True
    if not all(map(math.isfinite, (actual, low, high))):
        return True
    change = abs(actual - _usual(metric, low, high))
    if metric.share_of is not None or metric.name == metrics.UNSEEN_NULLS:
        return _share_matters(metric, change, rows)
    if metric.name in _MIN_DISTANCES:
        return change >= _MIN_DISTANCES[metric.name]
    if metric.is_value and before is not None:
        changes_sign = actual * low < 0 and actual * high < 0
        spread = before.maximum - before.minimum
        return changes_sign or not change < _MIN_SHARE_OF_RANGE * spread
    if metric.name in _MOMENTS and before is not None:
        scale = before.n_values if metric.name == metrics.SUM else 1.0
        return not change < _MIN_DEVIATIONS * before.sd * scale
    if metric.name in _COUNTS:
        return change >= _MIN_RELATIVE_CHANGE * max(abs(low), abs(high), 1.0)
    return True


def has_large_effect(finding: Finding, batch: Fingerprint, last: Fingerprint | None) -> bool:
    """Return whether a metric is so far outside its limits that anybody would look at it.

    Parameters
    ----------
    finding
        A finding of limits or novelty.
    batch, last
        The batch, and the last accepted batch.
    """
    metric = metrics.find(finding.metric)
    actual, low, high = finding.actual, finding.low, finding.high
    if metric is None:
        return True
    if actual is None or low is None or high is None:
        return False
    excess = max(low - actual, actual - high)
    if not math.isfinite(excess):
        return False
    before = _column(finding, last)
    if metric.share_of is not None or metric.name in _SHARES_OF_DISTANCES:
        share = excess * _SHARES_OF_DISTANCES.get(metric.name, 1.0)
        return share >= _LARGE_SHARE and share * _counted(finding, batch) >= _MIN_ROWS
    if metric.is_value and before is not None:
        return excess > _LARGE_SHARE_OF_RANGE * (before.maximum - before.minimum)
    if metric.name in _MOMENTS - {metrics.SUM} and before is not None:
        return excess > _LARGE_DEVIATIONS * before.sd
    return False


def _counted(finding: Finding, batch: Fingerprint) -> int:
    """Return the number of rows or values that a share refers to."""
    metric, column = metrics.find(finding.metric), _column(finding, batch)
    if metric is None or metric.share_of != "values" or column is None:
        return batch.rows
    return int(column.n_values)


def _column(finding: Finding, batch: Fingerprint | None) -> ColumnStats | None:
    return None if batch is None else batch.columns.get(finding.column or "")


def _usual(metric: BatchMetric, low: float, high: float) -> float:
    """Return the expected value: 0 for a distance, otherwise the middle of the limits.

    Limits that end at the end of the range, such as at a share of 1, are around that end.
    """
    if metric.kind == "distance" or metric.name in _DISTANCES_TO_HISTORY:
        return 0.0 if low <= 0 else low / 2 + high / 2
    if low <= metric.low:
        return low
    return high if high >= metric.high else low / 2 + high / 2


_DISTANCES_TO_HISTORY = frozenset((metrics.L1_TO_HISTORY, metrics.L_INF_TO_HISTORY))


def _share_matters(metric: BatchMetric, change: float, rows: int) -> bool:
    if change * rows < _MIN_ROWS:
        return False
    if metric.name in _OF_MISSING_VALUES:
        return change >= _MIN_NULL_SHARE or change * rows >= _MIN_NULL_ROWS
    return change >= MIN_SHARE
