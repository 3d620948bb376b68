"""Streams: every micro-batch counts exactly once, across restarts too."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from assay import Check, Dataset, EmbeddedStore
from assay.analyzers import CountDistinct, Mean, Size, Sum
from assay.dataset.streaming import MicroBatch, stream
from assay.store import Selection

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SCHEMA = "id bigint, n bigint"
check = Check("numbers").has_size(at_least=5).is_complete("n")


def _arrive(spark: SparkSession, source: Path, first: int, number: int) -> None:
    rows = spark.range(first, first + number).selectExpr("id", "id % 3 AS n")
    rows.coalesce(1).write.mode("append").json(str(source))


def _run(spark: SparkSession, folder: Path, then: Any = None) -> Dataset:
    dataset = Dataset(
        "numbers", EmbeddedStore(folder / "store"), check, analyzers=[Sum("id"), Mean("n")]
    )
    source = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1)
    query = stream(
        source.json(str(folder / "source")),
        dataset,
        str(folder / "checkpoint"),
        recent=2,
        then=then,
        availableNow=True,
    )
    query.awaitTermination()
    return dataset


@pytest.mark.classic
def test_micro_batches_add_up(spark: SparkSession, tmp_path: Path) -> None:
    micro_batches: list[MicroBatch] = []
    for first, number in ((0, 10), (10, 20), (30, 3)):
        _arrive(spark, tmp_path / "source", first, number)
        dataset = _run(spark, tmp_path, micro_batches.append)
    assert [micro.number for micro in micro_batches] == [0, 1, 2]
    assert [micro.alone.measurement.value(Size()) for micro in micro_batches] == [10, 20, 3]
    assert [micro.recent.measurement.value(Size()) for micro in micro_batches] == [10, 30, 23]
    assert [micro.whole.measurement.value(Size()) for micro in micro_batches] == [10, 30, 33]
    assert [micro.alone.passed for micro in micro_batches] == [True, True, False]
    assert dataset.verify().measurement.value(Sum("id")) == sum(range(33))


@pytest.mark.classic
def test_a_micro_batch_that_is_delivered_again_counts_once(
    spark: SparkSession, tmp_path: Path
) -> None:
    source = tmp_path / "source"
    _arrive(spark, source, 0, 10)
    _arrive(spark, source, 10, 10)

    def dies(batch: MicroBatch) -> None:
        if batch.number == 1:
            raise RuntimeError("the process dies after the batch was remembered")

    with pytest.raises(Exception, match="the process dies"):
        _run(spark, tmp_path, dies)
    store = EmbeddedStore(tmp_path / "store")
    assert len(store.batches(Selection("numbers"))) == 2
    assert not (tmp_path / "checkpoint" / "commits" / "1").exists(), "so Spark delivers it again"
    again: list[MicroBatch] = []
    dataset = _run(spark, tmp_path, again.append)
    assert [micro.number for micro in again] == [1]
    assert dataset.verify().measurement.value(Sum("id")) == sum(range(20))
    assert dataset.verify().measurement.value(Size()) == 20


@pytest.mark.connect
def test_a_stream_on_any_session(spark: SparkSession, tmp_path: Path) -> None:
    _arrive(spark, tmp_path / "source", 0, 10)
    _arrive(spark, tmp_path / "source", 10, 10)
    dataset = _run(spark, tmp_path)
    assert dataset.verify().measurement.value(Size()) == 20
    assert dataset.verify().passed
    assert [batch.key for batch in dataset.store.batches(Selection("numbers"))] == [
        "stream=000000000000",
        "stream=000000000001",
    ]
    assert CountDistinct("id") not in dataset.analyzers
