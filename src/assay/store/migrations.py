"""Create the tables of a store in a database, and bring older ones up to date."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from assay.analyzers.codec import decode, encode
from assay.store.packing import REFERENCE, Entry, pack_states

if TYPE_CHECKING:
    from assay.store.transactions import Connection

__all__ = ["MIGRATIONS", "Step"]

Step = str | Callable[["Connection"], None]


def _pack(database: Connection) -> None:
    """Move states and metrics, a row each, into one value for each batch."""
    for dataset, key in database.execute("SELECT dataset, key FROM batches", {}):
        batch = {"dataset": dataset, "key": key}
        values: dict[str, Any] = dict(batch)
        values["of_states"], values["states"] = pack_states(_states(database, batch))
        for column, table in (("metrics", "metrics"), ("whole", "wholes")):
            values[f"of_{column}"], values[column] = _metrics(database, table, batch)
        changed = ", ".join(f"{name} = :{name}" for name in values if name not in batch)
        database.execute(f"UPDATE batches SET {changed} {_OF_BATCH}", values)  # noqa: S608 - names of our own


def _states(database: Connection, batch: Mapping[str, str]) -> Iterator[tuple[Entry, bytes]]:
    query = f"SELECT analyzer, data, reference FROM states {_OF_BATCH}"  # noqa: S608 - names of our own
    for analyzer, data, reference in database.execute(query, batch):
        if data is None:
            yield Entry(analyzer, REFERENCE), str(reference).encode()
        else:
            head, _, payload = bytes(data).partition(b"\n")
            yield Entry(analyzer, head.decode().removeprefix("assay ")), payload


_OF_BATCH = "WHERE dataset = :dataset AND key = :key"


def _metrics(database: Connection, table: str, batch: Mapping[str, str]) -> tuple[str, bytes]:
    query = f"SELECT analyzer, value, code, reason FROM {table} {_OF_BATCH}"  # noqa: S608 - names of our own
    rows = database.execute(query, batch)
    values = [
        (None, code, reason) if value is None else (decode(bytes(value)),)
        for _, value, code, reason in rows
    ]
    return json.dumps([row[0] for row in rows]), encode(values)


_HELD_SUFFIX = " (held)"


def _quarantine(database: Connection) -> None:
    """Turn version 0.1's datasets "X (held)" into quarantined batches of X.

    A batch is rejected if the last statement about it is a mark that rejects it. Such a dataset had
    no verdicts. A dataset of that name with verdicts belongs to the user and stays.
    """
    for (name,) in database.execute("SELECT DISTINCT dataset FROM batches", {}):
        dataset = str(name).removesuffix(_HELD_SUFFIX)
        values = {"name": name, "dataset": dataset}
        judged = "SELECT 1 FROM verdicts WHERE dataset = :name LIMIT 1"
        if not dataset or dataset == name or database.execute(judged, {"name": name}):
            continue
        database.execute(
            """UPDATE batches SET dataset = :dataset, slot = 'quarantined', status = CASE
            WHEN (SELECT kind FROM marks WHERE dataset = :dataset AND marks.key = batches.key
                AND NOT EXISTS (SELECT 1 FROM verdicts WHERE verdicts.dataset = :dataset
                    AND verdicts.key = batches.key AND verdicts.time > marks.time)
                ORDER BY time DESC LIMIT 1) = 'rejected'
            THEN 'rejected' ELSE 'held' END
            WHERE dataset = :name""",
            values,
        )
        update = "UPDATE derived SET dataset = :dataset, slot = 'quarantined' WHERE dataset = :name"
        database.execute(update, values)
        database.execute("DELETE FROM totals WHERE dataset = :name", {"name": name})
        database.execute(
            "INSERT INTO datasets (name, latest, removed) SELECT :dataset, 0, 0"
            " WHERE NOT EXISTS (SELECT 1 FROM datasets WHERE name = :dataset)",
            {"dataset": dataset},
        )
        database.execute(
            "UPDATE datasets SET quarantined ="
            " (SELECT latest FROM datasets AS held WHERE held.name = :name)"
            " WHERE name = :dataset",
            values,
        )
        database.execute("DELETE FROM datasets WHERE name = :name", {"name": name})


#: The statements that bring a database from each version to the next. ``BYTES`` is the type of
#: binary columns, and ``SORTED`` is the type of text that is compared byte by byte.
MIGRATIONS: tuple[tuple[Step, ...], ...] = (
    (
        """CREATE TABLE batches (
            dataset TEXT NOT NULL, key TEXT NOT NULL, time TEXT NOT NULL, tags TEXT NOT NULL,
            PRIMARY KEY (dataset, key))""",
        """CREATE TABLE states (
            dataset TEXT NOT NULL, analyzer TEXT NOT NULL, key TEXT NOT NULL,
            data BYTES, reference TEXT,
            PRIMARY KEY (dataset, analyzer, key),
            FOREIGN KEY (dataset, key) REFERENCES batches (dataset, key) ON DELETE CASCADE)""",
        "CREATE INDEX states_of_batch ON states (dataset, key)",
        """CREATE TABLE metrics (
            dataset TEXT NOT NULL, analyzer TEXT NOT NULL, key TEXT NOT NULL,
            value BYTES, code TEXT, reason TEXT,
            PRIMARY KEY (dataset, analyzer, key),
            FOREIGN KEY (dataset, key) REFERENCES batches (dataset, key) ON DELETE CASCADE)""",
        "CREATE INDEX metrics_of_batch ON metrics (dataset, key)",
    ),
    (
        """CREATE TABLE datasets (
            name TEXT PRIMARY KEY, latest BIGINT NOT NULL, removed BIGINT NOT NULL)""",
        "INSERT INTO datasets SELECT DISTINCT dataset, 0, 0 FROM batches",
        "ALTER TABLE batches ADD COLUMN change BIGINT NOT NULL DEFAULT 0",
        """CREATE TABLE wholes (
            dataset TEXT NOT NULL, analyzer TEXT NOT NULL, key TEXT NOT NULL,
            value BYTES, code TEXT, reason TEXT,
            PRIMARY KEY (dataset, analyzer, key),
            FOREIGN KEY (dataset, key) REFERENCES batches (dataset, key) ON DELETE CASCADE)""",
        "CREATE INDEX wholes_of_batch ON wholes (dataset, key)",
        """CREATE TABLE totals (
            dataset TEXT NOT NULL, analyzer TEXT NOT NULL, change BIGINT NOT NULL,
            data BYTES, reference TEXT,
            PRIMARY KEY (dataset, analyzer))""",
        """CREATE TABLE verdicts (
            dataset TEXT NOT NULL, key TEXT NOT NULL, time TEXT NOT NULL,
            decision TEXT NOT NULL, findings TEXT NOT NULL,
            PRIMARY KEY (dataset, key, time))""",
        """CREATE TABLE marks (
            dataset TEXT NOT NULL, key TEXT NOT NULL, time TEXT NOT NULL,
            kind TEXT NOT NULL, author TEXT NOT NULL, reason TEXT NOT NULL,
            PRIMARY KEY (dataset, key, time))""",
    ),
    (
        *(
            f"ALTER TABLE batches ADD COLUMN {column}"
            for column in (
                "of_states TEXT NOT NULL DEFAULT '[]'",
                "states BYTES",
                "of_metrics TEXT NOT NULL DEFAULT '[]'",
                "metrics BYTES",
                "of_whole TEXT NOT NULL DEFAULT '[]'",
                "whole BYTES",
            )
        ),
        _pack,
        # a total is a cache: it is made again from the batches
        "DROP TABLE totals",
        """CREATE TABLE totals (
            dataset TEXT NOT NULL, analyzer TEXT NOT NULL, change BIGINT NOT NULL,
            head TEXT NOT NULL, data BYTES NOT NULL,
            PRIMARY KEY (dataset, analyzer))""",
        *(f"DROP TABLE {table}" for table in ("states", "metrics", "wholes")),
    ),
    (
        """CREATE TABLE notes (
            dataset TEXT NOT NULL, name TEXT NOT NULL, key TEXT NOT NULL, text TEXT NOT NULL,
            PRIMARY KEY (dataset, name, key))""",
        "CREATE INDEX notes_of_batch ON notes (dataset, key)",
    ),
    (
        "ALTER TABLE batches RENAME TO old_batches",
        """CREATE TABLE batches (
            dataset SORTED NOT NULL, key SORTED NOT NULL, slot SORTED NOT NULL,
            status TEXT NOT NULL, time SORTED NOT NULL, tags TEXT NOT NULL, change BIGINT NOT NULL,
            of_states TEXT NOT NULL, states BYTES, of_metrics TEXT NOT NULL, metrics BYTES,
            of_whole TEXT NOT NULL, whole BYTES,
            PRIMARY KEY (dataset, key, slot))""",
        """INSERT INTO batches SELECT dataset, key, 'accepted', 'accepted', time, tags, change,
            of_states, states, of_metrics, metrics, of_whole, whole FROM old_batches""",
        "DROP TABLE old_batches",
        "CREATE INDEX batches_by_time ON batches (dataset, slot, time, key)",
        "CREATE INDEX batches_by_change ON batches (dataset, slot, change)",
        "ALTER TABLE verdicts RENAME TO old_verdicts",
        """CREATE TABLE verdicts (
            dataset SORTED NOT NULL, key SORTED NOT NULL, time SORTED NOT NULL,
            decision TEXT NOT NULL, findings TEXT NOT NULL, document TEXT NOT NULL,
            PRIMARY KEY (dataset, key, time))""",
        """INSERT INTO verdicts SELECT dataset, key, time, decision, findings, '{}'
            FROM old_verdicts""",
        "DROP TABLE old_verdicts",
        "CREATE INDEX verdicts_by_time ON verdicts (dataset, time)",
        "CREATE INDEX verdicts_by_decision ON verdicts (dataset, decision, key)",
        "ALTER TABLE marks RENAME TO old_marks",
        """CREATE TABLE marks (
            dataset SORTED NOT NULL, key SORTED NOT NULL, time SORTED NOT NULL,
            kind TEXT NOT NULL, author TEXT NOT NULL, reason TEXT NOT NULL,
            PRIMARY KEY (dataset, key, time))""",
        "INSERT INTO marks SELECT dataset, key, time, kind, author, reason FROM old_marks",
        "DROP TABLE old_marks",
        "CREATE INDEX marks_by_time ON marks (dataset, time)",
        "CREATE INDEX marks_by_kind ON marks (dataset, kind, key)",
        """CREATE TABLE derived (
            dataset SORTED NOT NULL, kind SORTED NOT NULL, version INTEGER NOT NULL,
            key SORTED NOT NULL, slot SORTED NOT NULL, document TEXT NOT NULL,
            PRIMARY KEY (dataset, kind, key, slot))""",
        "CREATE INDEX derived_of_batch ON derived (dataset, key, slot)",
        # Schemas of batches and approved limits stay. Records computed from states are dropped.
        """INSERT INTO derived SELECT dataset, 'table schema', 1, key, 'accepted', text
            FROM notes WHERE name = 'columns'""",
        """INSERT INTO derived SELECT dataset, 'approved limits', 1, key, 'accepted', text
            FROM notes WHERE name = 'program'""",
        """INSERT INTO derived SELECT DISTINCT dataset, 'notice', 1, name, 'accepted',
            '{"state": "sent"}' FROM notes
            WHERE substr(name, 1, 7) = 'notice ' AND text = 'sent'""",
        "DROP TABLE notes",
        "ALTER TABLE datasets ADD COLUMN quarantined BIGINT NOT NULL DEFAULT 0",
        _quarantine,
    ),
)
