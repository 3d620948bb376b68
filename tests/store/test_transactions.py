"""Snapshots and transactions of every store."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from pyspark import cloudpickle

from assay.errors import StoreError
from assay.store import (
    Counters,
    DatasetVersion,
    EmbeddedStore,
    PostgresStore,
    Selection,
    Store,
    embedded,
)
from tests.store.examples import Remark, batch, sized


def in_another_thread(action: Callable[[], object]) -> None:
    thread = threading.Thread(target=action)
    thread.start()
    thread.join()


def keys(store: Store) -> list[str]:
    return [stored.key for stored in store.batches(Selection("orders"))]


def test_a_snapshot_does_not_see_what_is_written_meanwhile(store: Store) -> None:
    store.write(batch(1), sized(1))
    with store.snapshot():
        assert len(keys(store)) == 1
        in_another_thread(lambda: store.write(batch(2), sized(2)))
        store.write(batch(3), sized(3))
        with store.snapshot():
            assert len(keys(store)) == 1
        assert store.changes("orders") == DatasetVersion(1, 0)
    assert len(keys(store)) == 3


def test_a_transaction_is_seen_by_others_once_it_is_committed(store: Store) -> None:
    counts: list[int] = []
    with store.transaction():
        store.write(batch(1), sized(1))
        with store.transaction():
            store.write(batch(2), sized(2))
        with store.snapshot():
            assert len(keys(store)) == 2
        in_another_thread(lambda: counts.append(len(keys(store))))
    assert counts == [0]
    assert len(keys(store)) == 2


def test_an_exception_rolls_everything_back(store: Store) -> None:
    def fail() -> None:
        with store.transaction():
            store.write(batch(1), sized(1))
            store.save("orders", batch(1).key, Remark("gone"))
            with store.transaction():
                store.write(batch(2), sized(2))
            raise ValueError("stop")

    with pytest.raises(ValueError, match="stop"):
        fail()
    assert keys(store) == []
    assert store.derived(Remark, "orders") == {}
    assert store.changes("orders") == DatasetVersion()
    store.write(batch(1), sized(1))
    assert len(keys(store)) == 1


def test_snapshots_and_commits_are_counted(store: Store) -> None:
    before = Counters(store.counters.snapshots, store.counters.commits)
    with store.snapshot():
        keys(store)
        store.metrics(Selection("orders"))
        store.verdict_counts("orders")
    with store.transaction():
        keys(store)
        store.write(batch(1), sized(1))
        store.save("orders", batch(1).key, Remark("x"))
    assert store.counters == Counters(before.snapshots + 1, before.commits + 1)
    keys(store)
    store.write(batch(2), sized(2))
    assert store.counters == Counters(before.snapshots + 2, before.commits + 2)


def test_a_read_decides_about_a_write_of_the_same_transaction(store: Store) -> None:
    winners: list[str] = []
    barrier = threading.Barrier(4)

    def claim(name: str) -> None:
        barrier.wait()
        with store.transaction():
            if not store.derived(Remark, "orders", ["claim"]):
                store.save("orders", "claim", Remark(name))
                winners.append(name)

    threads = [threading.Thread(target=claim, args=(str(n),)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(winners) == 1
    assert store.derived(Remark, "orders") == {"claim": Remark(winners[0])}


def test_a_transaction_begins_with_its_first_statement(tmp_path: object) -> None:
    store, other = EmbeddedStore(str(tmp_path)), EmbeddedStore(str(tmp_path))
    with store.transaction():  # another writer does not wait while Spark writes tables here
        other.write(batch(1), sized(1))
        store.write(batch(2), sized(2))
    assert len(keys(store)) == 2


@pytest.mark.parametrize("store", ["embedded", "postgres"], indirect=True)
def test_a_copy_in_another_process_reads_and_writes_the_same_store(store: Store) -> None:
    store.write(batch(1), sized(1))

    # as Spark Connect copies the function of a stream
    copy = cloudpickle.loads(cloudpickle.dumps(store))  # type: ignore[no-untyped-call]
    copy.write(batch(2), sized(2))

    assert keys(copy) == keys(store)
    assert len(keys(store)) == 2
    if isinstance(copy, PostgresStore):
        copy.close()


@contextmanager
def another_writer(store: EmbeddedStore) -> Iterator[sqlite3.Connection]:
    path = store.folder / "store.sqlite"
    database = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    with closing(database):
        database.execute("BEGIN IMMEDIATE")
        yield database


def test_a_writer_waits_for_another_one(tmp_path: Path) -> None:
    store = EmbeddedStore(tmp_path)
    with another_writer(store) as database:
        release = threading.Timer(0.2, lambda: database.execute("COMMIT"))
        release.start()
        store.write(batch(1), sized(1))
        release.join()
    assert len(keys(store)) == 1


def test_a_writer_that_waits_too_long_gets_an_error_and_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = EmbeddedStore(tmp_path)
    monkeypatch.setattr(embedded, "MAX_WAIT_SECONDS", 0.1)
    with another_writer(store), pytest.raises(StoreError) as refused:
        store.write(batch(1), sized(1))
    assert refused.value.code == "store"
    assert "locked" in str(refused.value)
    assert keys(store) == []
