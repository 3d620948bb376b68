"""What tests of the gate ask a store about learning."""

from __future__ import annotations

from assay.store import Selection, Store


def marked_bad(store: Store, dataset: str) -> set[str]:
    """Return the keys of accepted batches that nothing is learned from."""
    learnable = store.batches(Selection(dataset, learnable=True))
    return {batch.key for batch in store.batches(Selection(dataset)) if batch not in learnable}
