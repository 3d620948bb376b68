"""`Gate`: measures every batch of a dataset once, judges it, and accepts or holds it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from assay.checks.check import Check
from assay.deprecation import renamed_arguments
from assay.engine.reference_tables import ReferenceTables
from assay.gate.arguments import GateArguments, batch_of, spec_of
from assay.gate.backfill import backfill_table
from assay.gate.backtest import Backtest, Review, backtest
from assay.gate.budget.track_record import TrackRecord, load_track_record
from assay.gate.explain import explain
from assay.gate.quarantine import Quarantine
from assay.gate.spec import GateSpec
from assay.gate.submit import Submission, refuse, submit
from assay.gate.verdict import Verdict
from assay.io.file_dialect import FileDialect
from assay.store.batch import Batch
from assay.store.protocol import Store
from assay.store.verdict import MarkKind
from assay.suite.settings import GateSettings
from assay.suite.suite import Suite

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["Gate"]


@dataclass(frozen=True, repr=False, eq=False)
class Gate(GateArguments):
    """Accepts or holds the batches of a dataset.

    Parameters
    ----------
    dataset : str
        Name of the dataset.
    store : Store
        The store that keeps batches, verdicts and marks.
    suite : Suite, Check or iterable of Check, optional
        Declared checks and settings. The arguments below overrule the settings.
    budget : str, optional
        Share of good batches that may be held by mistake, such as ``"1/200"``.
    share_false : float, optional
        Share of the holds that may be false, over all gates of the store that set it: 0.1.
    on_error : str, optional
        ``"hold"`` or ``"warn"``: what happens to a batch if something could not be judged.
    season : int, optional
        Number of batches after which metrics repeat, such as 7 for daily batches.
    private : str or iterable of str, optional
        Columns whose values are never recorded or shown.
    judges, columns, metrics : str or iterable of str, optional
        The judges that are asked, the columns that they learn from, and the metrics they compare.
    exclude : str or iterable of str, optional
        Columns that the learning judges do not see.
    by : str, optional
        A column that splits each batch into segments, which are compared with their own history.
    patterns : PatternIndex or path, optional
        Index of the patterns of a data lake.
    detector : str or DetectorSettings, optional
        Detector of novelty: ``"bands"``, or a detector of novelty-edbt21.
    owner, description : str, optional
        A person or a team to ask about the dataset, and what it holds. See ``assay status``.
    tags : str or iterable of str, optional
        Names by which ``assay status --tag`` selects datasets.
    notify : callable, optional
        Called with each verdict once it is recorded.
    """

    dataset: str
    store: Store
    suite: Suite | Check | Iterable[Check] | None = None
    _: KW_ONLY
    notify: Callable[[Verdict], None] | None = None
    spec: GateSpec = field(init=False)

    def __post_init__(self) -> None:
        spec = spec_of(self.dataset, self.store, self.suite, self.options, self.notify)
        object.__setattr__(self, "spec", spec)

    @property
    def settings(self) -> GateSettings:
        """The settings in force."""
        return self.spec.settings

    @property
    def track_record(self) -> TrackRecord:
        """Number of verdicts and of reviewed alarms, with the measured rate of false holds."""
        return load_track_record(self.store, self.dataset)

    @property
    def quarantine(self) -> Quarantine:
        """The held batches."""
        return Quarantine(self.dataset, self.store)

    @renamed_arguments(reread="allow_multiple_reads", others="reference_tables", writing="dialect")
    def submit(
        self,
        df: DataFrame,
        batch: str,
        *,
        time: datetime | None = None,
        tags: Mapping[str, str] | None = None,
        allow_multiple_reads: bool | None = None,
        reference_tables: ReferenceTables | None = None,
        dialect: FileDialect | None = None,
    ) -> Verdict:
        """Measure a batch in one scan, judge it, and record it as accepted or held.

        The same rows under the same key return the recorded verdict. Other rows under a known key
        are a new version, which replaces the old one if it is accepted.

        Parameters
        ----------
        df
            The rows of the batch.
        batch
            Key of the batch, such as ``"date=2026-11-14"``.
        time, tags
            Time of the delivery, now by default; and values that describe the batch, by name.
        allow_multiple_reads
            True if the rows may be read more than once. By default the source decides.
        reference_tables
            Tables that checks compare with, by name.
        dialect
            The dialect of the file that the batch comes from.
        """
        submission = Submission(
            batch=batch_of(self.dataset, batch, time, tags),
            df=df,
            allow_multiple_reads=allow_multiple_reads,
            reference_tables=reference_tables,
            dialect=dialect,
        )
        return submit(self.spec, submission)

    def refuse(self, batch: str, reason: str, *, time: datetime | None = None) -> Verdict:
        """Hold a delivery that cannot be read as a table."""
        return refuse(self.spec, batch_of(self.dataset, batch, time), reason)

    def explain(self, df: DataFrame, verdict: Verdict) -> Verdict:
        """Read the batch again, and add the segments in which columns deviate to the verdict."""
        return explain(self.spec, df, verdict)

    @renamed_arguments(reread="allow_multiple_reads")
    def backfill(
        self, df: DataFrame, by: str | Sequence[str], *, allow_multiple_reads: bool | None = None
    ) -> tuple[Batch, ...]:
        """Record existing data as history, without judging it.

        Each combination of values of the `by` columns is a batch. Its date is the batch's time.
        """
        return backfill_table(self.spec, df, by, allow_multiple_reads=allow_multiple_reads)

    @renamed_arguments(reread="allow_multiple_reads")
    def backtest(
        self,
        batches: DataFrame | Mapping[str, DataFrame],
        by: str | Sequence[str] = (),
        *,
        review: Review | str | None = None,
        allow_multiple_reads: bool | None = None,
    ) -> Backtest:
        """Replay a history: judge each batch by the batches before it only.

        Parameters
        ----------
        batches
            A table that the `by` columns divide into batches; or DataFrames by batch key.
        review
            ``"release"`` accepts every held batch afterwards; ``"reject-errors"`` does so unless a
            check of level error failed. A function decides for each verdict. By default none is.
        """
        return backtest(
            self.spec, batches, by, review=review, allow_multiple_reads=allow_multiple_reads
        )

    def release(self, batch: str, *, author: str, reason: str) -> None:
        """Accept a held batch. It becomes part of the dataset and of the history."""
        self.quarantine.release(batch, author, reason)

    def reject(self, batch: str, *, author: str, reason: str) -> None:
        """Reject a held batch for good."""
        self.quarantine.reject(batch, author, reason)

    def mark(
        self, batch: str, kind: MarkKind | str, *, author: str, reason: str
    ) -> tuple[str, ...]:
        """Mark a batch as *expected*, *bad* or *new normal*. Return later batches it releases."""
        return self.quarantine.mark(batch, MarkKind.read(kind), author, reason)

    def __repr__(self) -> str:
        return f"Gate({self.spec})"
