"""A store that several machines share: PostgreSQL, and tables on any path that Spark can write."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from assay.errors import MissingDependencyError, StoreError
from assay.store.database import DatabaseStore
from assay.store.session import Connection, Row
from assay.store.tables import Tables

if TYPE_CHECKING:
    import sqlalchemy

__all__ = ["PostgresStore"]

_TYPES = {"BYTES": "BYTEA", "SORTED": 'TEXT COLLATE "C"'}
#: held while the schema is brought up to date, so that two newcomers do not both try
_MIGRATING = 4152341
#: held by a transaction, so that transactions run one after another
_WRITING = 4152342


class PostgresStore(DatabaseStore):
    """Remembers in PostgreSQL: ``PostgresStore("postgresql://host/db", "s3a://lake/assay")``.

    `url` is SQLAlchemy's; a plain ``postgresql://`` uses psycopg 3. `frequencies` is the path for
    tables of frequencies, which every Spark that uses the store must reach.
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
            raise StoreError("the URL of a store looks like postgresql://user@host/db.") from error
        if parsed.drivername in {"postgres", "postgresql"}:
            parsed = parsed.set(drivername="postgresql+psycopg")
        if not parsed.drivername.startswith("postgresql"):
            raise StoreError(f"{self._hidden(parsed)} is no URL of PostgreSQL.")
        self._name = self._hidden(parsed)
        self._engine = sql.create_engine(parsed, pool_pre_ping=True)
        self._migrate(_TYPES)

    @property
    def name(self) -> str:
        """The URL without its password."""
        return self._name

    def close(self) -> None:
        """Give the connections back."""
        self._engine.dispose()

    def _migrate(self, types: Mapping[str, str]) -> None:
        import sqlalchemy as sql

        with _as_store_errors(self.name), self._engine.connect() as lock:
            lock.execute(sql.text("SELECT pg_advisory_lock(:n)"), {"n": _MIGRATING})
            try:
                super()._migrate(types)
            finally:
                lock.execute(sql.text("SELECT pg_advisory_unlock(:n)"), {"n": _MIGRATING})

    @contextmanager
    def _begin_transaction(self) -> Iterator[Connection]:
        with _as_store_errors(self.name), self._engine.begin() as plain:
            connection = _Alchemy(plain, self.name)
            connection.execute("SELECT pg_advisory_xact_lock(:n)", {"n": _WRITING})
            yield connection

    @contextmanager
    def _begin_snapshot(self) -> Iterator[Connection]:
        with _as_store_errors(self.name), self._engine.connect() as plain:
            connection = plain.execution_options(
                isolation_level="REPEATABLE READ", postgresql_readonly=True
            )
            with connection.begin():
                yield _Alchemy(connection, self.name)

    @staticmethod
    def _hidden(url: sqlalchemy.URL) -> str:
        return url.render_as_string(hide_password=True)


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


def _first_line(error: object) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__).rstrip(".")
