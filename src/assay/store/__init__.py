"""What is remembered: states, metrics, verdicts and marks of batches; never rows."""

from assay.store.batch import Batch, Selection
from assay.store.embedded import EmbeddedStore
from assay.store.memory import MemoryStore
from assay.store.postgres import PostgresStore
from assay.store.protocol import DatasetTotals, DatasetVersion, Recorded, Store
from assay.store.verdict import Decision, Kind, Mark, Verdict
from assay.store.views import view, whole

__all__ = [
    "Batch",
    "DatasetTotals",
    "DatasetVersion",
    "Decision",
    "EmbeddedStore",
    "Kind",
    "Mark",
    "MemoryStore",
    "PostgresStore",
    "Recorded",
    "Selection",
    "Store",
    "Verdict",
    "view",
    "whole",
]
