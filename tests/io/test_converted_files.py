"""Files that Spark does not read are read as copies: Excel, Arrow, nanoseconds, zstd, stdin."""

from __future__ import annotations

import io
import sys
from datetime import date, datetime, time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from assay.errors import SourceError
from assay.io import temporary_copies
from assay.io.batch_files import FILE_COLUMN, path_of_uri, read_batch
from assay.io.detect import detect_file
from assay.io.file_format import FileDescription, NotATable, ReadOptions
from assay.io.find_batches import find_batches
from assay.io.formats import excel
from assay.io.locations import locate_table
from assay.io.reading import OpenTable, open_table
from tests.io.test_locations import write

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NANOSECONDS = pa.table(
    {"id": [1, 2], "at": pa.array([1_700_000_000_000_000_999, None], pa.timestamp("ns"))}
)
MICROSECONDS = datetime(2023, 11, 14, 22, 13, 20)


def rows(spark: SparkSession, path: Path) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in open_table(spark, str(path)).df.collect()]


@pytest.mark.parametrize("name", ["a.parquet", "a.feather", "a.arrows"])
def test_arrow_files_and_nanoseconds_are_read(
    spark: SparkSession, tmp_path: Path, name: str
) -> None:
    path = tmp_path / name
    if name == "a.parquet":
        parquet.write_table(NANOSECONDS, path, version="2.6")
    elif name == "a.feather":
        feather.write_feather(NANOSECONDS, str(path))
    else:
        with pa.OSFile(str(path), "wb") as out, pa.ipc.new_stream(out, NANOSECONDS.schema) as to:
            to.write_table(NANOSECONDS)

    assert rows(spark, path) == [(1, MICROSECONDS), (2, None)]


@pytest.mark.parametrize("name", ["a.parquet", "a.feather"])
def test_types_that_spark_refuses_are_converted(
    spark: SparkSession, tmp_path: Path, name: str
) -> None:
    table = pa.table(
        {
            "at": pa.array([1_700_000_000_000_000_999, None], pa.timestamp("ns")),
            "opens": pa.array([time(9, 30), None], pa.time64("ns")),
            "short": pa.array([time(9, 30), None], pa.time32("s")),
            "half": pa.array([1.5, None], pa.float16()),
            "times": pa.array([[time(9, 30)], None], pa.list_(pa.time64("us"))),
            "pair": pa.array([[time(9, 30)], None], pa.list_(pa.time64("us"), 1)),
            "shop": pa.array([{"opens": time(9, 30)}, None], pa.struct({"opens": pa.time64("us")})),
            "days": pa.array([[("a", time(9, 30))], None], pa.map_(pa.string(), pa.time64("us"))),
            "code": pa.array(["a", None]).dictionary_encode(),
        }
    )
    if name == "a.parquet":
        parquet.write_table(table, tmp_path / name)
    else:
        feather.write_feather(table, str(tmp_path / name))

    opened = open_table(spark, str(tmp_path / name))

    assert opened.notes == (
        "nanoseconds are cut to microseconds: at",
        "times of day are read as text: opens, short, times, pair, shop, days",
    )
    first, second = opened.df.collect()
    assert (first["at"], first["half"], first["code"]) == (MICROSECONDS, 1.5, "a")
    nested = [*first["times"], *first["pair"], first["shop"]["opens"], first["days"]["a"]]
    for value in (first["opens"], first["short"], *nested):
        assert value.startswith("09:30:00")
    assert set(second) == {None}


