"""What a store must offer."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

from assay.analyzers.analyzer import Analyzer
from assay.analyzers.state import State
from assay.engine.measurement import Measurement, Metric
from assay.store.batch import Batch, Selection
from assay.store.verdict import Mark, VerdictRecord

__all__ = ["DatasetTotals", "DatasetVersion", "MergedStates", "RecordedMetric", "Scope", "Store"]

#: metrics of the batch alone, or of the whole dataset as it was with this batch
Scope = Literal["batch", "whole"]


@dataclass(frozen=True)
class RecordedMetric:
    """A metric as it was when its batch was written."""

    batch: Batch
    metric: Metric


@dataclass(frozen=True, slots=True)
class DatasetVersion:
    """How often a dataset has changed, and which change was the last that took something away.

    A running total that knows of change `n` is still right for the batches up to it as long as
    ``removed <= n``.
    """

    latest: int = 0
    removed: int = 0


@dataclass(frozen=True)
class DatasetTotals:
    """The whole dataset once a batch is written or gone, as seen from a change of the dataset.

    Its metrics are kept with the batch. Its states become the running totals if nothing has changed
    since `seen`; else they are left alone, and the next reader adds what they lack.
    """

    seen: int
    measurement: Measurement


@dataclass(frozen=True)
class MergedStates:
    """The states of several batches for an analyzer, in as few as the store could make of them."""

    batches: int
    states: Sequence[State]


@runtime_checkable
class Store(Protocol):
    """Remembers states and metrics by batch; never rows.

    Writing is atomic and idempotent: a batch is there wholly or not at all, and writing it again
    replaces it. Several processes may write at once.
    """

    @property
    def tables(self) -> str | None:
        """Where Spark writes tables of frequencies; None where the store collects them."""

    def write(
        self, batch: Batch, measurement: Measurement, whole: DatasetTotals | None = None
    ) -> None:
        """Remember a batch, in place of what was remembered of it."""

    def load(
        self, measured: Mapping[Batch, Measurement], whole: DatasetTotals | None = None
    ) -> None:
        """Remember many batches of one dataset at once: all of them or none.

        `whole` becomes the running totals as with `write`; its metrics are no batch's.
        """

    def remove(self, dataset: str, key: str, whole: DatasetTotals | None = None) -> bool:
        """Forget a batch; whether there was one."""

    def datasets(self) -> tuple[str, ...]:
        """The datasets there are."""

    def batches(self, selection: Selection) -> tuple[Batch, ...]:
        """The batches that are meant, oldest first."""

    def states(
        self, selection: Selection, analyzers: Iterable[Analyzer] | None = None
    ) -> Mapping[Batch, Mapping[Analyzer, State]]:
        """Their states, of all analyzers or of some."""

    def merged_states(
        self, selection: Selection, analyzers: Iterable[Analyzer]
    ) -> tuple[int, Mapping[Analyzer, MergedStates]]:
        """How many batches are meant, and each analyzer's states of them: for merging many."""

    def metrics(
        self,
        selection: Selection,
        analyzers: Iterable[Analyzer] | None = None,
        scope: Scope = "batch",
    ) -> tuple[RecordedMetric, ...]:
        """Their metrics, oldest first: a history."""

    def changes(self, dataset: str) -> DatasetVersion:
        """How far the dataset has come."""

    def totals(
        self, dataset: str, analyzers: Iterable[Analyzer]
    ) -> Mapping[Analyzer, tuple[int, State]]:
        """The running totals, and the change each of them knows of."""

    def note(self, dataset: str, name: str, notes: Mapping[str, str]) -> None:
        """Remember texts about batches by their keys, or about the dataset, whose key is empty.

        They are what somebody worked out once and need not again. Those about a batch go with it,
        be it removed or replaced.
        """

    def notes(
        self, dataset: str, name: str, keys: Collection[str] | None = None
    ) -> Mapping[str, str]:
        """The texts of this name, all or those about some batches, by their keys."""

    def add_verdict(self, verdict: VerdictRecord) -> None:
        """Remember a verdict."""

    def verdicts(self, selection: Selection) -> tuple[VerdictRecord, ...]:
        """The verdicts on batches of these keys and times, oldest first."""

    def add_mark(self, mark: Mark) -> None:
        """Remember what somebody said of a batch."""

    def marks(self, selection: Selection) -> tuple[Mark, ...]:
        """What was said of batches of these keys, oldest first."""
