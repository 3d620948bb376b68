"""Outcomes, the status of them all, and what is raised."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any, cast

import pytest

from assay import Check, Level, Outcome, Result, Status, verify
from assay.analyzers import Problem
from assay.checks import ConstraintResult
from assay.engine import Measurement
from assay.errors import AssayError, CheckError, VerificationError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

UNDEFINED = Problem("undefined", "undefined: it has no rows")
CONSTRAINT = Check("c").is_complete("a").constraints[0]
WARNING = Check("c").is_complete("a").warn().constraints[0]


def one(level: Level, outcome: Outcome) -> ConstraintResult:
    constraint = CONSTRAINT if level is Level.ERROR else WARNING
    if outcome is Outcome.NOT_EVALUATED:
        return ConstraintResult("c", constraint, outcome, problem=UNDEFINED)
    return ConstraintResult("c", constraint, outcome, 1.0 if outcome is Outcome.PASSED else 0.5)


def result_of(*results: ConstraintResult) -> Result:
    return Result(results, Measurement({}, {}), None, cast("Any", None), None)


#: the status of one constraint alone, from the worst
ALONE = {
    (Level.ERROR, Outcome.FAILED): Status.FAILED,
    (Level.ERROR, Outcome.NOT_EVALUATED): Status.NOT_EVALUATED,
    (Level.WARNING, Outcome.FAILED): Status.WARNING,
    (Level.WARNING, Outcome.NOT_EVALUATED): Status.WARNING,
    (Level.ERROR, Outcome.PASSED): Status.PASSED,
    (Level.WARNING, Outcome.PASSED): Status.PASSED,
}
WORST_FIRST = list(Status)


def test_the_status_is_the_worst_of_all() -> None:
    assert WORST_FIRST == [Status.FAILED, Status.NOT_EVALUATED, Status.WARNING, Status.PASSED]
    for pair in product(ALONE, repeat=2):
        worst = min((ALONE[case] for case in pair), key=WORST_FIRST.index)
        result = result_of(*(one(*case) for case in pair))
        assert result.status is worst, pair
        assert result.passed is (worst in {Status.WARNING, Status.PASSED})
    assert result_of().status is Status.PASSED


def test_failures_are_those_that_failed_errors_first() -> None:
    warned, failed = one(Level.WARNING, Outcome.FAILED), one(Level.ERROR, Outcome.FAILED)
    unknown, passed = one(Level.ERROR, Outcome.NOT_EVALUATED), one(Level.ERROR, Outcome.PASSED)
    assert result_of(warned, unknown, failed, passed).failures() == (failed, warned)


def test_raise_for_failure_names_the_errors_only() -> None:
    everything = [one(*pair) for pair in ALONE]
    with pytest.raises(VerificationError) as caught:
        result_of(*everything).raise_for_failure()
    assert isinstance(caught.value, AssayError)
    assert caught.value.code == "verification_failed"
    heading, failed, unknown = str(caught.value).splitlines()
    assert heading == "2 of 6 constraints did not pass:"
    assert failed == f"  c: {everything[0].message}"
    assert unknown == f"  c: {everything[1].message}"
    assert everything[1].message.endswith("Completeness(a) is undefined: it has no rows.")
    result_of(*everything[2:]).raise_for_failure()
    result_of().raise_for_failure()


@pytest.mark.connect
def test_one_verification_with_every_outcome(spark: SparkSession) -> None:
    df = spark.createDataFrame([(1, "a"), (2, None)], "id int, name string")
    check = (
        Check("c")
        .is_complete("id")
        .is_complete("name")
        .is_complete("nmae")
        .has_mean("id", where="id > 9", at_least=0)
        .warn()
        .has_size(at_least=3)
        .warn()
    )
    result = verify(df, check)
    assert [
        (constraint_result.outcome.value, constraint_result.level.value, constraint_result.value)
        for constraint_result in result
    ] == [
        ("passed", "error", 1.0),
        ("failed", "error", 0.5),
        ("not evaluated", "error", None),
        ("not evaluated", "warning", None),
        ("failed", "warning", 2),
    ]
    assert result.status is Status.FAILED
    assert [constraint_result.constraint.name for constraint_result in result.failures()] == [
        "is_complete(name)",
        "has_size()",
    ]
    with pytest.raises(VerificationError, match=r"^2 of 5 constraints did not pass:\n  c: "):
        result.raise_for_failure()
    assert result.measurement.value(check.constraints[0].analyzer) == 1.0
    assert len(result) == 5


def test_a_check_given_twice_is_judged_once(spark: SparkSession) -> None:
    check = Check("c").has_column("id")
    result = verify(spark.range(1), check, check, Check("d").has_column("id"), Check("empty"))
    assert [constraint_result.check for constraint_result in result] == ["c", "d"]
    assert verify(spark.range(1), Check("empty")).status is Status.PASSED


def test_verify_takes_a_dataframe_and_checks(spark: SparkSession) -> None:
    import pandas as pd

    with pytest.raises(CheckError, match=r"expected a pyspark DataFrame, got pandas\.DataFrame"):
        verify(pd.DataFrame({"id": [1]}), Check("c").has_size(equals=1))
    with pytest.raises(CheckError, match=r"^invalid check: expected a Check, got 'c'\."):
        verify(spark.range(1), "c")  # type: ignore[arg-type]


def test_verify_takes_checks_one_by_one_or_in_a_list(spark: SparkSession) -> None:
    size, column = Check("c").has_size(equals=1), Check("d").has_column("id")
    one_by_one = verify(spark.range(1), size, column)
    assert [constraint_result.check for constraint_result in one_by_one] == ["c", "d"]
    assert verify(spark.range(1), [size, column]).results == one_by_one.results


@pytest.mark.connect
def test_a_result_counts_failing_rows_and_shows_percentages(spark: SparkSession) -> None:
    df = spark.range(1500).selectExpr("id", "nullif(id, 7) AS maybe", "id % 3 AS third")
    check = (
        Check("c")
        .is_complete("maybe")
        .is_in_range("third", 0, 1)
        .has_completeness("id", at_most=0.5)
        .has_size(at_most=1000)
    )
    result = verify(df, check)
    assert [constraint_result.message for constraint_result in result] == [
        "is_complete(maybe) failed: expected 100 %, actual 99.93 % (1 of 1,500 rows fails).",
        (
            "is_in_range(third, [0, 1]) failed: expected 100 %, actual 66.67 % (500 of 1,500 rows"
            " fail)."
        ),
        (
            "has_completeness(id) failed: expected at most 50 %, actual 100 % (1,500 of 1,500 rows"
            " fail)."
        ),
        "has_size() failed: expected at most 1,000, actual 1,500.",
    ]
    assert [constraint_result.counts for constraint_result in result] == [
        (1, 1500),
        (500, 1500),
        (1500, 1500),
        None,
    ]


def test_a_result_is_shown_in_short_and_as_html(spark: SparkSession) -> None:
    df = spark.createDataFrame([("<b>",)], "name string")
    result = verify(df, Check("c").has_max("name", equals="a").has_size(equals=1))
    assert repr(result) == "Result(failed: 1 failed, 1 passed)"
    assert str(result).splitlines() == [
        "failed: 1 failed, 1 passed",
        "  c: has_max(name) failed: expected 'a', actual '<b>'.",
    ]
    assert repr(result.results[1]) == "ConstraintResult('has_size()', passed: actual 1)"
    html = result._repr_html_()
    assert "&#x27;&lt;b&gt;&#x27;" in html
    assert "<b>" not in html
