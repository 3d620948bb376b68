"""The stored columns of batches."""

from __future__ import annotations

from assay.gate.table_schema import TableSchema
from assay.store.batch import Batch, BatchStatus, Selection
from assay.store.protocol import Store

__all__ = ["load_last_schema", "load_schema"]


def load_schema(store: Store, batch: Batch) -> TableSchema | None:
    """Return the recorded columns of a batch."""
    status = batch.status if batch.status is BatchStatus.ACCEPTED else BatchStatus.HELD
    return store.derived(TableSchema, batch.dataset, [batch.key], status).get(batch.key)


def load_last_schema(store: Store, dataset: str) -> TableSchema | None:
    """Return the columns of the last accepted batch; None if there is none."""
    batches = store.batches(Selection(dataset, learnable=True, latest=1))
    return load_schema(store, batches[-1]) if batches else None
