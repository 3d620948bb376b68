"""`EmbeddedStore`: a folder with an SQLite database, and Parquet files of frequency tables."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

from assay.errors import StoreError
from assay.store.database import DatabaseStore
from assay.store.frequency_files import Tables
from assay.store.transactions import Connection, Row

__all__ = ["EmbeddedStore"]

#: a writer waits this long for another one, then reports that the database is locked
MAX_WAIT_SECONDS = 60.0

_TYPES = {"BYTES": "BLOB", "SORTED": "TEXT"}


class EmbeddedStore(DatabaseStore):
    """A store in a folder, for any number of processes on one machine.

    Parameters
    ----------
    folder
        The folder. It is created if it does not exist.

    Raises
    ------
    StoreError
        If the folder cannot be created, or a newer version of Assay has written the store.

    Examples
    --------
    >>> store = EmbeddedStore(getfixture("tmp_path") / "quality")
    >>> store.datasets()
    ()
    """

    def __init__(self, folder: str | Path) -> None:
        if "://" in str(folder):
            raise StoreError.unknown_scheme(str(folder), [])
        self.folder = Path(folder)
        self._files = Tables((self.folder.absolute() / "frequencies").as_posix())
        super().__init__(self._files)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except FileExistsError as error:
            raise StoreError.not_a_folder(self.name) from error
        except OSError as error:
            raise StoreError.unusable(self.name, error) from error
        self._migrate(_TYPES)

    def __repr__(self) -> str:
        return f"EmbeddedStore({self.name!r})"

    @property
    def name(self) -> str:
        """The folder, as errors name the store."""
        return str(self.folder)

    def vacuum(self, older_than: timedelta = timedelta(days=1)) -> int:
        """Delete frequency tables that no batch refers to any more, and shrink the database.

        Such tables remain when a batch is replaced or removed, or when a process dies while it
        writes. Other writers wait until the database is shrunk.

        Parameters
        ----------
        older_than
            Minimum age of a deleted table. A younger one may belong to a batch that another
            process is writing or reading.

        Returns
        -------
        int
            Number of deleted tables.
        """
        number = self._files.delete_unreferenced(self._referenced(self._files), older_than)
        with _as_store_errors(self.name), closing(self._connect()) as database:
            database.execute("VACUUM")
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return number

    @property
    def size_bytes(self) -> int:
        """Bytes of the database and of the frequency tables."""
        return sum(path.stat().st_size for path in self.folder.rglob("*") if path.is_file())

    def _begin_transaction(self) -> AbstractContextManager[Connection]:
        return self._begin("BEGIN IMMEDIATE")

    def _begin_snapshot(self) -> AbstractContextManager[Connection]:
        return self._begin("BEGIN")

    @contextmanager
    def _begin(self, statement: str) -> Iterator[Connection]:
        with _as_store_errors(self.name), closing(self._connect()) as database:
            database.execute(statement)
            try:
                yield _Sqlite(database, self.name)
            except BaseException:
                database.execute("ROLLBACK")
                raise
            database.execute("COMMIT")

    def _connect(self) -> sqlite3.Connection:
        path = self.folder / "store.sqlite"
        database = sqlite3.connect(path, timeout=MAX_WAIT_SECONDS, isolation_level=None)
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = FULL")
        database.execute("PRAGMA foreign_keys = ON")
        return database


class _Sqlite:
    def __init__(self, database: sqlite3.Connection, name: str) -> None:
        self._database = database
        self._name = name

    def execute(self, statement: str, values: Mapping[str, Any]) -> list[Row]:
        with _as_store_errors(self._name):
            return self._database.execute(statement, values).fetchall()


@contextmanager
def _as_store_errors(name: str) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise StoreError.unusable(name, error) from error
