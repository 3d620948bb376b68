"""`BatchHistory`: the batches before one batch, as checks see them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from assay.analyzers.analyzer import Analyzer
from assay.analyzers.state import State
from assay.checks.assertions.anomaly import to_number
from assay.checks.assertions.expectation import Point
from assay.store.batch import Batch, Selection
from assay.store.protocol import Scope, Store

__all__ = ["BatchHistory"]


@dataclass(frozen=True)
class BatchHistory:
    """Metrics and states of the batches before a batch.

    Batches in quarantine or marked as bad are left out, and so is the stored version of the batch.
    """

    store: Store
    batch: Batch

    @property
    def time(self) -> datetime:
        """When the batch was delivered."""
        return self.batch.time

    def points(self, analyzer: Analyzer, scope: Scope, per: Sequence[str]) -> Sequence[Point]:
        """Return a metric of earlier batches, oldest first.

        Only batches whose key has the same values for the parts `per` are included.
        """
        parts = self.batch.parts
        return [
            Point(recorded.batch.time, to_number(recorded.metric.value))
            for recorded in self.store.metrics(self._before(), [analyzer], scope)
            if recorded.metric.problem is None
            and all(recorded.batch.parts.get(name) == parts.get(name) for name in per)
        ]

    def states(self, analyzer: Analyzer, latest: int) -> Sequence[State]:
        """Return the states of the `latest` batches before the batch, oldest first."""
        newest = replace(self._before(), latest=latest)
        states_by_batch = self.store.states(newest, [analyzer])
        return [states[analyzer] for states in states_by_batch.values() if analyzer in states]

    def _before(self) -> Selection:
        return Selection(
            self.batch.dataset, until=self.batch.time, but=self.batch.key, learnable=True
        )
