"""`Dataset`: a recurring table that is verified batch by batch, and as a whole from stored states.

It implements the scenarios of differential-icde19 (section II): appended data, a partition that is
replaced, and views over any partitions. Retraction is the inverse of the first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from assay.analyzers.analyzer import Analyzer
from assay.checks.arguments import require_checks
from assay.checks.check import Check
from assay.checks.evaluation import evaluate
from assay.checks.pattern_evaluation import with_learned_patterns
from assay.checks.privacy import private_roots
from assay.checks.result import Result
from assay.dataset.batch_history import BatchHistory
from assay.dataset.partitions import batches_of_partitions, load_partitions, measure_partitions
from assay.dataset.proposal import Proposal
from assay.dataset.scopes import analyzers_of, checks_for, evaluate_whole
from assay.dataset.subtraction import subtract_rows
from assay.dataset.totals_with_batch import totals_with_batch
from assay.deprecation import renamed_arguments, warn_renamed
from assay.engine.frame import names_of, require_analyzers
from assay.engine.frequency_table import collect_tables
from assay.engine.measure import measure_planned
from assay.engine.measurement import Measurement
from assay.engine.plan import plan_for
from assay.engine.reference_tables import ReferenceTables
from assay.errors import StoreError, require_name
from assay.store.batch import Batch, Selection
from assay.store.metric_records import Records, history
from assay.store.protocol import DatasetTotals, Scope, Store, require_store
from assay.store.views import view

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["Dataset"]


class Dataset:
    """A named recurring table: its checks, and the store that keeps its states and metrics.

    Parameters
    ----------
    name
        Name of the dataset in the store.
    store
        Store that keeps states and metrics of each batch. It never keeps rows.
    *checks
        Checks that every batch and the whole dataset must pass.
    analyzers
        Analyzers to measure and store besides those that the checks need.
    private
        Columns whose values are never written to the store's frequency tables.

    Raises
    ------
    CheckError
        If an argument is not a name, an open store, a check or an analyzer.

    Examples
    --------
    >>> from assay import Check, MemoryStore
    >>> orders = Dataset("orders", MemoryStore(), Check("orders").is_complete("id"))
    >>> orders.batches()
    ()
    """

    def __init__(
        self,
        name: str,
        store: Store,
        *checks: Check,
        analyzers: Iterable[Analyzer] = (),
        private: str | Iterable[str] = (),
        in_gate: bool = False,
    ) -> None:
        # A gate sets `in_gate`: constraints have its default scopes, and the store keeps totals
        # only for constraints on the whole dataset.
        require_name(name, "dataset")
        require_store(store)
        self.name = name
        self.store = store
        self.checks = checks = require_checks(checks)
        self.analyzers = tuple(
            dict.fromkeys([*analyzers_of(checks), *require_analyzers(analyzers)])
        )
        self._private = names_of(private)
        self._batch_checks = checks_for(checks, "batch", gate=in_gate)
        self._whole_checks = checks_for(checks, "whole", gate=in_gate)
        self._totaled = analyzers_of(self._whole_checks) if in_gate else list(self.analyzers)

    @renamed_arguments(key="batch", reread="allow_multiple_reads", others="reference_tables")
    def propose(
        self,
        df: DataFrame,
        batch: str,
        *,
        time: datetime | None = None,
        tags: Mapping[str, str] | None = None,
        allow_multiple_reads: bool | None = None,
        reference_tables: ReferenceTables | None = None,
    ) -> Proposal:
        """Measure and judge a batch, and the whole dataset as it would be with it.

        Nothing is stored until the proposal is accepted. Only the batch is read, and the reference
        tables that checks compare it with.

        Parameters
        ----------
        df
            The rows of the batch.
        batch
            Key of the batch. If the store has a batch with this key, the new version takes its
            place when the whole dataset is judged.
        time
            When the batch was delivered; now by default. A time without a zone is in UTC.
        tags
            Names and values to select the batch by later.
        allow_multiple_reads
            True if `df` may be read more than once. By default this depends on its source.
        reference_tables
            Tables that checks compare the batch with, by name.

        Returns
        -------
        Proposal
            The results for the batch and for the whole dataset.

        Raises
        ------
        CheckError
            If `df` is not a DataFrame.
        StoreError
            If the key, the time or the tags are invalid, or the store cannot be read.
        """
        proposed = self._batch(batch, time, tags)
        earlier = BatchHistory(self.store, proposed)
        checks, counts = with_learned_patterns(self._batch_checks, earlier)
        plan = plan_for(
            df,
            (*self.analyzers, *counts),
            allow_multiple_reads=allow_multiple_reads,
            hash_values=self.store.tables is not None,
            reference_tables=reference_tables,
        )
        measured = measure_planned(
            df, plan, self.store.tables, reference_tables, private_columns=self._private
        )[()]
        if self.store.tables is None:
            measured = Measurement(measured.metrics, collect_tables(measured.states))
        result = evaluate(
            measured,
            *checks,
            history=earlier,
            plan=plan,
            df=df,
            schema=plan.schema,
            reference_tables=reference_tables,
        )
        result = replace(result, private=private_roots(self._private, plan.schema))
        # Counts of a learned pattern are not stored: the next batch has another pattern.
        return self._proposal(proposed, measured.without(set(counts) - set(self.analyzers)), result)

    @renamed_arguments(key="batch", reread="allow_multiple_reads", others="reference_tables")
    def append(
        self,
        df: DataFrame,
        batch: str,
        *,
        time: datetime | None = None,
        tags: Mapping[str, str] | None = None,
        allow_multiple_reads: bool | None = None,
        reference_tables: ReferenceTables | None = None,
    ) -> Proposal:
        """Measure and judge a batch, and store it, whether it passed or not.

        A stored batch of the same key is replaced. Parameters are those of `propose`.

        Examples
        --------
        >>> from assay import Check, MemoryStore
        >>> ids = Dataset("ids", MemoryStore(), Check("ids").is_unique("id"))
        >>> ids.append(spark.range(3), "day=1").passed
        True
        >>> ids.append(spark.range(2, 5), "day=2").whole.passed  # 2 was in both
        False
        """
        return self.propose(
            df,
            batch,
            time=time,
            tags=tags,
            allow_multiple_reads=allow_multiple_reads,
            reference_tables=reference_tables,
        ).accept()

    def propose_measured(self, batch: Batch, measurement: Measurement) -> Proposal:
        """Judge a batch that was measured elsewhere, such as by a watched write.

        Nothing is stored until the proposal is accepted.
        """
        if self.store.tables is None:
            measurement = Measurement(measurement.metrics, collect_tables(measurement.states))
        earlier = BatchHistory(self.store, batch)
        result = evaluate(measurement, *self._batch_checks, history=earlier)
        return self._proposal(batch, measurement, result)

    @renamed_arguments(reread="allow_multiple_reads", others="reference_tables")
    def load(
        self,
        df: DataFrame,
        by: str | Sequence[str],
        *,
        tags: Mapping[str, str] | None = None,
        allow_multiple_reads: bool | None = None,
        reference_tables: ReferenceTables | None = None,
    ) -> Result:
        """Store every partition of existing data as a batch, and judge the whole dataset.

        It is `remember` followed by `verify`. Parameters are those of `remember`.
        """
        self.remember(
            df,
            by,
            tags=tags,
            allow_multiple_reads=allow_multiple_reads,
            reference_tables=reference_tables,
        )
        return self.verify()

    @renamed_arguments(reread="allow_multiple_reads", others="reference_tables")
    def remember(
        self,
        df: DataFrame,
        by: str | Sequence[str],
        *,
        tags: Mapping[str, str] | None = None,
        allow_multiple_reads: bool | None = None,
        reference_tables: ReferenceTables | None = None,
    ) -> tuple[Batch, ...]:
        """Measure every partition of existing data in the same few passes. Nothing is judged.

        Parameters
        ----------
        df
            The rows of all partitions.
        by
            Column or columns whose values make a partition. The keys are those of Hive partitions,
            such as ``date=2026-11-14/region=EU``. The first date or timestamp among the values is
            the time of the batch.
        tags
            Tags of all batches.
        allow_multiple_reads, reference_tables
            As in `propose`.

        Returns
        -------
        tuple of Batch
            The stored batches.

        Raises
        ------
        StoreError
            If `by` is empty or the rows cannot be read.
        """
        by = names_of(by)
        partitions = measure_partitions(
            df,
            by,
            self.analyzers,
            self.store.tables,
            allow_multiple_reads=allow_multiple_reads,
            reference_tables=reference_tables,
            private_columns=self._private,
        )
        measured = batches_of_partitions(self.name, by, partitions, tags or {})
        load_partitions(self.store, self.name, measured, self._totaled)
        return tuple(measured)

    def verify(
        self,
        *,
        keys: Sequence[str] = (),
        where: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        tags: Mapping[str, str] | None = None,
    ) -> Result:
        """Judge the whole dataset, or some of its batches together, from stored states.

        No rows are read. Metrics of a scan need no Spark job; each frequency table needs one,
        for any number of batches.

        Parameters
        ----------
        keys
            Keys of batches, exact or with the wildcards ``*``, ``?`` and ``[…]``.
        where
            SQL condition on the parts of the keys, such as
            ``date >= '2026-11-01' AND region = 'EU'``.
        since, until
            Earliest time (included) and latest time (excluded) of a batch.
        tags
            Tags that a batch must have.

        Returns
        -------
        Result
            One result for each constraint.

        Examples
        --------
        >>> from assay import Check, MemoryStore
        >>> ids = Dataset("ids", MemoryStore(), Check("ids").has_size(at_least=5))
        >>> for day in ("day=1", "day=2"):
        ...     _ = ids.append(spark.range(3), day)
        >>> ids.verify().passed, ids.verify(keys=["day=1"]).passed
        (True, False)
        """
        measurement = self.measured(keys=keys, where=where, since=since, until=until, tags=tags)
        return evaluate_whole(measurement, self._whole_checks)

    def measured(
        self,
        *,
        keys: Sequence[str] = (),
        where: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        tags: Mapping[str, str] | None = None,
    ) -> Measurement:
        """Return metrics and states of the whole dataset, or of some batches together.

        Parameters are those of `verify`.
        """
        selection = Selection(self.name, names_of(keys), where, since, until, tags or {})
        if selection == Selection(self.name):
            return self._totals().measurement
        return view(self.store, selection, self.analyzers)

    def batches(
        self,
        *,
        keys: Sequence[str] = (),
        where: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        tags: Mapping[str, str] | None = None,
    ) -> tuple[Batch, ...]:
        """Return the stored batches, or some of them, oldest first.

        Parameters are those of `verify`.
        """
        selection = Selection(self.name, names_of(keys), where, since, until, tags or {})
        return self.store.batches(selection)

    @renamed_arguments(key="batch")
    def retract(self, batch: str) -> Result:
        """Remove a batch, and judge the whole dataset without it.

        States that can be subtracted are subtracted. A minimum or a sketch is merged again from
        the other batches.

        Raises
        ------
        StoreError
            If no batch of this key is stored.
        """
        totals = self._totals(without=batch)
        if not self.store.remove(self.name, batch, totals):
            raise StoreError(f"{self.name} has no batch {batch!r}.")
        return evaluate_whole(totals.measurement, self._whole_checks)

    @renamed_arguments(key="batch")
    def take_out(self, df: DataFrame, batch: str, *, partial: bool = False) -> Proposal:
        """Subtract some rows from a stored batch, such as wrong rows that are deleted.

        Only these rows are read.

        Parameters
        ----------
        df
            The rows to subtract.
        batch
            Key of the batch that contains them.
        partial
            True to give up metrics that cannot be subtracted: minimum, maximum and sketches.
            Otherwise they are an error.

        Returns
        -------
        Proposal
            The results for the batch without the rows, and for the whole dataset.

        Raises
        ------
        StateError
            If a state cannot be subtracted, and `partial` is false.
        StoreError
            If no batch of this key is stored.
        """
        stored = self.store.states(Selection.one(self.name, batch), self.analyzers)
        if not stored:
            raise StoreError(f"{self.name} has no batch {batch!r}.")
        ((old_batch, states),) = stored.items()
        remaining = subtract_rows(
            states, df, self.store.tables, partial=partial, private_columns=self._private
        )
        return self.propose_measured(old_batch, remaining)

    def history(
        self, analyzers: Iterable[Analyzer] | None = None, *, scope: Scope = "batch"
    ) -> Records:
        """Return the metrics of all batches, or those of some analyzers, oldest first.

        With the scope ``"whole"`` they are metrics of the whole dataset as it was with each batch.
        """
        return history(self.store, Selection(self.name), analyzers, scope=scope)

    def proposed(self, batch: Batch, measured: Measurement) -> Proposal:
        """Judge a batch that was measured elsewhere: the old name of `propose_measured`."""
        warn_renamed("Dataset.proposed", "Dataset.propose_measured")
        return self.propose_measured(batch, measured)

    def selection(self, **conditions: Any) -> Selection:
        """Select batches of the dataset: deprecated in favour of `batches`."""
        warn_renamed("Dataset.selection", "Dataset.batches")
        return Selection(self.name, tuple(conditions.pop("keys", ())), **conditions)

    def __repr__(self) -> str:
        return f"Dataset({self.name!r}, {self.store!r})"

    def _batch(self, key: str, time: datetime | None, tags: Mapping[str, str] | None) -> Batch:
        return Batch(self.name, key, time or datetime.now(UTC), tags or {})

    def _proposal(self, batch: Batch, measurement: Measurement, result: Result) -> Proposal:
        totals = self._totals(without=batch.key, plus=measurement)
        earlier = BatchHistory(self.store, batch)
        whole_result = evaluate_whole(totals.measurement, self._whole_checks, earlier)
        return Proposal(batch, result, whole_result, self.store, measurement, totals)

    def _totals(self, without: str | None = None, plus: Measurement | None = None) -> DatasetTotals:
        return totals_with_batch(self.store, self.name, self._totaled, without=without, plus=plus)
