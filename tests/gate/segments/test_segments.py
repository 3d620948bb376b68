"""A gate that splits its batches: what it measures, stores, judges and refuses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from assay import EmbeddedStore, Gate, MemoryStore
from assay.analyzers.schema import Schema
from assay.engine.frame import schema_of
from assay.errors import AssayError, UnknownColumnError
from assay.gate.causes.cause import CauseCode
from assay.gate.segments.batch_segments import BatchSegments
from assay.gate.segments.measure_segments import measure_segments, require_split
from assay.learn.fingerprint import metrics
from assay.learn.fingerprint.column_stats import ColumnStats, Fingerprint
from assay.store import Decision
from assay.store.batch import BatchStatus
from assay.suite import Suite
from assay.suite.settings import GateSettings
from tests.engine.rows_read import queries_of, read_rows

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from assay.store.protocol import Store

DAYS = 24
LAST = datetime(2026, 11, DAYS + 1, tzinfo=UTC)


def orders(spark: SparkSession, days: int = DAYS, first: int = 1) -> DataFrame:
    """Return about 150 orders a day: three countries, and some without."""
    return (
        spark.range(first * 200, (first + days) * 200)
        .selectExpr("id", "id DIV 200 AS n", "id % 200 AS k", "xxhash64(id) AS h")
        .where("k < 150 + pmod(h, 9)")
        .selectExpr(
            "make_date(2026, 11, cast(n AS int)) AS day",
            "CASE WHEN k < 80 THEN 'DE' WHEN k < 130 THEN 'FR' WHEN k < 150 THEN 'AT' END"
            " AS country",
            "cast(10 + pmod(h, 1000) / 100 AS double) AS price",
            "concat('o', id) AS id",
        )
    )


def batch_of(rows: int, distinct: float, column: str = "country") -> Fingerprint:
    stats = ColumnStats("categorical", {"rows": rows, "values": rows, "distinct": distinct})
    return Fingerprint(rows, {column: stats})


@pytest.fixture(scope="module")
def history(spark: SparkSession) -> MemoryStore:
    store = MemoryStore()
    Gate("orders", store, by="country").backfill(orders(spark), "day")
    return store


@pytest.mark.connect
def test_a_segment_that_is_gone_holds_the_batch_as_one_problem(
    spark: SparkSession, history: MemoryStore
) -> None:
    gate = Gate("orders", history, by="country")
    day = orders(spark, 1, DAYS + 1).drop("day")

    verdict = gate.submit(day.where("country <> 'AT' OR country IS NULL"), "gone", time=LAST)

    assert verdict.decision is Decision.HOLD
    about_rows = [p for p in verdict.problems if p.cause_code == CauseCode.SEGMENT_MISSING]
    assert [problem.segment for problem in about_rows] == ["country = 'AT'"]
    assert "no row arrived; about 20 are usual" in about_rows[0].cause
    stored = history.derived(BatchSegments, "orders", ["gone"], BatchStatus.HELD)
    assert stored["gone"].names == ("DE", "FR", None)


def test_a_good_batch_raises_no_finding_of_segments(
    spark: SparkSession, history: MemoryStore
) -> None:
    gate = Gate("orders", history, by="country")

    verdict = gate.submit(orders(spark, 1, DAYS + 1).drop("day"), "good", time=LAST)
    gate.mark("good", "bad", author="test", reason="it is the same day as in other tests")

    assert [finding for finding in verdict.alarms if finding.judge == "segments"] == []


def test_a_backtest_judges_segments(spark: SparkSession) -> None:
    days = orders(spark, DAYS + 1).where("day < '2026-11-25' OR country = 'FR' OR country IS NULL")

    *_, last = Gate("orders", MemoryStore(), by="country").backtest(days, "day")

    assert "segments" in {finding.judge for finding in last.alarms}
    assert last.problems[0].cause_code == CauseCode.SEGMENT_MISSING


@pytest.mark.parametrize("create", [MemoryStore, EmbeddedStore])
def test_segments_are_stored_in_the_commit_of_the_batch(
    spark: SparkSession, create: Callable[..., Store], tmp_path: Path
) -> None:
    store = create() if create is MemoryStore else create(tmp_path / "store")
    gate = Gate("orders", store, by="country")
    before = store.counters.snapshots, store.counters.commits

    gate.submit(orders(spark, 1).drop("day"), "first", time=LAST)

    after = store.counters.snapshots, store.counters.commits
    assert (after[0] - before[0], after[1] - before[1]) == (1, 1)
    assert store.derived(BatchSegments, "orders")["first"].by == "country"
    store.remove("orders", "first")
    assert not store.derived(BatchSegments, "orders")


@pytest.mark.classic
def test_all_segments_are_measured_in_one_query(spark: SparkSession, tmp_path: Path) -> None:
    path = str(tmp_path / "orders")
    orders(spark, 1).write.parquet(path)
    df = spark.read.parquet(path)
    n_rows = df.count()

    def run() -> Any:
        return measure_segments(df, "country", schema_of(df), batch_of(n_rows, 3))

    queries, segments = queries_of(spark, run)
    read, jobs, _ = read_rows(spark, run)

    assert (queries, read) == (1, n_rows)
    assert jobs <= 2  # with adaptive execution the shuffle's two sides are a job each
    assert segments.n_rows == n_rows


def test_the_segments_add_up_to_the_table(spark: SparkSession) -> None:
    df = orders(spark, 1)
    rows = [row.asDict() for row in df.collect()]

    segments = measure_segments(df, "country", schema_of(df), batch_of(len(rows), 3))

    assert isinstance(segments, BatchSegments)
    counts = Counter(row["country"] for row in rows)
    assert dict(zip(segments.names, map(int, segments.rows.tolist()), strict=True)) == counts
    total = float(segments.rows @ segments.metric("price", metrics.MEAN))
    assert total == pytest.approx(sum(row["price"] for row in rows))


def test_odd_names_private_columns_and_an_empty_batch(spark: SparkSession) -> None:
    by = "a `b`.c'd"
    df = spark.sql("SELECT 1.5D AS `x y`, 2.0D AS salary, true AS v, 7 AS W").toDF(
        "x y", "salary", by, "W"
    )

    segments = measure_segments(df, by, schema_of(df), batch_of(1, 1, by), private=["SALARY"])

    assert isinstance(segments, BatchSegments)
    assert (segments.by, segments.names) == (by, ("true",))
    assert ("x y", metrics.MEAN) in segments.metrics
    assert [metric for column, metric in segments.metrics if column == "salary"] == [
        metrics.COMPLETENESS
    ]
    empty = measure_segments(df.limit(0), by, schema_of(df), batch_of(0, 0, by))
    assert isinstance(empty, BatchSegments)
    assert empty.n_rows == 0


def test_a_column_with_too_many_values_is_refused_before_it_is_grouped(
    spark: SparkSession,
) -> None:
    df = orders(spark, 1)

    with pytest.raises(AssayError, match="expected at most 1,000 values") as caught:
        measure_segments(df, "id", schema_of(df), batch_of(5000, 5000, "id"))

    assert caught.value.code == "too_many_segments"


def test_a_wrong_column_is_an_error_in_the_first_batch_and_is_stored_nowhere(
    spark: SparkSession,
) -> None:
    store = MemoryStore()

    with pytest.raises(UnknownColumnError):
        Gate("orders", store, by="contry").submit(orders(spark, 1), "1")

    assert store.datasets() == ()


@pytest.mark.unit
@pytest.mark.parametrize(
    ("by", "private", "code"),
    [
        ("Country", ["country"], "private_segments"),
        ("home", ["home.zip"], "private_segments"),
        ("price", [], "segment_type"),
        ("home.zip", [], "segment_type"),
        ("nothing", [], "unknown_column"),
    ],
)
def test_columns_that_cannot_split_batches_are_refused(
    by: str, private: list[str], code: str
) -> None:
    schema = Schema.of(country="string", price="double", home={"zip": "string"})

    with pytest.raises(AssayError) as caught:
        require_split(by, schema, private)

    assert caught.value.code == code


@pytest.mark.unit
def test_the_setting_is_read_from_a_suite_and_shares_the_budget(tmp_path: Path) -> None:
    path = tmp_path / "orders.yml"
    path.write_text("version: 1\ndataset: orders\ngate: {by: country}\nchecks: []\n")

    gate = Gate("orders", MemoryStore(), Suite.read(path))

    assert gate.settings.by == "country"
    assert gate.spec.budget.n_learners == Gate("orders", MemoryStore()).spec.budget.n_learners + 1
    with pytest.raises(AssayError, match="by must be text"):
        GateSettings(by=3)  # type: ignore[arg-type]
