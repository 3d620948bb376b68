"""Store the limits that the first batch of a dataset suggests, and load them again."""

from __future__ import annotations

from collections.abc import Sequence

from assay.learn.fingerprint.column_stats import Fingerprint
from assay.learn.limits.metric_history import FingerprintReader
from assay.learn.suggest.provisional import MAX_BATCHES, ProvisionalSuite, suggest_limits
from assay.store.batch import Batch, Selection
from assay.store.derived import DerivedRecord
from assay.store.protocol import Store

__all__ = ["load_suite", "save_suite"]


def load_suite(
    store: Store, batches: Sequence[Batch], fingerprints: FingerprintReader
) -> tuple[ProvisionalSuite | None, list[tuple[str, DerivedRecord]]]:
    """Return the limits that the first of few batches suggests, and the record if it was missing.

    They are None if there are enough batches to learn from.
    """
    if len(batches) > MAX_BATCHES:
        return None, []
    first = batches[0]
    suite = store.derived(ProvisionalSuite, first.dataset, [first.key]).get(first.key)
    if suite is not None and suite.change == first.change:
        return suite, []
    fingerprint = fingerprints.read(first)
    suite = suggest_limits(fingerprint, table=first.dataset, change=first.change)
    return suite, [(first.key, suite)]


def save_suite(store: Store, batch: Batch, fingerprint: Fingerprint) -> None:
    """Store the limits that an accepted first batch suggests."""
    for first in store.batches(Selection.one(batch.dataset, batch.key)):
        suite = suggest_limits(fingerprint, table=batch.dataset, change=first.change)
        store.save(batch.dataset, batch.key, suite)
