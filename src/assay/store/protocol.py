"""`Store`: what a store of batches, metrics, verdicts and marks must offer."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from os import PathLike
from typing import Literal, Protocol, TypeVar, runtime_checkable

from assay.analyzers.analyzer import Analyzer
from assay.analyzers.state import State
from assay.deprecation import renamed_fields, warn_renamed
from assay.engine.measurement import Measurement, Metric
from assay.errors import CheckError
from assay.store.batch import Batch, BatchStatus, Selection
from assay.store.derived import DerivedRecord
from assay.store.verdict import Mark, MarkKind, VerdictCounts, VerdictRecord

__all__ = [
    "Counters",
    "DatasetTotals",
    "DatasetVersion",
    "MergedStates",
    "RecordedMetric",
    "Scope",
    "Store",
    "require_store",
]

#: metrics of the batch alone, or of the whole dataset as it was with this batch
Scope = Literal["batch", "whole"]

D = TypeVar("D", bound=DerivedRecord)


@dataclass(frozen=True)
class RecordedMetric:
    """A metric as it was when its batch was written.

    Attributes
    ----------
    batch : Batch
        The batch.
    metric : Metric
        Its metric, or that of the whole dataset with it.
    """

    batch: Batch
    metric: Metric


@dataclass(frozen=True, slots=True)
class DatasetVersion:
    """Number of the latest change of a dataset, and of the last one that removed a batch.

    Replacing a batch removes its old version. A running total as of change `n` only lacks later
    batches if ``removed <= n``. Otherwise it contains a batch that is gone.

    Attributes
    ----------
    latest : int
        Number of the latest change; 0 without any.
    removed : int
        Number of the latest change that removed a batch.
    """

    latest: int = 0
    removed: int = 0


@renamed_fields(seen="as_of")
@dataclass(frozen=True)
class DatasetTotals:
    """Metrics and states of the whole dataset with a batch written or removed.

    The store keeps the metrics with the batch. It keeps the states as the running totals only if
    the dataset has not changed since. Otherwise the next reader adds the missing batches.

    Attributes
    ----------
    as_of : int
        Number of the latest change of the dataset that is included.
    measurement : Measurement
        Metrics and states of all batches.
    """

    as_of: int
    measurement: Measurement

    @property
    def seen(self) -> int:
        """The old name of `as_of`."""
        warn_renamed("DatasetTotals.seen", "DatasetTotals.as_of")
        return self.as_of


@dataclass(frozen=True)
class MergedStates:
    """The states of several batches for an analyzer, merged as far as the store could.

    Attributes
    ----------
    batches : int
        The number of selected batches that have a state.
    states : Sequence of State
        States whose merged state is that of all these batches.
    """

    batches: int
    states: Sequence[State]


@dataclass(slots=True)
class Counters:
    """Numbers of reads and writes of a store since it was opened.

    Attributes
    ----------
    snapshots : int
        Snapshots that were read.
    commits : int
        Transactions that were committed.
    """

    snapshots: int = 0
    commits: int = 0


@runtime_checkable
class Store(Protocol):
    """Keeps states and metrics of batches, verdicts and marks. It never keeps rows.

    Every write is atomic and idempotent: a batch is stored completely or not at all, and writing
    it again replaces it. Several threads and processes may write at once.

    A key can have two batches: an accepted one, and one in quarantine (held or rejected). Writing
    one never changes the other. Quarantined batches do not belong to the dataset: they do not
    count in `changes` and do not change running totals.
    """

    @property
    def counters(self) -> Counters:
        """Number of snapshots and commits so far. A single read or write counts as one."""

    @property
    def tables(self) -> str | None:
        """Path where Spark writes frequency tables; None if the store collects them."""

    def snapshot(self) -> AbstractContextManager[None]:
        """Let all reads of this thread see one state of the store.

        A snapshot within a snapshot or a transaction joins it. Writes within a snapshot are
        transactions of their own, which the snapshot does not see.
        """

    def transaction(self) -> AbstractContextManager[None]:
        """Commit all writes of this thread together; roll them back if an exception is raised.

        Reads within it see its writes. A transaction within a transaction joins it. Transactions
        run one after another, so a read is still true when a later write is committed.
        """

    def write(
        self, batch: Batch, measurement: Measurement, totals: DatasetTotals | None = None
    ) -> None:
        """Store a batch in place of the accepted, or of the quarantined, batch of its key."""

    def load(
        self, measured: Mapping[Batch, Measurement], totals: DatasetTotals | None = None
    ) -> None:
        """Store many batches of one dataset at once: all of them or none.

        The states of `totals` become the running totals as in `write`. Its metrics are not kept.
        """

    def remove(
        self,
        dataset: str,
        key: str,
        totals: DatasetTotals | None = None,
        status: BatchStatus | tuple[BatchStatus, ...] = BatchStatus.ACCEPTED,
    ) -> bool:
        """Remove the batch of this key and status. Return whether there was one."""

    def set_status(
        self, batch: Batch, status: BatchStatus, totals: DatasetTotals | None = None
    ) -> Batch:
        """Accept or reject a quarantined batch, or hold it again. Return it as stored.

        An accepted batch replaces the accepted batch of its key. Its derived records move with
        it. Raises a `StoreError` if no such batch is in quarantine, or another version of it.
        """

    def datasets(self) -> tuple[str, ...]:
        """Return the names of all datasets that have batches, quarantined ones included."""

    def batches(self, selection: Selection) -> tuple[Batch, ...]:
        """Return the selected batches, oldest first."""

    def states(
        self, selection: Selection, analyzers: Iterable[Analyzer] | None = None
    ) -> Mapping[Batch, Mapping[Analyzer, State]]:
        """Return the states of the selected batches, of all analyzers or of some."""

    def merged_states(
        self, selection: Selection, analyzers: Iterable[Analyzer]
    ) -> tuple[int, Mapping[Analyzer, MergedStates]]:
        """Return the number of selected batches, and their merged states for each analyzer.

        A store may leave out the states if no analyzer has a state of every batch.
        """

    def metrics(
        self,
        selection: Selection,
        analyzers: Iterable[Analyzer] | None = None,
        scope: Scope = "batch",
    ) -> tuple[RecordedMetric, ...]:
        """Return the metrics of the selected batches, oldest first."""

    def changes(self, dataset: str) -> DatasetVersion:
        """Return how often the dataset has changed. Quarantined batches do not count."""

    def totals(
        self, dataset: str, analyzers: Iterable[Analyzer]
    ) -> Mapping[Analyzer, tuple[int, State]]:
        """Return the running totals, each with the change that it includes last."""

    def save(
        self,
        dataset: str,
        key: str,
        record: DerivedRecord,
        status: BatchStatus = BatchStatus.ACCEPTED,
    ) -> None:
        """Store a derived record about a batch, or about the dataset (key ``""``).

        It replaces the record of the same kind. A record about a batch is removed when the batch
        is removed or replaced.
        """

    def derived(
        self,
        record_type: type[D],
        dataset: str,
        keys: Collection[str] | None = None,
        status: BatchStatus = BatchStatus.ACCEPTED,
    ) -> Mapping[str, D]:
        """Return derived records by key: all of a type, or those about some batches.

        Records of another version are left out.
        """

    def add_verdict(self, verdict: VerdictRecord) -> None:
        """Store a verdict. Raises a `StoreError` if a different one has its key and time."""

    def verdicts(self, selection: Selection) -> tuple[VerdictRecord, ...]:
        """Return the selected verdicts, oldest first."""

    def remove_verdicts(self, dataset: str, keys: Collection[str]) -> int:
        """Remove the verdicts on the batches of these keys. Return their number. Marks stay."""

    def verdict_counts(self, dataset: str, but: str | None = None) -> VerdictCounts:
        """Count the verdicts on a dataset by decision, and the alarms that were false.

        Each version of a batch counts on its own. Verdicts on the key `but` do not count.
        """

    def add_mark(self, mark: Mark) -> None:
        """Store a mark."""

    def marks(
        self, selection: Selection, kinds: Collection[MarkKind] | None = None
    ) -> tuple[Mark, ...]:
        """Return the selected marks, oldest first: of all kinds or of some."""


def require_store(store: object) -> None:
    """Raise `CheckError` unless a value is an open store."""
    if isinstance(store, str | PathLike):  # the text may be a URL with a password
        is_url = "://" in str(store)
        path = "…" if is_url else repr(str(store))
        kind, opened = ("a URL", "open_store") if is_url else (f"the path {path}", "EmbeddedStore")
        raise CheckError(
            f"invalid store: expected an open store, got {kind}. Write {opened}({path})."
        )
    if not hasattr(store, "verdicts"):
        raise CheckError.unexpected("invalid store", "a store, such as MemoryStore()", store)
