"""Rows of two tables, matched by key."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import assay
from assay.errors import SourceError, UnknownColumnError, WrongTypeError
from assay.gate.compare.match_rows import match_rows
from assay.gate.compare.row_matches import ChangedRow, RowMatches

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.connect


def frame(spark: SparkSession, rows: str) -> DataFrame:
    return spark.sql(
        f"SELECT id, `a.b`, v, tags, m, by FROM VALUES {rows} AS t(id, `a.b`, v, tags, m, by)"
    )


@pytest.fixture(scope="module")
def matches(spark: SparkSession) -> RowMatches:
    old = frame(
        spark,
        "(1, 'a', 1.5D, array(1), map('k', 1), X'00'),"
        " (2, 'b', 2.5D, array(1), map('k', 1), X'01'),"
        " (3, null, double('NaN'), null, null, null), (4, 'd', 4.5D, array(1), map('k', 1), X'02'),"
        " (null, 'n', 0D, null, null, null), (6, 'x', 0D, null, null, null)",
    )
    new = frame(
        spark,
        "(1, 'a', 1.5D, array(1), map('k', 1), X'00'),"
        " (2, 'B', 9.5D, array(2), map('k', 2), X'0A'),"
        " (3, null, double('NaN'), null, null, null), (5, 'e', 4.5D, array(1), map('k', 1), X'02'),"
        " (null, 'N', 0D, null, null, null), (6, 'x', 0D, null, null, null),"
        " (6, 'y', 0D, null, null, null)",
    )
    return match_rows(old, new, ["id"], private=["v"])


def test_rows_are_added_removed_and_changed(matches: RowMatches) -> None:
    assert (matches.added, matches.removed, matches.changed_rows) == (1, 1, 2)
    assert matches.changed == {"a.b": 2, "v": 1, "tags": 1, "m": 1, "by": 1}
    assert not matches.is_equal


def test_rows_of_a_repeated_key_are_counted_and_not_compared(matches: RowMatches) -> None:
    assert (matches.repeated_old, matches.repeated_new) == (0, 1)


def test_examples_name_the_key_and_both_values(matches: RowMatches) -> None:
    assert matches.examples["a.b"] == (
        ChangedRow(("2",), "b", "B"),
        ChangedRow((None,), "n", "N"),
    )
    assert matches.examples["by"] == (ChangedRow(("2",), "01", "0A"),)
    assert matches.examples["+"] == (ChangedRow(("5",)),)
    assert matches.examples["-"] == (ChangedRow(("4",)),)


def test_values_of_private_columns_are_not_examples(matches: RowMatches) -> None:
    assert "v" not in matches.examples
    assert "9.5" not in str(matches.to_dict())


def test_private_keys_have_no_examples(spark: SparkSession) -> None:
    old = spark.sql("SELECT explode(array(1, 2, 3)) AS id, 7 AS x")
    new = spark.sql("SELECT explode(array('2', '3', '4')) AS id, '8' AS x")
    matches = match_rows(old, new, ["id"], private=["id"])
    assert (matches.added, matches.removed, matches.changed) == (1, 1, {"x": 2})
    assert matches.examples == {"x": (ChangedRow((), "7", "8"),) * 2}


def test_at_most_five_of_many_changes_are_examples(spark: SparkSession) -> None:
    old = spark.range(1000).selectExpr("id", "id % 2 AS half", "0 AS x")
    new = spark.range(1000).selectExpr("id", "id % 2 AS half", "1 AS x")
    matches = match_rows(old, new, ["id", "half"])
    assert (matches.changed_rows, len(matches.examples["x"])) == (1000, 5)
    assert len(matches.examples["x"][0].key) == 2


def test_tables_without_common_columns_or_rows_are_matched(spark: SparkSession) -> None:
    old, new = spark.range(3), spark.range(0).withColumnRenamed("id", "ID")
    matches = match_rows(old, new, ["id"])
    assert (matches.added, matches.removed, matches.changed) == (0, 3, {})
    assert match_rows(old, old, ["id"]).is_equal


def test_a_column_that_cannot_be_read_is_ignored(spark: SparkSession) -> None:
    old = spark.sql("SELECT id, int(id) AS n, 1 AS x FROM range(4)")
    new = spark.sql("SELECT id, cast(concat('secret', id) AS int) AS n, 2 AS x FROM range(4)")
    comparison = assay.compare(old, new, key="id", private="n")
    assert comparison.rows is not None
    assert comparison.rows.changed == {"x": 4}
    assert [problem.cause_code for problem in comparison.problems] == ["unreadable"]
    with pytest.raises(SourceError) as error:
        match_rows(old, new, ["n"], private=["n"])
    assert "secret" not in str(comparison) + str(error.value)


def test_a_wrong_key_is_refused(spark: SparkSession) -> None:
    df = spark.sql("SELECT 1 AS id, map('a', 1) AS m")
    with pytest.raises(UnknownColumnError):
        match_rows(df, df, ["idd"])
    with pytest.raises(WrongTypeError):
        match_rows(df, df, ["m"])
