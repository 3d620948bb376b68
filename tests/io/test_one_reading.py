"""Every command reads the same columns and types from the same file."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from assay import Gate, MemoryStore
from assay.gate.measure_files import measure_files
from assay.io.batch_files import read_batch_file
from assay.io.column_types import TypeCounts
from assay.io.compression import HEAD_BYTES
from assay.io.file_format import NotATable, ReadOptions
from assay.io.reading import OpenTable, open_table, with_column_types
from assay.io.type_counts import count_values, counts_of_table
from tests.io.files_of import files_of
from tests.io.test_locations import write
from tests.realdata import batches, data_path

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Types = list[tuple[str, str]]

#: a file, and the types of its columns
FILES: dict[str, tuple[str, Types]] = {
    "codes": ("zip,n\n00501,1\n10001,2\n", [("zip", "string"), ("n", "bigint")]),
    "mixed numbers": ("n,long\n1,1\n2.5,11111111111111111111\n1e3,2\n",
                      [("n", "double"), ("long", "decimal(38,0)")]),
    "times": ("day,at,none\n2024-02-28,2024-02-28T10:00:00Z,2024-02-31\n2024-02-29,2024-02-28,\n",
              [("day", "date"), ("at", "timestamp"), ("none", "string")]),
    "empty column": ("a,b\n1,\n2,\n", [("a", "bigint"), ("b", "string")]),
    "one word": ("n\n" + "".join(f"{n}\n" for n in range(30)) + "many\n", [("n", "string")]),
    "markers": ("n,country\n1,NA\nNA,DE\n-,FR\n", [("n", "bigint"), ("country", "string")]),
    "booleans": ("flag,yes\ntrue,Y\nFALSE,N\n", [("flag", "boolean"), ("yes", "string")]),
    "quoted": ('"n","blank"\n"1",""\n"2","3"\n', [("n", "bigint"), ("blank", "bigint")]),
    "spaces": ("a, b\n 1,2.5 \n2, 3\n", [("a", "bigint"), ("b", "double")]),
    "no rows": ("a,b\n", [("a", "string"), ("b", "string")]),
    "no header": ("1,x\n2,y\n", [("_c0", "bigint"), ("_c1", "string")]),
    "odd names": ("id,,ID\n1,2,3\n", [("id", "bigint"), ("column 2", "bigint"),
                                      ("ID 3", "bigint")]),
    "escapes": ('path,n\n"C:\\temp\\","1"\n', [("path", "string"), ("n", "bigint")]),
}  # fmt: skip


def as_checked(spark: SparkSession, path: Path) -> Types:
    return open_table(spark, str(path)).df.dtypes


def as_submitted(spark: SparkSession, path: Path) -> Types:
    table = read_batch_file(spark, path)
    assert isinstance(table, OpenTable)
    return table.df.dtypes


def as_backfilled(spark: SparkSession, folder: Path) -> list[Types]:
    deliveries = measure_files(Gate("files", MemoryStore()).spec, spark, files_of(folder))
    return [list(batch.schema.types) for batch in deliveries if batch.schema is not None]


@pytest.mark.parametrize("name", FILES)
def test_check_gate_and_backtest_read_the_same_schema_from_a_file(
    spark: SparkSession, tmp_path: Path, name: str
) -> None:
    text, types = FILES[name]
    path = write(tmp_path / "2024-01-01.csv", text)

    assert as_checked(spark, path) == types
    assert as_submitted(spark, path) == types
    assert as_backfilled(spark, tmp_path) == [types]


@pytest.mark.parametrize("name", FILES)
def test_patterns_read_the_same_columns_as_text(
    spark: SparkSession, tmp_path: Path, name: str
) -> None:
    text, types = FILES[name]
    path = write(tmp_path / "2024-01-01.csv", text)

    columns = open_table(spark, str(path), as_text=True).df.dtypes

    assert columns == [(column, "string") for column, _ in types]


def test_check_and_backfill_read_the_same_schema_from_a_folder(
    spark: SparkSession, tmp_path: Path
) -> None:
    text, types = FILES["times"]
    for day in (1, 2, 3):
        write(tmp_path / f"2024-01-0{day}.csv", text)

    assert as_checked(spark, tmp_path) == types
    assert as_backfilled(spark, tmp_path) == [types] * 3


def test_the_first_files_of_a_folder_choose_types_together(
    spark: SparkSession, tmp_path: Path
) -> None:
    for day, price in ((1, ""), (2, "7"), (3, "7.5")):
        write(tmp_path / f"2024-01-0{day}.csv", f"id,price\n1,{price}\n")
    types = [("id", "bigint"), ("price", "double")]

    assert as_checked(spark, tmp_path) == types
    assert as_backfilled(spark, tmp_path) == [types] * 3


def test_a_file_too_large_for_the_driver_has_the_same_schema(
    spark: SparkSession, tmp_path: Path
) -> None:
    lines = "1,00501,2024-01-01,\n" * (HEAD_BYTES // 16)
    types = [("n", "double"), ("zip", "string"), ("day", "date"), ("note", "string")]
    path = write(tmp_path / "2024-01-01.csv", f"n,zip,day,note\n{lines}2.5,1,2024-01-02,x\n")

    assert as_checked(spark, path) == types
    assert as_submitted(spark, path) == types
    assert as_backfilled(spark, tmp_path) == [types]


@pytest.mark.parametrize("dataset", ["jhu_us_daily", "hhs_hospital_utilization"])
def test_check_and_gate_read_the_same_schema_from_real_files(
    spark: SparkSession, dataset: str
) -> None:
    data_path("recurring")
    for batch in batches(dataset)[5::300]:
        assert as_checked(spark, batch.path) == as_submitted(spark, batch.path)


def test_a_batch_keeps_the_types_of_its_dataset(spark: SparkSession, tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "a,b,c,d\n1,1,x,2024-01-01\n2,2.5,7,2024-01-02\n")
    expected = {"a": "double", "b": "bigint", "c": "bigint", "d": "string"}

    table = read_batch_file(spark, path, expected)

    assert isinstance(table, OpenTable)
    # numbers become wider, values that do not fit are null and counted
    assert dict(table.df.dtypes) == {"a": "double", "b": "double", "c": "bigint", "d": "string"}
    assert [row.c for row in table.df.collect()] == [None, 7]
    assert table.notes == ("c: 1 of 2 values is not bigint and becomes null",)


def test_values_are_read_without_loss(spark: SparkSession, tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.csv",
        "n,zip,real,flag,day,at,long\n"
        "2,10001,3,FALSE,2024-02-29,2024-02-28 10:00,2\n"
        f"NA,00501,1e3,true,-,2024-02-28,{'1' * 20}\n",
    )
    table = open_table(spark, str(path))
    assert table.df.collect()[0].asDict() == {
        "n": 2,
        "zip": "10001",
        "real": 3.0,
        "flag": False,
        "day": date(2024, 2, 29),
        "at": datetime(2024, 2, 28, 10),
        "long": Decimal(2),
    }
    assert table.df.collect()[1].n is None
    assert table.notes == ("2 markers such as NA or - are read as null: 1 in n, 1 in day",)


#: values whose look is easily counted differently by Python and by Spark
AWKWARD = [
    "1",
    "+1",
    "-1",
    "01",
    "-01",
    "1.5",
    "1.",
    ".5",
    "1e5",
    "1e",
    "00.5",
    "0x1",
    "\u0661",
    "true",
    "FALSE",
    "truex",
    "NaN",
    "nan",
    "NA",
    "-",
    "--",
    "2024-02-29",
    "2023-02-29",
    "0000-02-29",
    "2024-13-01",
    "2024-02-29T23:59",
    "2024-02-29T24:00",
    "2024-02-29T10:00:00.123456789Z",
    "2024-02-29T10:00+0530",
    "2024-02-29T10:00+18:00",
    "2024-02-29T10:00+18:01",
    "2024-02-29T10:00+05:60",
    "2024-02-31T10:00",
    "1_000",
    "1,5",
    "∞",
    "Infinity",
    "2024-02-29T10:00:00+05:60",
    "2024-02-29T10:00Z",
    "2024-02-29T10:00:00+18:01",
    "2024-02-29T10:00:00+18:00",
    "2024-02-29T10:00:00+0530",
]


@pytest.mark.connect
def test_spark_counts_values_as_python_does(spark: SparkSession) -> None:
    values = [*AWKWARD, "", " ", " 7 ", "\t8\n", "a b", "1\n2"]
    columns = ", ".join(f"v{number} string" for number in range(len(values)))
    counts = counts_of_table(spark.createDataFrame([tuple(values)], columns))

    expected = [count_values([value]) for value in values]
    counted = zip(values, counts.values(), expected, strict=True)
    assert [row for row in counted if row[1] != row[2]] == []


def test_a_value_that_does_not_fit_never_fails_a_cast(spark: SparkSession) -> None:
    df = spark.createDataFrame([("x",), ("",), ("NA",), (" 7 ",)], "n string")
    counts = {"n": count_values(["x", "", "NA", " 7 "])}

    table = with_column_types(df, {"n": "bigint"}, counts)

    assert counts["n"] == TypeCounts(integral=1, string=1, n_missing=1, n_blank=1, max_length=1)
    assert [row.n for row in table.collect()] == [None, None, None, 7]


def test_the_null_marker_of_the_user_is_null(spark: SparkSession, tmp_path: Path) -> None:
    path, options = write(tmp_path / "a.csv", "n\n1\n?\n"), ReadOptions(null="?")
    batch = read_batch_file(spark, path, options=options)
    assert not isinstance(batch, NotATable)
    assert open_table(spark, str(path), options).df.dtypes == batch.df.dtypes == [("n", "bigint")]


def test_values_of_a_batch_that_do_not_fit_are_counted(spark: SparkSession, tmp_path: Path) -> None:
    rows = "".join(f"{number},1\n" for number in range(9))
    write(tmp_path / "2024-01-01.csv", f"zip,n\n{rows}")
    write(tmp_path / "2024-01-02.csv", f'zip,n\n{rows}"10001, 10118",1\n')

    measured = measure_files(Gate("zips", MemoryStore()).spec, spark, files_of(tmp_path))

    assert [len(batch.notes) for batch in measured] == [0, 1]
    assert measured[1].notes[0].startswith("zip: 1 of 10 values is not bigint")


@pytest.mark.connect
def test_broken_json_lines_are_counted(spark: SparkSession, tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", '{"a": 1}\n{"a": 2\n{"a": 3}\nbroken\n')

    table, batch = open_table(spark, str(path)), read_batch_file(spark, path)

    assert isinstance(batch, OpenTable)
    assert table.notes == batch.notes == ("2 records are broken JSON: all fields are null",)
    assert table.df.dtypes == batch.df.dtypes == [("a", "bigint")]
    assert [row.a for row in table.df.collect()] == [1, None, 3, None]


def test_broken_json_lines_are_counted_for_each_batch(spark: SparkSession, tmp_path: Path) -> None:
    for day, last_line in ((1, ""), (2, "broken\n")):
        write(tmp_path / f"2024-01-0{day}.jsonl", '{"a": 1}\n{"a": 2}\n' + last_line)

    measured = measure_files(Gate("json", MemoryStore()).spec, spark, files_of(tmp_path))

    assert [batch.notes for batch in measured] == [
        (),
        ("1 record is broken JSON: all fields are null",),
    ]
    assert all(batch.schema and batch.schema.names == ("a",) for batch in measured)


def test_repeated_names_of_a_header_are_named(spark: SparkSession, tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "id,n,ID\n1,2,3\n")

    table, batch = open_table(spark, str(path)), read_batch_file(spark, path)

    assert isinstance(batch, OpenTable)
    assert table.notes == batch.notes
    assert "'ID 3'" in table.notes[0]
