"""What is remembered: states, metrics, verdicts and marks of batches; never rows."""

from assay.store.batch import Batch, Selection
from assay.store.embedded import EmbeddedStore
from assay.store.memory import MemoryStore
from assay.store.postgres import PostgresStore
from assay.store.protocol import DatasetTotals, DatasetVersion, RecordedMetric, Store
from assay.store.verdict import Decision, Mark, MarkKind, VerdictRecord
from assay.store.views import view, whole

__all__ = [
    "Batch",
    "DatasetTotals",
    "DatasetVersion",
    "Decision",
    "EmbeddedStore",
    "Mark",
    "MarkKind",
    "MemoryStore",
    "PostgresStore",
    "RecordedMetric",
    "Selection",
    "Store",
    "VerdictRecord",
    "view",
    "whole",
]
