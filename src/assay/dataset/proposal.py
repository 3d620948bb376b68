"""`Proposal`: a batch that was measured and judged, and is not stored yet."""

from __future__ import annotations

from dataclasses import dataclass, field

from assay.checks.result import Result
from assay.engine.measurement import Measurement
from assay.store.batch import Batch
from assay.store.protocol import DatasetTotals, Store

__all__ = ["Proposal"]


@dataclass(frozen=True)
class Proposal:
    """A judged batch, and the whole dataset as it would be with it.

    This is scenario 2 of differential-icde19. Nothing is stored until the proposal is accepted.

    Attributes
    ----------
    batch : Batch
        The batch.
    delta : Result
        Result for the batch alone.
    whole : Result
        Result for the whole dataset with this batch in place of its stored version.
    measured : Measurement
        Metrics and states of the batch.

    Examples
    --------
    >>> from assay import Check, Dataset, MemoryStore
    >>> ids = Dataset("ids", MemoryStore(), Check("ids").has_size(at_most=5))
    >>> proposal = ids.propose(spark.range(8), "day=1")
    >>> proposal.passed, ids.batches()
    (False, ())
    >>> _ = proposal.accept()  # stores it all the same
    >>> len(ids.batches())
    1
    """

    batch: Batch
    delta: Result
    whole: Result
    store: Store = field(repr=False)
    measured: Measurement = field(repr=False)
    totals: DatasetTotals = field(repr=False)

    @property
    def passed(self) -> bool:
        """True if the batch and the whole dataset fulfil all constraints."""
        return self.delta.passed and self.whole.passed

    @property
    def stale(self) -> bool:
        """True if the dataset has changed since, so that `whole` is out of date."""
        return self.store.changes(self.batch.dataset).latest != self.totals.as_of

    def accept(self) -> Proposal:
        """Store the batch in place of its stored version."""
        self.store.write(self.batch, self.measured, self.totals)
        return self

    def accept_if_passed(self) -> Proposal:
        """Store the batch if it passed.

        Raises
        ------
        VerificationError
            If the batch or the whole dataset does not pass (`Result.raise_for_failure`).
        """
        self.delta.raise_for_failure()
        self.whole.raise_for_failure()
        return self.accept()

    def show(self) -> None:
        """Print both results."""
        self.delta.show()
        self.whole.show()
