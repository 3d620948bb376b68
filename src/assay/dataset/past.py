"""The past of a dataset, as seen from one of its batches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from assay.analyzers.analyzer import Analyzer
from assay.checks.anomalies import Point
from assay.checks.unremarkable import number
from assay.store.batch import Batch, Selection
from assay.store.history import left_out
from assay.store.protocol import Scope, Store

__all__ = ["Past"]


@dataclass(frozen=True)
class Past:
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
        before = Selection(self.batch.dataset, until=self.batch.time)
        excluded = left_out(self.store, self.batch.dataset) | {self.batch.key}
        return [
            Point(recorded.batch.time, number(recorded.metric.value))
            for recorded in self.store.metrics(before, [analyzer], scope)
            if recorded.batch.key not in excluded
            and recorded.metric.problem is None
            and all(recorded.batch.parts.get(part) == own.get(part) for part in per)
        ]
