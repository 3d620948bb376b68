"""The tables of a store in a database, version by version."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from assay.analyzers.codec import decode, encode
from assay.store.packing import REFERENCE, Entry, pack_states

if TYPE_CHECKING:
    from assay.store.database import Connection

__all__ = ["MIGRATIONS", "Step"]

Step = str | Callable[["Connection"], None]


def _pack(database: Connection) -> None:
    """States and metrics move from a row each into one value for each batch."""
    for dataset, key in database.execute("SELECT dataset, key FROM batches", {}):
        own = {"dataset": dataset, "key": key}
        values: dict[str, Any] = dict(own)
        values["of_states"], values["states"] = pack_states(_states(database, own))
        for column, table in (("metrics", "metrics"), ("whole", "wholes")):
            values[f"of_{column}"], values[column] = _metrics(database, table, own)
        changed = ", ".join(f"{name} = :{name}" for name in values if name not in own)
        database.execute(f"UPDATE batches SET {changed} {_OWN}", values)  # noqa: S608 - names of our own


def _states(database: Connection, own: Mapping[str, str]) -> Iterator[tuple[Entry, bytes]]:
    query = f"SELECT analyzer, data, reference FROM states {_OWN}"  # noqa: S608 - names of our own
    for analyzer, data, reference in database.execute(query, own):
        if data is None:
            yield Entry(analyzer, REFERENCE), str(reference).encode()
        else:
            head, _, payload = bytes(data).partition(b"\n")
            yield Entry(analyzer, head.decode().removeprefix("assay ")), payload


_OWN = "WHERE dataset = :dataset AND key = :key"


def _metrics(database: Connection, table: str, own: Mapping[str, str]) -> tuple[str, bytes]:
    query = f"SELECT analyzer, value, code, reason FROM {table} {_OWN}"  # noqa: S608 - names of our own
    rows = database.execute(query, own)
    found = [
        (None, code, reason) if value is None else (decode(bytes(value)),)
        for _, value, code, reason in rows
    ]
    return json.dumps([row[0] for row in rows]), encode(found)


#: what takes a database from each version to the next; ``BYTES`` is the type of binary columns
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
)
