"""One store of each kind for the tests of what all stores do alike."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy

from assay.store import EmbeddedStore, MemoryStore, PostgresStore, Store
from tests.store import postgres


@pytest.fixture(scope="session")
def database() -> Iterator[str]:
    """The URL of an empty PostgreSQL database."""
    with postgres.server() as url:
        yield url


@pytest.fixture
def postgres_url(database: str) -> Iterator[str]:
    """The URL of a PostgreSQL database that is emptied afterwards."""
    yield database
    engine = sqlalchemy.create_engine(database.replace("postgresql://", "postgresql+psycopg://"))
    with engine.begin() as connection:
        connection.execute(sqlalchemy.text("DROP SCHEMA public CASCADE"))
        connection.execute(sqlalchemy.text("CREATE SCHEMA public"))
    engine.dispose()


@pytest.fixture(params=["memory", "embedded", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """An empty store of each kind."""
    if request.param == "memory":
        yield MemoryStore()
    elif request.param == "embedded":
        yield EmbeddedStore(tmp_path / "store")
    else:
        url = request.getfixturevalue("postgres_url")
        shared = PostgresStore(url, (tmp_path / "frequencies").as_posix())
        yield shared
        shared.close()
