"""A store in a database: the statements, which SQLite and PostgreSQL understand alike."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any, Protocol

from assay.analyzers.analyzer import Analyzer, parse_key
from assay.analyzers.state import State
from assay.engine.measurement import Measurement, Metric
from assay.engine.tables import FrequencyTable
from assay.errors import StateError, StoreError
from assay.store.batch import Batch, Selection
from assay.store.migrations import MIGRATIONS
from assay.store.packing import (
    REFERENCE,
    Entry,
    Packed,
    pack_metrics,
    pack_states,
    unpack_metrics,
)
from assay.store.protocol import DatasetTotals, DatasetVersion, MergedStates, RecordedMetric, Scope
from assay.store.tables import Tables
from assay.store.verdict import Decision, Mark, MarkKind, VerdictRecord

__all__ = ["Connection", "DatabaseStore"]

Row = tuple[Any, ...]
Reader = Callable[[str, bytes], State]

_METRICS: dict[Scope, str] = {"batch": "metrics", "whole": "whole"}
#: so many batches are asked for by their keys; more are faster found among all
_FEW = 1000


class Connection(Protocol):
    """A connection within a transaction; values are named in statements as ``:name``."""

    def execute(self, statement: str, values: Mapping[str, Any]) -> list[Row]:
        """Run a statement; the rows it gives, if it gives any."""


class DatabaseStore(ABC):
    """Remembers in a database, with tables of frequencies beside it."""

    def __init__(self, files: Tables) -> None:
        self.files = files

    @property
    @abstractmethod
    def name(self) -> str:
        """What errors call it."""

    @abstractmethod
    def _transaction(self) -> AbstractContextManager[Connection]:
        """All or nothing; a second writer waits for its turn. Its errors are `StoreError`."""

    @abstractmethod
    def _snapshot(self) -> AbstractContextManager[Connection]:
        """Reading as of one moment, without waiting for writers."""

    @property
    def tables(self) -> str | None:
        """Where Spark writes tables of frequencies."""
        return self.files.root

    def write(
        self, batch: Batch, measurement: Measurement, whole: DatasetTotals | None = None
    ) -> None:
        """Remember a batch, in place of what was remembered of it."""
        self._write({batch: measurement}, whole)

    def load(
        self, measured: Mapping[Batch, Measurement], whole: DatasetTotals | None = None
    ) -> None:
        """Remember many batches at once: all of them or none."""
        self._write(measured, whole)

    def _write(self, measured: Mapping[Batch, Measurement], whole: DatasetTotals | None) -> None:
        states = {batch: self._stated(each.states) for batch, each in measured.items()}
        # after a load the total is in as many files as there are batches: one is read faster
        loaded = {"most_files": 1} if len(measured) > 1 else {}
        totals = self._stated({} if whole is None else whole.measurement.states, **loaded)
        nothing = Measurement({}, {})
        with self._transaction() as database:
            first = last = 0
            for batch, measurement in measured.items():
                total = whole.measurement if whole is not None and len(measured) == 1 else nothing
                last = _insert(database, batch, states[batch], measurement, total)
                first = first or last
            if whole is not None and whole.seen == first - 1:
                _keep_totals(database, next(iter(measured)).dataset, last, totals)

    def remove(self, dataset: str, key: str, whole: DatasetTotals | None = None) -> bool:
        """Forget a batch; whether there was one."""
        totals = self._stated({} if whole is None else whole.measurement.states)
        with self._transaction() as database:
            gone = _delete(database, {"dataset": dataset, "key": key})
            if gone:
                change = _next_change(database, dataset, removes=True)
                if whole is not None and whole.seen == change - 1:
                    _keep_totals(database, dataset, change, totals)
        return gone

    def datasets(self) -> tuple[str, ...]:
        """The datasets there are."""
        found = self._read("SELECT DISTINCT dataset FROM batches ORDER BY dataset", {})
        return tuple(name for (name,) in found)

    def batches(self, selection: Selection) -> tuple[Batch, ...]:
        """The batches that are meant, oldest first."""
        with self._snapshot() as database:
            return _batches(database, selection)

    def states(
        self, selection: Selection, analyzers: Iterable[Analyzer] | None = None
    ) -> Mapping[Batch, Mapping[Analyzer, State]]:
        """Their states, of all analyzers or of some."""
        meant, rows = self._selected("states", selection)
        asked = None if analyzers is None else {each.key: each for each in analyzers}
        analyzer_of = _parser((asked or {}).values())
        found: dict[Batch, dict[Analyzer, State]] = {batch: {} for batch in meant.values()}
        read = self._reader()
        for layout, batches in rows.items():
            packed = Packed.of(layout)
            at = packed.positions(asked)
            entries = [packed.entries[i] for i in at]
            for key, data in batches:
                own = found[meant[key]]
                for entry, payload in zip(entries, packed.payloads(data, at), strict=True):
                    own[analyzer_of(entry.analyzer)] = read(entry.head, payload)
        return found

    def merged_states(
        self, selection: Selection, analyzers: Iterable[Analyzer]
    ) -> tuple[int, Mapping[Analyzer, MergedStates]]:
        """How many batches are meant, and each analyzer's states of them: for merging many."""
        asked = {each.key: each for each in analyzers}
        meant, rows = self._selected("states", selection)
        stacks: dict[str, dict[str, list[bytes]]] = {key: {} for key in asked}
        for layout, batches in rows.items():
            packed = Packed.of(layout)
            at = packed.positions(asked)
            columns = zip(*(packed.payloads(data, at) for _, data in batches), strict=True)
            for i, column in zip(at, columns, strict=True):
                entry = packed.entries[i]
                stacks[entry.analyzer].setdefault(entry.head, []).extend(column)
        read = self._reader()
        return len(meant), {asked[key]: _stack(found, read) for key, found in stacks.items()}

    def metrics(
        self,
        selection: Selection,
        analyzers: Iterable[Analyzer] | None = None,
        scope: Scope = "batch",
    ) -> tuple[RecordedMetric, ...]:
        """Their metrics, oldest first: a history."""
        meant, rows = self._selected(_METRICS[scope], selection)
        wanted = None if analyzers is None else {each.key for each in analyzers}
        analyzer_of = _parser(())
        found: dict[str, list[Metric]] = {}
        for layout, batches in rows.items():
            at = {
                i: analyzer_of(name)
                for i, name in enumerate(json.loads(layout))
                if wanted is None or name in wanted
            }
            for key, data in batches:
                found[key] = unpack_metrics(at, data)
        return tuple(
            RecordedMetric(batch, each)
            for key, batch in meant.items()
            for each in found.get(key, ())
        )

    def changes(self, dataset: str) -> DatasetVersion:
        """How far the dataset has come."""
        query = "SELECT latest, removed FROM datasets WHERE name = :dataset"
        found = self._read(query, {"dataset": dataset})
        return DatasetVersion(*found[0]) if found else DatasetVersion()

    def totals(
        self, dataset: str, analyzers: Iterable[Analyzer]
    ) -> Mapping[Analyzer, tuple[int, State]]:
        """The running totals, and the change each of them knows of."""
        asked = {each.key: each for each in analyzers}
        query = "SELECT analyzer, change, head, data FROM totals WHERE dataset = :dataset"
        read = self._reader()
        return {
            asked[analyzer]: (change, read(head, bytes(data)))
            for analyzer, change, head, data in self._read(query, {"dataset": dataset})
            if analyzer in asked
        }

    def note(self, dataset: str, name: str, notes: Mapping[str, str]) -> None:
        """Remember texts about batches, or about the dataset."""
        with self._transaction() as database:
            for key, text in notes.items():
                values = {"dataset": dataset, "name": name, "key": key, "text": text}
                _put(database, "notes", ("dataset", "name", "key"), values)

    def notes(
        self, dataset: str, name: str, keys: Collection[str] | None = None
    ) -> Mapping[str, str]:
        """The texts of this name, all or those about some batches, by their keys."""
        query = "SELECT key, text FROM notes WHERE dataset = :dataset AND name = :name"
        values = {"dataset": dataset, "name": name}
        if keys is not None and len(keys) < _FEW:
            named, meant = _among(keys)
            query, values = f"{query} AND {named}", values | meant
        found: dict[str, str] = dict(self._read(query, values))
        return {key: text for key, text in found.items() if keys is None or key in keys}

    def add_verdict(self, verdict: VerdictRecord) -> None:
        """Remember a verdict."""
        values = {
            "dataset": verdict.dataset,
            "key": verdict.key,
            "time": verdict.time.isoformat(),
            "decision": verdict.decision.value,
            "findings": json.dumps([dict(each) for each in verdict.findings]),
        }
        with self._transaction() as database:
            _put(database, "verdicts", ("dataset", "key", "time"), values)

    def verdicts(self, selection: Selection) -> tuple[VerdictRecord, ...]:
        """The verdicts on batches of these keys and times, oldest first."""
        query = "SELECT key, time, decision, findings FROM verdicts WHERE dataset = :dataset"
        dataset = selection.dataset
        return selection.about(
            VerdictRecord(
                dataset, key, Decision(decision), tuple(json.loads(findings)), _moment(time)
            )
            for key, time, decision, findings in self._read(query, {"dataset": dataset})
        )

    def add_mark(self, mark: Mark) -> None:
        """Remember what somebody said of a batch."""
        values = {
            "dataset": mark.dataset,
            "key": mark.key,
            "time": mark.time.isoformat(),
            "kind": mark.kind.value,
            "author": mark.author,
            "reason": mark.reason,
        }
        with self._transaction() as database:
            _put(database, "marks", ("dataset", "key", "time"), values)

    def marks(self, selection: Selection) -> tuple[Mark, ...]:
        """What was said of batches of these keys, oldest first."""
        query = "SELECT key, time, kind, author, reason FROM marks WHERE dataset = :dataset"
        return selection.about(
            Mark(selection.dataset, key, MarkKind(kind), author, reason, _moment(time))
            for key, time, kind, author, reason in self._read(query, {"dataset": selection.dataset})
        )

    def _stated(self, states: Mapping[Analyzer, State], **layout: int) -> list[tuple[Entry, bytes]]:
        tables = [each for each in states.values() if isinstance(each, FrequencyTable)]
        references = self.files.write(tables, **layout)
        return [
            (Entry(analyzer.key, REFERENCE), references[id(state)].encode())
            if isinstance(state, FrequencyTable)
            else (Entry(analyzer.key, state.head), state.payload())
            for analyzer, state in states.items()
        ]

    def _reader(self) -> Reader:
        """Reads states; a table that several analyzers share is read once."""
        tables: dict[bytes, FrequencyTable] = {}

        def read(head: str, payload: bytes) -> State:
            if head != REFERENCE:
                return State.kind_of(head).from_payload(payload)
            if payload not in tables:
                tables[payload] = self.files.read(payload.decode())
            return tables[payload]

        return read

    def _referenced(self) -> set[str]:
        """The names of all tables that a state or a total refers to."""
        with self._snapshot() as database:
            rows = database.execute("SELECT of_states, states FROM batches", {})
            totals = database.execute("SELECT head, data FROM totals", {})
        references = [bytes(data) for head, data in totals if head == REFERENCE]
        for layout, data in rows:
            packed = Packed.of(layout)
            at = [i for i, entry in enumerate(packed.entries) if entry.head == REFERENCE]
            references += packed.payloads(bytes(data), at)
        return {name for each in references for name in self.files.names(each.decode())}

    def _selected(
        self, column: str, selection: Selection
    ) -> tuple[dict[str, Batch], dict[str, list[tuple[str, bytes]]]]:
        """The batches meant, and what a column holds of them: keys and values by layout."""
        query = f"SELECT key, of_{column}, {column} FROM batches WHERE dataset = :dataset"  # noqa: S608 - names of our own
        values: dict[str, Any] = {"dataset": selection.dataset}
        with self._snapshot() as database:
            meant = {batch.key: batch for batch in _batches(database, selection)}
            if len(meant) < _FEW:
                named, keys = _among(meant)
                query, values = f"{query} AND {named}", values | keys
            rows = database.execute(query, values) if meant else []
        found: dict[str, list[tuple[str, bytes]]] = {}
        for key, layout, data in rows:
            if key in meant and data is not None:
                found.setdefault(layout, []).append((key, bytes(data)))
        return meant, found

    def _read(self, query: str, values: Mapping[str, Any]) -> list[Row]:
        with self._snapshot() as database:
            return database.execute(query, values)

    def _migrate(self, types: Mapping[str, str]) -> None:
        """Bring the database to the version that this Assay knows; refuse a newer one."""
        with self._transaction() as database:
            database.execute("CREATE TABLE IF NOT EXISTS versions (version INTEGER NOT NULL)", {})
            found = database.execute("SELECT max(version) FROM versions", {})[0][0] or 0
            if found > len(MIGRATIONS):
                raise StoreError.newer(self.name, found, len(MIGRATIONS))
            for version, statements in enumerate(MIGRATIONS[found:], found + 1):
                for step in statements:
                    if isinstance(step, str):
                        database.execute(step.replace("BYTES", types["BYTES"]), {})
                    else:
                        step(database)
                insert = "INSERT INTO versions (version) VALUES (:version)"
                database.execute(insert, {"version": version})


