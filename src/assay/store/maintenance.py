"""Look after a store: count what it has, and remove old batches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol, runtime_checkable

from assay.errors import StoreError
from assay.store.batch import Batch, BatchStatus, Selection
from assay.store.protocol import Store

__all__ = ["DatasetSize", "Pruned", "StoreOnDisk", "count_datasets", "prune"]


@runtime_checkable
class StoreOnDisk(Protocol):
    """A store whose size is known and whose space can be freed."""

    @property
    def size_bytes(self) -> int:
        """Bytes on disk."""

    def vacuum(self, older_than: timedelta = ...) -> int:
        """Free space, and return the number of frequency tables that were deleted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetSize:
    """The numbers of batches and verdicts of a dataset, and the times of its batches."""

    dataset: str
    accepted: int
    held: int
    rejected: int
    verdicts: int
    first: datetime | None
    last: datetime | None


@dataclass(frozen=True, slots=True)
class Pruned:
    """The batches of a dataset that were removed, and the number of verdicts on them."""

    dataset: str
    batches: tuple[Batch, ...]
    n_verdicts: int


def count_datasets(store: Store) -> tuple[DatasetSize, ...]:
    """Count the batches and verdicts of each dataset, in one snapshot."""
    with store.snapshot():
        return tuple(_size(store, dataset) for dataset in store.datasets())


def prune(
    store: Store,
    dataset: str,
    *,
    keep: int | None = None,
    before: datetime | None = None,
    dry_run: bool = False,
) -> Pruned:
    """Remove old batches of a dataset with their states, metrics and verdicts.

    Held batches and their verdicts stay, and so do all marks.

    Parameters
    ----------
    keep
        Number of the newest accepted batches to keep. Rejected batches older than them go, too.
    before
        Remove the batches before this time instead.
    dry_run
        Remove nothing, and return what would be removed.

    Raises
    ------
    StoreError
        If not exactly one of `keep` and `before` is given.

    Notes
    -----
    A removed batch is forgotten: it no longer belongs to its dataset. Metrics of the whole dataset
    count the batches that remain.

    Examples
    --------
    >>> from assay.store import MemoryStore
    >>> prune(MemoryStore(), "orders", keep=100)
    Pruned(dataset='orders', batches=(), n_verdicts=0)
    """
    if (keep is None) == (before is None):
        raise StoreError("cannot prune: expected either a number of batches to keep, or a time.")
    if keep is not None and keep < 1:
        raise StoreError(f"cannot prune: expected at least 1 batch to keep, got {keep}.")
    with store.transaction():
        accepted = store.batches(Selection(dataset))
        rejected = store.batches(Selection(dataset, status=BatchStatus.REJECTED))
        held = store.batches(Selection(dataset, status=BatchStatus.HELD))
        old = tuple(_old_batches(accepted, rejected, keep, before))
        remaining = {(batch.key, batch.status) for batch in (*accepted, *rejected, *held)}
        remaining -= {(batch.key, batch.status) for batch in old}
        keys = {batch.key for batch in old} - {key for key, _ in remaining}
        if dry_run:
            verdicts = store.verdicts(Selection(dataset))
            n_verdicts = sum(verdict.key in keys for verdict in verdicts)
        else:
            for batch in old:
                store.remove(dataset, batch.key, status=batch.status)
            n_verdicts = store.remove_verdicts(dataset, keys)
    return Pruned(dataset, old, n_verdicts)


def _old_batches(
    accepted: tuple[Batch, ...],
    rejected: Iterable[Batch],
    keep: int | None,
    before: datetime | None,
) -> Iterator[Batch]:
    """Yield the accepted batches to remove, and the rejected ones before the first that stays."""
    if before is not None:
        yield from (batch for batch in (*accepted, *rejected) if batch.time < before)
    elif keep is not None and len(accepted) > keep:
        yield from accepted[:-keep]
        yield from (batch for batch in rejected if batch.time < accepted[-keep].time)


def _size(store: Store, dataset: str) -> DatasetSize:
    batches = {status: store.batches(Selection(dataset, status=status)) for status in BatchStatus}
    times = [batch.time for group in batches.values() for batch in group]
    return DatasetSize(
        dataset=dataset,
        accepted=len(batches[BatchStatus.ACCEPTED]),
        held=len(batches[BatchStatus.HELD]),
        rejected=len(batches[BatchStatus.REJECTED]),
        verdicts=store.verdict_counts(dataset).judged,
        first=min(times, default=None),
        last=max(times, default=None),
    )
