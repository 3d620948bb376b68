"""What every store does alike."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from assay.analyzers import (
    Analyzer,
    ApproxQuantile,
    Distribution,
    Histogram,
    Maximum,
    Mean,
    MutualInformation,
    Problem,
    Size,
    Sum,
    Uniqueness,
)
from assay.analyzers.counting import Count
from assay.analyzers.exact import Exact
from assay.analyzers.extremes import Greatest
from assay.analyzers.totals import Total
from assay.engine import Measurement, Metric, measure
from assay.errors import StoreError
from assay.store import Batch, EmbeddedStore, MemoryStore, Selection, Store

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

start = datetime(2026, 11, 1, tzinfo=UTC)


@pytest.fixture(params=["memory", "embedded"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    return MemoryStore() if request.param == "memory" else EmbeddedStore(tmp_path / "store")


def sized(n: int) -> Measurement:
    return Measurement({Size(): Metric(Size(), n)}, {Size(): Count(n)})


def day(n: int, region: str = "EU", **tags: str) -> Batch:
    when = start + timedelta(days=n - 1)
    return Batch("orders", f"date=2026-11-{n:02}/region={region}", when, tags)


def test_what_is_written_comes_back(store: Store) -> None:
    states: dict[Analyzer, Any] = {
        Size(): Count(3),
        Maximum("day", where="region = 'EU'"): Greatest(date(2026, 11, 15)),
        Sum("amount"): Total(Exact.of(Decimal("1.50")), 2, whole=False),
    }
    values: dict[Analyzer, Any] = {
        Size(): 3,
        Maximum("day", where="region = 'EU'"): date(2026, 11, 15),
        Sum("amount"): Decimal("1.5"),
        Histogram("status"): Distribution({"new": 2}, other=1, nulls=1, groups=2),
        ApproxQuantile("amount", 0.5): 1.25,
    }
    metrics = {a: Metric(a, v) for a, v in values.items()}
    metrics[Mean("nope")] = Metric(Mean("nope"), problem=Problem("unknown_column", "no column"))
    batch = day(1, source="crm")
    store.write(batch, Measurement(metrics, states))
    assert store.batches(Selection("orders")) == (batch,)
    assert store.states(Selection("orders")) == {batch: states}
    assert {r.metric.analyzer: r.metric for r in store.metrics(Selection("orders"))} == metrics
    some: list[Analyzer] = [Size(), Sum("amount")]
    assert set(store.states(Selection("orders"), some)[batch]) == set(some)
    assert len(store.metrics(Selection("orders"), some)) == 2
    assert store.datasets() == ("orders",)


def test_writing_again_replaces(store: Store) -> None:
    store.write(day(1, source="first"), Measurement({Mean("x"): Metric(Mean("x"), 1.0)}, {}))
    store.write(day(1, source="second"), sized(7))
    (batch,) = store.batches(Selection("orders"))
    assert batch.tags == {"source": "second"}
    assert [r.metric for r in store.metrics(Selection("orders"))] == [Metric(Size(), 7)]


def test_a_removed_batch_is_gone(store: Store) -> None:
    store.write(day(1), sized(1))
    assert store.remove("orders", day(1).key)
    assert not store.remove("orders", day(1).key)
    assert store.batches(Selection("orders")) == ()
    assert store.metrics(Selection("orders")) == ()
    assert store.states(Selection("orders")) == {}


@pytest.mark.parametrize(
    ("selection", "days"),
    [
        (Selection("orders"), [1, 1, 2, 2, 3, 3, 4, 4]),
        (Selection("orders", keys=("date=2026-11-02/region=EU",)), [2]),
        (Selection("orders", keys=("*region=US",)), [1, 2, 3, 4]),
        (Selection("orders", where="date BETWEEN '2026-11-02' AND '2026-11-03'"), [2, 2, 3, 3]),
        (Selection("orders", where="region = 'EU' AND date > '2026-11-02'"), [3, 4]),
        (Selection("orders", where="key LIKE '%11-04%'"), [4, 4]),
        (Selection("orders", since=start + timedelta(days=2)), [3, 3, 4, 4]),
        (Selection("orders", until=start + timedelta(days=1)), [1, 1]),
        (Selection("orders", tags={"source": "crm"}), [2]),
        (Selection("other"), []),
    ],
    ids=str,
)
def test_batches_are_chosen(store: Store, selection: Selection, days: list[int]) -> None:
    for n in range(1, 5):
        tags = {"source": "crm"} if n == 2 else {}
        store.write(day(n, "EU", **tags), sized(n))
        store.write(day(n, "US"), sized(n))
    assert [int(b.key[13:15]) for b in store.batches(selection)] == days
    assert [r.metric.value for r in store.metrics(selection)] == days
    assert sorted(b.key[13:15] for b in store.states(selection)) == [f"{n:02}" for n in days]


def test_a_condition_that_is_none_names_what_there_is(store: Store) -> None:
    store.write(day(1), sized(1))
    with pytest.raises(StoreError, match="no such column: regoin; a batch has: key, date, region"):
        store.batches(Selection("orders", where="regoin = 'EU'"))


def test_several_writers_lose_nothing(store: Store) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: store.write(Batch("orders", f"b{n}"), sized(n)), range(60)))
    assert len(store.batches(Selection("orders"))) == 60


def test_tables_of_frequencies_are_kept(store: Store, spark: SparkSession) -> None:
    df = spark.createDataFrame([("a", 1), ("a", 2), ("b", None), (None, None)], "w string, n int")
    asked: list[Any] = [Uniqueness("w"), Histogram("w"), MutualInformation(("w", "n")), Size()]
    measured = measure(df, asked)
    store.write(Batch("words", "1"), measured)
    (found,) = store.states(Selection("words")).values()
    for each in asked:
        assert each.metric(found[each]) == pytest.approx(measured.value(each)) or (
            each.metric(found[each]) == measured.value(each)
        ), each


def test_a_newer_store_is_refused(tmp_path: Path) -> None:
    EmbeddedStore(tmp_path)
    with sqlite3.connect(tmp_path / "store.sqlite") as database:
        database.execute("PRAGMA user_version = 99")
    with pytest.raises(StoreError, match="has version 99, this Assay knows versions up to 1"):
        EmbeddedStore(tmp_path)


def test_what_is_no_store_is_refused(tmp_path: Path) -> None:
    (tmp_path / "store.sqlite").write_text("this is not a database, but it is long enough" * 100)
    with pytest.raises(StoreError, match="cannot be used"):
        EmbeddedStore(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot be used"):
        EmbeddedStore(tmp_path / "file")
