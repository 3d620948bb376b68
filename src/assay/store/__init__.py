"""Stores of states, metrics, verdicts and marks of batches. They never keep rows."""

from typing import Any

from assay.deprecation import warn_renamed
from assay.store.batch import QUARANTINED, Batch, BatchStatus, Selection
from assay.store.dataset_info import DatasetInfo
from assay.store.derived import DerivedRecord
from assay.store.embedded import EmbeddedStore
from assay.store.memory import MemoryStore
from assay.store.opening import open_store
from assay.store.postgres import PostgresStore
from assay.store.protocol import (
    Counters,
    DatasetTotals,
    DatasetVersion,
    MergedStates,
    RecordedMetric,
    Store,
)
from assay.store.verdict import Decision, Mark, MarkKind, VerdictCounts, VerdictRecord
from assay.store.views import dataset_totals, view

__all__ = [
    "QUARANTINED",
    "Batch",
    "BatchStatus",
    "Counters",
    "DatasetInfo",
    "DatasetTotals",
    "DatasetVersion",
    "Decision",
    "DerivedRecord",
    "EmbeddedStore",
    "Mark",
    "MarkKind",
    "MemoryStore",
    "MergedStates",
    "PostgresStore",
    "RecordedMetric",
    "Selection",
    "Store",
    "VerdictCounts",
    "VerdictRecord",
    "dataset_totals",
    "open_store",
    "view",
]


def __getattr__(name: str) -> Any:
    if name != "whole":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    warn_renamed("assay.store.whole", "assay.store.dataset_totals")
    return dataset_totals
