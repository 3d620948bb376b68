"""A batch that was measured and judged, and is not yet remembered."""

from __future__ import annotations

from dataclasses import dataclass, field

from assay.checks.result import Result
from assay.engine.measurement import Measurement
from assay.store.batch import Batch
from assay.store.protocol import DatasetTotals, Store

__all__ = ["Proposal"]


@dataclass(frozen=True)
class Proposal:
    """A batch, and the whole dataset as it would be with it (differential-icde19, scenario 2).

    `delta` judges the batch alone, `whole` the dataset with it, in the place of the batch's former
    version if there was one. Nothing is remembered until it is accepted.
    """

    batch: Batch
    delta: Result
    whole: Result
    store: Store = field(repr=False)
    measured: Measurement = field(repr=False)
    totals: DatasetTotals = field(repr=False)

    @property
    def passed(self) -> bool:
        """Whether neither the batch nor the whole broke a constraint."""
        return self.delta.passed and self.whole.passed

    @property
    def stale(self) -> bool:
        """Whether the dataset has changed since; `whole` then tells of how it would have been."""
        return self.store.changes(self.batch.dataset).latest != self.totals.seen

    def accept(self) -> Proposal:
        """Remember it, in place of what was remembered of the batch."""
        self.store.write(self.batch, self.measured, self.totals)
        return self

    def accept_if_passed(self) -> Proposal:
        """Remember it if it passed; else raise what `raise_for_failure` raises."""
        self.delta.raise_for_failure()
        self.whole.raise_for_failure()
        return self.accept()

    def show(self) -> None:
        """Print both results."""
        self.delta.show()
        self.whole.show()
