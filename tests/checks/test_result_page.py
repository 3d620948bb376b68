"""The page of a result shows every constraint and its outcome."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay import Check, Outcome
from assay.analyzers import Problem
from assay.checks import ConstraintResult, Result
from assay.checks.examples import Examples, ExampleValue
from assay.checks.row_counts import RowCounts
from assay.engine import Measurement
from assay.report.html import result_html
from tests.report.html.reading import sound

HOSTILE = "<script>\u202e\x00'\"]]>\ud800"


def result(
    outcome: Outcome, *, column: str = "email", warn: bool = False, problem: Problem | None = None
) -> ConstraintResult:
    check = Check("orders").has_completeness(column, at_least=0.9, where="country = 'DE'")
    (constraint,) = (check.warn() if warn else check).constraints
    return ConstraintResult("orders", constraint, outcome, 0.5, problem)


def page(*results: ConstraintResult) -> str:
    return sound(result_html(Result(results, Measurement({}, {}), None, None, None))).text


PROBLEM = Problem("unknown_column", "no column 'email'")


@pytest.mark.parametrize(
    ("results", "word", "sections"),
    [
        ([result(Outcome.PASSED)], "Passed", ["Passed 1"]),
        ([result(Outcome.FAILED)], "Failed", ["Failed 1", "Passed 0"]),
        ([result(Outcome.FAILED, warn=True)], "Passed with a warning", ["Warnings 1"]),
        (
            [result(Outcome.NOT_EVALUATED, problem=PROBLEM)],
            "Not evaluated",
            ["Not evaluated 1"],
        ),
        ([], "Passed", ["no constraints"]),
    ],
)
def test_each_outcome_has_a_section(
    results: list[ConstraintResult], word: str, sections: list[str]
) -> None:
    text = page(*results)
    assert f"Assay: verification: {word.lower()}" in text
    assert all(section in text for section in sections)
    for constraint in results:
        if constraint.outcome is not Outcome.PASSED:
            assert constraint.expected_text in text
            assert constraint.metric_text in text
            assert "country = 'DE'" in text
        assert constraint.constraint.name in text


def test_failing_rows_and_their_values_are_counted() -> None:
    values = (ExampleValue((("status", "<b>"),), "'<b>'", 3),)
    counted = replace(
        result(Outcome.FAILED), counts=RowCounts(4, 1000), examples=Examples(values, 1)
    )
    text = page(counted)
    assert "4 of 1,000" in text
    assert "'<b>'3" in text
    assert "1 row with another value" in text


def test_values_of_private_columns_are_withheld() -> None:
    secret = replace(result(Outcome.FAILED), value=123456.75, withheld=("email",))
    passed = replace(secret, outcome=Outcome.PASSED)
    for constraint in (secret, passed):
        text = page(constraint)
        assert "123" not in text
        assert "not shown (private: email)" in text


def test_hostile_names_are_text_and_many_constraints_fit_on_a_small_page() -> None:
    many = [
        result(outcome, column=f"{HOSTILE * 50}{at}") for at in range(800) for outcome in Outcome
    ]
    text = page(*many)
    assert "<script>\\u202e\\x00" in text
    assert text.count("more constraints.") >= 2
