"""What is remembered: states and metrics of batches, never rows."""

from assay.store.batch import Batch, Selection
from assay.store.embedded import EmbeddedStore
from assay.store.memory import MemoryStore
from assay.store.protocol import Recorded, Store
from assay.store.views import view

__all__ = ["Batch", "EmbeddedStore", "MemoryStore", "Recorded", "Selection", "Store", "view"]
