"""The tables of a store in a database, version by version."""

from __future__ import annotations

__all__ = ["MIGRATIONS"]

#: what takes a database from each version to the next; ``BYTES`` is the type of binary columns
MIGRATIONS: tuple[tuple[str, ...], ...] = (
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
)
