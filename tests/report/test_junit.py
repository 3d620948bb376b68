"""JUnit's XML says what the result says, whatever is in it."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import Check, Outcome
from assay.analyzers import Problem, Size
from assay.checks import ConstraintResult, Result
from assay.checks.assertions.anomaly import NOT_ENOUGH
from assay.engine import Measurement
from assay.learn.anomaly import OnlineNormal
from assay.report.junit import fate, to_junit

DEMANDED = (
    Check("orders")
    .is_complete("id")
    .has_size(at_least=10)
    .is_unique("id")
    .has_mean("x", at_least=1)
)


def result_of(*results: ConstraintResult) -> Result:
    return Result(results, Measurement({}, {}), None, None, None)


def judged(
    outcome: Outcome, *, warn: bool = False, problem: Problem | None = None
) -> ConstraintResult:
    check = Check("orders").has_size(at_least=10)
    (constraint,) = (check.warn() if warn else check).constraints
    return ConstraintResult("orders", constraint, outcome, 3, problem)


BROKEN = Problem("unknown_column", "no column 'x'")
YOUNG = Problem(NOT_ENOUGH, "not enough history: 3 batches, 7 needed")


@pytest.mark.parametrize(
    ("each", "expected"),
    [
        (judged(Outcome.PASSED), "passed"),
        (judged(Outcome.FAILED), "failure"),
        (judged(Outcome.FAILED, warn=True), "warned"),
        (judged(Outcome.NOT_EVALUATED, problem=BROKEN), "error"),
        (judged(Outcome.NOT_EVALUATED, problem=BROKEN, warn=True), "skipped"),
        (judged(Outcome.NOT_EVALUATED, problem=YOUNG), "skipped"),
    ],
)
def test_a_case_comes_to_what_its_constraint_does(each: ConstraintResult, expected: str) -> None:
    assert fate(each) == expected
    (case,) = ET.fromstring(to_junit(result_of(each))).iter("testcase")
    found = {child.tag for child in case} - {"properties"}
    assert found == {"passed": set(), "warned": {"system-out"}}.get(expected, {expected})


def test_the_document() -> None:
    results = [
        ConstraintResult("orders", constraint, outcome, value)
        for constraint, outcome, value in zip(
            DEMANDED.constraints,
            [Outcome.PASSED, Outcome.FAILED, Outcome.FAILED, Outcome.PASSED],
            [1.0, 3, 0.5, 2.0],
            strict=True,
        )
    ]
    (unusual,) = Check("usual").has_no_anomalies(Size(), OnlineNormal()).constraints
    young = ConstraintResult("usual", unusual, Outcome.NOT_EVALUATED, 3, YOUNG)
    root = ET.fromstring(to_junit(result_of(*results, young), "nightly"))
    counts = {"tests": "5", "failures": "2", "errors": "0", "skipped": "1", "time": "0"}
    assert root.attrib == {"name": "nightly", **counts}
    assert [suite.attrib["name"] for suite in root] == ["orders", "usual"]
    cases = list(root.iter("testcase"))
    assert [case.attrib["name"] for case in cases][:2] == ["is_complete(id)", "has_size()"]
    failure = cases[1].find("failure")
    assert failure is not None
    assert failure.attrib["message"] == ("has_size() does not hold: Size() is 3, expected >= 10.")
    told = {each.attrib["name"]: each.attrib["value"] for each in cases[1].iter("property")}
    assert told == {"level": "error", "metric": "Size()", "demanded": ">= 10", "found": "3"}


hostile = st.text(
    st.one_of(
        st.characters(exclude_categories=()),
        st.sampled_from("<>&\"'\x00\x07\x1b\ufffe\uffff\ud800\u2028\r\n]"),
    ),
    min_size=1,
    max_size=20,
)


@given(hostile, hostile, hostile)
def test_hostile_names_and_values_are_only_text(name: str, column: str, value: str) -> None:
    check = Check(f"c{name}").has_min(column, equals="a", hint=value)
    each = ConstraintResult(check.name, check.constraints[0], Outcome.FAILED, value)
    document = to_junit(result_of(each), name)
    root = ET.fromstring(document.encode())
    assert [each.tag for each in root.iter()] == [
        *("testsuites", "testsuite", "testcase", "properties"),
        *["property"] * 4,
        "failure",
    ]
    assert "\x1b" not in document


def test_of_no_constraints() -> None:
    root = ET.fromstring(to_junit(result_of()))
    assert root.attrib["tests"] == "0"
