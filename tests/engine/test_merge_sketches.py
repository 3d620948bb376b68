"""Sketches merge with the same result on the driver and in Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from assay.analyzers import ApproxCountDistinct, ApproxQuantile, TopK
from assay.analyzers.frequent import Frequent
from assay.analyzers.sketches import Distinct, Quantiles, Sketch
from assay.engine import measure
from assay.engine.merge_sketches import merge_sketches

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.connect


@pytest.fixture(scope="module")
def rows(spark: SparkSession) -> DataFrame:
    return spark.range(6000).selectExpr(
        "id % 4 AS part", "id", "cast(id % 100 AS string) AS word", "cast(id AS double) AS x"
    )


@pytest.mark.parametrize(
    ("kind", "analyzer"),
    [
        (Distinct, ApproxCountDistinct("id")),
        (Quantiles, ApproxQuantile("x", 0.5)),
        (Frequent, TopK("word", 3)),
    ],
)
def test_driver_and_spark_agree(
    spark: SparkSession, rows: DataFrame, kind: type[Sketch], analyzer: Any
) -> None:
    parts = [part.states[analyzer] for part in measure(rows, [analyzer], by=["part"]).values()]
    assert len(parts) == 4
    on_driver: Any = kind.merged(parts)  # type: ignore[arg-type]
    # one of them merged on the driver before: Spark must read our bytes too
    pair: Any = kind.merged(parts[:2])  # type: ignore[arg-type]
    sent: list[Any] = [pair, *parts[2:]]
    sketches = spark.createDataFrame([(1, part.data) for part in sent], "g int, data binary")
    row = merge_sketches(sketches, "data", kind, by=["g"]).collect()[0]
    in_spark: Any = (
        Frequent.of(bytes(row["data"])) if kind is Frequent else kind(bytes(row["data"]))
    )
    if kind is Quantiles:
        assert on_driver.n == in_spark.n == 6000
        assert abs(on_driver.metric() - in_spark.metric()) < 6000 * 0.04
    else:
        assert analyzer.metric(on_driver) == analyzer.metric(in_spark)
