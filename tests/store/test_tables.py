"""Frequency tables in files: how they are written, shared and deleted."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from assay import Dataset, EmbeddedStore
from assay.analyzers import CountDistinct, Histogram, Size, Uniqueness
from assay.store import Selection

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def _files(folder: Path) -> int:
    return len(list((folder / "frequencies").iterdir()))


def test_unreferenced_tables_are_deleted(spark: SparkSession, tmp_path: Path) -> None:
    store = EmbeddedStore(tmp_path)
    dataset = Dataset("words", store, analyzers=[Uniqueness("id")])
    for _ in range(2):
        dataset.append(spark.range(5), "b=1")
    dataset.append(spark.range(3), "b=2")
    dataset.propose(spark.range(9), "b=1")  # never accepted
    before = _files(tmp_path)
    assert store.vacuum() == 0, "they are too young"
    swept = store.vacuum(older_than=timedelta(0))
    assert swept >= 1
    assert _files(tmp_path) == before - swept
    assert dataset.verify().measurement.value(Uniqueness("id")) == 0.25
    assert dataset.verify(keys=["b=1"]).measurement.value(Uniqueness("id")) == 1.0


def test_values_are_written_only_where_they_must_be_shown(
    spark: SparkSession, tmp_path: Path
) -> None:
    df = spark.createDataFrame([("Ann",), ("Ann",), ("Bob",), (None,)], "name string")
    for analyzer, hidden in ((CountDistinct("name"), True), (Histogram("name"), False)):
        folder = tmp_path / type(analyzer).__name__
        Dataset("people", EmbeddedStore(folder), analyzers=[analyzer]).append(df, "b=1")
        (table,) = (folder / "frequencies").iterdir()
        kept = {row["k0"] for row in spark.read.parquet(str(table)).collect()}
        assert ("Ann" not in kept) is hidden


def test_hashes_and_values_merge_as_hashes(spark: SparkSession, tmp_path: Path) -> None:
    df = spark.createDataFrame([("Ann",), ("Ann",), ("Bob",), (None,)], "name string")
    store, counted = EmbeddedStore(tmp_path), CountDistinct("name")
    Dataset("people", store, analyzers=[counted]).append(df, "b=1")
    both = Dataset("people", store, analyzers=[counted, Histogram("name"), Size()])
    update = both.append(df, "b=2")
    assert update.delta.measurement.value(counted) == 2
    assert update.whole.measurement.value(counted) == 2
    assert "no state of this metric" in str(update.whole.measurement[Histogram("name")].problem)


def test_many_totals_are_written_as_one(spark: SparkSession, tmp_path: Path) -> None:
    store, analyzer = EmbeddedStore(tmp_path), Uniqueness("id")
    dataset = Dataset("numbers", store, analyzers=[analyzer])
    df = spark.range(40).selectExpr("id % 20 AS part", "id % 3 AS id")
    dataset.load(df, by=["part"])
    assert len(store.batches(Selection("numbers"))) == 20
    ((_, total),) = store.totals("numbers", [analyzer]).values()
    assert len(total.files) == 1  # type: ignore[attr-defined]
    assert dataset.verify().measurement.value(analyzer) == 0.0


@pytest.mark.connect
def test_a_large_merge_is_one_read(spark: SparkSession, tmp_path: Path) -> None:
    store, analyzer = EmbeddedStore(tmp_path), CountDistinct("id")
    dataset = Dataset("numbers", store, analyzers=[analyzer])
    dataset.load(spark.range(600).selectExpr("id % 60 AS part", "id"), by=["part"])
    some = dataset.verify(where="part < 30")
    assert some.measurement.value(analyzer) == 300
