"""The page of a verification says what the result says."""

from __future__ import annotations

import pytest

from assay import Check, Outcome
from assay.analyzers import Problem
from assay.checks import ConstraintResult, Result
from assay.engine import Measurement
from assay.report.html import result_html
from tests.report.html.reading import sound

HOSTILE = "<script>\u202e\x00'\"]]>\ud800"


def judged(
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
        ([judged(Outcome.PASSED)], "Passed", ["What passed"]),
        ([judged(Outcome.FAILED)], "Failed", ["What failed", "What passed"]),
        ([judged(Outcome.FAILED, warn=True)], "Passed with a warning", ["Warnings"]),
        (
            [judged(Outcome.NOT_EVALUATED, problem=PROBLEM)],
            "Not evaluated",
            ["What could not be evaluated"],
        ),
        ([], "Passed", ["Nothing was demanded."]),
    ],
)
def test_what_it_came_to(results: list[ConstraintResult], word: str, sections: list[str]) -> None:
    text = page(*results)
    assert f"Assay: a verification: {word.lower()}" in text
    assert all(each in text for each in sections)
    for each in results:
        if each.outcome is not Outcome.PASSED:
            assert each.message in text
            assert "country = 'DE'" in text
        assert each.constraint.name in text


def test_what_is_hostile_is_text_and_many_constraints_are_a_small_page() -> None:
    many = [
        judged(outcome, column=f"{HOSTILE * 50}{at}") for at in range(800) for outcome in Outcome
    ]
    text = page(*many)
    assert "<script>\\u202e\\x00" in text
    assert text.count("more constraints.") >= 2
