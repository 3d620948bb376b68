"""A store in a database: the statements, which SQLite and PostgreSQL understand alike."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any, Protocol

from assay.analyzers.analyzer import Analyzer, parse_key
from assay.analyzers.codec import decode, encode
from assay.analyzers.metric import Problem
from assay.analyzers.state import State
from assay.engine.measurement import Measurement, Metric
from assay.engine.tables import FrequencyTable
from assay.errors import StoreError
from assay.store.batch import Batch, Selection
from assay.store.migrations import MIGRATIONS
from assay.store.protocol import Changes, Recorded, Scope, Whole
from assay.store.tables import Tables
from assay.store.verdict import Decision, Kind, Mark, Verdict

__all__ = ["Connection", "DatabaseStore"]

Row = tuple[Any, ...]

_METRICS: dict[Scope, str] = {"batch": "metrics", "whole": "wholes"}


class Connection(Protocol):
    """A connection within a transaction; values are named in statements as ``:name``."""

    def execute(self, statement: str, values: Mapping[str, Any]) -> list[Row]:
        """Run a statement; the rows it gives, if it gives any."""

    def execute_many(self, statement: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Run a statement for each of these."""


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

    def write(self, batch: Batch, measurement: Measurement, whole: Whole | None = None) -> None:
        """Remember a batch, in place of what was remembered of it."""
        self._write({batch: measurement}, whole)

    def load(self, measured: Mapping[Batch, Measurement], whole: Whole | None = None) -> None:
        """Remember many batches at once: all of them or none."""
        self._write(measured, whole)

    def _write(self, measured: Mapping[Batch, Measurement], whole: Whole | None) -> None:
        states = {batch: self._stated(each.states) for batch, each in measured.items()}
        totals = self._stated({} if whole is None else whole.measurement.states)
        with self._transaction() as database:
            first = last = 0
            for batch, measurement in measured.items():
                last = _insert(database, batch, measurement, states[batch])
                first = first or last
                if whole is not None and len(measured) == 1:
                    own = {"dataset": batch.dataset, "key": batch.key}
                    _insert_metrics(database, "whole", own, whole.measurement)
            if whole is not None and whole.seen == first - 1:
                _keep_totals(database, next(iter(measured)).dataset, last, totals)

    def remove(self, dataset: str, key: str, whole: Whole | None = None) -> bool:
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
        meant, rows = self._selected("states", "data, reference", selection, analyzers)
        analyzer_of = _parser(analyzers)
        found: dict[Batch, dict[Analyzer, State]] = {batch: {} for batch in meant.values()}
        read = self._reader()
        own = {key: found[batch] for key, batch in meant.items()}
        for key, analyzer, data, reference in rows:
            own[key][analyzer_of(analyzer)] = read(data, reference)
        return found

    def stacked(
        self, selection: Selection, analyzers: Iterable[Analyzer]
    ) -> tuple[int, Mapping[Analyzer, Sequence[State]]]:
        """How many batches are meant, and each analyzer's states of them: for merging many."""
        asked = tuple(dict.fromkeys(analyzers))
        meant, rows = self._selected("states", "data, reference", selection, asked)
        data: dict[str, list[bytes]] = {}
        tables: dict[str, list[State]] = {}
        read = self._reader()
        for _, analyzer, found, reference in rows:
            if found is None:
                tables.setdefault(analyzer, []).append(read(found, reference))
            else:
                data.setdefault(analyzer, []).append(bytes(found))
        return len(meant), {
            each: [*State.all_from_bytes(data.get(each.key, [])), *tables.get(each.key, [])]
            for each in asked
        }

    def metrics(
        self,
        selection: Selection,
        analyzers: Iterable[Analyzer] | None = None,
        scope: Scope = "batch",
    ) -> tuple[Recorded, ...]:
        """Their metrics, oldest first: a history."""
        columns = "value, code, reason"
        meant, rows = self._selected(_METRICS[scope], columns, selection, analyzers)
        analyzer_of = _parser(analyzers)
        found: dict[str, list[Metric]] = {key: [] for key in meant}
        for key, analyzer, value, code, reason in rows:
            found[key].append(_metric(analyzer_of(analyzer), value, code, reason))
        return tuple(Recorded(meant[key], each) for key, own in found.items() for each in own)

    def changes(self, dataset: str) -> Changes:
        """How far the dataset has come."""
        query = "SELECT latest, removed FROM datasets WHERE name = :dataset"
        found = self._read(query, {"dataset": dataset})
        return Changes(*found[0]) if found else Changes()

    def totals(
        self, dataset: str, analyzers: Iterable[Analyzer]
    ) -> Mapping[Analyzer, tuple[int, State]]:
        """The running totals, and the change each of them knows of."""
        asked = {each.key: each for each in analyzers}
        query = "SELECT analyzer, change, data, reference FROM totals WHERE dataset = :dataset"
        read = self._reader()
        return {
            asked[analyzer]: (change, read(data, reference))
            for analyzer, change, data, reference in self._read(query, {"dataset": dataset})
            if analyzer in asked
        }

    def decide(self, verdict: Verdict) -> None:
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

    def verdicts(self, selection: Selection) -> tuple[Verdict, ...]:
        """The verdicts on batches of these keys and times, oldest first."""
        query = "SELECT key, time, decision, findings FROM verdicts WHERE dataset = :dataset"
        dataset = selection.dataset
        return selection.about(
            Verdict(dataset, key, Decision(decision), tuple(json.loads(findings)), _moment(time))
            for key, time, decision, findings in self._read(query, {"dataset": dataset})
        )

    def mark(self, mark: Mark) -> None:
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
            Mark(selection.dataset, key, Kind(kind), author, reason, _moment(time))
            for key, time, kind, author, reason in self._read(query, {"dataset": selection.dataset})
        )

    def _stated(self, states: Mapping[Analyzer, State]) -> list[dict[str, Any]]:
        tables = [each for each in states.values() if isinstance(each, FrequencyTable)]
        references = self.files.write(tables)
        return [
            {"analyzer": analyzer.key, "data": None, "reference": references[id(state)]}
            if isinstance(state, FrequencyTable)
            else {"analyzer": analyzer.key, "data": state.to_bytes(), "reference": None}
            for analyzer, state in states.items()
        ]

    def _reader(self) -> Callable[[bytes | None, str], State]:
        """Reads states; one that several analyzers share is read once."""
        tables: dict[str, FrequencyTable] = {}

        def read(data: bytes | None, reference: str) -> State:
            if data is not None:
                return State.from_bytes(bytes(data))
            if reference not in tables:
                tables[reference] = self.files.read(reference)
            return tables[reference]

        return read

    def _referenced(self) -> set[str]:
        """The names of all tables that a state or a total refers to."""
        rows: list[Row] = []
        with self._snapshot() as database:
            for table in ("states", "totals"):
                query = f"SELECT DISTINCT reference FROM {table} WHERE reference IS NOT NULL"  # noqa: S608 - a name of our own
                rows += database.execute(query, {})
        return {name for (reference,) in rows for name in self.files.names(reference)}

    def _selected(
        self,
        table: str,
        columns: str,
        selection: Selection,
        analyzers: Iterable[Analyzer] | None,
    ) -> tuple[dict[str, Batch], list[Row]]:
        query = f"SELECT key, analyzer, {columns} FROM {table} WHERE dataset = :dataset"  # noqa: S608 - names of our own
        values: dict[str, Any] = {"dataset": selection.dataset}
        if analyzers is not None:
            names = {f"analyzer{i}": each.key for i, each in enumerate(analyzers)}
            query += f" AND analyzer IN ({', '.join(':' + name for name in names) or 'NULL'})"
            values |= names
        with self._snapshot() as database:
            meant = {batch.key: batch for batch in _batches(database, selection)}
            if len(meant) == 1:
                query += " AND key = :key"
                values["key"] = next(iter(meant))
            rows = database.execute(query, values) if meant else []
        return meant, [row for row in rows if row[0] in meant]

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
                for statement in statements:
                    database.execute(statement.replace("BYTES", types["BYTES"]), {})
                insert = "INSERT INTO versions (version) VALUES (:version)"
                database.execute(insert, {"version": version})


