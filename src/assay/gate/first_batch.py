"""The first batch of a dataset: what it suggests, and whether later batches are unlike it.

It suggests provisional limits, which are stored with it. It is often cut off, or it is the load of
all earlier data. Then it is left out of learning: its row count would widen the limits for months.

>>> def batch(rows):
...     return {ROW_COUNT: ROW_COUNT.to_scale(rows)}
>>> days = [batch(1000.0 + day) for day in range(8)]
>>> [is_unlike_others([batch(rows), *days]) for rows in (90.0, 960.0, 90_000.0)]
[True, False, True]
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from assay.learn.fingerprint.column_stats import Fingerprint
from assay.learn.limits.metric_history import FingerprintReader
from assay.learn.novelty.features import ROW_COUNT, Features
from assay.learn.suggest.provisional import MAX_BATCHES, ProvisionalSuite, suggest_limits
from assay.store.batch import Batch, Selection
from assay.store.derived import DerivedRecord
from assay.store.protocol import Store

__all__ = ["is_unlike_others", "load_suite", "save_suite"]

#: The smallest number of batches to compare the first one with.
_MIN_OTHERS = 8
#: It is unlike the others with less than half of their fewest, or more than twice their most rows.
_MAX_FACTOR = 2.0


def is_unlike_others(batches: Sequence[Features]) -> bool:
    """Return whether the first batch has far fewer or far more rows than all others.

    Parameters
    ----------
    batches
        The features of all batches of a dataset, oldest first.
    """
    if len(batches) <= _MIN_OTHERS:
        return False
    first, *others = (ROW_COUNT.from_scale(b.get(ROW_COUNT, math.nan)) for b in batches)
    others = [rows for rows in others if rows > 0]
    if not first > 0 or len(others) < _MIN_OTHERS:
        return False
    return first * _MAX_FACTOR < min(others) or first > _MAX_FACTOR * max(others)


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
