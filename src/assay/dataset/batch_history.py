"""The past of a dataset, as seen from one of its batches."""

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
    """What came before a batch; the batch itself, held ones and bad ones are left out."""

    store: Store
    batch: Batch

    @property
    def time(self) -> datetime:
        """When the batch came."""
        return self.batch.time

    def points(self, analyzer: Analyzer, scope: Scope, per: Sequence[str]) -> Sequence[Point]:
        """A metric of the batches before it, oldest first."""
        own = self.batch.parts
        return [
            Point(recorded.batch.time, to_number(recorded.metric.value))
            for recorded in self.store.metrics(self._before(), [analyzer], scope)
            if recorded.metric.problem is None
            and all(recorded.batch.parts.get(part) == own.get(part) for part in per)
        ]

    def states(self, analyzer: Analyzer, latest: int) -> Sequence[State]:
        """Its states of the latest batches before it, oldest first."""
        newest = replace(self._before(), latest=latest)
        states_by_batch = self.store.states(newest, [analyzer])
        return [states[analyzer] for states in states_by_batch.values() if analyzer in states]

    def _before(self) -> Selection:
        return Selection(
            self.batch.dataset, until=self.batch.time, but=self.batch.key, learnable=True
        )