def _among(keys: Iterable[str]) -> tuple[str, dict[str, str]]:
    """A condition that the key is one of these, and its values."""
    names = {f"key{i}": key for i, key in enumerate(keys)}
    return f"key IN ({', '.join(':' + name for name in names) or 'NULL'})", names


def _parser(analyzers: Iterable[Analyzer] | None) -> Callable[[str], Analyzer]:
    """Reads keys of analyzers, each once; those that are known are not read at all."""
    known = {each.key: each for each in analyzers or ()}

    def parsed(key: str) -> Analyzer:
        return known.get(key) or known.setdefault(key, parse_key(key))

    return parsed


def _stack(found: Mapping[str, Sequence[bytes]], read: Reader) -> MergedStates:
    """States of each kind as one where they merge, else each."""
    states: list[State] = []
    for head, payloads in found.items():
        if head == REFERENCE:
            states += [read(head, payload) for payload in payloads]
            continue
        try:
            states.append(State.kind_of(head).merged_payloads(payloads))
        except StateError:
            states += [read(head, payload) for payload in payloads]
    return MergedStates(sum(map(len, found.values())), states)


def _batches(database: Connection, selection: Selection) -> tuple[Batch, ...]:
    query = "SELECT key, time, tags, change FROM batches WHERE dataset = :dataset"
    values: dict[str, Any] = {"dataset": selection.dataset}
    if selection.after is not None:
        query += " AND change > :after"
        values["after"] = selection.after
    rows = database.execute(query, values)
    return selection.of(
        Batch(
            selection.dataset, key, _moment(time), {} if tags == "{}" else json.loads(tags), change
        )
        for key, time, tags, change in rows
    )


