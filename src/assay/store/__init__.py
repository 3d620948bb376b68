"""What is remembered: states, metrics, verdicts and marks of batches; never rows."""

from assay.store.batch import Batch, Selection
from assay.store.embedded import EmbeddedStore
from assay.store.memory import MemoryStore
from assay.store.postgres import PostgresStore
from assay.store.protocol import Changes, Recorded, Store, Whole
from assay.store.verdict import Decision, Kind, Mark, Verdict
from assay.store.views import view, whole

__all__ = [
    "Batch",
    "Changes",
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
    "Whole",
    "view",
    "whole",
]
