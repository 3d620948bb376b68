"""Every constraint has a defined result for nulls, bounds, NaN and empty selections."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from assay import Check, Outcome, verify
from assay.checks import ConstraintResult
from tests.checks.constraint_examples import EXAMPLES, SCHEMA, describe, reference_tables

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROWS = [
    ("ab", "abc", 1, 2, 1.0, 1),
    ("AB", "abc", -1, -1, -1.0, 1),
    ("", "ab", 0, None, float("nan"), None),
    (None, None, None, 3, None, None),
]
COLUMNS = "s string, t string, n int, m int, x double, k int"

Build = Callable[[Any], Check]
FOUND: list[tuple[Build, Any]] = [
    # strings: by default a null passes; it may fail, or count as an empty string
    (lambda c: c.matches("s", "[a-z]+"), 2 / 4),
    (lambda c: c.matches("s", "[a-z]+", nulls="fail"), 1 / 4),
    (lambda c: c.matches("s", "[a-z]+", nulls="empty"), 1 / 4),
    (lambda c: c.matches("s", "[a-z]*"), 3 / 4),
    (lambda c: c.matches("s", "[a-z]*", nulls="fail"), 2 / 4),
    (lambda c: c.matches("s", "[a-z]*", nulls="empty"), 3 / 4),
    (lambda c: c.matches("s", "B", search=True), 2 / 4),
    (lambda c: c.is_email("s"), 1 / 4),
    (lambda c: c.is_email("s", nulls="fail"), 0.0),
    (lambda c: c.is_email("s", nulls="empty"), 0.0),
    (lambda c: c.is_url("s", nulls="fail"), 0.0),
    (lambda c: c.is_uuid("s", nulls="fail"), 0.0),
    (lambda c: c.is_ip_address("s", nulls="fail"), 0.0),
    (lambda c: c.is_credit_card("s", nulls="fail"), 0.0),
    (lambda c: c.is_social_security_number("s", nulls="fail"), 0.0),
    # lengths: a null has none, or the length of an empty string
    (lambda c: c.has_min_length("t", at_least=9), 2),
    (lambda c: c.has_min_length("t", nulls="empty", at_least=9), 0),
    (lambda c: c.has_max_length("t", at_least=9), 3),
    (lambda c: c.has_max_length("t", nulls="empty", at_least=9), 3),
    (lambda c: c.has_mean_length("t", at_least=9), 8 / 3),
    # values and ranges, their ends in or out
    (lambda c: c.is_contained_in("s", ["ab"]), 2 / 4),
    (lambda c: c.is_contained_in("s", ["ab"], nulls="fail"), 1 / 4),
    (lambda c: c.is_in_range("n", 0, 1), 3 / 4),
    (lambda c: c.is_in_range("n", 0, 1, nulls="fail"), 2 / 4),
    (lambda c: c.is_in_range("n", 0, 1, closed="left"), 2 / 4),
    (lambda c: c.is_in_range("n", 0, 1, closed="right"), 2 / 4),
    (lambda c: c.is_in_range("n", 0, 1, closed="neither"), 1 / 4),
    (lambda c: c.is_in_range("n", low=0), 3 / 4),
    (lambda c: c.is_in_range("n", low=0, closed="right"), 2 / 4),
    (lambda c: c.is_in_range("n", high=-1), 2 / 4),
    (lambda c: c.is_in_range("n", high=-1, closed="left"), 1 / 4),
    (lambda c: c.is_non_negative("n"), 3 / 4),
    (lambda c: c.is_non_negative("n", nulls="fail"), 2 / 4),
    (lambda c: c.is_positive("n"), 2 / 4),
    (lambda c: c.is_positive("n", nulls="fail"), 1 / 4),
    # pairs: (1, 2), (-1, -1), (0, null), (null, 3)
    (lambda c: c.is_less_than("n", "m"), 3 / 4),
    (lambda c: c.is_less_than("n", "m", nulls="fail"), 1 / 4),
    (lambda c: c.is_at_most("n", "m", nulls="fail"), 2 / 4),
    (lambda c: c.is_greater_than("m", "n", nulls="fail"), 1 / 4),
    (lambda c: c.is_at_least("m", "n", nulls="fail"), 2 / 4),
    (lambda c: c.is_equal_to("n", "m"), 3 / 4),
    (lambda c: c.is_equal_to("n", "m", nulls="fail"), 1 / 4),
    # predicates: what is null does not hold, unless asked for; of a condition it is not meant
    (lambda c: c.satisfies("n < m"), 1 / 4),
    (lambda c: c.satisfies("n < m", nulls="ignore"), 3 / 4),
    (lambda c: c.satisfies_if("n >= 0", "m > 0", at_least=0.8), 3 / 4),
    (lambda c: c.satisfies_if("n >= 0", "m > 5"), 2 / 4),
    (lambda c: c.satisfies("n < m -- a comment"), 1 / 4),
    (lambda c: c.satisfies_if("n >= 0 -- if", "m > 0 -- then", at_least=0.8), 3 / 4),
    # missing values
    (lambda c: c.is_complete("s"), 3 / 4),
    (lambda c: c.are_all_complete("s", "n", "m"), 2 / 4),
    (lambda c: c.are_any_complete("s", "n"), 3 / 4),
    # statistics leave nulls out
    (lambda c: c.has_mean("m", equals=0), 4 / 3),
    (lambda c: c.has_sum("m", equals=0), 4),
    (lambda c: c.has_count_distinct("k", equals=9), 1),
    (lambda c: c.has_data_type("s", "integral"), 0.0),
    (lambda c: c.has_consistent_type("s", equals=0), 1.0),
    # uniqueness: rows whose every key is null do not count, the others do
    (lambda c: c.is_unique("k"), 0.0),
    (lambda c: c.is_unique("k", "n", at_most=0.5), 1.0),
    (lambda c: c.has_distinctness("k", equals=0), 1 / 2),
    (lambda c: c.has_duplicate_rows("k", equals=0), 1),
    # NaN is a value; it is above all numbers to a row, and within no bound as a metric
    (lambda c: c.has_completeness("x", more_than=0.8), 3 / 4),
    (lambda c: c.is_in_range("x", high=10), 3 / 4),
    (lambda c: c.is_in_range("x", low=0), 3 / 4),
]


@pytest.fixture(scope="module")
def results(spark: SparkSession) -> list[ConstraintResult]:
    checks = [build(Check(str(i))) for i, (build, _) in enumerate(FOUND)]
    return list(verify(spark.createDataFrame(ROWS, COLUMNS), *checks))


@pytest.mark.parametrize("i", range(len(FOUND)))
def test_values_are_computed_from_the_rows_that_are_not_null(
    i: int, results: list[ConstraintResult]
) -> None:
    assert results[i].outcome is Outcome.FAILED, describe(results[i])
    assert results[i].value == pytest.approx(FOUND[i][1]), describe(results[i])


def test_nan_fails_every_bound(spark: SparkSession) -> None:
    df = spark.createDataFrame(ROWS, COLUMNS)
    names = ("equals", "at_least", "at_most", "more_than", "less_than")
    options: list[dict[str, Any]] = [*({name: 5} for name in names), {"between": (-1e9, 1e9)}]
    checks = [Check(str(i)).has_max("x", **bounds) for i, bounds in enumerate(options)]
    for result in verify(df, *checks, Check("own").has_max("x", satisfies=lambda v: v != v)):
        passes = result.check == "own"
        assert result.outcome is (Outcome.PASSED if passes else Outcome.FAILED), describe(result)
        assert result.actual_text == "nan"


#: what there is to say of no rows at all
DEFINED = {
    "has_size": 0,
    "has_column": 0,
    "has_column_count": 15,
    "matches_schema": 0.5,
    "has_count_distinct": 0,
    "has_approx_count_distinct": 0,
    "has_duplicate_rows": 0,
    "agrees_with": 0.0,
    "has_row_count_of": 0.0,
    "has_schema_of": 15 / 16,
    "has_histogram": "{}",
    "has_histogram_bins": "{< 0: 0, [0, 5): 0, [5, 10]: 0, > 10: 0}",
}


@pytest.mark.connect
def test_metrics_without_rows_are_undefined(spark: SparkSession) -> None:
    checks = [example.add_to(Check(example.name)) for example in EXAMPLES]
    empty = spark.createDataFrame([], SCHEMA)
    for result in verify(empty, *checks, reference_tables=reference_tables(spark)):
        if result.check in DEFINED:
            value = str(result.value) if result.check.startswith("has_histo") else result.value
            assert value == DEFINED[result.check], describe(result)
            assert result.problem is None
            continue
        assert result.outcome is Outcome.NOT_EVALUATED, describe(result)
        assert result.problem is not None
        assert result.problem.code == "undefined"
        name, metric = result.constraint.name, result.constraint.metric
        assert result.message.startswith(f"{name} could not be evaluated: {metric} is undefined: ")
        ends = (" no values.", " no rows.", " with a key.", " is null.", " of values.")
        assert result.message.endswith(ends)


def test_an_empty_selection_is_as_undefined_as_an_empty_table(spark: SparkSession) -> None:
    df = spark.createDataFrame(ROWS, COLUMNS)
    check = (
        Check("c")
        .is_complete("s", where="n > 100")
        .is_unique("n", where="n > 100")
        .has_mean("n", where="n IS NULL", at_least=0)
        .has_variance("m", where="n = 1", at_most=1)
        .has_skewness("m", where="n = 1", at_most=1)
        .has_size(where="n > 100", equals=0)
    )
    reasons = [str(constraint_result.problem) for constraint_result in verify(df, check)]
    assert reasons == [
        "undefined: it has no rows",
        "undefined: it has no values",
        "undefined: it has no values",
        "None",
        "undefined: all values are equal",
        "None",
    ]