def _insert(
    database: Connection,
    batch: Batch,
    states: Iterable[tuple[Entry, bytes]],
    measurement: Measurement,
    whole: Measurement,
) -> int:
    """Put a batch in the place of what was there; the number of the change."""
    own = {"dataset": batch.dataset, "key": batch.key}
    gone = _delete(database, own)
    change = _next_change(database, batch.dataset, removes=gone)
    values = {
        **own,
        "time": batch.time.isoformat(),
        "tags": json.dumps(dict(batch.tags), sort_keys=True),
        "change": change,
    }
    values["of_states"], values["states"] = pack_states(states)
    for column, measured in (("metrics", measurement), ("whole", whole)):
        metrics = {analyzer.key: metric for analyzer, metric in measured.metrics.items()}
        values[f"of_{column}"], values[column] = pack_metrics(metrics)
    names = ", ".join(values)
    marks = ", ".join(f":{name}" for name in values)
    database.execute(f"INSERT INTO batches ({names}) VALUES ({marks})", values)  # noqa: S608 - names of our own
    return change


def _delete(database: Connection, own: Mapping[str, Any]) -> bool:
    database.execute("DELETE FROM notes WHERE dataset = :dataset AND key = :key", own)
    query = "DELETE FROM batches WHERE dataset = :dataset AND key = :key RETURNING key"
    return bool(database.execute(query, own))


