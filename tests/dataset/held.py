"""Put a batch of a dataset into quarantine, as a gate does when it holds one."""

from __future__ import annotations

from dataclasses import replace

from assay.engine.measurement import Measurement
from assay.store import BatchStatus, Selection, Store


def hold(store: Store, dataset: str, key: str) -> None:
    """Replace an accepted batch by a held one with the same states and metrics."""
    accepted = Selection.one(dataset, key)
    ((batch, states),) = store.states(accepted).items()
    metrics = {recorded.metric.analyzer: recorded.metric for recorded in store.metrics(accepted)}
    store.remove(dataset, key)
    store.write(replace(batch, status=BatchStatus.HELD), Measurement(metrics, states))
