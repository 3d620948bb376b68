"""What should be known about a batch, and is no alarm; but a clock that makes no sense."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from assay.gate.finding import Finding
from assay.gate.table_schema import TableSchema
from assay.store.batch import Batch, Selection
from assay.store.protocol import Store
from assay.store.verdict import Decision

__all__ = ["batch_notes"]


def batch_notes(
    store: Store, batch: Batch, columns: TableSchema, private: Iterable[str]
) -> Iterator[Finding]:
    """Of its columns, of its key, and of its time."""
    for each in private:
        if each not in columns.names:
            reason = f"there is no column {each!r}, which is to be private."
            yield Finding("gate", Decision.ACCEPT, reason)
    if store.verdicts(Selection.one(batch.dataset, batch.key)):
        reason = "a batch of this key was judged before, and held other data."
        yield Finding("gate", Decision.ACCEPT, reason)
    others = store.batches(Selection(batch.dataset, but=batch.key))
    later = [each for each in others if each.time > batch.time]
    if not later:
        return
    younger = f"{len(later)} batches are" if len(later) > 1 else "1 batch is"
    reason = f"{younger} younger than this one, of {batch.time:%Y-%m-%d %H:%M}: it is judged by"
    if len(later) < len(others):
        yield Finding("gate", Decision.ACCEPT, f"{reason} those before it.")
    else:
        yield Finding("gate", Decision.WARN, f"{reason} the latest, since none is before it.")
