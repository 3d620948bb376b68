"""Compute metrics of the whole dataset from stored states and those of one batch."""

from __future__ import annotations

from collections.abc import Sequence

from assay.analyzers.analyzer import Analyzer, SchemaAnalyzer
from assay.analyzers.metric import Problem
from assay.engine.measurement import Measurement, Metric
from assay.store.protocol import DatasetTotals, Store
from assay.store.views import dataset_totals

__all__ = ["totals_with_batch"]


def totals_with_batch(
    store: Store,
    dataset: str,
    analyzers: Sequence[Analyzer],
    *,
    without: str | None = None,
    plus: Measurement | None = None,
) -> DatasetTotals:
    """Return metrics and states of the whole dataset, without one batch and with another.

    An analyzer whose states cannot be merged has a metric as well. It is that of the added batch if
    this is the only one, and otherwise a problem.

    Parameters
    ----------
    without
        Key of a batch to leave out.
    plus
        Measurement of a batch to add.
    """
    added = {} if plus is None else plus.states
    states = {analyzer: added[analyzer] for analyzer in analyzers if analyzer in added}
    measured = analyzers if plus is None else list(states)
    incremental = [analyzer for analyzer in measured if analyzer.incremental]
    totals = dataset_totals(store, dataset, incremental, without=without, plus=states)
    metrics = dict(totals.measurement.metrics)
    for analyzer in analyzers:
        if analyzer not in metrics:
            metrics[analyzer] = _metric_without_states(analyzer, plus, is_first=totals.as_of == 0)
    return DatasetTotals(totals.as_of, Measurement(metrics, totals.measurement.states))


def _metric_without_states(
    analyzer: Analyzer, batch: Measurement | None, *, is_first: bool
) -> Metric:
    """Return the metric of the whole dataset for an analyzer whose states cannot be merged.

    `batch` is the batch that is added. The first batch is the whole dataset.
    """
    measured = Measurement({}, {}) if batch is None else batch
    # a metric without a state, such as a failure, holds for the whole dataset as well
    if analyzer in measured.metrics and (is_first or analyzer not in measured.states):
        return measured.metrics[analyzer]
    if isinstance(analyzer, SchemaAnalyzer):
        reason = "it describes columns, and the stored dataset has none: check a batch"
    else:
        reason = "its states cannot be merged: measure all rows together"
    return Metric(analyzer, problem=Problem("not_incremental", reason))
