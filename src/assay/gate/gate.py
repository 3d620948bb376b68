"""The gate: measures every batch of a dataset once, judges it, and accepts or holds it.

`submit` shows a batch's way through the gate. This module is what users call.

>>> from assay.store import MemoryStore
>>> gate = Gate("orders", MemoryStore(), budget="1/200")
>>> gate.settings.budget
Fraction(1, 200)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction
from os import PathLike
from typing import TYPE_CHECKING

from assay.analyzers.analyzer import Analyzer
from assay.analyzers.schema import Schema
from assay.checks.check import Check
from assay.dataset.dataset import Dataset
from assay.deprecation import renamed_arguments
from assay.engine.frame import schema_of
from assay.engine.reference_tables import ReferenceTables
from assay.errors import CheckError
from assay.gate.arguments import batch_of, checks_of, names_of, path_of, stands_before
from assay.gate.backtest import Backtest, Review, replay
from assay.gate.budget import Budget
from assay.gate.explain import explain
from assay.gate.frames import deliveries_of_frames
from assay.gate.history import columns_of, note_columns
from assay.gate.measured_batch import MeasuredBatch, columns_but, deliveries_of
from assay.gate.quarantine import Quarantine
from assay.gate.submit import Submission, refuse, submit
from assay.gate.table_schema import TableSchema
from assay.gate.verdict import Verdict
from assay.io.dialect import FileDialect
from assay.learn.fingerprint.analyzers import fingerprint_analyzers
from assay.learn.limits.metric_history import learnable_batches
from assay.learn.patterns.index import PatternIndex
from assay.store.batch import Batch
from assay.store.protocol import Store
from assay.store.verdict import MarkKind
from assay.suite.settings import GateSettings
from assay.suite.suite import Suite

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["Gate"]


class Gate:
    """Accepts or holds the batches of a dataset.

    Parameters
    ----------
    dataset : str
        Name of the dataset.
    store : Store
        Where batches, verdicts and marks are remembered.
    suite : Suite, Check or iterable of Check, optional
        Declared checks and settings.
    budget : str, float or Fraction, optional
        Share of good batches that may be held by mistake, such as ``"1/200"``.
    closed : bool, optional
        Whether a batch that a judge could not judge is held. Otherwise it is accepted with a
        warning.
    season : int, optional
        Number of batches after which metrics repeat, such as 7 for daily batches.
    private : str or iterable of str, optional
        TableSchema of which only hashes are remembered.
    patterns : PatternIndex or path, optional
        Index of the patterns of a data lake.
    detector : str, optional
        How novelty is detected: ``"bands"``, or a detector of novelty-edbt21 (`GateSettings`).
    notify : callable, optional
        Called with the verdict once it is remembered.
    """

    def __init__(
        self,
        dataset: str,
        store: Store,
        suite: Suite | Check | Iterable[Check] | None = None,
        *,
        budget: str | float | Fraction | None = None,
        closed: bool | None = None,
        season: int | None = None,
        private: str | Iterable[str] | None = None,
        patterns: PatternIndex | str | PathLike[str] | None = None,
        detector: str | None = None,
        notify: Callable[[Verdict], None] | None = None,
    ) -> None:
        stands_before(dataset, store)
        if isinstance(suite, Suite):
            self.checks, settings = suite.checks, suite.gate
        else:
            self.checks, settings = checks_of(suite), GateSettings()
        given = {
            "budget": budget,
            "closed": closed,
            "season": season,
            "private": None if private is None else names_of(private),
            "patterns": None if isinstance(patterns, PatternIndex) else path_of(patterns),
            "detector": detector,
        }
        chosen = {name: value for name, value in given.items() if value is not None}
        self.settings: GateSettings = replace(settings, **chosen)  # type: ignore[arg-type]
        self._index = patterns if isinstance(patterns, PatternIndex) else None
        self._notify = notify
        self.dataset = dataset
        self.store = store
        self.quarantine = Quarantine(dataset, store)

    @renamed_arguments(reread="allow_multiple_reads", others="reference_tables")
    def submit(
        self,
        df: DataFrame,
        batch: str,
        *,
        time: datetime | None = None,
        tags: Mapping[str, str] | None = None,
        allow_multiple_reads: bool | None = None,
        reference_tables: ReferenceTables | None = None,
        writing: FileDialect | None = None,
    ) -> Verdict:
        """Measure a batch in one scan, judge it, and remember it as accepted or held.

        The same batch submitted again is not judged a second time. Other data under the same key
        is a new version, and replaces the old one if it is accepted. `writing` is the dialect of
        the file that the batch comes from (`assay.io.batch_files.dialect_of_file`).
        """
        submission = Submission(
            batch=batch_of(self.dataset, df, batch, time, tags, writing),
            df=df,
            allow_multiple_reads=allow_multiple_reads,
            reference_tables=reference_tables,
            dialect=writing,
        )
        return submit(self, submission)

    def explain(self, df: DataFrame, verdict: Verdict) -> Verdict:
        """Return the verdict with the segments in which columns deviate, and remember them.

        It reads the batch again, in one job for each of the three worst columns.
        """
        return explain(self.store, df, verdict, private=self.settings.private)

    def refuse(self, batch: str, reason: str, *, time: datetime | None = None) -> Verdict:
        """Hold a delivery that cannot be read as a table."""
        moment = datetime.now(UTC) if time is None else time
        return refuse(self, Batch(self.dataset, batch, moment), reason)

    def columns(self) -> TableSchema | None:
        """Return the schema of the last accepted batch."""
        batches = learnable_batches(self.store, self.dataset)
        return columns_of(self.store, self.dataset, batches[-1].key) if batches else None

    @renamed_arguments(reread="allow_multiple_reads")
    def backfill(
        self, df: DataFrame, by: str | Sequence[str], *, allow_multiple_reads: bool | None = None
    ) -> tuple[Batch, ...]:
        """Remember existing data as history, batch by batch, without judging it.

        Each combination of values of the `by` columns is a batch. All are measured in the same
        few passes. A date or timestamp among the values is the batch's time.
        """
        columns, analyzers = columns_but(self, schema_of(df), names_of(by))
        dataset = Dataset(self.dataset, self.store, *self.checks, analyzers=analyzers)
        batches = dataset.remember(df, names_of(by), allow_multiple_reads=allow_multiple_reads)
        for batch in batches:
            note_columns(self.store, batch, columns)
        return batches

    def remember(self, measured: Iterable[MeasuredBatch]) -> tuple[MeasuredBatch, ...]:
        """Remember measured batches as history; leave out those that could not be read."""
        batches = tuple(measured)
        readable = {each.batch: each.measurement for each in batches if each.measurement}
        if readable:
            self.store.load(readable)
        for each in batches:
            if each.schema is not None:
                note_columns(self.store, each.batch, each.schema)
        return batches

    @renamed_arguments(reread="allow_multiple_reads")
    def backtest(
        self,
        batches: DataFrame | Mapping[str, DataFrame],
        by: str | Sequence[str] = (),
        *,
        review: Review | None = None,
        allow_multiple_reads: bool | None = None,
    ) -> Backtest:
        """Replay a history: judge each batch with only what came before it.

        The batches of a table are the combinations of values of the `by` columns. Frames by their
        keys are batches in their order, and may have different schemas. Nothing is remembered in
        the gate's store. A `review` says of each held batch whether it is accepted after all;
        without one, none is.
        """
        if isinstance(batches, Mapping):
            return replay(self, deliveries_of_frames(self, batches), review)
        if not by:
            raise CheckError("name the columns that tell the table's batches apart: by=[…].")
        return replay(
            self,
            deliveries_of(self, batches, names_of(by), allow_multiple_reads=allow_multiple_reads),
            review,
        )

    def release(self, batch: str, *, author: str, reason: str) -> None:
        """Accept a held batch: it becomes part of the dataset and of what is learned from."""
        self.quarantine.release(batch, author, reason)

    def reject(self, batch: str, *, author: str, reason: str) -> None:
        """Reject a held batch for good."""
        self.quarantine.reject(batch, author, reason)

    def mark(self, batch: str, kind: MarkKind | str, *, author: str, reason: str) -> None:
        """Mark a batch as *expected*, *bad*, or the *new normal*.

        A held batch is accepted unless it is bad. Nothing is learned from a bad batch. After a
        new normal, what came before it is not learned from any more.
        """
        self.quarantine.mark_any(batch, MarkKind.read(kind), author, reason)

    def notify(self, verdict: Verdict) -> None:
        """Pass a verdict on to the gate's notifier, if it has one."""
        if self._notify is not None:
            self._notify(verdict)

    def on(self, store: Store) -> Gate:
        """Return the same gate on another store."""
        gate = Gate(self.dataset, store, self.checks)
        gate.settings, gate._index = self.settings, self._index
        return gate

    def load_index(self) -> PatternIndex | None:
        """Return the pattern index of the lake, if the gate has one."""
        if self._index is None and self.settings.patterns is not None:
            self._index = PatternIndex.load(self.settings.patterns)
        return self._index

    @property
    def budget(self) -> Budget:
        """The false-alarm budget and each learner's share."""
        return Budget.from_settings(self.settings, has_index=self._index is not None)

    def analyzers(self, schema: Schema) -> tuple[Analyzer, ...]:
        """Return what is measured for the learners, beyond what the checks need."""
        private = [column for column in self.settings.private if schema.has(column)]
        return fingerprint_analyzers(schema, private)
