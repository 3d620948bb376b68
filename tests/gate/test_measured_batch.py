"""Batches that are measured together: in as many jobs as one, and each as if it were alone."""

from __future__ import annotations

from datetime import date, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from assay import Check, Gate
from assay.engine.frequency_table import collect_segments
from assay.errors import CheckError
from assay.gate import backtest
from assay.gate.backfill import backfill_measured
from assay.gate.history import GateHistory
from assay.gate.judges.novelty import judge_novelty
from assay.gate.measure_files import measure_files
from assay.gate.measure_many import measure_table
from assay.gate.measured_batch import MeasuredBatch
from assay.io.batch_files import batch_files
from assay.learn.fingerprint.from_states import fingerprint_of
from assay.learn.limits.metric_history import MetricHistory
from assay.learn.novelty.novelty_result import Method
from assay.store import Decision, EmbeddedStore, MemoryStore, Selection
from assay.suite.settings import GateSettings
from tests.engine.rows_read import queries_of, read_rows

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

START = date(2026, 11, 1)
UNIQUE = Check("ids").is_unique("id")


def days(spark: SparkSession, number: int) -> DataFrame:
    """Ten ids a day; the third day repeats one of the second, the fifth one of its own."""
    rows = [
        (START + timedelta(days=day), {20: 10, 45: 44}.get(10 * day + n, 10 * day + n))
        for day in range(number)
        for n in range(10)
    ]
    return spark.createDataFrame(rows, "day date, id long")


def failed(found: backtest.Backtest) -> dict[str, list[str]]:
    """By the day of the month, what checks said."""
    return {
        each.batch.key[-1]: [each.reason for each in each.alarms if each.judge == "checks"]
        for each in found
    }


def test_frequencies_of_many_batches_take_as_many_jobs_as_of_few(spark: SparkSession) -> None:
    jobs = []
    for number in (2, 6):
        frame = days(spark, number).coalesce(1)
        gate = Gate("ids", MemoryStore(), UNIQUE)
        _, own, found = read_rows(spark, lambda g=gate, f=frame: g.backtest(f, ["day"]))  # type: ignore[misc]
        jobs.append(own)
    assert jobs[0] == jobs[1]
    said = failed(found)
    assert [bool(said[day]) for day in "123456"] == [False, False, True, False, True, False]
    assert said["3"][0].startswith("on the whole dataset, with this batch: ")
    assert not said["5"][0].startswith("on the whole")


def test_files_of_one_schema_are_measured_in_one_query(spark: SparkSession, tmp_path: Path) -> None:
    for day in range(1, 4):
        table = pa.table({f"c{i}": [float(day), None, float(i)] for i in range(12)})
        pyarrow.parquet.write_table(table, tmp_path / f"2026-11-0{day}.parquet")
    gate = Gate("numbers", MemoryStore())
    queries, found = queries_of(
        spark, lambda: measure_files(gate.spec, spark, batch_files(tmp_path))
    )
    assert [each.measurement is not None for each in found] == [True] * 3
    assert queries == 1


def test_of_too_many_keys_each_batch_is_judged_alone(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backtest, "collect_segments", partial(collect_segments, most=20))
    found = Gate("ids", MemoryStore(), UNIQUE).backtest(days(spark, 5), ["day"])
    assert [len(each) for each in failed(found).values()] == [0, 0, 0, 0, 1]
    remarks = {each.reason for verdict in found for each in verdict.findings if not each.alarm}
    assert "Uniqueness(id) of the whole dataset is not replayed: it has too many keys." in remarks


def test_files_are_remembered_with_tables_that_merge_with_later_ones(
    spark: SparkSession, tmp_path: Path
) -> None:
    folder = tmp_path / "past"
    folder.mkdir()
    for day in range(2):
        ids = "".join(f"{10 * day + n},x{n}\n" for n in range(10))
        (folder / f"2026-11-0{day + 1}.csv").write_text(f"id,text\n{ids}")
    gate = Gate("ids", EmbeddedStore(tmp_path / "store"), UNIQUE)
    backfill_measured(
        gate.spec, measure_files(gate.spec, spark, batch_files(folder), will_be_stored=True)
    )
    assert len(gate.store.batches(Selection("ids"))) == 2
    again = spark.createDataFrame([(5, "x"), (77, "x")], "id bigint, text string")
    said = [each.reason for each in gate.submit(again, "2026-11-03").alarms]
    assert any(each.startswith("on the whole dataset, with this batch: ") for each in said)


def test_a_file_that_fails_the_job_is_told_and_the_others_are_measured(
    spark: SparkSession, tmp_path: Path
) -> None:
    for day in range(2):
        table = pa.table({"id": [10 * day + n for n in range(1000)]})
        pyarrow.parquet.write_table(table, tmp_path / f"2026-11-0{day + 1}.parquet")
    torn = tmp_path / "2026-11-02.parquet"
    data = torn.read_bytes()
    torn.write_bytes(data[:4] + b"\xff" * (len(data) // 2) + data[len(data) // 2 + 4 :])
    found = measure_files(Gate("ids", MemoryStore()).spec, spark, batch_files(tmp_path))
    assert [each.measurement is not None for each in found] == [True, False]
    assert [each.batch.key[-1] for each in found] == list("12")
    assert (found[1].unreadable or "").startswith("it cannot be read: ")
    assert "\n" not in (found[1].unreadable or "")


@pytest.fixture(scope="module")
def walked(spark: SparkSession) -> list[MeasuredBatch]:
    """Amounts of twelve days, and of one on which they are a thousandfold."""
    rng = np.random.default_rng(3)
    rows: list[tuple[Any, ...]] = [
        (START + timedelta(days=day), float(amount) * (1000 if day == 12 else 1))
        for day in range(13)
        for amount in rng.gamma(4.0, 5.0, 60).round(2)
    ]
    frame = spark.createDataFrame(rows, "day date, amount double")
    return measure_table(Gate("amounts", MemoryStore()).spec, frame, ["day"])


@pytest.mark.parametrize("detector", ["bands", *get_args(Method)])
def test_whichever_detector_is_chosen_says_what_is_unlike(
    walked: list[MeasuredBatch], detector: Any
) -> None:
    known = GateHistory(MetricHistory("amounts"))
    prints = [fingerprint_of(each.measurement.states) for each in walked if each.measurement]
    for each, own in zip(walked[:11], prints, strict=False):
        known = known.plus(each.batch, own, each.schema)
    gate = Gate("amounts", MemoryStore(), detector=detector)
    like = judge_novelty(known, prints[11], gate.spec.budget, gate.settings)
    unlike = judge_novelty(known, prints[12], gate.spec.budget, gate.settings)
    # from so few batches the others hold more than they should
    assert detector != "bands" or not like
    assert unlike[0].level is Decision.HOLD
    assert max(each.severity for each in unlike) > max((each.severity for each in like), default=0)
    assert {each.judge for each in unlike} == {"novelty"}
    assert "amount" in {each.column for each in unlike}


def test_a_detector_that_there_is_not() -> None:
    with pytest.raises(CheckError, match="no detector 'avg knn'; did you mean 'average knn'"):
        Gate("amounts", MemoryStore(), detector="avg knn")
    assert Gate("amounts", MemoryStore()).settings == GateSettings(detector="bands")
