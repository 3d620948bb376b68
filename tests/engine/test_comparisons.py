"""Comparisons with other tables: planned without Spark, read once each, side by side."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from assay import measure, watch
from assay.analyzers import (
    AggregateMatch,
    Analyzer,
    DatasetMatch,
    Mean,
    ReferentialIntegrity,
    RowCountMatch,
    Schema,
    Size,
    TableSchemaMatch,
)
from assay.engine import plan, plan_for
from tests.engine.rows_read import read_rows

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ORDERS = Schema.of(id="bigint", customer="int", amount="decimal(10,2)", day="date", note="string")
OTHERS = {
    "customers": Schema.of(id="bigint", name="string", since="timestamp"),
    "ledger": Schema.of(id="int", amount="decimal(12,2)", at="timestamp"),
}
ASKED: list[Analyzer] = [
    Size(),
    Mean("amount"),
    ReferentialIntegrity("customer", "customers", "id", where="day > '2026-01-01'"),
    ReferentialIntegrity("day", "ledger", "at"),
    DatasetMatch("ledger", "id"),
    RowCountMatch("ledger"),
    AggregateMatch("sum(amount)", "ledger"),
    AggregateMatch("max(id)", "customers"),
    TableSchemaMatch("ledger"),
]


def test_a_plan_lists_the_reads_of_both_tables() -> None:
    made = plan(ASKED, ORDERS, reference_tables=OTHERS)
    assert str(made).splitlines() == [
        "6 passes over the data for 8 analyzers",
        "  scan       id, amount: 5 aggregates in 12 buffers",
        f"  comparison customer with id of customers: for {ASKED[2]}",
        f"  comparison day with at of ledger: for {ASKED[3]}",
        "  comparison id, amount with id, amount of ledger: for DatasetMatch('ledger', ['id'])",
        "  scan       amount of ledger: 2 aggregates in 5 buffers",
        "  scan       id of customers: 1 aggregate in 4 buffers",
        "  no job     TableSchemaMatch('ledger')",
    ]
    assert made.passes == 6
    assert made.scan_passes == 1  # our side of rows and aggregates shares the scan
    assert set(made.columns) == {"id", "amount", "customer", "day"}
    assert made == plan(ASKED, ORDERS, reference_tables=OTHERS)


def test_problems_of_reference_tables_are_reported_before_anything_runs() -> None:
    ours, theirs = "The columns are: id, customer, amount, day, note.", "The columns are: id,"
    wrong: dict[Analyzer, str] = {
        RowCountMatch("lodger"): "no table 'lodger' was given; did you mean 'ledger'? Given are:",
        ReferentialIntegrity(
            "custmer", "customers"
        ): f"no column 'custmer'; did you mean 'customer'? {ours}",
        ReferentialIntegrity(
            "customer", "customers", "idd"
        ): f"in 'customers': no column 'idd'; did you mean 'id'? {theirs} name, since.",
        ReferentialIntegrity(
            "customer", "customers", "name"
        ): "column 'customer' is int and 'name' in 'customers' is string, which do not compare;",
        DatasetMatch("ledger", "id", "at"): f"no column 'at'. {ours}",
        DatasetMatch("ledger", "day"): f"in 'ledger': no column 'day'. {theirs} amount, at.",
    }
    made = plan([*wrong, *ASKED], ORDERS, reference_tables=OTHERS)
    assert made.refused.keys() == wrong.keys()
    for analyzer, problem in made.refused.items():
        assert problem.reason.startswith(wrong[analyzer])
    assert {analyzer.code for analyzer in made.refused.values()} == {
        "unknown_table",
        "unknown_column",
        "wrong_type",
    }
    assert made.passes == 6
    alone = plan([RowCountMatch("ledger")], ORDERS).refused[RowCountMatch("ledger")]
    assert (
        alone.reason
        == "no table 'ledger' was given to compare with: reference_tables={'ledger': …}."
    )


def test_segments_have_references_and_no_other_comparisons() -> None:
    made = plan(ASKED, ORDERS, by=["day"], reference_tables=OTHERS)
    assert [comparison.analyzer for comparison in made.comparison_passes] == ASKED[2:4]
    refused = {type(comparison) for comparison in made.refused}
    assert refused == {DatasetMatch, RowCountMatch, AggregateMatch}
    assert {comparison.code for comparison in made.refused.values()} == {"no_segments"}


@pytest.mark.classic
def test_each_table_is_read_once_a_comparison(spark: SparkSession, tmp_path: Path) -> None:
    """And all that is asked of the same table is asked at once."""
    ours, theirs = str(tmp_path / "ours"), str(tmp_path / "theirs")
    spark.range(500).selectExpr("id", "id % 50 AS k", "'x' AS wide").write.parquet(ours)
    spark.range(40).selectExpr("id", "id AS k", "'y' AS other").write.parquet(theirs)
    df, reference_tables = spark.read.parquet(ours), {"o": spark.read.parquet(theirs)}
    keyed: list[Analyzer] = [ReferentialIntegrity("k", "o"), DatasetMatch("o", "id", "k")]
    paired: list[Analyzer] = [RowCountMatch("o"), AggregateMatch("sum(k)", "o")]
    for analyzers, passes, expected_rows in (
        (keyed[:1], 1, 540),
        (keyed[1:], 1, 540),
        ([*paired, Size()], 2, 540),
        ([*keyed, *paired], 4, 3 * 540),
    ):
        rows_read, jobs, measured = read_rows(
            spark, partial(measure, df, analyzers, reference_tables=reference_tables)
        )
        assert [str(metric) for metric in measured.values() if metric.problem] == []
        assert plan_for(df, analyzers, reference_tables=reference_tables).passes == passes
        assert rows_read == expected_rows
        assert jobs <= 4 * passes  # a job a shuffle, one a broadcast, one for the result
    assert spark.sparkContext._jsc.getPersistentRDDs().isEmpty()


@pytest.mark.classic
def test_only_the_columns_needed_are_read(spark: SparkSession, tmp_path: Path) -> None:
    from pyspark.sql import functions as F

    from assay.engine.passes.comparison_pass import with_counterpart

    spark.range(9).selectExpr("id", "id AS k", "'x' AS wide").write.parquet(str(tmp_path / "t"))
    df = spark.read.parquet(str(tmp_path / "t"))
    analyzer = ReferentialIntegrity("k", "o", "id")
    (comparison,) = plan_for(df, [analyzer], reference_tables={"o": df}).comparison_passes
    counted = with_counterpart(df, df, analyzer, comparison.sides, "there").agg(F.count_if("there"))
    text = counted._jdf.queryExecution().executedPlan().toString()
    assert "ReadSchema: struct<k:bigint>" in text
    assert "ReadSchema: struct<id:bigint>" in text
    assert "wide" not in text


@pytest.mark.connect
def test_segments(spark: SparkSession) -> None:
    rows = [("a", 1), ("a", 9), ("a", None), ("b", 2), ("c", None)]
    df = spark.createDataFrame(rows, "part string, k int")
    customers = spark.createDataFrame([(1,), (2,), (2,)], "k bigint")
    references = ReferentialIntegrity("k", "known")
    row_count = RowCountMatch("known")
    segments = measure(
        df, [references, row_count], by=["part"], reference_tables={"known": customers}
    )
    assert {part: segment.value(references) for (part,), segment in segments.items()} == {
        "a": 0.5,
        "b": 1.0,
        "c": None,
    }
    assert segments[("c",)][references].problem.code == "undefined"  # type: ignore[union-attr]
    assert segments[("a",)][row_count].problem.code == "no_segments"  # type: ignore[union-attr]


def test_a_write_of_one_table_compares_nothing(spark: SparkSession) -> None:
    analyzers = [ReferentialIntegrity("id", "o"), RowCountMatch("o")]
    watched = watch(spark.range(3), [*analyzers, Size()])
    watched.df.collect()
    measured = watched.measurement()
    assert measured.value(Size()) == 3
    assert {measured[analyzer].problem.code for analyzer in analyzers} == {"needs_own_pass"}  # type: ignore[union-attr]
