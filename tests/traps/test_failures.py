"""A failure on some rows is a problem of one metric, in one sentence."""

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
    """Return five rows: `x` starts at 0, and `session` contains the word *closed*."""
    return spark.range(0, 5, 1, 1).selectExpr(
        "id AS x", "cast(id AS string) AS text", "'closed' AS session", "double(id) AS d"
    )


def test_sums_of_the_greatest_longs_are_exact(spark: SparkSession) -> None:
    most, least = 2**63 - 1, -(2**63)
    rows = [(most,), (most,), (most,), (least,), (None,), (1,)]
    measured = measure(spark.createDataFrame(rows, "x bigint"), [Sum("x"), Mean("x"), Range("x")])
    assert measured.value(Sum("x")) == 3 * most + least + 1
    assert measured.value(Mean("x")) == pytest.approx((3 * most + least + 1) / 5)
    assert measured.value(Range("x")) == most - least


def test_a_sum_beyond_decimals_is_a_problem(spark: SparkSession) -> None:
    frame = spark.createDataFrame([(MOST, 1), (MOST, 2)], "d decimal(38,0), x int")
    analyzers: list[Analyzer] = [Sum("d"), Mean("d"), StandardDeviation("d"), RatioOfSums("x", "d")]
    measured = measure(frame, [*analyzers, Maximum("d"), Range("d"), Sum("x")])
    assert {problem_code(measured[analyzer]) for analyzer in analyzers} == {"not_computable"}
    assert measured.value(Maximum("d")) == MOST
    assert measured.value(Range("d")) == 0
    assert measured.value(Sum("x")) == 3


def test_a_problem_of_one_part_is_a_problem_of_the_whole(spark: SparkSession) -> None:
    beyond = measure(spark.createDataFrame([(MOST,), (MOST,)], "d decimal(38,0)"), [Sum("d")])
    fine = measure(spark.createDataFrame([(Decimal(1),)], "d decimal(38,0)"), [Sum("d")])
    for both in (beyond + fine, fine + beyond):
        assert problem_code(both[Sum("d")]) == "not_computable"


@pytest.mark.connect
def test_only_the_predicate_that_fails_on_a_row_has_a_problem(frame: DataFrame) -> None:
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
    measured = measure(frame, [*bad, *good])
    assert {analyzer.key: problem_code(measured[analyzer]) for analyzer in bad} == {
        analyzer.key: code for analyzer, code in bad.items()
    }
    assert [analyzer.key for analyzer in good if measured[analyzer].problem is not None] == []
    assert badly_worded(measured.values()) == []


def test_the_problem_of_an_invalid_pattern_names_the_error(frame: DataFrame) -> None:
    pattern = PatternMatch("text", "(abc")
    measured = measure(frame, [pattern, PatternMatch("text", "[0-9]"), Size()])
    assert measured.value(PatternMatch("text", "[0-9]")) == 1.0
    problem = measured[pattern].problem
    assert problem is not None
    assert "Unclosed group" in problem.reason
    assert badly_worded(measured.values()) == []


def test_a_predicate_is_evaluated_only_in_its_selection(frame: DataFrame) -> None:
    analyzers = [Compliance(f"1 / x > {b}", where="x <> 0") for b in (0.2, 0.3, 0.5)]
    measured = measure(frame, [*analyzers, Sum("d", where="1 / nullif(x, 0) > 0")])
    assert [measured.value(analyzer) for analyzer in analyzers] == [1.0, 0.75, 0.25]


@pytest.mark.classic
def test_a_selection_needs_no_additional_job(spark: SparkSession, frame: DataFrame) -> None:
    analyzers = [Compliance(f"1 / x > {b}", where="x <> 0") for b in (0.2, 0.3, 0.5)]
    plain = _jobs(spark, lambda: measure(frame, [Size(), Sum("x")]))
    assert _jobs(spark, lambda: measure(frame, [Size(), *analyzers])) == plain


@pytest.mark.connect
def test_words_in_a_predicate_do_not_look_like_a_closed_session(frame: DataFrame) -> None:
    analyzer = Compliance("session = 'closed' AND 1 / x > 0")
    measured = measure(frame, [analyzer, Size()])
    assert problem_code(measured[analyzer]) == "divide_by_zero"
    assert measured.value(Size()) == 5


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
    return measure(
        frame, [Size(), *(analyzer for sql in NONSENSE for analyzer in wherever_sql_goes(sql))]
    )


@pytest.mark.connect
@pytest.mark.parametrize("sql", NONSENSE)
def test_the_problem_of_invalid_sql_is_one_sentence(nonsense: Measurement, sql: str) -> None:
    assert nonsense.value(Size()) == 5
    analyzers = wherever_sql_goes(sql)
    assert [analyzer.key for analyzer in analyzers if nonsense[analyzer].problem is None] == []
    assert badly_worded(nonsense[analyzer] for analyzer in analyzers) == []


def test_comments_in_sql_do_not_affect_other_expressions(frame: DataFrame) -> None:
    analyzers: list[Analyzer] = [
        Compliance("x > 0 -- not the first"),
        Compliance("x /* id */ > 0", where="x < 4 -- nor the last"),
        CountDistinct("x", where="x > 0 -- not the first"),
        Histogram("x", binning="x % 2 -- parity"),
        CustomSql("sum(x) -- all"),
    ]
    measured = measure(frame, analyzers)
    assert [measured.value(analyzer) for analyzer in analyzers[:3]] == [0.8, 0.75, 4]
    assert measured.value(analyzers[3]).counts == {"0": 3, "1": 2}  # type: ignore[union-attr]
    assert measured.value(analyzers[4]) == 10


def test_the_problem_of_a_failing_formula_is_one_sentence(frame: DataFrame) -> None:
    def broken(**_: Any) -> float:
        raise ValueError("first line\nsecond line " + "and more " * 100)

    custom = CustomAggregate("broken", (("n", "count(1)", "sum"),), formula=broken)
    measured = measure(frame, [custom, Size()])
    assert problem_code(measured[custom]) == "formula_failed"
    assert badly_worded(measured.values()) == []
    again = measured + measured
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
