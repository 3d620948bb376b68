"""Comparisons with other tables are metrics of each batch, and are never merged or subtracted."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from assay import Check, Dataset, EmbeddedStore, MemoryStore, Outcome
from assay.analyzers import ReferentialIntegrity, Size
from assay.dataset.streaming import MicroBatch, stream
from assay.errors import StateError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

REFERENCES = ReferentialIntegrity("customer", "customers", "id")
check = (
    Check("orders")
    .refers_to("customer", "customers", "id")
    .has_row_count_of("customers", at_most=1.0)
)
SCHEMA = "day int, customer int"


@pytest.fixture(scope="module")
def customers(spark: SparkSession) -> DataFrame:
    return spark.range(1, 4).coalesce(1)


@pytest.mark.connect
def test_a_batch_is_compared_and_the_whole_is_not(
    spark: SparkSession, customers: DataFrame, tmp_path: Path
) -> None:
    """The other table may have changed since an earlier batch was compared with it."""
    dataset = Dataset("orders", EmbeddedStore(tmp_path), check, analyzers=[Size()])
    reference_tables = {"customers": customers}
    first = spark.createDataFrame([(1, 1), (1, 2)], SCHEMA).coalesce(1)
    proposal = dataset.propose(first, "day=1", reference_tables=reference_tables).accept_if_passed()
    assert [result.value for result in proposal.delta] == [1.0, 2 / 3]
    bad = spark.createDataFrame([(2, 3), (2, 9)], SCHEMA).coalesce(1)
    second = dataset.append(bad, "day=2", reference_tables=reference_tables)
    assert [result.outcome for result in second.delta] == [Outcome.FAILED, Outcome.PASSED]
    broken = second.delta.failing("refers_to(customer, customers(id))")
    assert [tuple(row) for row in broken.collect()] == [(2, 9)]
    for result in (second.whole, dataset.verify()):
        assert result.measurement.value(Size()) == 4
        assert list(result) == []
        problem = result.measurement[REFERENCES].problem
        assert problem is not None
        assert problem.code == "not_incremental"
    values = dataset.history([REFERENCES]).to_dicts()
    assert [record["value"] for record in values] == [1.0, 0.5]
    with pytest.raises(StateError, match="states of ReferentialIntegrity"):
        dataset.take_out(first, "day=1")


def test_loaded_partitions_are_compared(spark: SparkSession, customers: DataFrame) -> None:
    rows = spark.createDataFrame([(1, 1), (1, 9), (2, 2), (3, None)], SCHEMA).coalesce(1)
    dataset = Dataset("orders", MemoryStore(), check)
    dataset.load(rows, by=["day"], reference_tables={"customers": customers})
    values = dataset.history([REFERENCES]).to_dicts()
    assert {record["key"]: record["value"] for record in values} == {
        "day=1": 0.5,
        "day=2": 1.0,
        "day=3": None,
    }


@pytest.mark.classic
def test_micro_batches_are_compared_too(
    spark: SparkSession, customers: DataFrame, tmp_path: Path
) -> None:
    """Spark gives each micro-batch its own session, and the other table remains readable."""
    rows = spark.createDataFrame([(1, 1), (1, 9)], SCHEMA).coalesce(1)
    rows.write.parquet(str(tmp_path / "source"))
    source = spark.readStream.schema(SCHEMA).parquet(str(tmp_path / "source"))
    micro_batches: list[MicroBatch] = []
    query = stream(
        source,
        Dataset("orders", MemoryStore(), check),
        str(tmp_path / "checkpoint"),
        then=micro_batches.append,
        availableNow=True,
        reference_tables={"customers": customers},
    )
    query.awaitTermination()
    assert [micro.alone.measurement.value(REFERENCES) for micro in micro_batches] == [0.5]
