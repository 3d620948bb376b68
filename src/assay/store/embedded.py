"""The default store: a folder with an SQLite database and Parquet for tables of frequencies."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from assay.analyzers.analyzer import Analyzer, parse_key
from assay.analyzers.codec import decode, encode
from assay.analyzers.metric import Problem
from assay.analyzers.state import State
from assay.engine.groupings import FrequencyTable
from assay.engine.measurement import Measurement, Metric
from assay.errors import StoreError
from assay.store.batch import Batch, Selection
from assay.store.protocol import Recorded
from assay.store.tables import Tables

__all__ = ["EmbeddedStore"]

_VERSION = 1
_SCHEMA = """
CREATE TABLE batches (
    dataset TEXT NOT NULL, key TEXT NOT NULL, time TEXT NOT NULL, tags TEXT NOT NULL,
    PRIMARY KEY (dataset, key)
) WITHOUT ROWID;
CREATE TABLE states (
    dataset TEXT NOT NULL, key TEXT NOT NULL, analyzer TEXT NOT NULL,
    data BLOB, reference TEXT,
    PRIMARY KEY (dataset, key, analyzer),
    FOREIGN KEY (dataset, key) REFERENCES batches ON DELETE CASCADE
) WITHOUT ROWID;
CREATE TABLE metrics (
    dataset TEXT NOT NULL, key TEXT NOT NULL, analyzer TEXT NOT NULL,
    value BLOB, code TEXT, reason TEXT,
    PRIMARY KEY (dataset, key, analyzer),
    FOREIGN KEY (dataset, key) REFERENCES batches ON DELETE CASCADE
) WITHOUT ROWID;
"""


class EmbeddedStore:
    """Remembers in a folder. Any number of processes on one machine may share it."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self.tables = Tables((self.folder / "frequencies").as_posix())
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with self._transaction() as database:
                _prepare(database, self.folder)
        except (OSError, sqlite3.Error) as error:
            raise StoreError.unusable(self.folder, error) from error

    def write(self, batch: Batch, measurement: Measurement) -> None:
        """Remember a batch, in place of what was remembered of it."""
        tables = [each for each in measurement.states.values() if isinstance(each, FrequencyTable)]
        references = self.tables.write(tables)
        own = (batch.dataset, batch.key)
        states = [
            (*own, analyzer.key, None, references[id(state)])
            if isinstance(state, FrequencyTable)
            else (*own, analyzer.key, state.to_bytes(), None)
            for analyzer, state in measurement.states.items()
        ]
        metrics = [
            (*own, analyzer.key, *_packed(metric))
            for analyzer, metric in measurement.metrics.items()
        ]
        tags = json.dumps(dict(batch.tags), sort_keys=True)
        with self._transaction() as database:
            database.execute("DELETE FROM batches WHERE dataset = ? AND key = ?", own)
            row = (*own, batch.time.isoformat(), tags)
            database.execute("INSERT INTO batches VALUES (?, ?, ?, ?)", row)
            database.executemany("INSERT INTO states VALUES (?, ?, ?, ?, ?)", states)
            database.executemany("INSERT INTO metrics VALUES (?, ?, ?, ?, ?, ?)", metrics)

    def remove(self, dataset: str, key: str) -> bool:
        """Forget a batch; whether there was one."""
        with self._transaction() as database:
            done = database.execute(
                "DELETE FROM batches WHERE dataset = ? AND key = ?", (dataset, key)
            )
            return done.rowcount > 0

    def datasets(self) -> tuple[str, ...]:
        """The datasets there are."""
        found = self._read("SELECT DISTINCT dataset FROM batches ORDER BY dataset")
        return tuple(name for (name,) in found)

    def batches(self, selection: Selection) -> tuple[Batch, ...]:
        """The batches that are meant, oldest first."""
        rows = self._read(
            "SELECT dataset, key, time, tags FROM batches WHERE dataset = ?", (selection.dataset,)
        )
        return selection.of(
            Batch(dataset, key, datetime.fromisoformat(time), json.loads(tags))
            for dataset, key, time, tags in rows
        )

    def states(
        self, selection: Selection, analyzers: Iterable[Analyzer] | None = None
    ) -> Mapping[Batch, Mapping[Analyzer, State]]:
        """Their states, of all analyzers or of some."""
        meant, known = self._selected("states", "data, reference", selection, analyzers)
        found: dict[Batch, dict[Analyzer, State]] = {batch: {} for batch in meant.values()}
        for key, analyzer, data, reference in known:
            state = self.tables.read(reference) if data is None else State.from_bytes(data)
            found[meant[key]][analyzer] = state
        return found

    def metrics(
        self, selection: Selection, analyzers: Iterable[Analyzer] | None = None
    ) -> tuple[Recorded, ...]:
        """Their metrics, oldest first: a history."""
        meant, known = self._selected("metrics", "value, code, reason", selection, analyzers)
        found: dict[str, list[Metric]] = {key: [] for key in meant}
        for key, analyzer, value, code, reason in known:
            found[key].append(_unpacked(analyzer, value, code, reason))
        return tuple(Recorded(meant[key], each) for key, own in found.items() for each in own)

    def _selected(
        self,
        table: str,
        columns: str,
        selection: Selection,
        analyzers: Iterable[Analyzer] | None,
    ) -> tuple[dict[str, Batch], Iterator[tuple[Any, ...]]]:
        meant = {batch.key: batch for batch in self.batches(selection)}
        known: dict[str, Analyzer] = {each.key: each for each in analyzers or ()}
        query = f"SELECT key, analyzer, {columns} FROM {table} WHERE dataset = ?"  # noqa: S608
        arguments: list[Any] = [selection.dataset]
        if analyzers is not None:
            query += f" AND analyzer IN ({', '.join('?' for _ in known)})"
            arguments += known
        return meant, (
            (key, known.get(analyzer) or known.setdefault(analyzer, parse_key(analyzer)), *rest)
            for key, analyzer, *rest in self._read(query, arguments)
            if key in meant
        )

    def _read(self, query: str, arguments: Iterable[Any] = ()) -> list[tuple[Any, ...]]:
        try:
            with closing(self._connect()) as database:
                return database.execute(query, tuple(arguments)).fetchall()
        except sqlite3.Error as error:
            raise StoreError.unusable(self.folder, error) from error

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """All or nothing; a second writer waits for its turn."""
        with closing(self._connect()) as database:
            database.execute("BEGIN IMMEDIATE")
            try:
                yield database
            except BaseException:
                database.execute("ROLLBACK")
                raise
            database.execute("COMMIT")

    def _connect(self) -> sqlite3.Connection:
        database = sqlite3.connect(self.folder / "store.sqlite", timeout=60, isolation_level=None)
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = FULL")
        database.execute("PRAGMA foreign_keys = ON")
        return database


def _prepare(database: sqlite3.Connection, folder: Path) -> None:
    (version,) = database.execute("PRAGMA user_version").fetchone()
    if version > _VERSION:
        raise StoreError.newer(folder, version, _VERSION)
    if version == 0:
        for statement in _SCHEMA.split(";\n"):
            if statement.strip():
                database.execute(statement)
        database.execute(f"PRAGMA user_version = {_VERSION}")


def _packed(metric: Metric) -> tuple[bytes | None, str | None, str | None]:
    if metric.problem is not None:
        return None, metric.problem.code, metric.problem.reason
    return encode(metric.value), None, None


def _unpacked(
    analyzer: Analyzer, value: bytes | None, code: str | None, reason: str | None
) -> Metric:
    if value is None:
        return Metric(analyzer, problem=Problem(code or "unknown", reason or "unknown"))
    return Metric(analyzer, decode(value))
