"""Results show how many rows fail, and the most frequent values of these rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from assay import Check, Dataset, MemoryStore, Result, verify
from assay.analyzers import Schema
from assay.analyzers.counting import Ratio
from assay.checks.constraint import Constraint
from assay.checks.examples import shown_columns
from assay.checks.row_counts import RowCounts, count_failing_rows
from assay.errors import CheckError
from tests.engine.rows_read import read_rows

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

ROWS = 100
SECRET = "Zxqv-planted"
SCHEMA = Schema.of(id="int", name="string", status="string", date="date", address={"zip": "string"})


def only(check: Check) -> Constraint:
    (constraint,) = check.constraints
    return constraint


@pytest.mark.parametrize(
    ("check", "failing"),
    [
        (Check("c").is_complete("id"), 1),
        (Check("c").has_completeness("id", at_most=0.5), 3),
        (Check("c").has_completeness("id", between=(0.8, 0.9)), 1),
        (Check("c").satisfies("id > 1", satisfies=lambda share: share > 0.9), 1),
        (Check("c").has_mean("id", at_most=0.5), None),
    ],
)
def test_a_state_of_matching_rows_tells_the_failing_rows(check: Check, failing: int | None) -> None:
    state = None if failing is None else Ratio(3, 4)
    counts = count_failing_rows(only(check), state)
    assert counts == (None if failing is None else RowCounts(failing, 4))


@pytest.mark.parametrize(
    ("check", "private", "columns"),
    [
        (Check("c").is_complete("id"), (), []),
        (Check("c").are_all_complete("id", "name"), (), ["id", "name"]),
        (Check("c").is_contained_in("status", ["`id`", "it's `name`"]), (), ["status"]),
        (Check("c").satisfies("status <> 'name'"), (), ["status"]),
        (Check("c").satisfies("`address.zip` > '1'"), (), ["address.zip"]),
        (Check("c").satisfies("`address`.`zip` > '1'"), (), ["address"]),
        (Check("c").is_unique("name", "id"), (), ["name", "id"]),
        (Check("c").has_duplicate_rows(equals=0), (), ["id", "name", "status", "date"]),
        (Check("c").agrees_with("other", "id", ["name"]), (), ["id"]),
        (Check("c").is_unique("name", "id"), ("name",), []),
        (Check("c").satisfies("`address.zip` > '1'"), ("address",), []),
    ],
)
def test_examples_show_the_columns_of_the_constraint(
    check: Check, private: tuple[str, ...], columns: list[str]
) -> None:
    shown = shown_columns(only(check), SCHEMA, private)
    assert [column.name for column in shown] == columns


@pytest.fixture(scope="module")
def df(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> DataFrame:
    path = str(tmp_path_factory.mktemp("examples") / "orders")
    spark.range(ROWS).selectExpr(
        "cast(if(id < 4, 0, id) AS int) AS id",
        "CASE WHEN id < 30 THEN 'lost' WHEN id < 40 THEN 'gone' WHEN id < 45 THEN repeat('x', 300)"
        " WHEN id < 46 THEN 'one' ELSE 'paid' END AS status",
        f"if(id < 10, '{SECRET}', 'ok') AS ssn",
        "if(id < 2, null, id - 5.5) AS amount",
        "DATE'2026-01-01' AS date",
    ).coalesce(1).write.parquet(path)
    return spark.read.parquet(path)


CHECK = (
    Check("orders")
    .is_complete("amount")
    .is_unique("id")
    .is_contained_in("status", ["paid"])
    .is_contained_in("ssn", ["ok"])
    .has_min("amount", at_least=0)
    .has_min("ssn", at_least="a")
    .is_in_range("date", low="2026-02-01", where="id > 97")
    .warn()
    .has_mean("amount", at_most=1)
)


@pytest.fixture(scope="module")
def result(df: DataFrame) -> Result:
    return verify(df, CHECK, examples=2, private=["SSN"])


def examples_of(result: Result) -> dict[str, str]:
    return {r.constraint.name.partition(",")[0].rstrip(")"): str(r.examples) for r in result}


def test_examples_are_the_most_frequent_values_with_counts(result: Result) -> None:
    assert examples_of(result) == {
        "is_complete(amount": "None",
        "is_unique(id": "0 (4)",
        "is_contained_in(status": "'lost' (30), 'gone' (10), 6 other rows",
        "is_contained_in(ssn": "None",
        "has_min(amount": "-0.5 (1), -1.5 (1), 2 other rows",
        "has_min(ssn": "None",
        "is_in_range(date": "2026-01-01 (2)",
        "has_mean(amount": "None",
    }


def test_every_constraint_on_rows_has_counts(result: Result) -> None:
    assert [r.counts and str(r.counts) for r in result] == [
        "2 of 100 rows fail",
        "4 of 100 rows fail",
        "46 of 100 rows fail",
        "10 of 100 rows fail",
        "4 rows fail",
        "10 rows fail",
        "2 of 2 rows fail",
        None,
    ]
    for constraint_result in result.results[:-1]:
        assert constraint_result.counts is not None
        assert result.failing(constraint_result).count() == constraint_result.counts.failing


def test_messages_json_and_the_terminal_show_them(
    result: Result, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    assert result.results[1].message == (
        "is_unique(id) failed: expected 100 %, actual 96 % (4 of 100 rows fail): 0 (4)."
    )
    exported = json.loads(result.to_json())
    assert exported["results"][2]["examples"] == [
        {"values": {"status": "lost"}, "rows": 30},
        {"values": {"status": "gone"}, "rows": 10},
    ]
    assert exported["results"][0]["examples"] is None
    assert (exported["passes"], exported["example_passes"]) == (3, 1)
    result.show()
    out = capsys.readouterr().out
    assert "54 % (46 of 100 rows fail): 'lost' (30), 'gone' (10), 6 other rows" in out
    assert "3 passes over the data (1 for examples)" in out


def test_values_of_private_columns_are_not_shown(result: Result) -> None:
    minimum = result.results[5]
    assert (minimum.value, minimum.withheld) == (None, ("ssn",))
    again = result.examples(9)
    assert again.private == {"ssn"}
    for text in (str(again), again.to_json(), again._repr_html_()):
        assert SECRET not in text
    assert "x" * 99 + "…' (5)" in str(again.results[2].examples)


def test_a_dataset_shows_no_examples_of_its_private_columns(df: DataFrame) -> None:
    dataset = Dataset("orders", MemoryStore(), CHECK, private=["SSN"])
    appended = dataset.append(df, "2026-01-01").delta.examples()
    assert appended.example_passes == 1
    assert appended.results[1].examples is not None
    assert appended.results[3].examples is None


def test_examples_read_the_rows_once_for_all_failed_constraints(
    spark: SparkSession, df: DataFrame
) -> None:
    checks = CHECK, Check("holds").is_complete("id").is_unique("id", where="id > 10")
    without_examples = verify(df, *checks)
    read, _, shown = read_rows(spark, lambda: without_examples.examples())
    assert read == ROWS
    assert (without_examples.example_passes, shown.example_passes) == (0, 1)
    assert (without_examples.passes, shown.passes) == (3, 4)
    holds = verify(df, checks[1])
    read, jobs, same = read_rows(spark, lambda: holds.examples())
    assert (read, jobs, same.example_passes) == (0, 0, 0)
    nulls = verify(df, Check("nulls").is_complete("amount").has_mean("amount", at_most=0))
    assert read_rows(spark, lambda: nulls.examples())[:2] == (0, 0)


@pytest.mark.connect
def test_examples_of_two_tables_and_of_odd_names(spark: SparkSession) -> None:
    names = ["a.b", "same", "same", "tick`", "m"]
    df = spark.sql("SELECT 1, 2, 3, 'x\\ny', map('k', 1) UNION ALL SELECT 2, 2, 3, null, null")
    df = df.toDF(*names)
    other = spark.createDataFrame([(1,)], "key int")
    check = (
        Check("c")
        .refers_to("a.b", "other", "key")
        .agrees_with("mine", "a.b", ["a.b"])
        .has_duplicate_rows("m", at_least=0, equals=0)
        .matches("tick`", "z", nulls="fail")
        .is_unique("same")
    )
    mine = df.where("`a.b` = 1")
    result = verify(df, check, reference_tables={"other": other, "mine": mine}, examples=3)
    assert result.example_problem is None
    assert [str(r.examples) for r in result] == [
        "2 (1)",
        "2 (1)",
        "None",
        r"'x\ny' (1), null (1)",
        "None",
    ]


def test_a_query_that_fails_leaves_the_results_as_they_are(df: DataFrame, tmp_path: Path) -> None:
    df.write.parquet(str(tmp_path / "gone"))
    result = verify(df.sparkSession.read.parquet(str(tmp_path / "gone")), CHECK)
    for file in (tmp_path / "gone").glob("*.parquet"):
        file.unlink()
    failed = result.examples()
    assert failed.example_problem is not None
    assert failed.results == result.results
    with pytest.raises(CheckError, match="expected a whole number of at least 0, got -1"):
        result.examples(-1)
