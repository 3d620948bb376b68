"""`assay check` shows example values, and writes the failing rows."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from assay import Check, verify
from assay.cli.exits import Exit
from assay.cli.write_failing_rows import RowTarget, write_failing_rows
from assay.errors import CheckError
from tests.cli.running import ORDERS, assay

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SUITE = """version: 1
dataset: orders
gate: {private: [amount]}
checks:
  - name: orders
    constraints:
      - is_contained_in: {column: status, values: [new, paid]}
      - is_email: {column: email, level: warning}
      - has_max: {column: amount, at_most: 10}
"""


@pytest.mark.parametrize(
    ("name", "kind", "file_format"),
    [
        ("rows.csv", "file", "csv"),
        ("rows.PARQUET", "file", "parquet"),
        ("./rows", "folder", "parquet"),
        ("s3a://bucket/rows.csv", "folder", "csv"),
        ("quality.failing_rows", "table", "parquet"),
        ("lake.`quality`.rows", "table", "parquet"),
    ],
)
def test_the_name_decides_the_target(name: str, kind: str, file_format: str) -> None:
    target = RowTarget.parse(name)
    assert (target.kind, target.format) == (kind, file_format)


def test_names_with_two_meanings_and_existing_folders_are_refused(tmp_path: Path) -> None:
    with pytest.raises(CheckError, match=r"'rows' may be a folder or a table\. Write './rows'"):
        RowTarget.parse("rows")
    with pytest.raises(CheckError, match="exists already"):
        RowTarget.parse(str(tmp_path))
    with pytest.raises(CheckError, match="does not exist"):
        RowTarget.parse(str(tmp_path / "nowhere" / "rows.csv"))
    assert assay("check", "orders.csv", "--failing-rows", "rows.csv").code == Exit.USAGE


@pytest.fixture
def orders(tmp_path: Path) -> Path:
    path = tmp_path / "orders.csv"
    path.write_text(ORDERS)
    path.with_name("suite.yaml").write_text(SUITE)
    return path


@pytest.mark.usefixtures("spark")
def test_a_check_shows_examples_and_writes_the_rows(orders: Path) -> None:
    rows = orders.with_name("rows.csv")
    ran = assay("check", orders, "--suite", orders.with_name("suite.yaml"), "--failing-rows", rows)
    assert ran.code == Exit.FAILED
    assert "75 % (1 of 4 rows fails): 'void' (1)" in ran.out
    assert "not shown (private: amount) (1 row fails)" in ran.out
    assert "2 passes over the data (1 for examples)" in ran.out
    assert "10.5" not in ran.out
    with rows.open(newline="") as file:
        written = sorted(csv.DictReader(file), key=lambda row: row["id"])
    assert [(row["id"], row["errors"], row["warnings"]) for row in written] == [
        ("1", "has_max(amount)", ""),
        ("3", "", "is_email(email)"),
        ("4", "is_contained_in(status, ['new', 'paid'])", ""),
    ]
    assert list(written[0]) == ["id", "email", "status", "day", "errors", "warnings"]
    assert [path.name for path in orders.parent.iterdir() if path.name[0] == "."] == []


@pytest.mark.usefixtures("spark")
def test_no_examples_cost_no_pass(orders: Path) -> None:
    suite = orders.with_name("suite.yaml")
    ran = assay("check", orders, "--suite", suite, "--examples", "0")
    assert "75 % (1 of 4 rows fails)\n" in ran.out
    assert "1 pass over the data\n" in ran.out
    assert assay("check", orders, "--suite", suite, "--examples", "-1").code == Exit.USAGE


def test_values_of_every_type_and_equal_names_can_be_written(
    spark: SparkSession, tmp_path: Path
) -> None:
    df = spark.sql(
        "SELECT 1, 'a \"b\", c', X'01ff', array(1, null), map('k', 1), named_struct('x', 2),"
        " null, INTERVAL '1' DAY"
    ).toDF("id", "Id", "b", "list", "map", "struct", "void", "span")
    result = verify(df, Check("c").has_size(equals=1).satisfies("b IS NULL", id="no bytes"))
    for name in ("rows.csv", "rows.parquet", "empty.csv"):
        checked = verify(df, Check("c").satisfies("b = b")) if "empty" in name else result
        write_failing_rows(checked, RowTarget.parse(str(tmp_path / name)))
    with (tmp_path / "rows.csv").open(newline="") as file:
        assert list(csv.reader(file)) == [
            ["id", "Id_2", "b", "list", "map", "struct", "void", "span", "errors", "warnings"],
            [
                *("1", 'a "b", c', "01FF", "[1,null]", '{"k":1}', '{"x":2}', ""),
                *("INTERVAL '1' DAY", "no bytes", ""),
            ],
        ]
    assert (tmp_path / "empty.csv").read_text() == (
        "id,Id_2,b,list,map,struct,void,span,errors,warnings\n"
    )
    (row,) = spark.read.parquet(str(tmp_path / "rows.parquet")).collect()
    assert (row["Id_2"], row["errors"]) == ('a "b", c', ["no bytes"])


def test_a_table_gets_the_rows_of_every_check(spark: SparkSession) -> None:
    result = verify(spark.range(5), Check("c").satisfies("id < 3"))
    target = RowTarget.parse("default.rows_that_fail")
    try:
        write_failing_rows(result, target)
        write_failing_rows(result, target)
        assert spark.table(target.name).count() == 4
    finally:
        spark.sql(f"DROP TABLE IF EXISTS {target.name}")
