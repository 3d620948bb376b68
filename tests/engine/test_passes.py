"""The number of passes over the data is a promise: Spark counts the rows that it reads."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from assay.analyzers import (
    Analyzer,
    ApproxCountDistinct,
    Completeness,
    CountDistinct,
    Distinctness,
    Entropy,
    Histogram,
    HistogramEqualWidth,
    Maximum,
    Mean,
    Median,
    Minimum,
    MutualInformation,
    Size,
    StandardDeviation,
    TopK,
    Uniqueness,
)
from assay.engine import measure, plan_for
from tests.engine.rows_read import read_rows

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.classic
ROWS = 5000

basic: list[Analyzer] = [
    Size(),
    *(made(c) for c in ("a", "b", "x") for made in (Completeness, Minimum, Maximum)),
    Mean("x"),
    StandardDeviation("x"),
]
sketched: list[Analyzer] = [Median("x"), ApproxCountDistinct("a"), TopK("b")]


@pytest.fixture(scope="module")
def files(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("passes")
    rows = spark.range(ROWS).selectExpr(
        "id AS a", "cast(id % 7 AS string) AS b", "id % 3 AS c", "cast(id AS double) AS x"
    )
    rows.repartition(3).write.parquet(str(folder / "parquet"))
    rows.repartition(3).write.option("header", True).csv(str(folder / "csv"))
    wide = [f"cast(id + {i} AS double) AS c{i}" for i in range(60)]
    spark.range(1000).selectExpr(*wide).write.parquet(str(folder / "wide"))
    return folder


@pytest.mark.parametrize("source", ["parquet", "csv"])
@pytest.mark.parametrize(
    "analyzers",
    [
        pytest.param(basic, id="plain"),
        pytest.param(sketched, id="sketches"),
        pytest.param(basic + sketched, id="both"),
    ],
)
def test_scan_analyzers_read_the_data_once(
    spark: SparkSession, files: Path, source: str, analyzers: list[Analyzer]
) -> None:
    df = _frame(spark, files, source)
    read, jobs, _ = read_rows(spark, lambda: measure(df, analyzers))
    assert plan_for(df, analyzers).passes == 1
    assert read == ROWS
    assert jobs <= 2  # with adaptive execution the shuffle's two sides are a job each


@pytest.mark.parametrize(
    ("source", "analyzers", "passes"),
    [
        ("parquet", [Uniqueness("a"), CountDistinct("a"), Entropy("a"), Histogram("a", top=5)], 1),
        ("parquet", [Uniqueness("a"), Uniqueness("b"), Distinctness(["a", "b"])], 3),
        ("parquet", [MutualInformation(["b", "c"]), Uniqueness("b"), Entropy("c")], 3),
        ("csv", [MutualInformation(["b", "c"]), Uniqueness("b"), Entropy("c")], 1),
        ("parquet", [HistogramEqualWidth("x", 5), Uniqueness("x"), Histogram("x")], 1),
    ],
    ids=["shared", "three", "singles", "margins", "branches"],
)
def test_each_grouping_reads_the_data_once(
    spark: SparkSession, files: Path, source: str, analyzers: list[Analyzer], passes: int
) -> None:
    """Top values, margins and bins are branches of one query over one shuffle."""
    df = _frame(spark, files, source)
    read, _, measured = read_rows(spark, lambda: measure(df, analyzers))
    assert plan_for(df, analyzers).passes == passes
    assert read == passes * ROWS
    assert all(metric.problem is None for metric in measured.values())


def test_segments_cost_no_more_passes(spark: SparkSession, files: Path) -> None:
    df = _frame(spark, files, "parquet")
    analyzers = [*basic, *sketched, Uniqueness("a")]
    read, _, measured = read_rows(spark, lambda: measure(df, analyzers, by=["c"]))
    assert len(measured) == 3
    made = plan_for(df, analyzers, ["c"])
    assert (made.passes, made.queries) == (3, 2)
    assert read == 3 * ROWS


def test_segments_of_row_based_files_take_one_pass(spark: SparkSession, files: Path) -> None:
    df = _frame(spark, files, "csv")
    analyzers = [*basic, *sketched]
    read, _, measured = read_rows(spark, lambda: measure(df, analyzers, by=["c"]))
    assert plan_for(df, analyzers, ["c"]).passes == 1
    assert read == ROWS
    separate = measure(df, basic, by=["c"], allow_multiple_reads=True)
    assert {
        key: [metrics[analyzer] for analyzer in basic] for key, metrics in measured.items()
    } == {key: [metrics[analyzer] for analyzer in basic] for key, metrics in separate.items()}


def test_wide_columnar_files_are_read_column_by_column(spark: SparkSession, files: Path) -> None:
    df = spark.read.parquet(str(files / "wide"))
    analyzers = [
        made(c) for c in df.columns for made in (Mean, Minimum, Maximum, StandardDeviation)
    ]
    made = plan_for(df, analyzers)
    read, _, _ = read_rows(spark, lambda: measure(df, analyzers))
    assert made.passes == len(made.scans) == 5
    assert sum(len(scan.columns) for scan in made.scans) == 60
    assert read == 5 * 1000


def test_wide_row_based_files_are_read_once(spark: SparkSession, files: Path) -> None:
    df = spark.read.parquet(str(files / "wide"))
    analyzers = [
        made(c) for c in df.columns for made in (Mean, Minimum, Maximum, StandardDeviation)
    ]
    read, _, once = read_rows(spark, lambda: measure(df, analyzers, allow_multiple_reads=False))
    assert read == 1000
    again = measure(df, analyzers)
    assert {a: m.value for a, m in once.items()} == {a: m.value for a, m in again.items()}


def test_the_session_is_not_changed(spark: SparkSession, files: Path) -> None:
    df = _frame(spark, files, "parquet")
    before = dict(spark.sparkContext.getConf().getAll())
    settings = spark.sql("SET").collect()
    measure(df, [*basic, *sketched, Uniqueness("a")])
    assert spark.sql("SET").collect() == settings
    assert dict(spark.sparkContext.getConf().getAll()) == before
    assert spark.sparkContext._jsc.getPersistentRDDs().isEmpty()
    assert not df.is_cached


def _frame(spark: SparkSession, files: Path, source: str) -> DataFrame:
    if source == "parquet":
        return spark.read.parquet(str(files / "parquet"))
    schema = "a bigint, b string, c bigint, x double"
    return spark.read.option("header", True).schema(schema).csv(str(files / "csv"))
