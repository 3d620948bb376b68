"""Tables as Spark reads them."""

from __future__ import annotations

import codecs
import gzip
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from assay.engine.reading import opened
from assay.engine.sniff import Reading
from assay.engine.typed import typed
from assay.errors import SourceError
from tests.engine.test_source import write

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def read(spark: SparkSession, path: Path | str, **reading: Any) -> list[dict[str, Any]]:
    found = opened(spark, str(path), Reading(**reading))
    return [row.asDict(recursive=True) for row in found.df.collect()]


def test_names_that_others_take_for_patterns(spark: SparkSession, tmp_path: Path) -> None:
    for name in ("a b.csv", "ü[1]{x}.csv", "*?.csv", "50%20.csv"):
        path = write(tmp_path / name, f"name,n\n{name},1\n")
        assert read(spark, path) == [{"name": name, "n": "1"}]


def test_what_bytes_say_is_what_is_read(spark: SparkSession, tmp_path: Path) -> None:
    bom = codecs.BOM_UTF8
    for name, content, expected in (
        ("bom.csv", bom + b"id\tb\n1\tx\n", {"id": "1", "b": "x"}),
        ("lines.csv", bom + b'id,b\n1,"x\ny ""z"""\n', {"id": "1", "b": 'x\ny "z"'}),
        ("wide.csv", "id,ü\n1,ß\n".encode("utf-16"), {"id": "1", "ü": "ß"}),
        ("latin.csv.gz", gzip.compress("id;ü\n1;ß\n".encode("latin-1")), {"id": "1", "ü": "ß"}),
        ("array.json", bom + b'[{"id": 1}]', {"id": 1}),
        ("lines.json", b'{"id": {"b": 1}}\n', {"id": {"b": 1}}),
    ):
        assert read(spark, write(tmp_path / name, content)) == [expected]


@pytest.mark.connect
def test_a_directory_is_one_table_whatever_its_files_have(
    spark: SparkSession, tmp_path: Path
) -> None:
    write(tmp_path / "day=2024-01-01" / "x.csv", "a,b\n1,2\n")
    write(tmp_path / "day=2024-01-02" / "y.csv", "b,a,c\n3,4,5\n")
    found = sorted(read(spark, tmp_path), key=lambda row: row["day"])
    assert found == [
        {"a": "1", "b": "2", "c": None, "day": date(2024, 1, 1)},
        {"a": "4", "b": "3", "c": "5", "day": date(2024, 1, 2)},
    ]


def test_tables_of_the_catalog_and_what_spark_cannot_read(spark: SparkSession) -> None:
    spark.range(1).createOrReplaceTempView("counted")
    assert read(spark, "counted") == [{"id": 0}]
    with pytest.raises(SourceError, match="there is no file, directory or table 'conted'"):
        opened(spark, "conted")
    with pytest.raises(SourceError, match=r"^nothing://x/y.csv cannot be read: [^\n]*\.$"):
        opened(spark, "nothing://x/y.csv")


@pytest.mark.connect
def test_types_are_given_where_they_change_no_value(spark: SparkSession) -> None:
    rows = [
        ("1", "00501", "1", "0.5", "true", "2024-02-28", "2024-02-28T10:00:00Z", "1" * 20, "1"),
        ("2", "10001", "x", "3", "FALSE", "2024-02-29", "2024-02-28", "2", "2024-02-31"),
        (None, None, *["7", "1e3", None, None, None, "3", None]),
    ]
    names = ["n", "zip", "mixed", "real", "flag", "day", "moment", "long", "none"]
    df, nearly = typed(spark.createDataFrame(rows, ", ".join(f"{name} string" for name in names)))
    assert df.collect()[1].asDict() == {
        "n": 2,
        "zip": "10001",
        "mixed": "x",
        "real": 3.0,
        "flag": False,
        "day": date(2024, 2, 29),
        "moment": datetime(2024, 2, 28, tzinfo=UTC).astimezone().replace(tzinfo=None),
        "long": Decimal(2),
        "none": "2024-02-31",
    }
    assert nearly == ()


def test_a_column_that_nearly_has_a_type_says_so(spark: SparkSession) -> None:
    rows = [(str(n),) for n in range(30)] + [("n/a",)]
    df, nearly = typed(spark.createDataFrame(rows, "n string"))
    assert df.dtypes == [("n", "string")]
    assert list(map(str, nearly)) == ["n stays text: 1 of 31 values are not numbers"]
