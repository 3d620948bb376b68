"""Relations, keys and samples are learned from batches that are measured together."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial, reduce
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from assay import Gate
from assay.gate import Verdict
from assay.gate.causes.cause import CauseCode
from assay.gate.measure_files import measure_files
from assay.gate.typical_batch import measure_typical_part
from assay.io.batch_files import BatchFile
from assay.learn.relations.measured import relations_of
from assay.store import Decision, MemoryStore
from tests.engine.rows_read import queries_of, read_rows
from tests.gate.test_counted_keys import orders
from tests.realdata import batches

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DAYS = 14


@pytest.fixture(scope="module")
def folder(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write 15 days of flights as Parquet, one file for each day."""
    folder = tmp_path_factory.mktemp("flights") / "days"
    paths = [str(batch.path) for batch in batches("nycflights13_daily")[: DAYS + 1]]
    df = spark.read.csv(paths, header=True, inferSchema=True, nullValue="NA")
    df = df.withColumn("date", F.expr("make_date(year, month, day)"))
    df.repartition("date").write.partitionBy("date").parquet(str(folder))
    return folder


def earlier_days(spark: SparkSession, folder: Path) -> DataFrame:
    return spark.read.parquet(str(folder)).where("date <= '2013-01-14'")


def submit_last_day(spark: SparkSession, gate: Gate, folder: Path, hour: str) -> Verdict:
    last = spark.read.parquet(str(folder / "date=2013-01-15"))
    time = datetime(2013, 1, 15, tzinfo=UTC)
    return gate.submit(last.withColumn("hour", F.expr(hour)), "date=2013-01-15", time=time)


def broken_relations(verdict: Verdict) -> set[tuple[str | None, ...]]:
    alarms = (finding for finding in verdict.alarms if finding.judge == "relations")
    return {(finding.column, *finding.related) for finding in alarms}


def test_a_relation_that_breaks_after_a_backfill_raises_a_warning(
    spark: SparkSession, folder: Path
) -> None:
    gate = Gate("flights", MemoryStore())
    assert len(gate.backfill(earlier_days(spark, folder), "date")) == DAYS

    verdict = submit_last_day(spark, gate, folder, "if(flight % 50 = 0, hour + 1, hour)")

    assert broken_relations(verdict) == {("time_hour", "hour")}
    assert broken_relations(submit_last_day(spark, gate, folder, "hour")) == set()


def test_a_relation_that_breaks_in_a_backtest_raises_a_warning(
    spark: SparkSession, folder: Path
) -> None:
    df = spark.read.parquet(str(folder))
    hour = "if(date = '2013-01-15' AND flight % 50 = 0, hour + 1, hour)"

    *_, verdict = Gate("flights", MemoryStore()).backtest(
        df.withColumn("hour", F.expr(hour)), "date"
    )

    assert broken_relations(verdict) == {("time_hour", "hour")}


def test_only_one_batch_of_a_table_is_read_before_all(spark: SparkSession, folder: Path) -> None:
    df, spec = earlier_days(spark, folder), Gate("flights", MemoryStore()).spec

    n_read, _, typical = read_rows(spark, lambda: measure_typical_part(spec, df, ["date"]))

    # the first rows choose the batch, and its rows alone are read by each scan
    n_scans, n_others = divmod(n_read - df.count(), typical.statistics.rows)
    assert n_others == 0
    assert n_scans < 10
    assert measure_typical_part(spec, df, ["date"], allow_multiple_reads=False) is None


def test_the_number_of_queries_does_not_depend_on_the_number_of_files(
    spark: SparkSession,
) -> None:
    n_queries: list[int] = []
    for n_files in (4, 8):
        files = [
            BatchFile(batch.key, datetime.fromisoformat(batch.key + "T00:00Z"), batch.path)
            for batch in batches("nycflights13_daily")[:n_files]
        ]
        spec = Gate("flights", MemoryStore()).spec
        n, measured = queries_of(spark, partial(measure_files, spec, spark, files))
        n_queries.append(n)
        assert all(relations_of(batch.measurement.states) for batch in measured)

    # one batch is measured twice before all: without relations, and to try them
    assert n_queries == [3, 3]


def test_keys_are_learned_from_a_backfill(spark: SparkSession) -> None:
    gate = Gate("orders", MemoryStore())
    days = [orders(spark, day, 20_000 + day).withColumn("day", F.lit(day)) for day in range(12)]
    gate.backfill(reduce(DataFrame.unionAll, days), "day")

    verdict = gate.submit(orders(spark, 20, 20_000, n_repeated=200), "2026-12-01")

    assert verdict.decision is Decision.HOLD
    (finding,) = (finding for finding in verdict.alarms if finding.judge == "keys")
    assert (finding.column, finding.actual) == ("order_id", 200)
    assert finding.cause_code == CauseCode.KEY_DUPLICATED
