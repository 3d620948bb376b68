"""Spark reads what the layout of a CSV file says: lines are skipped, runs of spaces separate."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from assay.io.batch_files import read_batch_file
from assay.io.file_format import ReadOptions
from assay.io.reading import OpenTable, open_table
from tests.io.csv_heads import CSV_HEADS
from tests.io.test_locations import write

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def rows(spark: SparkSession, path: Path, **stated: Any) -> list[tuple[Any, ...]]:
    table = open_table(spark, str(path), ReadOptions(**stated))
    return [tuple(row) for row in table.df.collect()]


@pytest.mark.connect
def test_lines_before_the_table_and_all_header_rows_are_left_out(spark: SparkSession) -> None:
    table = open_table(spark, str(CSV_HEADS / "title_line.csv"))
    assert table.description == "CSV with commas, 2 lines before the header skipped"
    assert [tuple(row) for row in table.df.collect()] == [
        ("Ada", 254311, 6120, 2.4),
        ("Adams", 2011, 88, 4.4),
        ("Bannock", 42110, 1190, 2.8),
    ]
    merged = open_table(spark, str(CSV_HEADS / "header_merged.csv")).df
    assert merged.dtypes[1] == ("2018 Men", "bigint")
    assert [row[0] for row in merged.collect()] == ["North", "South", "East"]


def test_runs_of_spaces_separate_fields(spark: SparkSession) -> None:
    aligned = rows(spark, CSV_HEADS / "space_aligned.txt")
    assert aligned[0] == ("ABER001", 1990, 1, 7.1, 2.0)
    assert len(aligned) == 4
    assert rows(spark, CSV_HEADS / "space_quoted_text.txt")[0] == ("DE", "Federal Republic", 83)


def test_single_quotes_and_spaces_after_delimiters_are_read(spark: SparkSession) -> None:
    assert rows(spark, CSV_HEADS / "single_quotes.csv")[1] == (2, "Museum, oud", "Assen")
    assert rows(spark, CSV_HEADS / "comma_space_quoted.csv")[0] == ("JAN", 340, 360, 417)


def test_skipped_lines_may_be_equal_to_rows_of_data(spark: SparkSession, tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "0,0\n0,0\na,b\n0,0\n1,0\n")
    assert rows(spark, path, skip_lines=2, header_rows=1) == [(0, 0), (1, 0)]


def test_quoted_line_ends_are_kept_below_skipped_lines(spark: SparkSession, tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", 'Notes\n\nid,note\n1,"x\ny"\n2,z\n')
    assert rows(spark, path) == [(1, "x\ny"), (2, "z")]


@pytest.mark.parametrize("blank", ["", "   ", "\t\t", '""', ",,"])
@pytest.mark.parametrize("value", ["x", '"x\ny"'], ids=["lines", "multiline"])
def test_blank_lines_among_notes_do_not_cost_a_row(
    spark: SparkSession, tmp_path: Path, blank: str, value: str
) -> None:
    body = f"1,{value}\n2,z\n3,z\n"
    path = write(tmp_path / "a.csv", f'"Report of today"\n{blank}\nid,note\n{body}')
    assert rows(spark, path) == [(1, value.strip('"')), (2, "z"), (3, "z")]


def test_lines_of_white_space_are_no_ragged_rows(spark: SparkSession, tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "id,n,m\n1,2,3\n   \n2,3,4\n")
    table = open_table(spark, str(path))
    assert (table.df.count(), table.notes) == (2, ())


def test_markers_of_other_programs_are_null_in_numbers(spark: SparkSession, tmp_path: Path) -> None:
    path = write(tmp_path / "a.tsv", "id\tn\tm\n1\t\\N\t5\n2\t3\t#N/A\n3\t4\t6\n")
    table = open_table(spark, str(path))
    assert [tuple(row) for row in table.df.collect()] == [(1, None, 5), (2, 3, None), (3, 4, 6)]
    assert table.notes == ("2 markers such as NA or - are read as null: 1 in n, 1 in m",)


def test_a_backslash_before_a_number_is_no_number(spark: SparkSession, tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", 'text,n\n"say \\"hi\\", Bob",\\5\n"ok",1\n"x",2\n')
    table = open_table(spark, str(path))
    assert table.df.dtypes[1] == ("n", "string")
    assert table.df.collect()[0]["n"] == "\\5"


def test_hive_text_files_are_read(spark: SparkSession) -> None:
    table = open_table(spark, str(CSV_HEADS / "hive_text.txt"))
    assert table.description == "CSV with control-A characters, no header"
    assert rows(spark, CSV_HEADS / "hive_text.txt")[1] == (2, "Bob", "Ulm")


def test_one_column_is_read_whole(spark: SparkSession) -> None:
    lists = rows(spark, CSV_HEADS / "one_column_of_lists.csv")
    assert (len(lists), lists[-1]) == (52, ("A3,A4",))
    assert len(rows(spark, CSV_HEADS / "first_row_too_long.csv")) == 3


def test_lines_are_skipped_in_every_file_of_a_folder(spark: SparkSession, tmp_path: Path) -> None:
    for day in (1, 2, 3):
        write(tmp_path / f"{day}.csv", f"Report of day {day}\nid,n,m\n{day},1,2\n7,3,4\n8,5,6\n")
    assert sorted(rows(spark, tmp_path)) == [
        (1, 1, 2), (2, 1, 2), (3, 1, 2), *[(7, 3, 4)] * 3, *[(8, 5, 6)] * 3,
    ]  # fmt: skip


def test_lines_are_skipped_in_files_of_several_blocks(spark: SparkSession, tmp_path: Path) -> None:
    n_rows = 600_000
    body = "".join(f"{number},{number % 7}\n" for number in range(n_rows))
    path = write(tmp_path / "a.csv", f"Export of today\nid,rest\n{body}")

    df = open_table(spark, str(path), sample_rows=100).df

    assert df.selectExpr("count(*)", "min(id)", "sum(id)").first() == (
        n_rows,
        0,
        n_rows * (n_rows - 1) // 2,
    )


@pytest.mark.connect
@pytest.mark.parametrize("n_rows", [10, 40_000], ids=["small", "too large for the driver"])
def test_ragged_rows_are_read_and_counted(spark: SparkSession, tmp_path: Path, n_rows: int) -> None:
    path = write(tmp_path / "a.csv", "id,n,m\n1,2\n1,2,3,4\n" + "5,6,7\n" * n_rows)

    table = open_table(spark, str(path))
    batch = read_batch_file(spark, path)

    assert isinstance(batch, OpenTable)
    assert [note.partition(":")[0] for note in table.notes] == [
        "2 rows have more or fewer than 3 fields (line 2 has 2, line 3 has 4)"
    ]
    assert batch.notes == table.notes
    assert [tuple(row) for row in table.df.limit(2).collect()] == [(1, 2, None), (1, 2, 3)]


def test_rows_that_end_with_a_delimiter_are_not_ragged(spark: SparkSession, tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "id,n\n" + "1,2,\n" * 60_000)
    table = open_table(spark, str(path))
    assert (table.df.columns, table.notes) == (["id", "n"], ())
