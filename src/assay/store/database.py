"""`DatabaseStore`: batches, states, metrics and running totals in SQLite or PostgreSQL."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime

from assay.analyzers.analyzer import Analyzer, parse_key
from assay.analyzers.state import State
from assay.deprecation import renamed_arguments
from assay.engine.frequency_table import FrequencyTable, collect_tables
from assay.engine.measurement import Measurement, Metric
from assay.errors import StoreError
from assay.store.batch import Batch, BatchStatus, Selection
from assay.store.batch_rows import (
    add_totals,
    delete_batch,
    insert_batch,
    move_to_dataset,
    quarantined_row,
)
from assay.store.database_records import DatabaseRecords
from assay.store.frequency_files import Tables
from assay.store.migrations import MIGRATIONS
from assay.store.packing import REFERENCE, Entry, Packed, Reader, merge_packed, unpack_metrics
from assay.store.protocol import (
    DatasetTotals,
    DatasetVersion,
    MergedStates,
    RecordedMetric,
    Scope,
)
from assay.store.statements import (
    MAX_NAMED_KEYS,
    batch_conditions,
    is_filtered_later,
    is_one_of,
    newest_first,
)

__all__ = ["DatabaseStore"]

_METRICS: dict[Scope, str] = {"batch": "metrics", "whole": "whole"}

#: Key and status identify a batch in a dataset: an accepted and a held batch may have one key.
_Place = tuple[str, BatchStatus]


class DatabaseStore(DatabaseRecords):
    """A store in a database, with frequency tables in Parquet files.

    `files` is where these are written; without it, they are collected into the database.
    """

    def __init__(self, files: Tables | None) -> None:
        super().__init__()
        self.files = files

    @property
    @abstractmethod
    def name(self) -> str:
        """Name of the store in error messages."""

    @property
    def tables(self) -> str | None:
        """Path where Spark writes frequency tables; None if the store collects them."""
        return None if self.files is None else self.files.root

    @renamed_arguments(whole="totals")
    def write(
        self, batch: Batch, measurement: Measurement, totals: DatasetTotals | None = None
    ) -> None:
        """Store a batch in place of the accepted, or of the quarantined, batch of its key."""
        self.load({batch: measurement}, totals)

    @renamed_arguments(whole="totals")
    def load(
        self, measured: Mapping[Batch, Measurement], totals: DatasetTotals | None = None
    ) -> None:
        """Store many batches of one dataset at once: all of them or none."""
        states = {
            batch: self._packable(measurement.states) for batch, measurement in measured.items()
        }
        # a total of many batches is in as many files: it is read faster from one
        total_states = self._packable_totals(totals, max_files=1 if len(measured) > 1 else None)
        no_metrics = Measurement({}, {})
        with self._writing() as connection:
            first = last = 0
            for batch, measurement in measured.items():
                has_metrics = totals is not None and len(measured) == 1
                metrics = totals.measurement if totals is not None and has_metrics else no_metrics
                change = insert_batch(connection, batch, states[batch], measurement, metrics)
                if not batch.status.in_quarantine:
                    last = change
                    first = first or last
            if totals is not None and last and totals.as_of == first - 1:
                add_totals(connection, next(iter(measured)).dataset, last, total_states)

    @renamed_arguments(whole="totals")
    def remove(
        self,
        dataset: str,
        key: str,
        totals: DatasetTotals | None = None,
        status: BatchStatus | tuple[BatchStatus, ...] = BatchStatus.ACCEPTED,
    ) -> bool:
        """Remove the batch of this key and status. Return whether there was one."""
        total_states = self._packable_totals(totals)
        with self._writing() as connection:
            removed = False
            for one in Selection(dataset, status=status).statuses:
                change = delete_batch(connection, dataset, key, one)
                removed = removed or change is not None
                if change and totals is not None and totals.as_of == change - 1:
                    add_totals(connection, dataset, change, total_states)
        return removed

    @renamed_arguments(whole="totals")
    def set_status(
        self, batch: Batch, status: BatchStatus, totals: DatasetTotals | None = None
    ) -> Batch:
        """Accept or reject a quarantined batch, or hold it again. Return it as stored."""
        total_states = self._packable_totals(totals)
        metrics = Measurement({}, {}) if totals is None else totals.measurement
        with self._writing() as connection:
            change = quarantined_row(connection, batch)
            if change is None or batch.change not in (0, change):
                raise StoreError.not_in_quarantine(batch.dataset, batch.key)
            if status.in_quarantine:
                values = {"dataset": batch.dataset, "key": batch.key, "status": status.value}
                connection.execute(
                    "UPDATE batches SET status = :status WHERE dataset = :dataset AND key = :key"
                    " AND slot = 'quarantined'",
                    values,
                )
            else:
                change = move_to_dataset(connection, batch, metrics)
                if totals is not None and totals.as_of == change - 1:
                    add_totals(connection, batch.dataset, change, total_states)
            (stored,) = self.batches(Selection.one(batch.dataset, batch.key, status))
        return stored

    def datasets(self) -> tuple[str, ...]:
        """Return the names of all datasets that have batches, quarantined ones included."""
        rows = self._read("SELECT DISTINCT dataset FROM batches", {})
        return tuple(sorted(name for (name,) in rows))

    def batches(self, selection: Selection) -> tuple[Batch, ...]:
        """Return the selected batches, oldest first."""
        condition, values = batch_conditions(selection)
        query = (
            "SELECT key, time, tags, change, status FROM batches"  # noqa: S608 - names of our own
            f" WHERE {condition}{newest_first(selection)}"
        )
        return selection.of(
            Batch(
                selection.dataset,
                key,
                datetime.fromisoformat(time),
                {} if tags == "{}" else json.loads(tags),
                change,
                BatchStatus(status),
            )
            for key, time, tags, change, status in self._read(query, values)
        )

    def states(
        self, selection: Selection, analyzers: Iterable[Analyzer] | None = None
    ) -> Mapping[Batch, Mapping[Analyzer, State]]:
        """Return the states of the selected batches, of all analyzers or of some."""
        batches, rows = self._selected("states", selection)
        wanted = None if analyzers is None else {analyzer.key: analyzer for analyzer in analyzers}
        analyzer_of = _parser((wanted or {}).values())
        states: dict[Batch, dict[Analyzer, State]] = {batch: {} for batch in batches.values()}
        read = self._reader()
        for layout, payloads in rows.items():
            packed = Packed.of(layout)
            positions = packed.positions(wanted)
            entries = [packed.entries[i] for i in positions]
            for place, data in payloads:
                states_of_batch = states[batches[place]]
                for entry, payload in zip(entries, packed.payloads(data, positions), strict=True):
                    states_of_batch[analyzer_of(entry.analyzer)] = read(entry.head, payload)
        return states

    def merged_states(
        self, selection: Selection, analyzers: Iterable[Analyzer]
    ) -> tuple[int, Mapping[Analyzer, MergedStates]]:
        """Return the number of selected batches, and their merged states for each analyzer."""
        wanted = {analyzer.key: analyzer for analyzer in analyzers}
        if selection.latest is None and not is_filtered_later(selection):
            n_batches, counts = self._count_states(selection)
            if not any(counts[key] == n_batches for key in wanted):
                return n_batches, {wanted[key]: MergedStates(counts[key], ()) for key in wanted}
        batches, rows = self._selected("states", selection)
        payloads_of: dict[str, dict[str, list[bytes]]] = {key: {} for key in wanted}
        for layout, payloads in rows.items():
            packed = Packed.of(layout)
            positions = packed.positions(wanted)
            columns = zip(*(packed.payloads(data, positions) for _, data in payloads), strict=True)
            for i, column in zip(positions, columns, strict=True):
                entry = packed.entries[i]
                payloads_of[entry.analyzer].setdefault(entry.head, []).extend(column)
        read = self._reader()
        return len(batches), {
            wanted[key]: merge_packed(payloads, read) for key, payloads in payloads_of.items()
        }

    def _count_states(self, selection: Selection) -> tuple[int, Counter[str]]:
        """Count the selected batches, and those with a state of each analyzer, by key."""
        condition, values = batch_conditions(selection)
        query = f"SELECT of_states, COUNT(*) FROM batches WHERE {condition} GROUP BY of_states"  # noqa: S608
        layouts: dict[str, int] = dict(self._read(query, values))
        counts: Counter[str] = Counter()
        for layout, n_batches in layouts.items():
            counts.update({entry.analyzer: n_batches for entry in Packed.of(layout).entries})
        return sum(layouts.values()), counts

    def metrics(
        self,
        selection: Selection,
        analyzers: Iterable[Analyzer] | None = None,
        scope: Scope = "batch",
    ) -> tuple[RecordedMetric, ...]:
        """Return the metrics of the selected batches, oldest first."""
        batches, rows = self._selected(_METRICS[scope], selection)
        wanted = None if analyzers is None else {analyzer.key for analyzer in analyzers}
        analyzer_of = _parser(())
        metrics: dict[_Place, list[Metric]] = {}
        for layout, payloads in rows.items():
            positions = {
                i: analyzer_of(name)
                for i, name in enumerate(json.loads(layout))
                if wanted is None or name in wanted
            }
            for place, data in payloads:
                metrics[place] = unpack_metrics(positions, data)
        return tuple(
            RecordedMetric(batch, metric)
            for place, batch in batches.items()
            for metric in metrics.get(place, ())
        )

    def changes(self, dataset: str) -> DatasetVersion:
        """Return how often the dataset has changed. Quarantined batches do not count."""
        query = "SELECT latest, removed FROM datasets WHERE name = :dataset"
        rows = self._read(query, {"dataset": dataset})
        return DatasetVersion(*rows[0]) if rows else DatasetVersion()

    def totals(
        self, dataset: str, analyzers: Iterable[Analyzer]
    ) -> Mapping[Analyzer, tuple[int, State]]:
        """Return the running totals, each with the change that it includes last."""
        wanted = {analyzer.key: analyzer for analyzer in analyzers}
        query = "SELECT analyzer, change, head, data FROM totals WHERE dataset = :dataset"
        read = self._reader()
        return {
            wanted[analyzer]: (change, read(head, bytes(data)))
            for analyzer, change, head, data in self._read(query, {"dataset": dataset})
            if analyzer in wanted
        }

    def _packable(
        self, states: Mapping[Analyzer, State], max_files: int | None = None
    ) -> list[tuple[Entry, bytes]]:
        """Return the states as bytes, after their frequency tables are written or collected."""
        if self.files is None:
            states, references = collect_tables(states), {}
        else:
            tables = [state for state in states.values() if isinstance(state, FrequencyTable)]
            limit = {} if max_files is None else {"max_files": max_files}
            references = self.files.write(tables, **limit)
        return [
            (Entry(analyzer.key, REFERENCE), references[id(state)].encode())
            if isinstance(state, FrequencyTable)
            else (Entry(analyzer.key, state.head), state.payload())
            for analyzer, state in states.items()
        ]

    def _packable_totals(
        self, totals: DatasetTotals | None, max_files: int | None = None
    ) -> list[tuple[Entry, bytes]]:
        return [] if totals is None else self._packable(totals.measurement.states, max_files)

    def _reader(self) -> Reader:
        """Return a function that reads states, and a shared frequency table only once."""
        tables: dict[bytes, FrequencyTable] = {}

        def read(head: str, payload: bytes) -> State:
            if head != REFERENCE:
                return State.kind_of(head).from_payload(payload)
            if self.files is None:
                raise StoreError(
                    f"the store {self.name} has frequency tables in files. Open it with the path"
                    " of these files."
                )
            if payload not in tables:
                tables[payload] = self.files.read(payload.decode())
            return tables[payload]

        return read

    def _referenced(self, files: Tables) -> set[str]:
        """Return the names of all frequency tables that a state or a total refers to."""
        with self._reading() as connection:
            rows = connection.execute("SELECT of_states, states FROM batches", {})
            totals = connection.execute("SELECT head, data FROM totals", {})
        references = [bytes(data) for head, data in totals if head == REFERENCE]
        for layout, data in rows:
            packed = Packed.of(layout)
            positions = [i for i, entry in enumerate(packed.entries) if entry.head == REFERENCE]
            references += packed.payloads(bytes(data), positions)
        return {name for reference in references for name in files.names(reference.decode())}

    def _selected(
        self, column: str, selection: Selection
    ) -> tuple[dict[_Place, Batch], dict[str, list[tuple[_Place, bytes]]]]:
        """Return the selected batches, and the places and values of a column, by layout."""
        with self.snapshot():
            batches = {(batch.key, batch.status): batch for batch in self.batches(selection)}
            condition, values = batch_conditions(selection)
            if len(batches) <= MAX_NAMED_KEYS:
                condition, values = is_one_of("key", dict.fromkeys(key for key, _ in batches))
                condition += " AND dataset = :dataset"
                values["dataset"] = selection.dataset
            query = f"SELECT key, status, of_{column}, {column} FROM batches WHERE {condition}"  # noqa: S608
            rows = self._read(query, values) if batches else []
        by_layout: dict[str, list[tuple[_Place, bytes]]] = {}
        for key, status, layout, data in rows:
            place = (key, BatchStatus(status))
            if place in batches and data is not None:
                by_layout.setdefault(layout, []).append((place, bytes(data)))
        return batches, by_layout

    def _migrate(self, types: Mapping[str, str]) -> None:
        """Bring the database to the version of this Assay. Refuse a database of a newer one."""
        with self._writing() as connection:
            connection.execute("CREATE TABLE IF NOT EXISTS versions (version INTEGER NOT NULL)", {})
            rows = connection.execute("SELECT max(version) FROM versions", {})
            version = rows[0][0] or 0
            if version > len(MIGRATIONS):
                raise StoreError.newer(self.name, version, len(MIGRATIONS))
            for steps in MIGRATIONS[version:]:
                version += 1
                for step in steps:
                    if isinstance(step, str):
                        connection.execute(_with_types(step, types), {})
                    else:
                        step(connection)
                insert = "INSERT INTO versions (version) VALUES (:version)"
                connection.execute(insert, {"version": version})


def _with_types(statement: str, types: Mapping[str, str]) -> str:
    for name, database_type in types.items():
        statement = statement.replace(name, database_type)
    return statement


def _parser(analyzers: Iterable[Analyzer]) -> Callable[[str], Analyzer]:
    """Return a function that parses keys of analyzers, each once and those given not at all."""
    parsed = {analyzer.key: analyzer for analyzer in analyzers}

    def parse(key: str) -> Analyzer:
        return parsed.get(key) or parsed.setdefault(key, parse_key(key))

    return parse
