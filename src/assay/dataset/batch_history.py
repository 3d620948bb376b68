"""The past of a dataset, as seen from one of its batches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from assay.analyzers.analyzer import Analyzer
from assay.analyzers.state import State
from assay.checks.assertions.anomaly import number
from assay.checks.assertions.expectation import Point
from assay.store.batch import Batch, Selection
from assay.store.history import excluded_batches
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
        excluded = self._excluded()
        return [
            Point(recorded.batch.time, number(recorded.metric.value))
            for recorded in self.store.metrics(self._before(), [analyzer], scope)
            if recorded.batch.key not in excluded
            and recorded.metric.problem is None
            and all(recorded.batch.parts.get(part) == own.get(part) for part in per)
        ]

    def states(self, analyzer: Analyzer, latest: int) -> Sequence[State]:
        """Its states of the latest batches before it, oldest first."""
        excluded = self._excluded()
        fine = [each for each in self.store.batches(self._before()) if each.key not in excluded]
        if not fine:
            return []
        since = fine[-latest:][0].time
        found = self.store.states(replace(self._before(), since=since), [analyzer])
        known = [found[each].get(analyzer) for each in fine[-latest:] if each in found]
        return [each for each in known if each is not None]

    def _before(self) -> Selection:
        return Selection(self.batch.dataset, until=self.batch.time)

    def _excluded(self) -> frozenset[str]:
        return excluded_batches(self.store, self.batch.dataset) | {self.batch.key}
