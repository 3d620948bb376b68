"""All stores behave alike."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta
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
from assay.store import (
    Batch,
    DatasetTotals,
    DatasetVersion,
    Decision,
    EmbeddedStore,
    Mark,
    MarkKind,
    PostgresStore,
    Selection,
    Store,
    VerdictRecord,
)
from assay.store.migrations import MIGRATIONS
from tests.store.examples import START, Alert, NewerRemark, Remark, sized

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def day(n: int, region: str = "EU", **tags: str) -> Batch:
    when = START + timedelta(days=n - 1)
    return Batch("orders", f"date=2026-11-{n:02}/region={region}", when, tags)


def test_a_written_batch_is_read_unchanged(store: Store) -> None:
    states: dict[Analyzer, Any] = {
        Size(): Count(3),
        Maximum("day", where="region = 'EU'"): Greatest(date(2026, 11, 15)),
        Sum("amount"): Total(Exact.of(Decimal("1.50")), 2, is_integral=False),
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


def test_a_batch_that_is_written_again_is_replaced(store: Store) -> None:
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
        (Selection("orders", since=START + timedelta(days=2)), [3, 3, 4, 4]),
        (Selection("orders", until=START + timedelta(days=1)), [1, 1]),
        (Selection("orders", tags={"source": "crm"}), [2]),
        (Selection("other"), []),
    ],
    ids=str,
)
def test_batches_are_selected(store: Store, selection: Selection, days: list[int]) -> None:
    for n in range(1, 5):
        tags = {"source": "crm"} if n == 2 else {}
        store.write(day(n, "EU", **tags), sized(n))
        store.write(day(n, "US"), sized(n))
    assert [int(b.key[13:15]) for b in store.batches(selection)] == days
    assert [r.metric.value for r in store.metrics(selection)] == days
    assert sorted(b.key[13:15] for b in store.states(selection)) == [f"{n:02}" for n in days]


def test_an_invalid_condition_names_the_parts_of_keys(store: Store) -> None:
    store.write(day(1), sized(1))
    with pytest.raises(StoreError, match="no such column: regoin; a batch has: key, date, region"):
        store.batches(Selection("orders", where="regoin = 'EU'"))


def test_several_writers_lose_nothing(store: Store) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: store.write(Batch("orders", f"b{n}"), sized(n)), range(60)))
    assert len(store.batches(Selection("orders"))) == 60


def test_frequency_tables_are_stored(store: Store, spark: SparkSession) -> None:
    df = spark.createDataFrame([("a", 1), ("a", 2), ("b", None), (None, None)], "w string, n int")
    analyzers: list[Any] = [Uniqueness("w"), Histogram("w"), MutualInformation(("w", "n")), Size()]
    measured = measure(df, analyzers)
    store.write(Batch("words", "1"), measured)
    (states,) = store.states(Selection("words")).values()
    for analyzer in analyzers:
        assert analyzer.metric(states[analyzer]) == pytest.approx(measured.value(analyzer)) or (
            analyzer.metric(states[analyzer]) == measured.value(analyzer)
        ), analyzer


def test_a_newer_store_is_refused(tmp_path: Path) -> None:
    EmbeddedStore(tmp_path)
    with sqlite3.connect(tmp_path / "store.sqlite") as database:
        database.execute("INSERT INTO versions VALUES (99)")
    with pytest.raises(StoreError, match="has version 99, this Assay knows versions up to 5"):
        EmbeddedStore(tmp_path)


def test_a_file_that_is_not_a_store_is_refused(tmp_path: Path) -> None:
    (tmp_path / "store.sqlite").write_text("this is not a database, but it is long enough" * 100)
    with pytest.raises(StoreError, match="cannot be used"):
        EmbeddedStore(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot be used"):
        EmbeddedStore(tmp_path / "file")


def test_changes_are_counted(store: Store) -> None:
    assert store.changes("orders") == DatasetVersion(0, 0)
    store.write(day(1), sized(1))
    store.write(day(2), sized(2))
    assert store.changes("orders") == DatasetVersion(2, 0)
    store.write(day(1), sized(3))
    assert store.changes("orders") == DatasetVersion(3, 3)
    store.write(Batch("other", "1"), sized(1))
    store.remove("orders", day(2).key)
    assert store.changes("orders") == DatasetVersion(4, 4)
    assert [b.key for b in store.batches(Selection("orders", after=2))] == [day(1).key]
    assert store.batches(Selection("orders", after=3)) == ()


def test_totals_are_stored_only_if_the_dataset_has_not_changed(store: Store) -> None:
    store.write(day(1), sized(1), DatasetTotals(0, sized(1)))
    assert store.totals("orders", [Size()]) == {Size(): (1, Count(1))}
    store.write(day(2), sized(2), DatasetTotals(1, sized(3)))
    assert store.totals("orders", [Size()]) == {Size(): (2, Count(3))}
    store.write(day(3), sized(9), DatasetTotals(1, sized(10)))  # another process has written day 2
    assert store.totals("orders", [Size(), Mean("x")]) == {Size(): (2, Count(3))}
    history = store.metrics(Selection("orders"), scope="whole")
    assert [recorded.metric.value for recorded in history] == [1, 3, 10]
    store.remove("orders", day(3).key, DatasetTotals(3, sized(3)))
    assert store.totals("orders", [Size()]) == {Size(): (4, Count(3))}


def test_verdicts_and_marks_are_stored(store: Store) -> None:
    held = VerdictRecord("orders", day(1).key, Decision.HOLD, ({"reason": 'it\'s "new"'},), START)
    fine = VerdictRecord("orders", day(2).key, Decision.ACCEPT, (), START + timedelta(days=1))
    for verdict in (fine, held, held):
        store.add_verdict(verdict)
    assert store.verdicts(Selection("orders")) == (held, fine)
    assert store.verdicts(Selection("orders", where="date = '2026-11-02'")) == (fine,)
    assert store.verdicts(Selection("orders", since=START + timedelta(hours=1))) == (fine,)
    released = Mark(
        "orders", day(1).key, MarkKind.RELEASED, "ann", "checked with the supplier", START
    )
    store.add_mark(released)
    assert store.marks(Selection.one("orders", day(1).key)) == (released,)
    assert store.marks(Selection("other")) == ()
    with pytest.raises(StoreError, match=r"expected one of 'expected', .* got 'fine'"):
        Mark("orders", "1", "fine")  # type: ignore[arg-type]


def test_derived_records_go_with_their_batch(store: Store) -> None:
    for key in ("a", "b", "c"):
        store.write(Batch("orders", key, START), sized(1))
    for key, text in {"a": "{}", "b": "1", "c": "…", "": "of the dataset"}.items():
        store.save("orders", key, Remark(text))
    store.save("orders", "a", Remark("replaced"))
    store.save("orders", "a", Alert("0"))
    store.save("else", "a", Remark("0"))
    assert store.derived(Remark, "orders") == {
        "a": Remark("replaced"),
        "b": Remark("1"),
        "c": Remark("…"),
        "": Remark("of the dataset"),
    }
    assert store.derived(Remark, "orders", ["b", "z"]) == {"b": Remark("1")}
    store.remove("orders", "b")
    store.write(Batch("orders", "c", START), sized(2))
    assert store.derived(Remark, "orders").keys() == {"a", ""}
    assert store.derived(Alert, "orders") == {"a": Alert("0")}
    assert store.derived(Remark, "else") == {"a": Remark("0")}


def test_a_derived_record_of_another_version_is_ignored(store: Store) -> None:
    store.save("orders", "a", Remark("old"))
    assert store.derived(NewerRemark, "orders") == {}
    store.save("orders", "a", NewerRemark("new"))
    assert store.derived(NewerRemark, "orders") == {"a": NewerRemark("new")}
    assert store.derived(Remark, "orders") == {}


def test_a_key_with_wildcard_characters_is_one_batch(store: Store) -> None:
    for key in ("a*", "ab", "a[b]", "a?"):
        store.write(Batch("orders", key), sized(1))
    for key in ("a*", "a[b]", "a?"):
        assert [batch.key for batch in store.batches(Selection.one("orders", key))] == [key]
    assert len(store.batches(Selection("orders", keys=("a*",)))) == 4


def test_an_older_store_is_brought_up_to_date(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "store.sqlite") as database:
        database.execute("CREATE TABLE versions (version INTEGER NOT NULL)")
        for statement in MIGRATIONS[0]:
            database.execute(str(statement).replace("BYTES", "BLOB"))
        database.execute("INSERT INTO versions VALUES (1)")
        old = ("orders", "b1", START.isoformat(), "{}")
        database.execute("INSERT INTO batches VALUES (?, ?, ?, ?)", old)
        state = ("orders", "Size()", "b1", Count(5).to_bytes())
        database.execute("INSERT INTO states VALUES (?, ?, ?, ?, NULL)", state)
        metrics = [("Size()", b"5", None, None), ("Mean(x)", None, "undefined", "no values")]
        for metric in metrics:
            row = ("orders", metric[0], "b1", *metric[1:])
            database.execute("INSERT INTO metrics VALUES (?, ?, ?, ?, ?, ?)", row)
    store = EmbeddedStore(tmp_path)
    store.write(Batch("orders", "b2"), sized(2))
    stored = store.states(Selection("orders"))
    assert [states[Size()] for states in stored.values()] == [Count(5), Count(2)]
    assert EmbeddedStore(tmp_path).changes("orders") == DatasetVersion(1, 0)
    first = [recorded.metric for recorded in store.metrics(Selection("orders", keys=("b1",)))]
    assert [(metric.value, metric.problem) for metric in first] == [
        (5, None),
        (None, Problem("undefined", "no values")),
    ]


def test_an_unreachable_database_is_reported_without_its_password() -> None:
    with pytest.raises(StoreError, match="cannot be used") as caught:
        PostgresStore("postgresql://ann:secret@localhost:1/none", "/tmp/nowhere")
    assert "secret" not in str(caught.value)
    with pytest.raises(StoreError, match="got mysql://"):
        PostgresStore("mysql://ann:secret@localhost/none", "/tmp/nowhere")
