"""A path or format that the session cannot read names the missing package or setting."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from assay.errors import SourceError
from assay.io.connectors import missing_connector
from assay.io.file_format import ReadOptions
from assay.io.find_batches import find_batches
from assay.io.reading import open_table
from tests.io.test_locations import write

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("s3://bucket/a.csv", "s3a://bucket/a.csv"),
        ("s3a://bucket/a.csv", "hadoop-aws"),
        ("gs://bucket/a.csv", "gcs-connector"),
        ("abfss://box@account.dfs.core.windows.net/a.csv", "hadoop-azure"),
        ("https://example.org/a.csv", "download"),
    ],
)
def test_a_path_without_a_connector_names_what_is_missing(
    spark: SparkSession, source: str, name: str
) -> None:
    with pytest.raises(SourceError) as caught:
        open_table(spark, source)
    assert caught.value.code == "missing_package"
    assert name in str(caught.value)


@pytest.mark.parametrize(
    ("marker", "package"),
    [("_delta_log/0.json", "delta-spark"), ("metadata/v1.metadata.json", "iceberg-spark-runtime")],
)
def test_a_table_format_without_its_package_names_it(
    spark: SparkSession, tmp_path: Path, marker: str, package: str
) -> None:
    write(tmp_path / marker, "{}")
    with pytest.raises(SourceError) as caught:
        open_table(spark, str(tmp_path))
    assert caught.value.code == "missing_package"
    assert package in str(caught.value)


def test_refused_access_names_the_setting() -> None:
    sentence = missing_connector("s3a://bucket/a", None, "AccessDeniedException: 403 Forbidden")
    assert sentence is not None
    assert "spark.hadoop.fs.s3a.access.key" in sentence
    assert missing_connector("s3a://bucket/a", None, "Connection reset") is None


def test_a_hudi_table_is_not_read_as_its_parquet_files(spark: SparkSession, tmp_path: Path) -> None:
    root = tmp_path / "orders"
    spark.range(3).write.parquet(str(root))
    (root / ".hoodie").mkdir()

    with pytest.raises(SourceError, match="hudi-spark-bundle") as caught:
        open_table(spark, str(root))

    assert caught.value.code == "missing_package"
    assert find_batches([str(root)]) is None
    assert open_table(spark, str(root), ReadOptions(format="parquet")).df.count() == 3