def test_files_of_spark_are_not_copied(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    for options in ({"use_deprecated_int96_timestamps": True}, {"coerce_timestamps": "us"}):
        parquet.write_table(NANOSECONDS, path, allow_truncated_timestamps=True, **options)
        assert detect_file(path) == FileDescription("parquet")


def test_batches_in_copies_keep_the_names_of_their_files(
    spark: SparkSession, tmp_path: Path
) -> None:
    for day in ("day=1", "day=2"):
        (tmp_path / day).mkdir()
        feather.write_feather(NANOSECONDS, str(tmp_path / day / "2024-01-01.feather"))
    located = find_batches([str(tmp_path / "day=1")], ReadOptions())
    assert located is not None
    (batch,) = located.batches

    opened = read_batch(spark, batch)
    table = open_table(spark, str(tmp_path))

    assert isinstance(opened, OpenTable)
    assert {path_of_uri(row[FILE_COLUMN]) for row in opened.df.collect()} == {str(batch.files[0])}
    assert sorted(row.day for row in table.df.collect()) == [1, 1, 2, 2]
    assert table.description == "2 files, Arrow, read as Parquet"


def test_the_first_sheet_of_a_workbook_is_read(spark: SparkSession, tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    workbook = openpyxl.Workbook()
    for row in (
        ["Orders of March"],
        [],
        ["id", "day", "price", "paid"],
        [1, date(2024, 3, 1), 7.5, True],
        [2, datetime(2024, 3, 2), 8, False],
        [3, None, 9.25, True],
    ):
        workbook.active.append(row)
    workbook.save(tmp_path / "orders.xlsx")

    table = open_table(spark, str(tmp_path / "orders.xlsx"))

    assert [tuple(row) for row in table.df.collect()] == [
        (1, date(2024, 3, 1), 7.5, True),
        (2, date(2024, 3, 2), 8.0, False),
        (3, None, 9.25, True),
    ]
    assert table.description.startswith("Excel, read as CSV with commas, 2 lines")


def test_blank_rows_of_a_workbook_are_no_rows(spark: SparkSession, tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    workbook = openpyxl.Workbook()
    for row in (["id", "n"], [1, 2], [2, 3], [None, None], [3, 4]):
        workbook.active.append(row)
    # a formatted cell without a value
    workbook.active.cell(400, 1).number_format = "0.00"
    workbook.save(tmp_path / "book.xlsx")
    # the content decides the format, not the name
    (tmp_path / "book.dat").write_bytes((tmp_path / "book.xlsx").read_bytes())

    assert rows(spark, tmp_path / "book.xlsx") == [(1, 2), (2, 3), (3, 4)]
    assert rows(spark, tmp_path / "book.dat") == [(1, 2), (2, 3), (3, 4)]


def test_a_sheet_of_a_workbook_is_chosen_by_its_name(spark: SparkSession, tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    workbook = openpyxl.Workbook()
    workbook.active.title = "Notes"
    for name, value in (("Orders", 7), ("Prices", 9)):
        sheet = workbook.create_sheet(name)
        for row in (["id", "n"], [1, value], [2, value]):
            sheet.append(row)
    path = tmp_path / "book.xlsx"
    workbook.save(path)

    first = open_table(spark, str(path))
    chosen = open_table(spark, str(path), ReadOptions(sheet="Prices"))
    problem = detect_file(path, ReadOptions(sheet="Notes"))

    assert [row.n for row in first.df.collect()] == [7, 7]
    assert "'Prices'" in first.notes[0]
    assert [row.n for row in chosen.df.collect()] == [9, 9]
    assert chosen.notes == ()
    assert isinstance(problem, NotATable)
    assert problem.code == "sheet_not_found"
    assert "'Orders', 'Prices'" in problem.reason


def test_a_missing_package_for_workbooks_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(excel, "find_spec", lambda _: None)
    problem = detect_file(write(tmp_path / "a.xlsx", b"PK\x03\x04..xl/workbook.xml"))
    assert isinstance(problem, NotATable)
    assert problem.code == "missing_package"
    assert "openpyxl" in problem.reason


def test_a_damaged_file_is_not_a_table(tmp_path: Path) -> None:
    problem = detect_file(write(tmp_path / "a.arrow", b"ARROW1\x00\x00 cut off"))
    assert isinstance(problem, NotATable)
    assert problem.code == "damaged"


def test_zstd_is_read(spark: SparkSession, tmp_path: Path) -> None:
    text = "Report\n\nid;n;m\n" + "1;2,5;3\n" * 50_000
    path = write(tmp_path / "a.csv.zst", pa.compress(text.encode(), "zstd", asbytes=True))
    table = open_table(spark, str(path))
    assert table.df.count() == 50_000
    assert table.df.columns == ["id", "n", "m"]
    without_name = detect_file(write(tmp_path / "a.csv", path.read_bytes()))
    assert isinstance(without_name, NotATable)
    assert without_name.code == "packed"


def test_standard_input_is_read_once(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    temporary_copies.stdin_copy.cache_clear()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"id,n\n1,2\n")))
    assert locate_table("-") is not None
    assert rows(spark, Path("-")) == [(1, 2)]
    temporary_copies.stdin_copy.cache_clear()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
    with pytest.raises(SourceError):
        locate_table("-")
    temporary_copies.stdin_copy.cache_clear()
