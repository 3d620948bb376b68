"""Batches in Hive partitions and folders are measured like batches in files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from assay import Gate, MemoryStore
from assay.errors import SourceError
from assay.gate.measure_files import measure_files
from assay.gate.measured_batch import MeasuredBatch
from assay.io.batch_files import FILE_COLUMN, read_batch
from assay.io.file_format import NotATable
from assay.io.find_batches import FoundBatches, find_batches
from assay.learn.fingerprint.column_stats import ColumnStats
from assay.learn.fingerprint.from_states import fingerprint_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: a shop's name as a folder, as Hive escapes it
SHOPS = {"a+b": "a+b", "7%2F8 50%": "7/8 50%", "__HIVE_DEFAULT_PARTITION__": None}


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two days of CSV files; on the second day, one file has another delimiter and order."""
    lake = tmp_path_factory.mktemp("lake of orders")
    for day in (1, 2):
        for shop in SHOPS:
            folder = lake / f"shop.no={shop}" / f"date=2026-11-0{day}"
            folder.mkdir(parents=True)
            text = f"id,price\n{day},1.5\n"
            if day == 2 and shop == "a+b":
                text = "price;id\n2;5\n3;6\n"
            (folder / "part 0.csv").write_text(text)
    (lake / "README.md").write_text("Orders of all shops.")
    return lake


def located(path: Path, **options: str) -> FoundBatches:
    batches = find_batches([str(path)], **options)  # type: ignore[arg-type]
    assert batches is not None
    return batches


def measured(spark: SparkSession, batches: FoundBatches) -> dict[str, MeasuredBatch]:
    results = measure_files(
        Gate("orders", MemoryStore()).spec,
        spark,
        batches.batches,
        layout=batches.layout,
        descriptions=batches.descriptions,
    )
    return {result.batch.key: result for result in results}


def columns(batch: MeasuredBatch) -> dict[str, ColumnStats]:
    assert batch.measurement is not None, batch.unreadable
    return dict(fingerprint_of(batch.measurement.states).columns)


def test_partitions_that_name_no_batch_are_columns(spark: SparkSession, lake: Path) -> None:
    batches = measured(spark, located(lake))
    assert list(batches) == ["date=2026-11-01", "date=2026-11-02"]
    first, second = batches.values()
    assert first.schema is not None
    assert dict(first.schema.types) == {"id": "bigint", "price": "double", "shop.no": "string"}
    assert dict(columns(first)["shop.no"].value_counts) == {"a+b": 1, "7/8 50%": 1}
    assert columns(first)["shop.no"]["rows"] == 3
    # files of two layouts are one batch
    assert columns(second)["id"]["rows"] == 4
    assert columns(second)["id"]["max"] == 6
    assert columns(second)["price"]["max"] == 3


def test_a_condition_may_use_all_partitions_and_drops_batches_without_rows(
    spark: SparkSession, lake: Path
) -> None:
    where = "date = '2026-11-02' AND (`shop.no` = 'a+b' OR `shop.no` IS NULL)"
    (batch,) = measured(spark, located(lake, where=where)).values()
    assert batch.batch.key == "date=2026-11-02"
    assert columns(batch)["id"]["rows"] == 3
    with pytest.raises(SourceError, match="invalid condition `dat > 1`"):
        measured(spark, located(lake, where="dat > 1"))


def test_one_partition_is_read_like_all_partitions(spark: SparkSession, lake: Path) -> None:
    one = located(lake / "shop.no=a+b" / "date=2026-11-02")
    (batch,) = one.batches
    opened = read_batch(spark, batch, {"id": "bigint", "price": "double"})
    assert not isinstance(opened, NotATable)
    df = one.layout.prepare(opened.df).drop(FILE_COLUMN)
    assert df.dtypes == [("price", "double"), ("id", "bigint"), ("shop.no", "string")]
    assert df.first() == (2.0, 5, "a+b")


def test_folders_of_files_are_measured_together_and_a_damaged_one_alone_is_unreadable(
    spark: SparkSession, tmp_path: Path
) -> None:
    for day in (1, 2, 3):
        folder = tmp_path / "2026" / "11" / f"{day}"
        folder.mkdir(parents=True)
        for part in (0, 1):
            pq.write_table(pa.table({"id": [day, part]}), folder / f"part-{part}.parquet")
    damaged = tmp_path / "2026" / "11" / "3" / "part-1.parquet"
    content = damaged.read_bytes()
    damaged.write_bytes(content[:4] + bytes(40) + content[44:])
    (tmp_path / "2026" / "11" / "1" / "part-2.parquet").write_bytes(b"")  # no rows, no damage
    page = tmp_path / "2026" / "11" / "4"
    page.mkdir()
    (page / "part-0.parquet").write_bytes((damaged.parent / "part-0.parquet").read_bytes())
    (page / "part-1.parquet").write_text("<html><title>Down</title></html>")
    batches = measured(spark, located(tmp_path / "2026"))
    assert list(batches) == ["2026/11/1", "2026/11/2", "2026/11/3", "2026/11/4"]
    assert columns(batches["2026/11/1"])["id"]["rows"] == 4
    assert batches["2026/11/3"].unreadable is not None
    assert batches["2026/11/4"].unreadable == (
        "part-1.parquet is not a table: it is an HTML page, 'Down'."
    )
