"""`PostgresStore`: a PostgreSQL database that several machines share."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from assay.errors import MissingDependencyError, StoreError
from assay.store.database import DatabaseStore
from assay.store.frequency_files import Tables
from assay.store.transactions import Connection, Row

if TYPE_CHECKING:
    import sqlalchemy

__all__ = ["PostgresStore", "without_password"]

#: the password before the host, where SQLAlchemy finds it, and one among the options
_PASSWORD = re.compile(r"\A([\w+]+://[^:/]*):[^@]*@")
_PASSWORD_OPTION = re.compile(r"([?&](?:ssl)?password=)[^&]*", re.IGNORECASE)
_TYPES = {"BYTES": "BYTEA", "SORTED": 'TEXT COLLATE "C"'}
_TABLES = ("batches", "datasets", "derived", "marks", "totals", "verdicts")
#: number of the advisory lock of a migration, so that only one process migrates
_MIGRATION_LOCK = 4152341
#: number of the advisory lock of a transaction, so that transactions run one after another
_TRANSACTION_LOCK = 4152342


class PostgresStore(DatabaseStore):
    """A store in PostgreSQL: ``PostgresStore("postgresql://host/db", "s3a://lake/assay")``.

    Parameters
    ----------
    url
        URL of the database, as SQLAlchemy reads it. ``postgresql://`` uses psycopg 3.
    frequencies
        Path of frequency tables, which every Spark session that uses the store can read and
        write. Without it, they are collected into the database, so they must be small.

    Raises
    ------
    StoreError
        If the URL is invalid or the database cannot be reached.
    MissingDependencyError
        If SQLAlchemy or psycopg is not installed.

    Examples
    --------
    >>> store = PostgresStore("postgresql://user@host/db", "s3a://lake/assay")  # doctest: +SKIP
    """

    def __init__(self, url: str, frequencies: str | None = None) -> None:
        super().__init__(None if frequencies is None else Tables(str(frequencies).rstrip("/")))
        try:
            import psycopg  # noqa: F401 - SQLAlchemy loads it by name
            import sqlalchemy as sql
        except ImportError as error:
            raise MissingDependencyError.absent(
                "sqlalchemy with psycopg", extra="postgres"
            ) from error
        try:
            parsed = sql.make_url(url)
        except sql.exc.ArgumentError as error:
            raise StoreError(
                "invalid URL of a store: expected one such as postgresql://user@host/database."
            ) from error
        if parsed.drivername in {"postgres", "postgresql"}:
            parsed = parsed.set(drivername="postgresql+psycopg")
        if not parsed.drivername.startswith("postgresql"):
            shown = without_password(url)
            raise StoreError(f"invalid URL of PostgreSQL: expected postgresql://…, got {shown}.")
        self._name = without_password(url)
        self._url = parsed
        self._engine = sql.create_engine(parsed, pool_pre_ping=True)
        self._migrate(_TYPES)

    def __repr__(self) -> str:
        return f"PostgresStore({self.name!r})"

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in super().__getstate__().items() if name != "_engine"}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        import sqlalchemy as sql

        super().__setstate__(state)
        self._engine = sql.create_engine(self._url, pool_pre_ping=True)

    @property
    def name(self) -> str:
        """The URL without its password."""
        return self._name

    @property
    def size_bytes(self) -> int:
        """Bytes of the tables in the database."""
        sizes = ", ".join(f"('{table}')" for table in _TABLES)
        query = (
            f"SELECT SUM(pg_total_relation_size(name::regclass)) FROM (VALUES {sizes}) AS t (name)"  # noqa: S608 - names of our own
        )
        ((size,),) = self._read(query, {})
        return int(size)

    def vacuum(self, older_than: timedelta = timedelta(days=1)) -> int:
        """Delete frequency tables that no batch refers to any more, and free space.

        Parameters
        ----------
        older_than
            Minimum age of a deleted table. A younger one may belong to a batch that another
            process is writing or reading.

        Returns
        -------
        int
            Number of deleted tables. Those outside of this machine's file system stay.
        """
        number = 0
        if self.files is not None:
            number = self.files.delete_unreferenced(self._referenced(self.files), older_than)
        with _as_store_errors(self.name), self._engine.connect() as plain:
            connection = _Alchemy(plain.execution_options(isolation_level="AUTOCOMMIT"), self.name)
            for table in _TABLES:
                connection.execute(f"VACUUM {table}", {})
        return number

    def close(self) -> None:
        """Close the connections."""
        self._engine.dispose()

    def _migrate(self, types: Mapping[str, str]) -> None:
        import sqlalchemy as sql

        with _as_store_errors(self.name), self._engine.connect() as lock:
            lock.execute(sql.text("SELECT pg_advisory_lock(:n)"), {"n": _MIGRATION_LOCK})
            try:
                super()._migrate(types)
            finally:
                lock.execute(sql.text("SELECT pg_advisory_unlock(:n)"), {"n": _MIGRATION_LOCK})

    @contextmanager
    def _begin_transaction(self) -> Iterator[Connection]:
        with _as_store_errors(self.name), self._engine.begin() as plain:
            connection = _Alchemy(plain, self.name)
            connection.execute("SELECT pg_advisory_xact_lock(:n)", {"n": _TRANSACTION_LOCK})
            yield connection

    @contextmanager
    def _begin_snapshot(self) -> Iterator[Connection]:
        with _as_store_errors(self.name), self._engine.connect() as plain:
            connection = plain.execution_options(
                isolation_level="REPEATABLE READ", postgresql_readonly=True
            )
            with connection.begin():
                yield _Alchemy(connection, self.name)


class _Alchemy:
    def __init__(self, connection: sqlalchemy.Connection, name: str) -> None:
        self._connection = connection
        self._name = name

    def execute(self, statement: str, values: Mapping[str, Any]) -> list[Row]:
        import sqlalchemy as sql

        with _as_store_errors(self._name):
            result = self._connection.execute(sql.text(statement), dict(values))
            return [tuple(row) for row in result] if result.returns_rows else []


@contextmanager
def _as_store_errors(name: str) -> Iterator[None]:
    import sqlalchemy as sql

    try:
        yield
    except sql.exc.SQLAlchemyError as error:
        reason = getattr(error, "orig", None) or error
        raise StoreError.unusable(name, ValueError(_first_line(reason))) from error


def without_password(url: str) -> str:
    """Return a URL as the user wrote it, with stars in place of a password.

    >>> without_password("postgresql://ada:secret@host/db?host=/tmp&sslpassword=secret")
    'postgresql://ada:***@host/db?host=/tmp&sslpassword=***'
    """
    without_user = _PASSWORD.sub(r"\1:***@", url)
    return _PASSWORD_OPTION.sub(r"\1***", without_user)


def _first_line(error: object) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__).rstrip(".")
