"""Databases of earlier versions are brought up to date, in SQLite and PostgreSQL alike."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Self

import pytest

from assay.store import (
    BatchStatus,
    DatasetVersion,
    Decision,
    EmbeddedStore,
    PostgresStore,
    Selection,
)
from assay.store.database import DatabaseStore
from assay.store.migrations import MIGRATIONS
from tests.store.examples import START, Remark

#: the last version of version 0.1 of Assay
NOTES_VERSION = 4


class TableSchemaText(Remark):
    """The schema of a batch, as its text."""

    kind = "table schema"

    @classmethod
    def from_json(cls, document: object) -> Self:
        return cls(str(document))


class ApprovedLimitsText(Remark):
    """Approved limits, as their text."""

    kind = "approved limits"

    @classmethod
    def from_json(cls, document: object) -> Self:
        return cls(str(document))


@pytest.fixture(params=["embedded", "postgres"])
def reopen(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[], DatabaseStore]]:
    """Open the same database, once for each call."""
    if request.param == "embedded":
        yield lambda: EmbeddedStore(tmp_path)
        return
    url, opened = request.getfixturevalue("postgres_url"), list[PostgresStore]()

    def open_again() -> DatabaseStore:
        opened.append(PostgresStore(url, str(tmp_path)))
        return opened[-1]

    yield open_again
    for store in opened:
        store.close()


def insert(store: DatabaseStore, table: str, *rows: tuple[object, ...]) -> None:
    with store._writing() as connection:
        for row in rows:
            values = {f"value{i}": value for i, value in enumerate(row)}
            names = ", ".join(f":{name}" for name in values)
            connection.execute(f"INSERT INTO {table} VALUES ({names})", values)


def test_held_datasets_become_quarantined_batches(
    reopen: Callable[[], DatabaseStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second, third = (START.replace(day=day).isoformat() for day in (1, 2, 3))
    with monkeypatch.context() as patched:
        patched.setattr("assay.store.database.MIGRATIONS", MIGRATIONS[:NOTES_VERSION])
        old = reopen()
        insert(old, "datasets", ("orders", 1, 0), ("orders (held)", 3, 1), ("odd (held)", 1, 0))
        insert(
            old,
            "batches",
            *(
                (dataset, key, first, "{}", change, "[]", None, "[]", None, "[]", None)
                for dataset, key, change in (
                    ("orders", "a", 1),
                    ("orders (held)", "a", 1),
                    ("orders (held)", "b", 2),
                    ("orders (held)", "c", 3),
                    ("odd (held)", "x", 1),
                )
            ),
        )
        insert(
            old,
            "verdicts",
            *(
                (dataset, key, time, decision, "[]")
                for dataset, key, time, decision in (
                    ("orders", "a", second, "hold"),
                    ("orders", "b", first, "hold"),
                    ("orders", "c", first, "hold"),
                    ("orders", "c", third, "hold"),
                    ("odd (held)", "x", first, "accept"),
                )
            ),
        )
        insert(
            old,
            "marks",
            ("orders", "b", second, "rejected", "ann", "wrong"),
            ("orders", "c", second, "rejected", "ann", "wrong, and then delivered again"),
        )
        insert(
            old,
            "notes",
            ("orders", "columns", "a", '"accepted"'),
            ("orders (held)", "columns", "a", '"held"'),
            ("orders", "program", "", '"limits"'),
            ("orders", "history", "a", "{}"),
            ("orders", "notice 1", "claim 1", "failed"),
            ("orders", "notice 1", "claim 2", "sent"),
        )

    store = reopen()
    everything = Selection("orders", status=tuple(BatchStatus))
    assert {(batch.key, batch.status) for batch in store.batches(everything)} == {
        ("a", BatchStatus.ACCEPTED),
        ("a", BatchStatus.HELD),
        ("b", BatchStatus.REJECTED),
        ("c", BatchStatus.HELD),
    }
    assert store.changes("orders") == DatasetVersion(1, 0)
    # a user's own dataset of such a name stays, since it was judged under that name
    assert store.datasets() == ("odd (held)", "orders")
    assert store.verdicts(Selection("orders", key="a"))[0].document == {}
    assert [verdict.decision for verdict in store.verdicts(Selection("orders", key="c"))] == [
        Decision.HOLD,
        Decision.HOLD,
    ]
    assert store.derived(TableSchemaText, "orders")["a"].text == "accepted"
    assert store.derived(TableSchemaText, "orders", status=BatchStatus.HELD)["a"].text == "held"
    assert store.derived(ApprovedLimitsText, "orders")[""].text == "limits"
    (batch,) = store.batches(Selection("orders", key="a", status=BatchStatus.HELD))
    assert store.set_status(batch, BatchStatus.ACCEPTED).change == 2
