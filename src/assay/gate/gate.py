"""The gate: every batch of a dataset is measured once, judged by all, and let in or held.

>>> from assay.store import MemoryStore
>>> gate = Gate("orders", MemoryStore(), budget="1/200")
>>> gate.settings.budget
Fraction(1, 200)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction
from os import PathLike
from typing import TYPE_CHECKING

from assay.analyzers.analyzer import Analyzer
from assay.analyzers.metric import Problem
from assay.analyzers.schema import Schema
from assay.checks.check import Check
from assay.dataset.dataset import Dataset
from assay.dataset.proposal import Proposal
from assay.engine.failure import problem_of
from assay.engine.frame import schema_of
from assay.engine.measurement import Measurement
from assay.engine.others import Others
from assay.errors import CheckError, SourceError, StoreError
from assay.gate.arguments import checks_of, path_of, stands_before
from assay.gate.backtest import Backtest, Review, replay
from assay.gate.columns import Columns, judge_columns
from assay.gate.delivery import Delivery, columns_but, deliveries_of
from assay.gate.explanation import explained
from assay.gate.finding import Finding, Judge, worst_first
from assay.gate.frames import deliveries_of_frames
from assay.gate.judges import (
    Budget,
    agreed,
    judge_checks,
    judge_empty,
    judge_history,
    judge_like,
    programs_of,
)
from assay.gate.knowledge import Knowledge, columns_of, knowledge, note_columns
from assay.gate.late import judge_late
from assay.gate.patterns import judge_patterns
from assay.gate.quarantine import Quarantine, after, apart, record_of
from assay.gate.remarks import remarks
from assay.gate.said_before import is_of, said_before
from assay.gate.segments import deviating, segment_of
from assay.gate.stale import judge_stale
from assay.gate.unmeasured import is_of_files, lost_columns, unread, without
from assay.gate.verdict import Verdict, decision_of
from assay.gate.writing import Writing
from assay.learn.fingerprint.asked import fingerprint_analyzers
from assay.learn.fingerprint.facts import Fingerprint
from assay.learn.fingerprint.remembered import fingerprint_of
from assay.learn.history.chronicle import chronicle, learned_from
from assay.learn.history.program import Mode
from assay.learn.history.table import TableProgram, approved
from assay.learn.patterns.index import PatternIndex
from assay.learn.patterns.learner import Patterns
from assay.store.batch import Batch, Selection, keyed
from assay.store.protocol import Store
from assay.store.verdict import Decision, Kind
from assay.suite.settings import GateSettings
from assay.suite.suite import Suite

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["Gate"]

#: so many columns are drilled down into
_DRILLED = 3


class Gate:
    """What stands before a dataset: schema, declared checks, patterns, history, novelty judge.

    `suite` is a `Suite`, or checks. `budget` is the share of good batches that may be held by
    mistake. `closed`: a batch that a judge could not judge is held, else it is let in with a
    warning. Of `private` columns only hashes are remembered. `patterns` is an index of the lake, or
    its file. `detector` is novelty's: ``"bands"``, or one of novelty-edbt21's (`GateSettings`).
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
            "private": None if private is None else _each(private),
            "patterns": None if isinstance(patterns, PatternIndex) else path_of(patterns),
            "detector": detector,
        }
        known = {name: value for name, value in given.items() if value is not None}
        self.settings: GateSettings = replace(settings, **known)  # type: ignore[arg-type]
        self._index = patterns if isinstance(patterns, PatternIndex) else None
        self.dataset = dataset
        self.store = store
        self.quarantine = Quarantine(dataset, store)

    def submit(
        self,
        df: DataFrame,
        batch: str,
        *,
        time: datetime | None = None,
        tags: Mapping[str, str] | None = None,
        reread: bool | None = None,
        others: Others | None = None,
        writing: Writing | None = None,
    ) -> Verdict:
        """Measure a batch in one scan, judge it, and remember it: let in, or held apart.

        The same batch submitted again is judged no second time. Another one under a key that was
        seen is a new version of it, and takes its place if it is let in. `writing` is how the file
        is written that it comes from (`assay.gate.files.writing_of`), which no DataFrame tells.
        """
        own = _named(self.dataset, df, batch, time, tags, writing)
        moment = own.time
        held = self._held(batch)
        try:
            columns = Columns.of(schema_of(df))
        except Exception as error:  # Connect finds out only now what is behind a frame
            problem = problem_of(error)
            if not is_of_files(problem):
                raise
            return self._unread(own, problem)
        proposal = self._dataset(df).propose(
            df, batch, time=moment, tags=tags, reread=reread, others=others
        )
        missing = unread(proposal.measured)
        if missing is not None:
            return self._unread(own, missing)
        said = said_before(self.store, own, proposal, float(self.settings.budget))
        if said is not None:
            return said
        known = knowledge(self.store, self.dataset, until=moment, but=batch)
        if not known.chronicle.batches:  # older than all others, or the first
            known = knowledge(self.store, self.dataset, but=batch)
        if writing is not None:
            before = None if known.columns is None else known.columns.writing
            columns = replace(columns, writing=writing.after(before))
        found = self.judged(
            proposal,
            columns,
            known,
            remarks=remarks(self.store, own, columns, self.settings.private),
        )
        self._remember(found, proposal, columns, held)
        return found

    def explain(self, df: DataFrame, verdict: Verdict) -> Verdict:
        """The verdict with the segments that hold the deviations, which are remembered too.

        It reads the batch again, in one job for each of the columns that were alarmed, three at
        most, the worst first.
        """
        if verdict.proposal is None:
            return verdict
        batch = fingerprint_of(verdict.proposal.measured.states)
        until, own = verdict.batch.time, verdict.batch.key
        last = chronicle(self.store, self.dataset, until=until, but=own, latest=1).last
        where: dict[str | None, str | None] = {}
        for each in verdict.alarms:
            told = each.column in where or deviating(each, last) is None
            if not told and len(where) < _DRILLED:
                where[each.column] = segment_of(df, each, batch, last, but=self.settings.private)
        found = (
            replace(each, where=each.where or where.get(each.column)) if each.alarm else each
            for each in verdict.findings
        )
        explained = replace(verdict, findings=tuple(found))
        said = self.store.verdicts(Selection.one(self.dataset, own))
        if said and is_of(said[-1], verdict):  # and of no later version of the batch
            self.store.decide(replace(explained.remembered(), time=said[-1].time))
        return explained

    def refuse(self, batch: str, reason: str, *, time: datetime | None = None) -> Verdict:
        """Hold what was delivered and is no table at all: it cannot be measured, only told of."""
        own = Batch(self.dataset, batch, datetime.now(UTC) if time is None else time)
        finding = Finding("schema", Decision.HOLD, reason, strength=math.inf)
        found = Verdict(
            own,
            Decision.HOLD,
            (finding,),
            record_of(self.store, self.dataset, but=batch),
            float(self.settings.budget),
        )
        self.quarantine.hold(own, Measurement({}, {}))
        self._decide(found)
        return found

    def columns(self) -> Columns | None:
        """The columns of the last batch that was let in."""
        known = learned_from(self.store, self.dataset)
        return columns_of(self.store, self.dataset, known[-1].key) if known else None

    def backfill(
        self, df: DataFrame, by: str | Sequence[str], *, reread: bool | None = None
    ) -> tuple[Batch, ...]:
        """Remember existing data as history, batch by batch, without judging it.

        The batches are the combinations of values of the `by` columns, all measured in the same few
        passes; a date or timestamp among the values is the batch's time.
        """
        by = _each(by)
        columns, asked = columns_but(self, schema_of(df), by)
        dataset = Dataset(self.dataset, self.store, *self.checks, analyzers=asked)
        found = dataset.remember(df, by, reread=reread)
        for each in found:
            note_columns(self.store, each, columns)
        return found

    def remember(self, deliveries: Iterable[Delivery]) -> tuple[Delivery, ...]:
        """The same of batches that were measured already; those that could not be are left out."""
        found = tuple(deliveries)
        measured = {each.batch: each.measured for each in found if each.measured is not None}
        if measured:
            self.store.load(measured)
        for each in found:
            if each.columns is not None:
                note_columns(self.store, each.batch, each.columns)
        return found

    def backtest(
        self,
        batches: DataFrame | Mapping[str, DataFrame],
        by: str | Sequence[str] = (),
        *,
        review: Review | None = None,
        reread: bool | None = None,
    ) -> Backtest:
        """Replay a history: each batch is judged with only what came before it.

        The batches of a table are the combinations of values of the `by` columns, as with
        `Dataset.load`; or they are frames by their keys, in order, of whatever schemas. All of one
        schema are measured in the same few passes. Nothing is remembered in the gate's store. A
        `review` says of each held batch whether it is let in after all; without one none is.
        """
        if isinstance(batches, Mapping):
            return replay(self, deliveries_of_frames(self, batches), review)
        if not by:
            raise CheckError("say by which columns the table's batches are told apart: by=[…].")
        return replay(self, deliveries_of(self, batches, _each(by), reread=reread), review)

    def judged(
        self,
        proposal: Proposal,
        columns: Columns,
        known: Knowledge,
        programs: Mapping[Mode, TableProgram] | None = None,
        *,
        batch: Fingerprint | None = None,
        lost: Mapping[str, str] | None = None,
        remarks: Iterable[Finding] = (),
    ) -> Verdict:
        """The verdict on what was measured, given what is known; nothing is remembered.

        `batch` and `lost`, the columns that could not be read, are taken from the proposal unless
        that has only what checks need.
        """
        batch = fingerprint_of(proposal.measured.states) if batch is None else batch
        lost = lost_columns(proposal.measured) if lost is None else lost
        budget, last = self.budget, known.chronicle.last
        if last is not None and not last.rows:  # with which nothing compares
            last = known.chronicle.before or last

        def history() -> list[Finding]:
            return judge_history(programs or self.programs(known), known, batch)

        judges: dict[Judge, Callable[[], list[Finding]]] = {
            "schema": lambda: judge_columns(columns, known.columns, batch, last, known.held),
            "checks": lambda: judge_checks(
                proposal.delta, proposal.whole, closed=self.settings.closed
            ),
            "patterns": lambda: judge_patterns(
                batch, last, Patterns(self.index), budget, but=self.settings.private
            ),
            "history": history if batch.rows else lambda: judge_empty(known),
            "novelty": lambda: [
                *(judge_like(known, batch, budget, self.settings) if batch.rows else ()),
                *judge_stale(known, batch, budget),
                *judge_late(known, proposal.batch.time, budget),
            ],
        }
        findings = [each for judge, asked in judges.items() for each in self._asked(judge, asked)]
        if lost:
            findings = [*self._unmeasured(lost), *without(findings, lost)]
        if batch.rows:
            few = batch.rows < known.few
            findings = agreed(findings, few=few, labels=known.labels(batch))
        own = proposal.batch
        before = self.store.verdicts(Selection(self.dataset, but=own.key))
        try:
            findings = explained(findings, batch, last, before)
        except Exception as error:  # what was found is told, with words for it or without
            findings += [self._failed("explanation", error)]
        found = worst_first([*findings, *remarks])
        return Verdict(
            proposal.batch,
            decision_of(found),
            found,
            record_of(self.store, self.dataset, but=proposal.batch.key),
            float(self.settings.budget),
            len(known.chronicle.batches),
            proposal=proposal,
        )

    def programs(
        self, known: Knowledge, only: Collection[str | None] | None = None
    ) -> Mapping[Mode, TableProgram]:
        """The programs that judge the next batch; one that somebody approved is the strict one."""
        learned = programs_of(known, self.budget, self.settings.season, only)
        fixed = approved(self.store, self.dataset)
        return learned if fixed is None else {**learned, "strict": fixed}

    def release(self, batch: str, *, author: str, reason: str) -> None:
        """Let a held batch in: it becomes part of the dataset, and is learned from."""
        self.quarantine.release(batch, author, reason)

    def reject(self, batch: str, *, author: str, reason: str) -> None:
        """Never let a held batch in."""
        self.quarantine.reject(batch, author, reason)

    def mark(self, batch: str, kind: Kind | str, *, author: str, reason: str) -> None:
        """Say what a batch was: *expected*, *bad*, or the *new normal*.

        A held one is let in unless it was bad. From a bad one nothing is learned any more; of what
        is the new normal, what was before it is forgotten.
        """
        said, batch = Kind.read(kind), keyed(batch)
        waiting = {each.batch.key for each in self.quarantine.waiting()}
        if batch in waiting:
            if said.fine:
                self.quarantine.release(batch, author, reason, said)
            else:
                self.quarantine.reject(batch, author, reason)
            return
        if not self.store.batches(Selection.one(self.dataset, batch)):
            raise StoreError(f"{self.dataset} has no batch {batch!r}.")
        self.quarantine.mark(batch, said, author, reason)

    def on(self, store: Store) -> Gate:
        """The same gate, before what another store remembers."""
        found = Gate(self.dataset, store, self.checks)
        found.settings, found._index = self.settings, self._index
        return found

    @property
    def index(self) -> PatternIndex | None:
        """What is known of the lake's patterns, if a lake is."""
        if self._index is None and self.settings.patterns is not None:
            self._index = PatternIndex.load(self.settings.patterns)
        return self._index

    @property
    def budget(self) -> Budget:
        """What each learner has of the false alarms."""
        return Budget.of(self.settings, lake=self._index is not None)

    def asked(self, schema: Schema) -> tuple[Analyzer, ...]:
        """What is measured of a batch beyond what the checks need: its fingerprint."""
        private = [each for each in self.settings.private if schema.has(each)]
        return fingerprint_analyzers(schema, private)

    def _dataset(self, df: DataFrame) -> Dataset:
        asked = self.asked(schema_of(df))
        return Dataset(self.dataset, self.store, *self.checks, analyzers=asked)

    def _unread(self, batch: Batch, problem: Problem) -> Verdict:
        """Hold what cannot be read; but for want of a session nothing can."""
        if problem.code == "session_closed":
            raise SourceError.unreadable(self.dataset, problem.reason)
        return self.refuse(batch.key, f"it cannot be read: {problem.reason}", time=batch.time)

    def _unmeasured(self, lost: Mapping[str, str]) -> Iterator[Finding]:
        level = Decision.HOLD if self.settings.closed else Decision.WARN
        for column, reason in lost.items():
            told = f"the column cannot be read: {reason}"
            yield Finding("gate", level, told, column, strength=math.inf)

    def _asked(self, judge: Judge, ask: Callable[[], list[Finding]]) -> list[Finding]:
        """What a judge found; one that fails lets no bad batch through in silence."""
        try:
            return ask()
        except Exception as error:  # whatever it is, the others still judge
            return [self._failed(f"judge {judge!r}", error)]

    def _failed(self, what: str, error: Exception) -> Finding:
        level = Decision.HOLD if self.settings.closed else Decision.WARN
        return Finding("gate", level, f"the {what} failed: {type(error).__name__}: {error}")

    def _decide(self, verdict: Verdict) -> None:
        time = after(self.store, self.dataset, verdict.batch.key)
        self.store.decide(replace(verdict.remembered(), time=time))

    def _held(self, key: str) -> tuple[Batch, ...]:
        return self.store.batches(Selection.one(apart(self.dataset), key))

    def _remember(
        self, verdict: Verdict, proposal: Proposal, columns: Columns, held: Sequence[Batch]
    ) -> None:
        """Let it in, in the place of the version that was `held` when it came; or hold it."""
        if verdict.accepted:
            # a batch without a verdict is judged again; a verdict without its batch, too
            self._decide(verdict)
            proposal.accept()
            note_columns(self.store, verdict.batch, columns)
            now = self._held(verdict.batch.key)
            # what somebody else has held meanwhile is another version, and waits
            if [each.change for each in now] == [each.change for each in held]:
                self.store.remove(apart(self.dataset), verdict.batch.key)
            return
        self.quarantine.hold(verdict.batch, proposal.measured, columns)
        self._decide(verdict)


def _each(names: object) -> tuple[str, ...]:
    if isinstance(names, str):
        return (names,)
    found = tuple(names) if isinstance(names, Iterable) else (names,)
    texts = tuple(each for each in found if isinstance(each, str))
    if len(texts) < len(found):
        wrong = next(each for each in found if not isinstance(each, str))
        raise CheckError(f"columns are named by texts, such as 'day', not by {wrong!r}.")
    return texts


def _named(
    dataset: str,
    df: DataFrame,
    key: str,
    time: datetime | None,
    tags: Mapping[str, str] | None,
    writing: Writing | None,
) -> Batch:
    """The batch that is meant; what is not one is refused in a sentence."""
    own = Batch(dataset, key, datetime.now(UTC) if time is None else time, tags or {})
    if not hasattr(df, "sparkSession"):
        raise CheckError(f"batch {key!r} is a DataFrame of Spark, not a {type(df).__name__}.")
    if writing is not None and not isinstance(writing, Writing):
        raise CheckError(f"how a file is written is what writing_of(…) gives, not {writing!r}.")
    return own
