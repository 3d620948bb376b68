"""The page of a result shows every constraint and its outcome."""

from __future__ import annotations

import pytest

from assay import Check, Outcome
from assay.analyzers import Problem
from assay.checks import ConstraintResult, Result
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
            assert constraint.message in text
            assert "country = 'DE'" in text
        assert constraint.constraint.name in text


def test_hostile_names_are_text_and_many_constraints_fit_on_a_small_page() -> None:
    many = [
        result(outcome, column=f"{HOSTILE * 50}{at}") for at in range(800) for outcome in Outcome
    ]
    text = page(*many)
    assert "<script>\\u202e\\x00" in text
    assert text.count("more constraints.") >= 2
