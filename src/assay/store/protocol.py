"""What a store must offer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from assay.analyzers.analyzer import Analyzer
from assay.analyzers.state import State
from assay.engine.measurement import Measurement, Metric
from assay.store.batch import Batch, Selection

__all__ = ["Recorded", "Store"]


@dataclass(frozen=True)
class Recorded:
    """A metric as it was when its batch was written."""

    batch: Batch
    metric: Metric


@runtime_checkable
class Store(Protocol):
    """Remembers states and metrics by batch; never rows.

    Writing is atomic and idempotent: a batch is there wholly or not at all, and writing it again
    replaces it. Several processes may write at once.
    """

    def write(self, batch: Batch, measurement: Measurement) -> None:
        """Remember a batch, in place of what was remembered of it."""

    def remove(self, dataset: str, key: str) -> bool:
        """Forget a batch; whether there was one."""

    def datasets(self) -> tuple[str, ...]:
        """The datasets there are."""

    def batches(self, selection: Selection) -> tuple[Batch, ...]:
        """The batches that are meant, oldest first."""

    def states(
        self, selection: Selection, analyzers: Iterable[Analyzer] | None = None
    ) -> Mapping[Batch, Mapping[Analyzer, State]]:
        """Their states, of all analyzers or of some."""

    def metrics(
        self, selection: Selection, analyzers: Iterable[Analyzer] | None = None
    ) -> tuple[Recorded, ...]:
        """Their metrics, oldest first: a history."""