def _next_change(database: Connection, dataset: str, *, removes: bool) -> int:
    """The number of this change. Whoever has it holds the dataset until the transaction ends."""
    ((change,),) = database.execute(
        "INSERT INTO datasets (name, latest, removed) VALUES (:dataset, 1, 0)"
        " ON CONFLICT (name) DO UPDATE SET latest = datasets.latest + 1 RETURNING latest",
        {"dataset": dataset},
    )
    if removes:
        update = "UPDATE datasets SET removed = :change WHERE name = :dataset"
        database.execute(update, {"dataset": dataset, "change": change})
    return int(change)


def _keep_totals(
    database: Connection, dataset: str, change: int, totals: Iterable[tuple[Entry, bytes]]
) -> None:
    for entry, data in totals:
        values = {"dataset": dataset, "analyzer": entry.analyzer, "change": change}
        values |= {"head": entry.head, "data": data}
        _put(database, "totals", ("dataset", "analyzer"), values)


def _put(database: Connection, table: str, key: Sequence[str], values: Mapping[str, Any]) -> None:
    """Insert a row, or put it in the place of the one that has its key."""
    changed = ", ".join(f"{name} = excluded.{name}" for name in values if name not in key)
    database.execute(
        f"INSERT INTO {table} ({', '.join(values)})"  # noqa: S608 - names of our own
        f" VALUES ({', '.join(':' + name for name in values)})"
        f" ON CONFLICT ({', '.join(key)}) DO UPDATE SET {changed}",
        values,
    )


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)
