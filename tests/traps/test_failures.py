"""What goes wrong on some rows spoils one metric, is named in a sentence, and spares the others."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

from assay import Measurement, measure
from assay.analyzers import (
    Analyzer,
    Completeness,
    Compliance,
    CountDistinct,
    CustomAggregate,
    CustomSql,
    Histogram,
    Maximum,
    Mean,
    Median,
    Minimum,
    PatternMatch,
    Range,
    RatioOfSums,
    Size,
    StandardDeviation,
    Sum,
    TopK,
)
from tests.traps.reasons import badly_worded, problem_code

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

MOST = Decimal("9" * 38)


@pytest.fixture(scope="module")
def frame(spark: SparkSession) -> DataFrame:
    """Five rows; `x` is 0 in the first, `session` says what sounds like a broken session."""
    return spark.range(0, 5, 1, 1).selectExpr(
        "id AS x", "cast(id AS string) AS text", "'closed' AS session", "double(id) AS d"
    )


def test_sums_of_the_greatest_longs_are_exact(spark: SparkSession) -> None:
    most, least = 2**63 - 1, -(2**63)
    rows = [(most,), (most,), (most,), (least,), (None,), (1,)]
    found = measure(spark.createDataFrame(rows, "x bigint"), [Sum("x"), Mean("x"), Range("x")])
    assert found.value(Sum("x")) == 3 * most + least + 1
    assert found.value(Mean("x")) == pytest.approx((3 * most + least + 1) / 5)
    assert found.value(Range("x")) == most - least


def test_a_sum_beyond_decimals_is_named(spark: SparkSession) -> None:
    frame = spark.createDataFrame([(MOST, 1), (MOST, 2)], "d decimal(38,0), x int")
    asked: list[Analyzer] = [Sum("d"), Mean("d"), StandardDeviation("d"), RatioOfSums("x", "d")]
    found = measure(frame, [*asked, Maximum("d"), Range("d"), Sum("x")])
    assert {problem_code(found[each]) for each in asked} == {"not_computable"}
    assert found.value(Maximum("d")) == MOST
    assert found.value(Range("d")) == 0
    assert found.value(Sum("x")) == 3


def test_what_is_not_known_of_a_part_is_not_known_of_the_whole(spark: SparkSession) -> None:
    beyond = measure(spark.createDataFrame([(MOST,), (MOST,)], "d decimal(38,0)"), [Sum("d")])
    fine = measure(spark.createDataFrame([(Decimal(1),)], "d decimal(38,0)"), [Sum("d")])
    for both in (beyond + fine, fine + beyond):
        assert problem_code(both[Sum("d")]) == "not_computable"


@pytest.mark.connect
def test_a_predicate_that_fails_on_a_row_fails_alone(frame: DataFrame) -> None:
    bad: dict[Analyzer, str] = {
        Compliance("1 / x > 0"): "divide_by_zero",
        Compliance("x > 0", where="1 / x > 0"): "divide_by_zero",
        Size(where="1 % x = 0"): "remainder_by_zero",
        CountDistinct("x", where="1 / x > 0"): "divide_by_zero",
        Histogram("x", binning="1 / x"): "divide_by_zero",
        Histogram("x", binning="cast(session AS int)"): "cast_invalid_input",
        Compliance("cast(session AS date) IS NULL"): "cast_invalid_input",
        Compliance("x + 9223372036854775807 > 0"): "arithmetic_overflow",
        Compliance("element_at(array(1), int(x) + 1) = 1"): "invalid_array_index_in_element_at",
        CustomSql("sum(1 / x)"): "divide_by_zero",
        CustomAggregate("mean", (("total", "sum(1 / x)", "sum"),)): "divide_by_zero",
        Median("d", where="1 / x > 0"): "divide_by_zero",
        TopK(
            "text", where="raise_error('the session was not found') IS NULL"
        ): "user_raised_exception",
    }
    good: list[Analyzer] = [
        Size(),
        *(made(c) for c in frame.columns for made in (Completeness, Minimum, Maximum, TopK)),
        *(Compliance(f"x <> {i}") for i in range(40)),
        Median("d"),
        CountDistinct("x"),
    ]
    found = measure(frame, [*bad, *good])
    assert {each.key: problem_code(found[each]) for each in bad} == {
        each.key: code for each, code in bad.items()
    }
    assert [each.key for each in good if found[each].problem is not None] == []
    assert badly_worded(found.values()) == []


def test_a_pattern_that_is_none_says_what_is_wrong_with_it(frame: DataFrame) -> None:
    pattern = PatternMatch("text", "(abc")
    found = measure(frame, [pattern, PatternMatch("text", "[0-9]"), Size()])
    assert found.value(PatternMatch("text", "[0-9]")) == 1.0
    problem = found[pattern].problem
    assert problem is not None
    assert "Unclosed group" in problem.reason
    assert badly_worded(found.values()) == []


def test_a_selection_protects_the_predicate(frame: DataFrame) -> None:
    asked = [Compliance(f"1 / x > {b}", where="x <> 0") for b in (0.2, 0.3, 0.5)]
    found = measure(frame, [*asked, Sum("d", where="1 / nullif(x, 0) > 0")])
    assert [found.value(each) for each in asked] == [1.0, 0.75, 0.25]


@pytest.mark.classic
def test_a_selection_that_protects_costs_no_further_job(
    spark: SparkSession, frame: DataFrame
) -> None:
    asked = [Compliance(f"1 / x > {b}", where="x <> 0") for b in (0.2, 0.3, 0.5)]
    plain = _jobs(spark, lambda: measure(frame, [Size(), Sum("x")]))
    assert _jobs(spark, lambda: measure(frame, [Size(), *asked])) == plain


@pytest.mark.connect
def test_words_in_a_predicate_are_not_taken_for_a_broken_session(frame: DataFrame) -> None:
    asked = Compliance("session = 'closed' AND 1 / x > 0")
    found = measure(frame, [asked, Size()])
    assert problem_code(found[asked]) == "divide_by_zero"
    assert found.value(Size()) == 5


NONSENSE = [
    "x =",
    "x = 1 AND",
    "nope = 1",
    "`nope` = 1",
    "x",
    "x = 'a",
    "sum(x) > 1",
    "x > (SELECT 1",
    "row_number() OVER (ORDER BY x) = 1",
    "x =\n nope",
    "no_such_function(x) = 1",
    "x = " + "1 + " * 200 + "nope",
    "",
    "); DROP TABLE t; --",
]


def wherever_sql_goes(sql: str) -> list[Analyzer]:
    return [
        Compliance(sql),
        Size(where=sql),
        CountDistinct("x", where=sql),
        Histogram("x", binning=f"{sql} +"),
        CustomSql(f"max({sql} +)"),
    ]


@pytest.fixture(scope="module")
def nonsense(frame: DataFrame) -> Measurement:
    return measure(frame, [Size(), *(each for sql in NONSENSE for each in wherever_sql_goes(sql))])


@pytest.mark.connect
@pytest.mark.parametrize("sql", NONSENSE)
def test_sql_that_makes_no_sense_is_one_sentence(nonsense: Measurement, sql: str) -> None:
    assert nonsense.value(Size()) == 5
    asked = wherever_sql_goes(sql)
    assert [each.key for each in asked if nonsense[each].problem is None] == []
    assert badly_worded(nonsense[each] for each in asked) == []


def test_comments_in_sql_hurt_nobody(frame: DataFrame) -> None:
    asked: list[Analyzer] = [
        Compliance("x > 0 -- not the first"),
        Compliance("x /* id */ > 0", where="x < 4 -- nor the last"),
        CountDistinct("x", where="x > 0 -- not the first"),
        Histogram("x", binning="x % 2 -- parity"),
        CustomSql("sum(x) -- all"),
    ]
    found = measure(frame, asked)
    assert [found.value(each) for each in asked[:3]] == [0.8, 0.75, 4]
    assert found.value(asked[3]).counts == {"0": 3, "1": 2}  # type: ignore[union-attr]
    assert found.value(asked[4]) == 10


def test_a_formula_that_fails_is_one_sentence(frame: DataFrame) -> None:
    def broken(**_: Any) -> float:
        raise ValueError("first line\nsecond line " + "and more " * 100)

    custom = CustomAggregate("broken", (("n", "count(1)", "sum"),), formula=broken)
    found = measure(frame, [custom, Size()])
    assert problem_code(found[custom]) == "formula_failed"
    assert badly_worded(found.values()) == []
    again = found + found
    assert again.value(Size()) == 10
    assert problem_code(again[custom]) == "formula_failed"


def _jobs(spark: SparkSession, run: Callable[[], object]) -> int:
    context, group = spark.sparkContext, str(uuid.uuid4())
    context.setJobGroup(group, "counted")
    try:
        run()
    finally:
        context.setLocalProperty("spark.jobGroup.id", None)  # type: ignore[arg-type]
    return len(context.statusTracker().getJobIdsForGroup(group))
