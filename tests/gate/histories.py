"""Build the history of a dataset from fingerprints, for tests that need no store."""

from __future__ import annotations

from collections.abc import Iterable

from assay.gate.history import GateHistory
from assay.gate.table_schema import TableSchema
from assay.learn.fingerprint.column_stats import Fingerprint
from assay.learn.limits.metric_history import MetricHistory
from assay.store.batch import Batch

__all__ = ["history_of"]


def history_of(
    dataset: str, fingerprints: Iterable[Fingerprint], schema: TableSchema | None = None
) -> GateHistory:
    """Return a history of accepted batches, whose keys are their numbers from 0 on."""
    history = GateHistory(MetricHistory(dataset))
    for number, fingerprint in enumerate(fingerprints):
        history = history.plus(Batch(dataset, str(number)), fingerprint, schema)
    return history
