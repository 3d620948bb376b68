"""Batches measured together: they need the jobs of one, with the same result as alone."""

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
from assay.gate import backtest, measure_many
from assay.gate.backfill import backfill_measured
from assay.gate.history import GateHistory
from assay.gate.judges.novelty import judge_novelty
from assay.gate.measure_files import measure_files
from assay.gate.measure_many import measure_table
from assay.gate.measured_batch import MeasuredBatch
from assay.learn.fingerprint.from_states import fingerprint_of
from assay.learn.limits.metric_history import MetricHistory
from assay.learn.novelty.novelty_result import Method
from assay.store import Decision, EmbeddedStore, MemoryStore, Selection
from assay.suite.settings import GateSettings
from tests.engine.rows_read import queries_of, read_rows
from tests.io.files_of import files_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

START = date(2026, 11, 1)
UNIQUE = Check("ids").is_unique("id")


def days(spark: SparkSession, number: int) -> DataFrame:
    """Create ten ids a day. The third day repeats one of the second, the fifth repeats its own."""
    rows = [
        (START + timedelta(days=day), {20: 10, 45: 44}.get(10 * day + n, 10 * day + n))
        for day in range(number)
        for n in range(10)
    ]
    return spark.createDataFrame(rows, "day date, id long")


def check_reasons(backtest_result: backtest.Backtest) -> dict[str, list[str]]:
    """Return the reasons of failed checks by the last digit of the day."""
    return {
        verdict.batch.key[-1]: [f.reason for f in verdict.alarms if f.judge == "checks"]
        for verdict in backtest_result
    }


def test_frequencies_of_many_batches_need_as_many_jobs_as_those_of_few(spark: SparkSession) -> None:
    jobs = []
    for number in (2, 6):
        frame = days(spark, number).coalesce(1)
        gate = Gate("ids", MemoryStore(), UNIQUE)
        _, job_count, result = read_rows(spark, lambda g=gate, f=frame: g.backtest(f, ["day"]))  # type: ignore[misc]
        jobs.append(job_count)
    assert jobs[0] == jobs[1]
    reasons = check_reasons(result)
    assert [bool(reasons[day]) for day in "123456"] == [False, False, True, False, True, False]
    assert reasons["3"][0].startswith("on the whole dataset, with this batch: ")
    assert not reasons["5"][0].startswith("on the whole")


def test_files_of_one_schema_are_measured_in_one_query(spark: SparkSession, tmp_path: Path) -> None:
    for day in range(1, 3):
        table = pa.table({f"c{i}": [float(day), None, float(i)] for i in range(12)})
        pyarrow.parquet.write_table(table, tmp_path / f"2026-11-0{day}.parquet")
    gate = Gate("numbers", MemoryStore())
    queries, batches = queries_of(
        spark, lambda: measure_files(gate.spec, spark, files_of(tmp_path))
    )
    assert [batch.measurement is not None for batch in batches] == [True] * 2
    assert queries == 1


def test_with_too_many_keys_each_batch_is_judged_alone(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measure_many, "collect_segments", partial(collect_segments, most=20))
    result = Gate("ids", MemoryStore(), UNIQUE).backtest(days(spark, 5), ["day"])
    assert [len(reasons) for reasons in check_reasons(result).values()] == [0, 0, 0, 0, 1]
    notes = {
        finding.reason for verdict in result for finding in verdict.findings if not finding.alarm
    }
    assert "Uniqueness(id) of the whole dataset is not replayed: it has too many keys." in notes


def test_frequencies_of_remembered_files_merge_with_later_batches(
    spark: SparkSession, tmp_path: Path
) -> None:
    folder = tmp_path / "past"
    folder.mkdir()
    for day in range(2):
        ids = "".join(f"{10 * day + n},x{n}\n" for n in range(10))
        (folder / f"2026-11-0{day + 1}.csv").write_text(f"id,text\n{ids}")
    gate = Gate("ids", EmbeddedStore(tmp_path / "store"), UNIQUE)
    backfill_measured(
        gate.spec, measure_files(gate.spec, spark, files_of(folder), will_be_stored=True)
    )
    assert len(gate.store.batches(Selection("ids"))) == 2
    again = spark.createDataFrame([(5, "x"), (77, "x")], "id bigint, text string")
    reasons = [alarm.reason for alarm in gate.submit(again, "2026-11-03").alarms]
    assert any(reason.startswith("on the whole dataset, with this batch: ") for reason in reasons)


def test_a_file_that_fails_is_reported_and_the_others_are_measured(
    spark: SparkSession, tmp_path: Path
) -> None:
    for day in range(2):
        table = pa.table({"id": [10 * day + n for n in range(1000)]})
        pyarrow.parquet.write_table(table, tmp_path / f"2026-11-0{day + 1}.parquet")
    broken = tmp_path / "2026-11-02.parquet"
    data = broken.read_bytes()
    broken.write_bytes(data[:4] + b"\xff" * (len(data) // 2) + data[len(data) // 2 + 4 :])
    batches = measure_files(Gate("ids", MemoryStore()).spec, spark, files_of(tmp_path))
    assert [batch.measurement is not None for batch in batches] == [True, False]
    assert [batch.batch.key[-1] for batch in batches] == list("12")
    assert (batches[1].unreadable or "").startswith("it cannot be read: ")
    assert "\n" not in (batches[1].unreadable or "")


@pytest.fixture(scope="module")
def daily_amounts(spark: SparkSession) -> list[MeasuredBatch]:
    """Create amounts of twelve days, and of one on which they are multiplied by 1,000."""
    rng = np.random.default_rng(3)
    rows: list[tuple[Any, ...]] = [
        (START + timedelta(days=day), float(amount) * (1000 if day == 12 else 1))
        for day in range(13)
        for amount in rng.gamma(4.0, 5.0, 60).round(2)
    ]
    frame = spark.createDataFrame(rows, "day date, amount double")
    return measure_table(Gate("amounts", MemoryStore()).spec, frame, ["day"])


@pytest.mark.parametrize("detector", ["bands", *get_args(Method)])
def test_every_detector_reports_an_unusual_batch(
    daily_amounts: list[MeasuredBatch], detector: Any
) -> None:
    history = GateHistory(MetricHistory("amounts"))
    fingerprints = [
        fingerprint_of(batch.measurement.states) for batch in daily_amounts if batch.measurement
    ]
    for batch, stats in zip(daily_amounts[:11], fingerprints, strict=False):
        history = history.plus(batch.batch, stats, batch.schema)
    gate = Gate("amounts", MemoryStore(), detector=detector)
    usual = judge_novelty(history, fingerprints[11], gate.spec.budget, gate.settings)
    unusual = judge_novelty(history, fingerprints[12], gate.spec.budget, gate.settings)
    # with so short a history, the other detectors hold too many batches
    assert detector != "bands" or not usual
    assert unusual[0].level is Decision.HOLD
    assert max(finding.severity for finding in unusual) > max(
        (finding.severity for finding in usual), default=0
    )
    assert {finding.judge for finding in unusual} == {"novelty"}
    assert "amount" in {finding.column for finding in unusual}


def test_an_unknown_detector_is_an_error_with_a_suggestion() -> None:
    with pytest.raises(CheckError, match="unknown detector 'avg knn'; did you mean 'average knn'"):
        Gate("amounts", MemoryStore(), detector="avg knn")
    assert Gate("amounts", MemoryStore()).settings == GateSettings(detector="bands")
