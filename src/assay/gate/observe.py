"""Facts about a batch that are worth knowing, without an alarm.

The exception is a batch that is older than all others: it warns, since it is compared with later
batches.
"""

from __future__ import annotations

from collections.abc import Iterator

from assay.gate.context import BatchContext
from assay.gate.finding import Finding
from assay.gate.first_batch_notes import first_batch_notes
from assay.gate.measured_batch import MeasuredBatch
from assay.store.verdict import Decision

__all__ = ["observe"]


def observe(context: BatchContext, measured: MeasuredBatch) -> Iterator[Finding]:
    """Report missing private columns, a known key with other rows, and a batch out of order.

    The first batch has notes about what is odd in it.
    """
    names = () if measured.schema is None else measured.schema.names
    for column in context.settings.private:
        if column not in names:
            yield Finding("gate", Decision.ACCEPT, f"the private column {column!r} does not exist.")
    if context.earlier_delivery.was_judged:
        reason = "a batch with this key and other rows was judged before."
        yield Finding("gate", Decision.ACCEPT, reason)
    if not context.history.metrics.batches:
        yield from first_batch_notes(
            measured.fingerprint, measured.schema, context.settings.private
        )
    if not context.later_batch:
        return
    time = f"{measured.batch.time:%Y-%m-%d %H:%M}"
    if context.is_before_all:
        reason = f"all other batches are younger than this one ({time}): it is compared with them."
        yield Finding("gate", Decision.WARN, reason)
    else:
        reason = f"some batches are younger than this one ({time}): they are not considered."
        yield Finding("gate", Decision.ACCEPT, reason)
