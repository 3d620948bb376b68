"""Compute the metrics that the last batch would have with each fault (section 4.3, equation 8).

Faults are injected into a sample of at most 1,000 rows. The change in the sample is applied to the
metrics of the whole batch. Metrics that grow with the rows change by the same factor, others by the
same difference. If the sample is the whole batch, the metrics are exact.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from assay.learn.fingerprint import metrics as catalogue
from assay.learn.fingerprint.column_stats import ColumnStats, WeightedSample
from assay.learn.fingerprint.from_rows import Column, column_kind, column_stats
from assay.learn.fingerprint.metrics import BatchMetric, MetricValues
from assay.learn.limits.faults import NO_SOURCES, Fault, Sources, applicable_faults, inject

__all__ = ["SAMPLE_ROWS", "InjectedFault", "inject_faults"]

#: The number of rows to inject faults into. A share of 1 % is then 10 rows.
SAMPLE_ROWS = 1000
#: The largest number of values of the batch before to compare with: the most frequent values, or
#: quantiles. It is twice the sample, so that every value of the sample can be among them.
_MAX_VALUES = 2000


@dataclass(frozen=True)
class InjectedFault:
    """A fault, and the metrics that a batch would have with it."""

    fault: Fault
    metrics: MetricValues


def inject_faults(
    column: Column,
    before: ColumnStats | None,
    *,
    whole: MetricValues | None = None,
    sources: Sources = NO_SOURCES,
    seed: int = 0,
    rows: int = SAMPLE_ROWS,
    paper: bool = False,
) -> tuple[InjectedFault, ...]:
    """Inject every fault that a column can have, one at a time. Faults without effect are omitted.

    Parameters
    ----------
    column
        The column of the last batch, or a sample of it.
    before
        The statistics of the column in the batch before. Distances are computed to them.
    whole
        The metrics of the last batch, if `column` is a sample.
    sources
        The columns that faults copy values from (`inject`).
    seed
        Seed of the random choices.
    rows
        The largest number of rows to use.
    paper
        True to inject only the faults of the paper.
    """
    compared = None if before is None else _reduce(before)
    if whole is None and (compared is not before or len(column) > rows):
        whole = catalogue.compute(column_stats(column), before, remembered=False)
    if len(column) > rows:
        chosen = np.random.default_rng(seed).choice(len(column), rows, replace=False)
        column = column[np.sort(chosen)]
    plain = catalogue.compute(column_stats(column), compared, remembered=False)
    injected: list[InjectedFault] = []
    for fault in applicable_faults(column_kind(column), paper=paper):
        changed = inject(fault, column, seed=seed, sources=sources)
        if changed is None or _equal(changed, column):
            continue
        metrics = catalogue.compute(column_stats(changed), compared, remembered=False)
        if whole is not None:
            metrics = {
                name: _extrapolate(
                    catalogue.get(name), value, plain[name], whole.get(name, math.nan)
                )
                for name, value in metrics.items()
            }
        injected.append(InjectedFault(fault, metrics))
    return tuple(injected)


def _reduce(stats: ColumnStats) -> ColumnStats:
    """Keep at most 2,000 values of a column, so that comparing with it is fast."""
    if stats.sample is not None and len(stats.sample.values) > _MAX_VALUES:
        shares = (np.arange(_MAX_VALUES) + 0.5) / _MAX_VALUES
        weights = np.full(_MAX_VALUES, stats.sample.total / _MAX_VALUES)
        return replace(stats, sample=WeightedSample(stats.sample.quantiles(shares), weights))
    if len(stats.value_counts) > _MAX_VALUES:
        values = list(stats.value_counts)
        counts = np.fromiter(stats.value_counts.values(), np.int64)
        most_frequent = np.argpartition(-counts, _MAX_VALUES)[:_MAX_VALUES].tolist()
        return replace(stats, value_counts={values[at]: int(counts[at]) for at in most_frequent})
    return stats


def _extrapolate(metric: BatchMetric, after: float, before: float, total: float) -> float:
    """Apply the change of a metric in the sample to its value in the whole batch.

    The effect on a metric with an analyzer of its own is unknown, and taken as none.
    """
    if metric.analyzer is not None:
        return total
    if after == before:
        return total
    if metric.grows_with_rows:
        return total * (after / before) if before else after
    # min() and max() in this order keep NaN.
    return min(max(total + (after - before), metric.low), metric.high)


def _equal(one: Column, other: Column) -> bool:
    if len(one) != len(other):
        return False
    if column_kind(one) == "numeric":
        return np.array_equal(one, other, equal_nan=True)
    return bool((one == other).all())
