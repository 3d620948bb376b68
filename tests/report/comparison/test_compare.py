"""`assay.compare` on DataFrames."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import assay
from assay.errors import CheckError, UnknownColumnError
from assay.gate.compare.measure_tables import private_columns
from tests.engine.rows_read import read_rows

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

ROWS = 400


def orders(spark: SparkSession, start: int) -> DataFrame:
    return spark.range(start, start + ROWS).selectExpr(
        "id AS `order.id`",
        "array('Bern', 'Chur', 'Genf')[int(pmod(xxhash64(id), 3))] AS shop",
        "double(pmod(xxhash64(id, 7), 1000)) AS amount",
        "struct(id AS n) AS nested",
        "map('k', id) AS m",
    )


def codes(comparison: assay.TableComparison) -> set[str]:
    return {problem.cause_code for problem in comparison.problems}


@pytest.mark.connect
def test_two_tables_are_compared(spark: SparkSession) -> None:
    old, new = orders(spark, 0), orders(spark, ROWS)
    damaged = new.selectExpr(
        "`order.id`", "lower(shop) AS shop", "amount * 1000 AS amount", "nested", "m"
    )
    comparison = assay.compare(old, damaged, key="order.id", private="amount")

    assert codes(comparison) >= {"case_changed"}
    assert comparison.would_hold
    assert comparison.columns[0].name in {"shop", "amount"}
    assert comparison.rows is not None
    assert (comparison.rows.added, comparison.rows.removed) == (ROWS, ROWS)
    assert {column.name for column in comparison.columns} == set(old.columns)


def test_each_table_is_read_once_and_once_more_with_a_key(
    spark: SparkSession, tmp_path: Path
) -> None:
    paths = [str(tmp_path / name) for name in ("old", "new")]
    for start, path in enumerate(paths):
        orders(spark, start * ROWS).drop("nested", "m").write.csv(path)
    old, new = (spark.read.csv(path) for path in paths)
    assert read_rows(spark, lambda: assay.compare(old, new))[0] == 2 * ROWS
    assert read_rows(spark, lambda: assay.compare(old, new, key="_c0"))[0] == 4 * ROWS


def test_only_the_chosen_columns_are_compared(spark: SparkSession) -> None:
    old, new = orders(spark, 0), orders(spark, ROWS).withColumnRenamed("m", "other")
    comparison = assay.compare([old, old], new, columns=["shop", "nested.n"])
    assert comparison.problems == ()
    assert [column.name for column in comparison.columns] == ["shop", "nested.n"]
    with pytest.raises(UnknownColumnError):
        assay.compare(old, new, columns=["m"])


@pytest.mark.parametrize(
    ("private", "chosen", "hidden"),
    [
        ("AMOUNT", (), {"amount"}),
        ("nested.n", (), {"nested"}),
        ("nested", ("shop", "nested.n"), {"nested.n"}),
        ("SHOP", ("shop", "nested.n"), {"shop"}),
    ],
)
def test_private_columns_are_found_in_any_case_and_by_their_path(
    spark: SparkSession, private: str, chosen: tuple[str, ...], hidden: set[str]
) -> None:
    assert set(private_columns({"old": orders(spark, 0)}, [private], chosen)) == hidden


def test_a_repeated_key_is_a_problem(spark: SparkSession) -> None:
    old = orders(spark, 0).select("shop", "amount", "`order.id`")
    comparison = assay.compare(old, old.union(old.limit(1)), key=["order.id"])
    (problem,) = comparison.problems
    assert (problem.cause_code, problem.columns) == ("key_duplicated", ("order.id",))
    assert comparison.would_hold


@pytest.mark.parametrize(
    ("old", "arguments"), [([], {}), ([7], {}), ("orders", {}), (None, {"private": "x"})]
)
def test_wrong_arguments_are_refused(
    spark: SparkSession, old: Any, arguments: dict[str, str]
) -> None:
    df = spark.range(3)
    error = UnknownColumnError if arguments else CheckError
    with pytest.raises(error):
        assay.compare(df if old is None else old, df, **arguments)
