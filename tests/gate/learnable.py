"""Queries of a store about the batches that learning uses."""

from __future__ import annotations

from assay.store import Selection, Store


def marked_bad(store: Store, dataset: str) -> set[str]:
    """Return the keys of accepted batches that learning leaves out."""
    learnable = store.batches(Selection(dataset, learnable=True))
    return {batch.key for batch in store.batches(Selection(dataset)) if batch not in learnable}
