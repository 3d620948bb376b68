"""Datasets: verified batch by batch, known as a whole, without reading again what was read.

The three scenarios of differential-icde19 (section II): data that is appended, a partition that is
replaced, and views over any combination of partitions; and the inverse of the first, retraction.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from assay.analyzers.analyzer import Analyzer, SchemaAnalyzer
from assay.analyzers.metric import Problem
from assay.analyzers.state import Invertible, State
from assay.checks.check import Check
from assay.checks.evaluation import evaluate
from assay.checks.pattern_evaluation import with_learned_patterns
from assay.checks.result import ConstraintResult, Result
from assay.dataset.batch_history import BatchHistory
from assay.dataset.keys import key_of, time_of
from assay.dataset.proposal import Proposal
from assay.deprecation import renamed_arguments
from assay.engine.frequency_table import collect_segments, collect_tables
from assay.engine.measure import measure_planned
from assay.engine.measurement import Measurement, Metric, merge_states
from assay.engine.plan import Plan, plan_for
from assay.engine.reference_tables import ReferenceTables
from assay.errors import StateError, StoreError
from assay.store.batch import Batch, Selection
from assay.store.history import Records, history
from assay.store.protocol import DatasetTotals, Scope, Store
from assay.store.views import view, whole

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["Dataset"]


class Which(TypedDict, total=False):
    """Some batches, as `Selection` says; of nothing given, all."""

    keys: Sequence[str]
    where: str | None
    since: datetime | None
    until: datetime | None
    tags: Mapping[str, str] | None


class Dataset:
    """A named recurring table: what is demanded of it, and where it is remembered.

    `analyzers` are measured and remembered beyond what the checks need.
    """

    def __init__(
        self, name: str, store: Store, *checks: Check, analyzers: Iterable[Analyzer] = ()
    ) -> None:
        self.name = name
        self.store = store
        self.checks = checks
        needed = (own for check in checks for each in check.constraints for own in each.analyzers)
        self.analyzers: tuple[Analyzer, ...] = tuple(dict.fromkeys([*needed, *analyzers]))

    @renamed_arguments(reread="allow_multiple_reads", others="reference_tables")
    def propose(
        self,
        df: DataFrame,
        key: str,
        *,
        time: datetime | None = None,
        tags: Mapping[str, str] | None = None,
        allow_multiple_reads: bool | None = None,
        reference_tables: ReferenceTables | None = None,
    ) -> Proposal:
        """Measure and judge a batch, and the whole as it would be with it; remember nothing.

        Only the batch is read, and the `reference_tables` that checks compare it with. If there
        is a batch of this key, the whole is judged with the new version in its place.
        """
        hash_values = self.store.tables is not None
        batch = self._batch(key, time, tags)
        checks, counts = with_learned_patterns(self._for("batch"), BatchHistory(self.store, batch))
        # what is counted to judge it is not remembered: another pattern is learned next time
        plan = plan_for(
            df,
            (*self.analyzers, *counts),
            allow_multiple_reads=allow_multiple_reads,
            hash_values=hash_values,
            reference_tables=reference_tables,
        )
        measured = measure_planned(df, plan, self.store.tables, reference_tables)[()]
        return self._proposed(
            batch,
            measured,
            checks,
            set(counts) - set(self.analyzers),
            plan=plan,
            df=df,
            reference_tables=reference_tables,
        )

    @renamed_arguments(reread="allow_multiple_reads", others="reference_tables")
    def append(
        self,
        df: DataFrame,
        key: str,
        *,
        time: datetime | None = None,
        tags: Mapping[str, str] | None = None,
        allow_multiple_reads: bool | None = None,
        reference_tables: ReferenceTables | None = None,
    ) -> Proposal:
        """Measure, judge and remember a batch: what it is alone, and what the whole is with it."""
        return self.propose(
            df,
            key,
            time=time,
            tags=tags,
            allow_multiple_reads=allow_multiple_reads,
            reference_tables=reference_tables,
        ).accept()

    @renamed_arguments(others="reference_tables")
    def proposed(
        self,
        batch: Batch,
        measured: Measurement,
        *,
        plan: Plan | None = None,
        df: DataFrame | None = None,
        reference_tables: ReferenceTables | None = None,
    ) -> Proposal:
        """A proposal from what was measured elsewhere: on a stream, in a watched write."""
        return self._proposed(
            batch, measured, self._for("batch"), plan=plan, df=df, reference_tables=reference_tables
        )

    def _proposed(
        self,
        batch: Batch,
        judged: Measurement,
        checks: Sequence[Check],
        counts: Set[Analyzer] = frozenset(),
        *,
        plan: Plan | None,
        df: DataFrame | None,
        reference_tables: ReferenceTables | None,
    ) -> Proposal:
        if self.store.tables is None:
            judged = Measurement(judged.metrics, collect_tables(judged.states))
        past = BatchHistory(self.store, batch)
        measured = _without(judged, counts)
        totals = self._whole(without=batch.key, plus=measured)
        delta = evaluate(
            judged,
            *checks,
            history=past,
            plan=plan,
            df=df,
            schema=None if plan is None else plan.schema,
            reference_tables=reference_tables,
        )
        return Proposal(
            batch,
            delta,
            self._evaluate_whole(totals.measurement, past),
            self.store,
            measured,
            totals,
        )

    @renamed_arguments(reread="allow_multiple_reads", others="reference_tables")
    def load(
        self,
        df: DataFrame,
        by: Sequence[str],
        *,
        tags: Mapping[str, str] | None = None,
        allow_multiple_reads: bool | None = None,
        reference_tables: ReferenceTables | None = None,
    ) -> Result:
        """Remember every partition of existing data, and judge the whole: `remember`, `verify`."""
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
        by: Sequence[str],
        *,
        tags: Mapping[str, str] | None = None,
        allow_multiple_reads: bool | None = None,
        reference_tables: ReferenceTables | None = None,
    ) -> tuple[Batch, ...]:
        """Remember every partition of existing data, all measured in the same few passes.

        Keys are made as Hive makes them (``date=2026-11-14/region=EU``); a date or timestamp
        among the values of `by` is the batch's time. Nothing is judged.
        """
        if not by:
            raise StoreError(f"say by which columns the batches of {self.name} are told apart.")
        hash_values = self.store.tables is not None
        plan = plan_for(
            df,
            self.analyzers,
            by,
            allow_multiple_reads=allow_multiple_reads,
            hash_values=hash_values,
            reference_tables=reference_tables,
        )
        measured = measure_planned(df, plan, self.store.tables, reference_tables)
        if () in measured:
            raise StoreError(f"{self.name} could not be loaded: {_first_problem(measured[()])}")
        now, loaded = datetime.now(UTC), {}
        states = [each.states for each in measured.values()]
        states = states if hash_values else list(map(collect_tables, collect_segments(states)))
        for (values, each), own in zip(measured.items(), states, strict=True):
            batch = self._batch(key_of(by, values), time_of(values) or now, tags)
            loaded[batch] = Measurement(each.metrics, own)
        if loaded:
            first = self.store.changes(self.name).latest == 0
            total = merge_states([each.states for each in loaded.values()], self._incremental())
            self.store.load(loaded, DatasetTotals(0, total) if first else None)
        return tuple(loaded)

    def verify(self, **which: Unpack[Which]) -> Result:
        """Judge the whole, or any combination of batches, from what is remembered alone.

        `where` is a condition on the parts of keys: ``date >= '2026-11-01' AND region = 'EU'``.
        Without Spark jobs, but for one for each table of frequencies.
        """
        return self._evaluate_whole(self.measured(**which))

    def measured(self, **which: Unpack[Which]) -> Measurement:
        """The metrics and states of the whole, or of any combination of batches, as remembered."""
        meant = self.selection(**which)
        if meant == self.selection():
            return self._whole().measurement
        return view(self.store, meant, self.analyzers)

    def selection(self, **which: Unpack[Which]) -> Selection:
        """Some of its batches, or all."""
        given: dict[str, Any] = {name: each for name, each in which.items() if each is not None}
        return Selection(self.name, **(given | {"keys": tuple(given.get("keys", ()))}))

    def retract(self, key: str) -> Result:
        """Forget a batch, and judge the whole without it.

        What can be subtracted is; a minimum or a sketch is put together again from the others.
        """
        totals = self._whole(without=key)
        if not self.store.remove(self.name, key, totals):
            raise StoreError(f"{self.name} has no batch {key!r}.")
        return self._evaluate_whole(totals.measurement)

    def take_out(self, df: DataFrame, key: str, *, partial: bool = False) -> Proposal:
        """Take a slice of rows out of a batch: what was wrong in it, and is deleted there.

        Only the slice is read. It works where every state can be subtracted (counts, sums,
        moments, frequencies); a minimum, a maximum or a sketch cannot, and is refused; with
        `partial` they are given up for this batch instead.
        """
        found = self.store.states(Selection.one(self.name, key), self.analyzers)
        if not found:
            raise StoreError(f"{self.name} has no batch {key!r}.")
        ((batch, before),) = found.items()
        stuck = [each for each, state in before.items() if not isinstance(state, Invertible)]
        if stuck and not partial:
            raise StateError.not_invertible([each.key for each in stuck])
        asked = [each for each in before if each not in stuck]
        plan = plan_for(df, asked, hash_values=self.store.tables is not None)
        slice_ = measure_planned(df, plan, self.store.tables)[()]
        taken = slice_.states if self.store.tables is not None else collect_tables(slice_.states)
        lost = Problem("not_invertible", "a slice was taken out, and its state has no inverse")
        states = {each: _less(before[each], taken[each]) for each in asked if each in taken}
        rest = merge_states([states], list(states))
        metrics = {**{each: Metric(each, problem=lost) for each in before}, **rest.metrics}
        return self.proposed(replace(batch), Measurement(metrics, rest.states))

    def history(
        self, analyzers: Iterable[Analyzer] | None = None, *, scope: Scope = "batch"
    ) -> Records:
        """The metrics of all batches, oldest first."""
        return history(self.store, self.selection(), analyzers, scope=scope)

    def _batch(self, key: str, time: datetime | None, tags: Mapping[str, str] | None) -> Batch:
        return Batch(self.name, key, time or datetime.now(UTC), tags or {})

    def _incremental(self) -> list[Analyzer]:
        return [each for each in self.analyzers if each.incremental]

    def _for(self, scope: Scope) -> list[Check]:
        """Return the checks with the constraints that are evaluated on the batch, or the whole."""
        return [
            replace(check, constraints=tuple(c for c in check.constraints if scope in c.scopes()))
            for check in self.checks
        ]

    def _evaluate_whole(self, measured: Measurement, past: BatchHistory | None = None) -> Result:
        """Evaluate the checks on the whole.

        A constraint without past states, or an anomaly without a batch to judge, is not
        evaluated. That is not serious: no batch can repair it.
        """
        result = evaluate(measured, *self._for("whole"), history=past)
        return replace(result, results=tuple(map(_excused, result.results)))

    def _whole(self, without: str | None = None, plus: Measurement | None = None) -> DatasetTotals:
        """The whole, without one batch and with another."""
        states = None if plus is None else plus.states
        asked = self._incremental() if states is None else [a for a in states if a.incremental]
        found = whole(self.store, self.name, asked, without=without, plus=states)
        metrics = dict(found.measurement.metrics)
        for analyzer in self.analyzers:
            if analyzer not in metrics:
                metrics[analyzer] = self._unmerged(analyzer, plus, first=found.seen == 0)
        return DatasetTotals(found.seen, Measurement(metrics, found.measurement.states))

    @staticmethod
    def _unmerged(analyzer: Analyzer, plus: Measurement | None, *, first: bool) -> Metric:
        """The whole's metric of what has no state that merges: the batch's, or none."""
        known = Measurement({}, {}) if plus is None else plus
        # a first batch is the whole; and what the batch has no state of, the whole has none of
        if analyzer in known.metrics and (first or analyzer not in known.states):
            return known.metrics[analyzer]
        if isinstance(analyzer, SchemaAnalyzer):
            reason = "it is about columns, and only a batch that is read has any"
        else:
            reason = "its states do not merge; compute it anew over the whole"
        return Metric(analyzer, problem=Problem("not_incremental", reason))


#: problems that only the whole has, by the code that `evaluate` gives them
_EXCUSED = {
    "no_state": Problem("no_past_states", "some batches were measured before it was added"),
    "no_history": Problem("no_judged_batch", "anomalies are judged when a batch is appended"),
}


def _excused(result: ConstraintResult) -> ConstraintResult:
    if result.problem is None or result.problem.code not in _EXCUSED:
        return result
    return replace(result, problem=_EXCUSED[result.problem.code])


def _without(measured: Measurement, some: Set[Analyzer]) -> Measurement:
    return Measurement(
        {each: metric for each, metric in measured.metrics.items() if each not in some},
        {each: state for each, state in measured.states.items() if each not in some},
    )


def _less(before: State, taken: State) -> State:
    assert isinstance(before, Invertible)
    state: State = before - taken  # type: ignore[operator]
    return state


def _first_problem(measured: Measurement) -> str:
    problems = (each.problem for each in measured.metrics.values() if each.problem is not None)
    return str(next(problems, "it has no rows."))