def _parser(analyzers: Iterable[Analyzer] | None) -> Callable[[str], Analyzer]:
    """Reads keys of analyzers, each once; those that are known are not read at all."""
    known = {each.key: each for each in analyzers or ()}

    def parsed(key: str) -> Analyzer:
        return known.get(key) or known.setdefault(key, parse_key(key))

    return parsed


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
    measurement: Measurement,
    states: Sequence[Mapping[str, Any]],
) -> int:
    """Put a batch in the place of what was there; the number of the change."""
    own = {"dataset": batch.dataset, "key": batch.key}
    gone = _delete(database, own)
    change = _next_change(database, batch.dataset, removes=gone)
    tags = json.dumps(dict(batch.tags), sort_keys=True)
    database.execute(
        "INSERT INTO batches (dataset, key, time, tags, change)"
        " VALUES (:dataset, :key, :time, :tags, :change)",
        {**own, "time": batch.time.isoformat(), "tags": tags, "change": change},
    )
    database.execute_many(
        "INSERT INTO states (dataset, analyzer, key, data, reference)"
        " VALUES (:dataset, :analyzer, :key, :data, :reference)",
        [{**own, **state} for state in states],
    )
    _insert_metrics(database, "batch", own, measurement)
    return change


def _delete(database: Connection, own: Mapping[str, Any]) -> bool:
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


def _insert_metrics(
    database: Connection, scope: Scope, own: Mapping[str, Any], measurement: Measurement
) -> None:
    database.execute_many(
        f"INSERT INTO {_METRICS[scope]} (dataset, analyzer, key, value, code, reason)"  # noqa: S608 - a name of our own
        " VALUES (:dataset, :analyzer, :key, :value, :code, :reason)",
        [
            {
                **own,
                "analyzer": analyzer.key,
                "value": None if metric.problem else encode(metric.value),
                "code": metric.problem.code if metric.problem else None,
                "reason": metric.problem.reason if metric.problem else None,
            }
            for analyzer, metric in measurement.metrics.items()
        ],
    )


def _keep_totals(
    database: Connection, dataset: str, change: int, totals: Iterable[Mapping[str, Any]]
) -> None:
    for each in totals:
        values = {"dataset": dataset, "change": change, **each}
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


def _metric(
    analyzer: Analyzer, value: bytes | None, code: str | None, reason: str | None
) -> Metric:
    if value is None:
        return Metric(analyzer, problem=Problem(code or "unknown", reason or "unknown"))
    return Metric(analyzer, decode(bytes(value)))
