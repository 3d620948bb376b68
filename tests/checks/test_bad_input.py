"""An invalid constraint is explained in one sentence, and the others are evaluated."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from assay import Check, Outcome, verify
from assay.analyzers import CustomAggregate, TopK
from assay.checks import ConstraintResult

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def failing_judge(histogram: dict[str, int]) -> bool:
    return histogram["phone"] > 1


Build = Callable[[Check], Check]
#: what is asked for, the code of the problem, the beginning of the sentence
PROBLEMS: list[tuple[Build, str, str]] = [
    (
        lambda c: c.is_complete("nmae"),
        "unknown_column",
        "is_complete(nmae) could not be evaluated: no column 'nmae'; did you mean 'name'?",
    ),
    (
        lambda c: c.is_unique("id", "adress.city"),
        "unknown_column",
        "is_unique(id, adress.city) could not be evaluated: no column 'adress.city'; did you mean",
    ),
    (
        lambda c: c.is_less_than("id", "quantity"),
        "unknown_column",
        "is_less_than(id, quantity) could not be evaluated: no column 'quantity'. The columns are:",
    ),
    (
        lambda c: c.has_mean("name", at_least=0),
        "wrong_type",
        "has_mean(name) could not be evaluated: column 'name' is string; Mean needs one of:",
    ),
    (
        lambda c: c.is_non_negative("name"),
        "wrong_type",
        "is_non_negative(name) could not be evaluated: column 'name' is string; is_non_negative",
    ),
    (
        lambda c: c.matches("id", "[0-9]+"),
        "wrong_type",
        "matches(id, '[0-9]+') could not be evaluated: column 'id' is int; PatternMatch needs one",
    ),
    (
        lambda c: c.is_complete("same"),
        "ambiguous_column",
        "is_complete(same) could not be evaluated: 2 columns are called 'same' (same, same);",
    ),
    (
        lambda c: c.satisfies("id >"),
        "parse_syntax_error",
        "satisfies(id >) could not be evaluated: `id >`: Syntax error at or near end of input.",
    ),
    (
        lambda c: c.satisfies("idd > 1"),
        "unresolved_column.with_suggestion",
        "satisfies(idd > 1) could not be evaluated: `idd > 1`: A column, variable, or function",
    ),
    (
        lambda c: c.satisfies("id + 1"),
        "datatype_mismatch.filter_not_boolean",
        "satisfies(id + 1) could not be evaluated: `id + 1`: ",
    ),
    (
        lambda c: c.is_complete("name", where="id = = 1"),
        "parse_syntax_error",
        "is_complete(name) where id = = 1 could not be evaluated: `id = = 1`: Syntax",
    ),
    (
        lambda c: c.is_unique("id", where="nope = 1"),
        "unresolved_column.with_suggestion",
        "is_unique(id) where nope = 1 could not be evaluated: `nope = 1`: A column, variable",
    ),
    (
        lambda c: c.has_custom_sql("avg(id", at_least=0),
        "parse_syntax_error",
        "has_custom_sql(avg(id) could not be evaluated: ",
    ),
    (
        lambda c: c.satisfies("1 / (id - 1) > 0"),
        "divide_by_zero",
        "satisfies(1 / (id - 1) > 0) could not be evaluated: Division by zero.",
    ),
    (
        lambda c: c.is_contained_in("id", ["one"]),
        "cast_invalid_input",
        "is_contained_in(id, ['one']) could not be evaluated: The value 'one' of the type",
    ),
    (
        lambda c: c.has_approx_quantiles("id", [0.5], satisfies=failing_judge),
        "assertion_failed",
        "has_approx_quantiles(id, 0.5) could not be evaluated: the function given failed for 0.5: ",
    ),
    (
        lambda c: c.has_mean("id", at_least="much"),
        "assertion_failed",
        "has_mean(id) could not be evaluated: expected a bound of the metric's type, such as 2.0,",
    ),
    (
        lambda c: c.has_max("day", at_most="soon"),
        "assertion_failed",
        "has_max(day) could not be evaluated: expected a bound of the metric's type, such as 2026",
    ),
    (
        lambda c: c.has(TopK("name"), at_least=3),
        "assertion_failed",
        "has(TopK(name)) could not be evaluated: expected a bound of the metric's type, such as {",
    ),
    (
        lambda c: c.has(
            CustomAggregate("f", [("n", "count(1)", "sum")], formula=lambda n: 1 // (n - 3)),  # type: ignore[arg-type]
            at_least=0,
        ),
        "formula_failed",
        "has(CustomAggregate('f', [['n', 'count(1)', 'sum']])) could not be evaluated: ZeroDiv",
    ),
]


@pytest.fixture(scope="module")
def results(spark: SparkSession) -> list[ConstraintResult]:
    df = spark.sql(
        "SELECT * FROM VALUES (1, 'a', named_struct('city', 'x'), DATE'2026-01-01', 1, 1),"
        " (2, 'a', NULL, NULL, 1, 1), (3, NULL, NULL, NULL, 1, 1)"
    ).toDF("id", "name", "address", "day", "same", "same")
    checks = []
    for i, (build, _, _) in enumerate(PROBLEMS):
        checks += [build(Check(f"bad {i}")), Check(f"good {i}").has_max("id", equals=3)]
    unique = Check("good").is_unique("id").has_median("id", equals=2).is_complete("id")
    return list(verify(df, *checks, unique))


@pytest.mark.connect
@pytest.mark.parametrize("i", range(len(PROBLEMS)))
def test_the_problem_is_one_clear_sentence(i: int, results: list[ConstraintResult]) -> None:
    _, code, sentence = PROBLEMS[i]
    result = next(
        constraint_result for constraint_result in results if constraint_result.check == f"bad {i}"
    )
    assert result.outcome is Outcome.NOT_EVALUATED, result.message
    assert result.problem is not None
    assert result.problem.code == code, result.message
    assert result.message.startswith(sentence), result.message
    assert "\n" not in result.message
    assert "SQLSTATE" not in result.message
    assert len(result.message) < 500


@pytest.mark.connect
def test_an_invalid_constraint_does_not_stop_the_others(results: list[ConstraintResult]) -> None:
    good = [
        constraint_result
        for constraint_result in results
        if constraint_result.check.startswith("good")
    ]
    assert len(good) == len(PROBLEMS) + 3
    assert {constraint_result.outcome for constraint_result in good} == {Outcome.PASSED}
