"""Failing rows and metrics tell the same story."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

from assay import Check, Outcome, Result, verify
from assay.analyzers import EmptyStringCount, NaNCount, NegativeCount, Uniqueness, ZerosCount
from assay.analyzers.text_types import TypeConsistency

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

NUMBER = 300


@pytest.fixture(scope="module")
def df(spark: SparkSession) -> DataFrame:
    chance = random.Random(20180821)
    texts = ["", "1", "2.5", "x", "true", "2026-01-01", "a@b.org", None]
    rows = [
        (
            chance.choice([0, 1, None]),
            chance.choice([*range(-40, 200), *[None] * 60]),
            chance.choice([*range(40), None]),
            chance.choice([-1.5, 0.0, -0.0, 2.5, float("nan"), None]),
            chance.choice(texts),
        )
        for _ in range(NUMBER)
    ]
    return spark.createDataFrame(rows, "g int, a int, b int, x double, s string")


def counts(result: Result) -> dict[str, int]:
    """Count the rows that fail each failed constraint, in one job."""
    from pyspark.sql import functions as F

    _, bad = result.split()
    ids = bad.select(F.explode("errors").alias("id")).groupBy("id").count()
    return {row["id"]: row["count"] for row in ids.collect()}


def ratios(check: Check, **options: Any) -> Check:
    """Constraints on shares of rows, of every sort."""
    return (
        check.is_complete("a", **options)
        .are_all_complete("a", "s", **options)
        .are_any_complete("a", "s", **options)
        .satisfies("a > b", **options)
        .satisfies("a > b", nulls="ignore", **options)
        .satisfies_if("a > 10", "b > 10", **options)
        .is_contained_in("s", ["", "x"], **options)
        .is_contained_in("s", ["", "x"], nulls="fail", **options)
        .is_in_range("a", 0, 100, closed="left", **options)
        .is_non_negative("x", nulls="fail", **options)
        .is_positive("x", **options)
        .is_less_than("a", "b", **options)
        .is_equal_to("a", "b", nulls="fail", **options)
        .matches("s", "[a-z0-9]*", **options)
        .matches("s", "[a-z0-9]*", nulls="fail", **options)
        .matches("s", "[a-z0-9]*", nulls="empty", **options)
        .matches_pattern("s", "<lower>+|<digit>+", **options)
        .is_email("s", **options)
        .is_unique("a", **options)
        .is_unique("a", "b", **options)
        .has_data_type("s", "integral", **options)
        .has_data_type("s", "fractional", **options)
        .has_data_type("s", "boolean", **options)
        .has_data_type("s", "string", **options)
    )


def selected(df: DataFrame, result: Result) -> list[int]:
    """Count the rows that each constraint judges: for uniqueness and types, those with a value."""
    from pyspark.sql import functions as F

    predicates = []
    for constraint_result in result:
        analyzer = constraint_result.constraint.analyzer
        predicate = analyzer.where or "true"
        if isinstance(analyzer, Uniqueness):
            some = " OR ".join(f"{name} IS NOT NULL" for name in analyzer.columns)
            predicate += f" AND ({some})"
        if isinstance(analyzer, TypeConsistency):
            predicate += f" AND {analyzer.column} IS NOT NULL"
        predicates.append(F.count_if(F.expr(predicate)))
    return list(df.agg(*predicates).collect()[0])


def test_failing_rows_of_a_ratio_are_the_rows_that_do_not_match(df: DataFrame) -> None:
    """For a constraint that is only bounded from above, return the rows that match."""
    result = verify(df, ratios(Check("below")), ratios(Check("above"), at_most=0.0, where="g = 1"))
    failing = counts(result)
    for constraint_result, rows in zip(result, selected(df, result), strict=True):
        assert constraint_result.outcome is Outcome.FAILED, constraint_result.message
        assert 0 < failing[constraint_result.constraint.id] <= rows <= NUMBER
        share = failing[constraint_result.constraint.id] / rows
        expected = share if constraint_result.check == "above" else 1 - share
        assert constraint_result.value == pytest.approx(expected), constraint_result.message
        assert constraint_result.counts == (failing[constraint_result.constraint.id], rows)
    for constraint_result in (result.results[0], result.results[18]):
        assert result.failing(constraint_result).count() == failing[constraint_result.constraint.id]


def test_failing_rows_of_a_count_are_the_counted_rows(df: DataFrame) -> None:
    kinds = (ZerosCount("x"), NegativeCount("a"), NaNCount("x"), EmptyStringCount("s"))
    check = Check("c")
    for kind in kinds:
        check = check.has(kind, equals=0)
    result = verify(df, check)
    assert counts(result) == {
        constraint_result.constraint.id: constraint_result.value for constraint_result in result
    }
    assert all(constraint_result.value for constraint_result in result)
    for constraint_result in result:
        assert constraint_result.counts == (constraint_result.value, NUMBER)


@contextmanager
def settings(spark: SparkSession, values: Mapping[str, str]) -> Iterator[None]:
    before = {name: spark.conf.get(name) or "" for name in values}
    try:
        for name, value in values.items():
            spark.conf.set(name, value)
        yield
    finally:
        for name, value in before.items():
            spark.conf.set(name, value)


#: two values of a type, a bound that only the greater breaks, and one that neither does
EXTREMES: dict[str, tuple[tuple[str, str], Any, Any]] = {
    "int": (("1", "2"), 1, 2),
    "double": (("1D", "2.5D"), 2, 2.5),
    "nan": (("1D", "double('NaN')"), 1e300, None),
    "decimal": (("0.1BD", "0.2BD"), 0.1, 0.2),
    "exact decimal": (("0.1BD", "0.2BD"), Decimal("0.1"), Decimal("0.2")),
    "string": (("'a'", "'b'"), "a", "b"),
    "binary": (("X'01'", "X'02'"), b"\x01", b"\x02"),
    "boolean": (("false", "true"), False, True),
    "date": (("DATE'2026-01-01'", "DATE'2026-01-02'"), "2026-01-01", date(2026, 1, 2)),
    "date beside a time": (
        ("DATE'2026-01-01'", "DATE'2026-01-02'"),
        datetime(2026, 1, 1, 12),
        "2026-01-02T00:00:00",
    ),
    "timestamp": (
        ("TIMESTAMP'2026-01-01 00:00:00Z'", "TIMESTAMP'2026-01-01 00:00:01Z'"),
        "2026-01-01",
        datetime(2026, 1, 1, 0, 0, 1),
    ),
    "timestamp beside a zone": (
        ("TIMESTAMP'2026-01-01 00:00:00Z'", "TIMESTAMP'2026-01-01 00:00:01Z'"),
        datetime(2026, 1, 1, tzinfo=UTC),
        "2026-01-01T01:00:01+01:00",
    ),
    "no zone": (
        ("TIMESTAMP_NTZ'2026-01-01 00:00:00'", "TIMESTAMP_NTZ'2026-01-01 00:00:01'"),
        date(2026, 1, 1),
        datetime(2026, 1, 1, 0, 0, 1, tzinfo=UTC),
    ),
    "time": (("TIME'08:00:00'", "TIME'09:00:00'"), "08:30", time(9)),
    "interval": (("INTERVAL '1' SECOND", "INTERVAL '2' SECOND"), 1, timedelta(seconds=2)),
}


@pytest.mark.connect
def test_a_row_beyond_a_bound_is_beyond_it_in_every_type(spark: SparkSession) -> None:
    """Wherever the session is: bounds without a zone are in UTC, for metrics and rows alike."""
    less, greater = (", ".join(extreme[0][i] for extreme in EXTREMES.values()) for i in (0, 1))
    breaks, keeps = Check("breaks"), Check("keeps")
    for name, (_, low, high) in EXTREMES.items():
        breaks = breaks.has_max(name, at_most=low)
        keeps = keeps if high is None else keeps.has_max(name, at_most=high)
    there = {
        "spark.sql.session.timeZone": "America/New_York",
        "spark.sql.timeType.enabled": "true",
    }
    with settings(spark, there):
        df = spark.sql(f"SELECT * FROM VALUES ({less}), ({greater})").toDF(*EXTREMES)
        result = verify(df, breaks, keeps)
        for constraint_result in result:
            expected = Outcome.FAILED if constraint_result.check == "breaks" else Outcome.PASSED
            assert constraint_result.outcome is expected, constraint_result.message
        assert counts(result) == {constraint.id: 1 for constraint in breaks.constraints}
        assert not any(counts(verify(df, keeps)))


def test_only_the_bound_that_holds_for_all_rows_blames_one(df: DataFrame) -> None:
    check = (
        Check("c")
        .has_min("a", between=(0, 10))
        .has_min("a", more_than=100)
        .has_min("a", equals=0)
        .has_max("a", between=(0, 100))
        .has_max("a", less_than=100)
        .has_max("a", equals=100)
        .has_min_length("s", at_least=3)
        .has_min_length("s", nulls="empty", at_least=3)
        .has_max_length("s", at_most=3)
    )
    predicates = ["a < 0", "a <= 100", "a < 0", "a > 100", "a >= 100", "a > 100"]
    predicates += ["length(s) < 3", "coalesce(length(s), 0) < 3", "length(s) > 3"]
    expected = df.selectExpr(*(f"count_if({predicate})" for predicate in predicates)).collect()[0]
    assert counts(verify(df, check)) == dict(
        zip((constraint.id for constraint in check.constraints), expected, strict=True)
    )
