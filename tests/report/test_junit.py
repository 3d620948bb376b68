"""JUnit XML has the outcomes of a result, whatever its names and values are."""

from __future__ import annotations

from datetime import UTC, datetime
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import Check, Outcome
from assay.analyzers import Problem, Size
from assay.checks import ConstraintResult, Result
from assay.checks.assertions.anomaly import NOT_ENOUGH
from assay.checks.examples import Examples, ExampleValue
from assay.checks.row_counts import RowCounts
from assay.engine import Measurement
from assay.gate import Finding
from assay.learn.anomaly import OnlineNormal
from assay.report.junit import case_outcome, to_junit, verdict_junit
from assay.store import Batch, Decision
from tests.gate.verdicts import verdict_of

CHECK = (
    Check("orders")
    .is_complete("id")
    .has_size(at_least=10)
    .is_unique("id")
    .has_mean("x", at_least=1)
)


def result_of(*results: ConstraintResult) -> Result:
    return Result(results, Measurement({}, {}), None, None, None)


def constraint_result(
    outcome: Outcome, *, warn: bool = False, problem: Problem | None = None
) -> ConstraintResult:
    check = Check("orders").has_size(at_least=10)
    (constraint,) = (check.warn() if warn else check).constraints
    return ConstraintResult("orders", constraint, outcome, 3, problem)


BROKEN = Problem("unknown_column", "no column 'x'")
YOUNG = Problem(NOT_ENOUGH, "not enough history: 3 batches, 7 needed")


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (constraint_result(Outcome.PASSED), "passed"),
        (constraint_result(Outcome.FAILED), "failure"),
        (constraint_result(Outcome.FAILED, warn=True), "warned"),
        (constraint_result(Outcome.NOT_EVALUATED, problem=BROKEN), "error"),
        (constraint_result(Outcome.NOT_EVALUATED, problem=BROKEN, warn=True), "skipped"),
        (constraint_result(Outcome.NOT_EVALUATED, problem=YOUNG), "skipped"),
    ],
)
def test_a_case_has_the_outcome_of_its_constraint(result: ConstraintResult, expected: str) -> None:
    assert case_outcome(result) == expected
    (case,) = ET.fromstring(to_junit(result_of(result))).iter("testcase")
    tags = {child.tag for child in case} - {"properties"}
    assert tags == {"passed": set(), "warned": {"system-out"}}.get(expected, {expected})


def test_a_document_has_suites_cases_and_properties() -> None:
    results = [
        ConstraintResult("orders", constraint, outcome, value)
        for constraint, outcome, value in zip(
            CHECK.constraints,
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
    assert failure.attrib["message"] == ("has_size() failed: expected at least 10, actual 3.")
    properties = {p.attrib["name"]: p.attrib["value"] for p in cases[1].iter("property")}
    assert properties == {
        "level": "error",
        "metric": "Size()",
        "expected": "at least 10",
        "actual": "3",
    }


def test_a_failed_case_has_counts_and_examples() -> None:
    (constraint,) = Check("orders").is_contained_in("status", ["paid"]).constraints
    values = (ExampleValue((("status", "lost"),), "'lost'", 2),)
    failed = ConstraintResult(
        "orders",
        constraint,
        Outcome.FAILED,
        0.25,
        counts=RowCounts(3, 4),
        examples=Examples(values, other_rows=1),
    )
    root = ET.fromstring(to_junit(result_of(failed)))
    actual = "25 % (3 of 4 rows fail): 'lost' (2), 1 other row"
    properties = {p.attrib["name"]: p.attrib["value"] for p in root.iter("property")}
    assert (properties["expected"], properties["actual"]) == ("100 %", actual)
    (failure,) = root.iter("failure")
    assert actual in failure.attrib["message"]


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
    result = ConstraintResult(check.name, check.constraints[0], Outcome.FAILED, value)
    document = to_junit(result_of(result), name)
    root = ET.fromstring(document.encode())
    assert [node.tag for node in root.iter()] == [
        *("testsuites", "testsuite", "testcase", "properties"),
        *["property"] * 4,
        "failure",
    ]
    assert "\x1b" not in document


def test_a_result_without_constraints_has_no_tests() -> None:
    root = ET.fromstring(to_junit(result_of()))
    assert root.attrib["tests"] == "0"


def test_a_verdict_leads_with_the_problem_and_lists_its_evidence() -> None:
    batch = Batch("orders", "1", datetime(2026, 1, 1, tzinfo=UTC))
    finding = Finding(
        "limits",
        Decision.HOLD,
        "the mean is 9.",
        "price",
        "mean",
        cause="About 10 times larger than before.",
        cause_code="unit_changed",
    )
    root = ET.fromstring(verdict_junit(verdict_of(batch, Decision.HOLD, [finding])))

    failure = root.find(".//testcase[@name='limits']/failure")
    assert failure is not None
    assert failure.get("message") == "price: About 10 times larger than before."
    assert (failure.text or "").splitlines() == [
        "hold: price: About 10 times larger than before.",
        "  price: the mean is 9.",
    ]


def test_a_problem_that_several_judges_noticed_is_one_failure() -> None:
    findings = [
        Finding(judge, Decision.HOLD, "the mean is 9.", "price", "mean", cause_code="unit_changed")
        for judge in ("limits", "novelty")
    ]

    root = ET.fromstring(verdict_junit(verdict_of(Batch("d", "1"), Decision.HOLD, findings)))

    assert root.get("failures") == "1"
    assert len(root.findall(".//failure")) == 1
    other = root.find(".//testcase[@name='novelty']/system-out")
    assert other is not None
    assert "price: the mean is 9." in (other.text or "")
