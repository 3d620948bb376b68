"""Statistics of `benchmarks.history` and `benchmarks.novelty`: on rows, and through sketches."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from assay.learn.fingerprint.column_stats import ColumnStats, Stat
from assay.learn.fingerprint.from_rows import Column, numbers, strings
from benchmarks import history
from benchmarks.support.column_series import Series
from benchmarks.support.corruption import Columns
from benchmarks.support.history_protocol import WINDOW_BATCHES, create_trials
from benchmarks.support.novelty_protocol import (
    ASSAY,
    FIRST_JUDGED,
    CorruptedBatch,
    compute_features,
    judge_batches,
)
from benchmarks.support.statistics_source import (
    ON_ROWS,
    SketchStatistics,
    StatisticsSource,
    Table,
)

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

AMOUNTS = numbers([12.5, None, 0, -3, 12.5, 7])
CODES = strings(["AB-1", "ab-2", None, "", "ab-2", "x y"])
COMPARED = (
    *(Stat.ROWS, Stat.VALUES, Stat.DISTINCT, Stat.MIN, Stat.MAX, Stat.SUM, Stat.SD),
    *(Stat.ZEROS, Stat.NEGATIVES, Stat.INTEGERS, Stat.CHARACTERS, Stat.EMPTY),
)


@pytest.fixture(scope="module")
def sketches(spark: SparkSession) -> SketchStatistics:
    return SketchStatistics(lambda: spark)


def numbers_of(stats: ColumnStats) -> dict[str, float]:
    return {name: stats.numbers[name] for name in COMPARED if name in stats.numbers}


def counts_of(stats: ColumnStats) -> list[dict[str, int]]:
    values = stats.value_counts if stats.kind == "categorical" else {}
    return [dict(values), dict(stats.shape_counts)]


def test_small_columns_have_the_same_statistics_from_both_sources(
    sketches: SketchStatistics,
) -> None:
    columns = [AMOUNTS, CODES, AMOUNTS[:2], numbers([None, None]), strings([]), numbers([])]

    on_rows, sketched = ON_ROWS.columns(columns), sketches.columns(columns)

    assert [stats.kind for stats in sketched] == [stats.kind for stats in on_rows]
    for one, other in zip(on_rows[:3], sketched[:3], strict=True):
        assert numbers_of(other) == pytest.approx(numbers_of(one))
        assert counts_of(other) == counts_of(one)
    assert [stats.n_rows for stats in sketched[3:]] == [2, 0, 0]
    assert [stats.n_values for stats in sketched[3:]] == [0, 0, 0]


def test_a_table_has_its_combinations_of_nulls_and_the_columns_that_are_needed(
    sketches: SketchStatistics,
) -> None:
    both = {"amount": AMOUNTS, "code": CODES}
    tables = [Table(both), Table({"code": CODES[:3]}), Table(both, {"code"})]

    for source in (ON_ROWS, sketches):
        results = source.tables(tables)

        assert [result.rows for result in results] == [6, 3, 6]
        assert [set(result.columns) for result in results] == [set(both), {"code"}, {"code"}]
        assert [dict(result.nulls) for result in results] == [
            {"": 4, "amount": 1, "code": 1},
            {"": 2, "code": 1},
            {"": 4, "amount": 1, "code": 1},
        ]


def test_batches_in_the_cache_are_not_measured_again(spark: SparkSession, tmp_path: Path) -> None:
    def fail() -> SparkSession:
        raise AssertionError("a session was started")

    first = SketchStatistics(lambda: spark, tmp_path).columns([AMOUNTS, CODES])
    again = SketchStatistics(fail, tmp_path).columns([AMOUNTS, CODES])

    assert list(map(numbers_of, again)) == list(map(numbers_of, first))
    assert list(map(counts_of, again)) == list(map(counts_of, first))
    with pytest.raises(AssertionError):
        SketchStatistics(fail, tmp_path).columns([AMOUNTS[:2], CODES])


def create_series(batches: int) -> list[Series]:
    rng = np.random.default_rng(7)
    amounts = [np.round(rng.normal(50, 5, 60), 1) for _ in range(batches)]
    prices = [np.round(rng.gamma(2, 10, 60), 2) for _ in range(batches)]
    keys = [f"{day:02}" for day in range(batches)]
    series = [Series("shop", "amount", keys, amounts), Series("shop", "price", keys, prices)]
    for one in series:
        one.siblings.extend(series)
    return series


def test_limits_are_tried_on_the_same_faults_from_both_sources(
    sketches: SketchStatistics,
) -> None:
    series = create_series(WINDOW_BATCHES + 2)
    sources: Sequence[StatisticsSource] = (ON_ROWS, sketches)

    on_rows, sketched = (create_trials(series, 1, 1, source) for source in sources)

    assert [trial.at for trial in sketched] == [trial.at for trial in on_rows] == [30, 31, 30, 31]
    for one, other in zip(on_rows, sketched, strict=True):
        assert [fault for fault, _ in other.injected] == [fault for fault, _ in one.injected]
        assert len(other.swapped) == len(one.swapped) == 1
        assert other.clean.metrics == pytest.approx(one.clean.metrics, rel=0.1, nan_ok=True)
        assert other.rehearsed


def test_novelty_judges_the_same_errors_from_both_sources(sketches: SketchStatistics) -> None:
    rng = np.random.default_rng(3)
    batches: list[Columns] = [
        {"amount": rng.normal(50, 5, 40), "code": strings(f"C{n}" for n in rng.integers(0, 5, 40))}
        for _ in range(FIRST_JUDGED + 4)
    ]
    empty: Column = np.full(40, np.nan)
    error = CorruptedBatch(
        FIRST_JUDGED + 1, ("explicit missing", 1.0), {"amount": empty}, frozenset(("amount",))
    )

    on_rows, sketched = (
        judge_batches(compute_features(batches, [error], source), ASSAY)
        for source in (ON_ROWS, sketches)
    )

    assert sketched.trials == on_rows.trials == [(error.label, error.place, True, True)]
    assert sketched.alarms == on_rows.alarms


@pytest.mark.spark
def test_history_prints_rows_and_sketches_side_by_side(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "recurring" / "nycflights13_daily" / "batches"
    folder.mkdir(parents=True)
    rng = np.random.default_rng(1)
    for day in range(WINDOW_BATCHES + 4):
        rows = [f"{rng.normal(9, 2):.1f},{'AB'[rng.integers(2)]}" for _ in range(50)]
        name = f"{date(2013, 1, 1) + timedelta(days=day)}.csv.gz"
        (folder / name).write_bytes(gzip.compress("\n".join(["delay,carrier", *rows]).encode()))

    arguments = ["--quick", "--sketches", "--only", "quality", "--data", str(tmp_path)]
    status = history.main([*arguments, "--trials", "2"])

    assert status == 0
    output = capsys.readouterr().out
    assert "nycflights13_daily, numeric, on rows" in output
    assert "nycflights13_daily, numeric, through sketches" in output
    assert "strict: false alarms" in output
    assert spark.range(1).count() == 1, "the session of the tests goes on"
