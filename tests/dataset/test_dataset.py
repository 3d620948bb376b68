"""A dataset judges batches and the whole, stores states, and refuses what it cannot do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from assay import Check, Dataset, EmbeddedStore, MemoryStore, Outcome, Status
from assay.analyzers import (
    Completeness,
    Histogram,
    Maximum,
    Mean,
    Size,
    Sum,
    Uniqueness,
)
from assay.analyzers.counting import Count
from assay.analyzers.distinctness import CountDistinct
from assay.analyzers.quantiles import ExactQuantile
from assay.checks.assertions.expectation import Expectation, NotEnough, Point
from assay.engine import Measurement, Metric
from assay.errors import CheckError, StateError, StoreError, VerificationError
from assay.store import Batch, Decision, Mark, MarkKind, Selection, Store, VerdictRecord
from tests.dataset.held import hold

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

start = datetime(2026, 11, 1, tzinfo=UTC)


#: for tests that add and remove batches; tests/store has all other tests of stores
both = pytest.mark.parametrize("store", ["embedded", "memory"], indirect=True)


@pytest.fixture
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    in_memory = getattr(request, "param", "embedded") == "memory"
    return MemoryStore() if in_memory else EmbeddedStore(tmp_path / "store")


Orders = Callable[..., "DataFrame"]


@pytest.fixture
def orders(spark: SparkSession) -> Orders:
    return lambda *rows: spark.createDataFrame(list(rows), "id int, status string")


class Twice:
    """A detector that expects at most twice the mean of at least two batches."""

    def __init__(self) -> None:
        self.seen: list[list[float]] = []

    def expect(self, history: Sequence[Point], time: datetime) -> Expectation | NotEnough:
        values = [point.value for point in history]
        self.seen.append(values)
        if len(values) < 2:
            return NotEnough(len(values), 2)
        return Expectation(0, 2 * sum(values) / len(values), 0.9, "twice the mean")

    def __repr__(self) -> str:
        return "Twice()"


@pytest.mark.connect
def test_the_delta_and_the_whole_are_judged(store: Store, orders: Orders) -> None:
    check = Check("orders").is_complete("status").is_unique("id").has_size(at_most=3)
    dataset = Dataset("orders", store, check)
    first = dataset.append(orders((1, "new"), (2, "paid")), "day=1")
    assert first.delta.passed
    assert first.whole.passed
    second = dataset.append(orders((2, "paid"), (3, "new")), "day=2")
    assert second.delta.passed
    assert [result.outcome for result in second.whole] == ["passed", "failed", "failed"]
    assert second.whole.measurement.value(Uniqueness("id")) == 0.5
    assert dataset.verify().to_dict() == second.whole.to_dict()
    assert dataset.verify(keys=["day=2"]).passed
    with pytest.raises(CheckError, match="store"):
        second.whole.split()
    assert second.delta.split()[0].count() == 2
    assert second.whole.to_dataframe().count() == 3


def test_a_proposal_is_not_stored_until_it_is_accepted(store: Store, orders: Orders) -> None:
    dataset = Dataset("orders", store, Check("orders").is_unique("id").has_size(at_least=1))
    dataset.append(orders((1, "new"), (2, "paid")), "day=1")
    dataset.append(orders((3, "new")), "day=2")
    bad = dataset.propose(orders((3, "new"), (4, "new")), "day=1")
    assert bad.delta.passed
    assert not bad.passed
    with pytest.raises(VerificationError, match="is_unique"):
        bad.accept_if_passed()
    assert dataset.verify().measurement.value(Size()) == 3
    good = dataset.propose(orders((5, "new"), (6, "new"), (7, "x")), "day=1").accept_if_passed()
    assert good.whole.measurement.value(Size()) == 4
    assert dataset.verify().measurement.value(Size()) == 4
    assert bad.stale


@both
def test_appending_again_replaces(store: Store, orders: Orders) -> None:
    dataset = Dataset("orders", store, analyzers=[Size(), Maximum("id"), CountDistinct("status")])
    for _ in range(2):
        dataset.append(orders((9, "new")), "day=1")
        last = dataset.append(orders((1, "new"), (2, "paid")), "day=2")
    values = [last.whole.measurement.value(analyzer) for analyzer in dataset.analyzers]
    assert values == [3, 9, 2]
    again = dataset.append(orders((1, "new")), "day=1")  # the greatest is gone
    assert [again.whole.measurement.value(analyzer) for analyzer in dataset.analyzers] == [3, 2, 2]


@both
def test_a_batch_is_retracted(store: Store, orders: Orders) -> None:
    dataset = Dataset("orders", store, analyzers=[Size(), Maximum("id"), Uniqueness("status")])
    dataset.append(orders((9, "new")), "day=1")
    dataset.append(orders((1, "new"), (2, "paid")), "day=2")
    remaining = dataset.retract("day=1")
    assert [remaining.measurement.value(analyzer) for analyzer in dataset.analyzers] == [2, 2, 1.0]
    with pytest.raises(StoreError, match="no batch 'day=1'"):
        dataset.retract("day=1")


@both
def test_rows_are_subtracted_from_a_batch(store: Store, orders: Orders) -> None:
    analyzers: list[Any] = [
        Size(),
        Sum("id"),
        Mean("id"),
        Completeness("status"),
        Histogram("status"),
    ]
    dataset = Dataset("orders", store, analyzers=analyzers)
    dataset.append(orders((1, "new"), (2, None), (3, "paid")), "day=1")
    dataset.append(orders((10, "void")), "day=2")
    proposal = dataset.take_out(orders((2, None), (3, "paid")), "day=1")
    direct = Dataset("other", MemoryStore(), analyzers=analyzers)
    direct.append(orders((1, "new")), "day=1")
    expected = direct.append(orders((10, "void")), "day=2")
    for analyzer in analyzers:
        subtracted = proposal.whole.measurement.value(analyzer)
        assert subtracted == expected.whole.measurement.value(analyzer)
    proposal.accept()
    assert dataset.verify().measurement.value(Sum("id")) == 11


def test_a_state_without_an_inverse_is_refused_or_given_up(store: Store, orders: Orders) -> None:
    dataset = Dataset("orders", store, analyzers=[Size(), Maximum("id")])
    dataset.append(orders((1, "new"), (2, None)), "day=1")
    with pytest.raises(StateError, match=r"states of Maximum\(id\) cannot be subtracted"):
        dataset.take_out(orders((2, None)), "day=1")
    partial = dataset.take_out(orders((2, None)), "day=1", partial=True).accept()
    assert partial.whole.measurement.value(Size()) == 1
    assert partial.whole.measurement[Maximum("id")].problem is not None
    assert dataset.verify().measurement[Maximum("id")].problem is not None


def test_a_metric_that_does_not_merge_is_evaluated_on_batches_only(
    store: Store, orders: Orders
) -> None:
    middle = ExactQuantile("id", 0.5)
    dataset = Dataset("orders", store, Check("orders").has_exact_quantile("id", 0.5, at_most=9))
    first = dataset.append(orders((1, "new")), "day=1")
    assert first.whole.measurement.value(middle) == 1
    second = dataset.append(orders((3, "new")), "day=2")
    assert second.delta.measurement.value(middle) == 3
    problem = second.whole.measurement[middle].problem
    assert problem is not None
    assert problem.code == "not_incremental"
    assert second.whole.status is Status.WARNING
    assert second.passed


def test_anomalies_of_the_whole_do_not_fail_verify_and_retract(
    store: Store, orders: Orders
) -> None:
    check = Check("orders").has_no_anomalies(Size(), Twice(), scope="whole")
    dataset = Dataset("orders", store, check)
    for day in range(3):
        dataset.append(orders((day, "new")), f"day={day}", time=start + timedelta(days=day))
    for result in (dataset.verify(), dataset.retract("day=1")):
        assert result.passed
        assert [checked.problem and checked.problem.code for checked in result] == [
            "no_judged_batch"
        ]


def test_a_constraint_that_is_added_later_does_not_fail_the_whole(
    store: Store, orders: Orders
) -> None:
    Dataset("orders", store, analyzers=[Size()]).append(orders((1, "new")), "day=1")
    later = Dataset("orders", store, Check("orders").is_unique("id"))
    second = later.append(orders((2, "new")), "day=2")
    assert second.passed
    assert [result.problem and result.problem.code for result in second.whole] == ["no_past_states"]


def test_anomalies_of_the_batch_and_of_the_whole(store: Store, orders: Orders) -> None:
    on_batch, on_whole = Twice(), Twice()
    check = (
        Check("orders")
        .has_no_anomalies(Size(), on_batch)
        .has_no_anomalies(Size(), on_whole, scope="whole")
    )
    dataset = Dataset("orders", store, check)
    sizes = [1, 1, 2, 5, 1]
    proposals = []
    for n, size in enumerate(sizes):
        rows = [(i, "new") for i in range(size)]
        time = start + timedelta(days=n)
        proposals.append(dataset.append(orders(*rows), f"day={n}", time=time))
    outcomes = [proposal.delta.results[0].outcome for proposal in proposals]
    assert outcomes == ["not evaluated", "not evaluated", "passed", "failed", "passed"]
    assert proposals[0].delta.passed, "too short a history does not fail a batch"
    first, fourth = proposals[0].delta.results[0], proposals[3].delta.results[0]
    assert first.problem is not None
    assert first.problem.code == "not_enough_history"
    assert fourth.value == 5
    assert fourth.expected is not None
    assert [fourth.expected.low, fourth.expected.high] == pytest.approx([0, 8 / 3])
    assert on_batch.seen == [[], [1], [1, 1], [1, 1, 2], [1, 1, 2, 5]]
    assert on_whole.seen == [[], [1], [1, 2], [1, 2, 4], [1, 2, 4, 9]]
    assert proposals[3].whole.results[0].outcome is Outcome.FAILED


def test_held_and_bad_batches_are_not_in_the_history(store: Store, orders: Orders) -> None:
    detector = Twice()
    dataset = Dataset("orders", store, Check("orders").has_no_anomalies(Size(), detector))
    for n in range(1, 5):
        rows = [(i, "new") for i in range(n)]
        dataset.append(orders(*rows), f"day={n}", time=start + timedelta(days=n))
    hold(store, "orders", "day=1")
    for day in ("day=1", "day=2"):
        store.add_verdict(
            VerdictRecord("orders", day, Decision.HOLD, time=start + timedelta(days=10))
        )
    store.add_mark(Mark("orders", "day=2", MarkKind.RELEASED, time=start + timedelta(days=11)))
    store.add_mark(Mark("orders", "day=3", MarkKind.BAD, time=start + timedelta(days=11)))
    dataset.append(orders((1, "new")), "day=5", time=start + timedelta(days=5))
    assert detector.seen[-1] == [2, 4]
    dataset.append(orders((1, "new")), "day=4", time=start + timedelta(days=4))
    assert detector.seen[-1] == [2], "neither its stored version nor later batches"


def test_each_segment_has_a_history_of_its_own(store: Store, spark: SparkSession) -> None:
    detector = Twice()
    check = Check("posts").has_no_anomalies(Mean("score"), detector, per="board")
    dataset = Dataset("posts", store, check)
    rows = [
        (date(2026, 11, day), board, float(day if board == "a" else 100 * day))
        for day in (1, 2, 3)
        for board in ("a", "b")
    ]
    df = spark.createDataFrame(rows, "day date, board string, score double")
    dataset.load(df, by=["day", "board"])
    proposal = dataset.append(
        df.where("board = 'b'"), "day=2026-11-04/board=b", time=datetime(2026, 11, 4, tzinfo=UTC)
    )
    assert detector.seen[-1] == [100, 200, 300]
    assert proposal.delta.passed


def test_a_failing_detector_is_reported_in_one_sentence(store: Store, orders: Orders) -> None:
    class Broken:
        def expect(self, history: object, time: object) -> Expectation:
            raise KeyError("season")

        def __repr__(self) -> str:
            return "Broken()"

    dataset = Dataset("orders", store, Check("orders").has_no_anomalies(Size(), Broken()))
    (result,) = dataset.append(orders((1, "x")), "day=1").delta
    assert "Broken() failed: KeyError: 'season'" in result.message


def test_an_anomaly_without_a_dataset_is_not_evaluated(orders: Orders) -> None:
    from assay import verify

    (result,) = verify(orders((1, "x")), Check("o").has_no_anomalies(Size(), Twice()))
    assert "append the batch to a Dataset" in result.message


@pytest.mark.connect
def test_metrics_over_time(store: Store, orders: Orders, spark: SparkSession) -> None:
    dataset = Dataset("orders", store, analyzers=[Size(), Histogram("status")])
    for n in (1, 2):
        dataset.append(
            orders(*[(i, "new") for i in range(n)]),
            f"day={n}",
            time=start + timedelta(days=n),
            tags={"source": "crm"},
        )
    records = dataset.history([Size()])
    assert [record["value"] for record in records.to_dicts()] == [1, 2]
    assert '"analyzer": "Size()"' in records.to_json()
    frame = dataset.history().to_dataframe(spark)
    rows = frame.where("analyzer = 'Size()'").orderBy("key").collect()
    assert [(row.key, row.number, row.tags) for row in rows] == [
        ("day=1", 1.0, {"source": "crm"}),
        ("day=2", 2.0, {"source": "crm"}),
    ]
    assert dataset.history([Size()], scope="whole").to_dicts()[-1]["value"] == 3


def test_loaded_partitions_have_keys_and_times(store: Store, spark: SparkSession) -> None:
    df = spark.createDataFrame(
        [(date(2026, 11, 1), "EU/West", 1), (date(2026, 11, 2), None, 2)],
        "day date, region string, n int",
    )
    dataset = Dataset("orders", store, Check("orders").has_size(equals=2))
    assert dataset.load(df, by=["day", "region"]).passed
    batches = store.batches(Selection("orders"))
    assert [(batch.key, batch.time.date().isoformat()) for batch in batches] == [
        ("day=2026-11-01/region=EU%2FWest", "2026-11-01"),
        ("day=2026-11-02/region=__HIVE_DEFAULT_PARTITION__", "2026-11-02"),
    ]
    assert not dataset.verify(where="region = 'EU/West'").passed


def test_loading_an_empty_table_stores_no_batch(store: Store, orders: Orders) -> None:
    dataset = Dataset("orders", store, Check("orders").has_size(at_least=1))
    (result,) = dataset.load(orders().where("false"), by=["status"])
    assert "no batch" in result.message
    assert store.batches(Selection("orders")) == ()


def test_an_empty_batch_is_stored(store: Store, orders: Orders) -> None:
    dataset = Dataset("orders", store, Check("orders").is_unique("id").has_size(at_least=1))
    empty = dataset.append(orders().where("false"), "day=1")
    assert not empty.delta.passed
    full = dataset.append(orders((1, "new"), (2, "new")), "day=2")
    assert full.whole.passed


def test_old_names_of_methods_warn(store: Store) -> None:
    dataset = Dataset("orders", store, analyzers=[Size()])
    measurement = Measurement({Size(): Metric(Size(), 3)}, {Size(): Count(3)})
    with pytest.warns(DeprecationWarning, match=r"Dataset\.propose_measured"):
        dataset.proposed(Batch("orders", "day=1", start), measurement).accept()
    assert [batch.key for batch in dataset.batches(where="day = 1")] == ["day=1"]
    assert dataset.batches(until=start) == ()
    with pytest.warns(DeprecationWarning, match=r"Dataset\.batches"):
        assert len(store.batches(dataset.selection(keys=["day=*"]))) == 1
