"""Spark reads tables as their files were written."""

from __future__ import annotations

import codecs
import gzip
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from assay.errors import SourceError
from assay.io.file_format import ReadOptions
from assay.io.reading import open_table
from tests.io.test_locations import write

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def read(spark: SparkSession, path: Path | str, **reading: Any) -> list[dict[str, Any]]:
    table = open_table(spark, str(path), ReadOptions(**reading), as_text=True)
    return [row.asDict(recursive=True) for row in table.df.collect()]


def test_file_names_with_pattern_characters_are_read(spark: SparkSession, tmp_path: Path) -> None:
    for name in ("a b.csv", "ü[1]{x}.csv", "*?.csv", "50%20.csv"):
        path = write(tmp_path / name, f"name,n\n{name},1\n")
        assert read(spark, path) == [{"name": name, "n": "1"}]


def test_encodings_line_ends_and_byte_order_marks_are_read(
    spark: SparkSession, tmp_path: Path
) -> None:
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


def test_spark_reads_backslashes_and_quotes_as_they_were_written(
    spark: SparkSession, tmp_path: Path
) -> None:
    for name, content, expected in (
        ("alone.csv", '"0","0","\\"\n', {"_c0": "0", "_c1": "0", "_c2": "\\"}),
        ("path.csv", 'path,n\n"C:\\temp\\","1"\n', {"path": "C:\\temp\\", "n": "1"}),
        ("doubled.csv", 'n,said\n1,"say ""hi"", C:\\"\n', {"n": "1", "said": 'say "hi", C:\\'}),
        ("escaped.csv", 'n,said\n1,"say \\"hi\\", x"\n', {"n": "1", "said": 'say "hi", x'}),
    ):
        header = "_c0" not in expected
        assert read(spark, write(tmp_path / name, content), header=header) == [expected]


def test_a_quoted_line_end_is_one_value_in_a_folder_of_files(
    spark: SparkSession, tmp_path: Path
) -> None:
    write(tmp_path / "1.csv", "id,note\n1,x\n2,y\n")
    write(tmp_path / "2.csv", 'id,note\n3,"x\ny\nz"\n4,y\n')

    df = open_table(spark, str(tmp_path)).df

    assert sorted(map(tuple, df.collect())) == [(1, "x"), (2, "y"), (3, "x\ny\nz"), (4, "y")]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_a_mark_is_read(spark: SparkSession, tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes("Bericht von heute\n\nid;ort\n1;Köln\n2;Bonn\n".encode(encoding))

    assert [tuple(row) for row in open_table(spark, str(path)).df.collect()] == [
        (1, "Köln"),
        (2, "Bonn"),
    ]


@pytest.mark.connect
def test_files_of_a_directory_are_matched_by_column_name(
    spark: SparkSession, tmp_path: Path
) -> None:
    write(tmp_path / "day=2024-01-01" / "x.csv", "a,b\n1,2\n")
    write(tmp_path / "day=2024-01-02" / "y.csv", "b,a,c\n3,4,5\n")
    rows = sorted(read(spark, tmp_path), key=lambda row: row["day"])
    assert rows == [
        {"a": "1", "b": "2", "c": None, "day": date(2024, 1, 1)},
        {"a": "4", "b": "3", "c": "5", "day": date(2024, 1, 2)},
    ]


def test_tables_of_the_catalog_are_read_and_unknown_names_reported(spark: SparkSession) -> None:
    spark.range(1).createOrReplaceTempView("counted")
    assert read(spark, "counted") == [{"id": 0}]
    with pytest.raises(SourceError, match="'conted'"):
        open_table(spark, "conted")
    with pytest.raises(SourceError, match=r"nothing://x/y.csv"):
        open_table(spark, "nothing://x/y.csv")


def test_keys_that_differ_in_case_are_named(spark: SparkSession, tmp_path: Path) -> None:
    path = write(tmp_path / "orders.json", '{"Id": 1, "ID": 2}\n')
    with pytest.raises(SourceError, match="called 'id'") as caught:
        open_table(spark, str(path))
    assert caught.value.code == "ambiguous_column"
    assert "Rename" in str(caught.value)
