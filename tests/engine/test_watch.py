"""A watched write runs once and measures the rows that it writes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from assay import measure, watch
from assay.analyzers import (
    ApproxCountDistinct,
    Completeness,
    Maximum,
    Mean,
    Median,
    Size,
    Sum,
    Uniqueness,
)
from assay.demo import flights
from assay.errors import WatchError
from tests.engine.rows_read import read_rows

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ANALYZERS: list[Any] = [
    Size(),
    Completeness("dep_time"),
    Mean("dep_delay"),
    Sum("distance"),
    Maximum("time_hour"),
    ApproxCountDistinct("tailnum"),
    Median("dep_delay"),
    Size(where="origin = 'JFK'"),
]


@pytest.mark.connect
def test_a_write_measures_its_rows(spark: SparkSession, tmp_path: Path) -> None:
    day = flights(spark).where("day = 8")
    watched = watch(day, [*ANALYZERS, Uniqueness("tailnum"), Mean("nope")])
    watched.df.write.parquet(str(tmp_path / "written"))
    measured = watched.measurement()
    direct = measure(day, ANALYZERS)
    for analyzer in ANALYZERS:
        if analyzer == Median("dep_delay"):
            assert abs(measured.number(analyzer) - direct.number(analyzer)) <= 2
        else:
            assert measured.value(analyzer) == direct.value(analyzer), analyzer
    problem = measured[Uniqueness("tailnum")].problem
    assert problem is not None
    assert problem.code == "needs_own_pass"
    assert "nope" in str(measured[Mean("nope")].problem)
    written = spark.read.parquet(str(tmp_path / "written"))
    assert measure(written, ANALYZERS[:4]).metrics == measure(day, ANALYZERS[:4]).metrics
    assert (measured + measured).value(Size()) == 2 * direct.value(Size())  # type: ignore[operator]


@pytest.mark.classic
def test_the_query_runs_once(spark: SparkSession, tmp_path: Path) -> None:
    source = tmp_path / "source"
    spark.range(1000).selectExpr("id", "id % 7 AS n").write.parquet(str(source))
    watched = watch(spark.read.parquet(str(source)), [Size(), Sum("n"), Median("n")])
    read, jobs, _ = read_rows(spark, lambda: watched.df.write.parquet(str(tmp_path / "target")))
    assert watched.measurement().value(Size()) == 1000
    assert (read, jobs) == (1000, 1)


@pytest.mark.connect
def test_ambiguous_names_of_columns_are_kept(spark: SparkSession) -> None:
    twice = spark.range(3).selectExpr("id AS a", "id AS `a.b`", "id + 1 AS A")
    watched = watch(twice, [Size(), Sum("a.b"), Sum("A")])
    assert watched.df.columns == ["a", "a.b", "A"]
    watched.df.collect()
    measured = watched.measurement()
    assert (measured.value(Sum("a.b")), measured.value(Sum("A"))) == (3, 6)


@pytest.mark.connect
def test_a_query_that_never_ran_is_an_error(spark: SparkSession) -> None:
    watched = watch(spark.range(3), [Size()])
    with pytest.raises(WatchError, match="write or collect the"):
        watched.measurement(timeout=0.5)
