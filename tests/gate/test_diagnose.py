"""Findings with one cause become one problem."""

from __future__ import annotations

import numpy as np

from assay.gate.causes.cause import CauseCode
from assay.gate.diagnose import Comparison, diagnose, find_causes, group_findings
from assay.gate.finding import Finding
from assay.gate.problem import Problem
from assay.learn.fingerprint import metrics
from assay.learn.fingerprint.column_stats import Fingerprint
from assay.learn.fingerprint.from_rows import fingerprint, strings
from assay.store import Decision, VerdictRecord


def sales(rows: int, *, factor: float = 1.0) -> Fingerprint:
    rng = np.random.default_rng(7)
    return fingerprint(
        {
            "amount": rng.gamma(2.0, 20.0, rows) * factor,
            "status": strings(rng.choice(["new", "paid"], rows).tolist()),
            "city": strings(rng.choice([*"abcdef"], rows).tolist()),
        }
    )


def finding(judge: str, column: str | None, metric: str, level: Decision) -> Finding:
    return Finding(judge, level, f"{metric} is unexpected.", column, metric, actual=1.0)


def hold(column: str | None, metric: str, judge: str = "limits") -> Finding:
    return finding(judge, column, metric, Decision.HOLD)


def test_missing_rows_and_their_consequences_are_one_problem() -> None:
    findings = [
        hold(None, metrics.ROW_COUNT),
        hold("amount", metrics.SUM),
        hold("status", metrics.DISTINCT_COUNT),
        hold("city", metrics.L1),
    ]
    (problem,) = diagnose(findings, Comparison(sales(500), sales(1000)))
    assert problem.cause_code == CauseCode.ROWS_MISSING
    assert problem.columns == ()
    assert problem.level is Decision.HOLD
    assert problem.findings[0].metric == metrics.ROW_COUNT
    assert len(problem.findings) == 4


def test_a_column_with_a_cause_of_its_own_is_a_problem_of_its_own() -> None:
    findings = [hold(None, metrics.ROW_COUNT), hold("amount", metrics.MEAN)]
    problems = diagnose(findings, Comparison(sales(500, factor=1000.0), sales(1000)))
    assert [(problem.cause_code, problem.columns) for problem in problems] == [
        (CauseCode.ROWS_MISSING, ()),
        (CauseCode.UNIT_CHANGED, ("amount",)),
    ]


def test_all_findings_about_a_small_batch_are_one_problem() -> None:
    findings = [hold(None, metrics.ROW_COUNT), hold("amount", metrics.MEAN)]
    compared = Comparison(sales(20), sales(1000), is_small=True)
    (problem,) = diagnose(findings, compared)
    assert problem.cause_code == CauseCode.ROWS_MISSING


def test_a_redelivery_explains_what_the_learners_report() -> None:
    again = Finding(
        "redelivery",
        Decision.HOLD,
        "all columns are exactly as in the batch before.",
        None,
        metrics.UNCHANGED,
        cause="The batch before was delivered again.",
        cause_code=CauseCode.REDELIVERED,
    )
    (problem,) = group_findings([hold("amount", metrics.L1, "novelty"), again])
    assert problem.cause_code == CauseCode.REDELIVERED
    assert problem.cause == "The batch before was delivered again."


def test_all_findings_about_a_column_are_one_problem() -> None:
    warning = finding("novelty", "city", metrics.ENTROPY, Decision.WARN)
    problems = group_findings([warning, hold("city", metrics.L1), hold("status", metrics.L1)])
    assert [(problem.columns, len(problem.findings)) for problem in problems] == [
        (("city",), 2),
        (("status",), 1),
    ]
    assert problems[0].level is Decision.HOLD


def test_several_columns_that_are_gone_are_one_problem() -> None:
    gone = [
        Finding(
            "schema",
            Decision.HOLD,
            "the column is gone.",
            f"c{number}",
            "gone",
            cause_code=CauseCode.COLUMN_GONE,
        )
        for number in range(8)
    ]
    (problem,) = group_findings(gone)
    assert problem.cause == "8 columns are gone: c0, c1, c2, c3, c4 and 3 more."


def test_the_code_of_another_package_is_kept() -> None:
    (problem,) = group_findings(
        [Finding("airports", Decision.HOLD, "no departures.", "origin", cause_code="closed")]
    )
    assert problem.cause_code == "closed"
    assert problem.cause == "No departures."


def test_a_problem_is_read_as_it_was_written() -> None:
    findings = [hold(None, metrics.ROW_COUNT), hold("amount", metrics.SUM)]
    (problem,) = diagnose(findings, Comparison(sales(500), sales(1000)))
    assert Problem.read(problem.to_dict()) == problem


def test_past_alarms_are_read_once_for_all_findings_of_a_batch() -> None:
    reads = 0

    class CountedAlarm(dict[str, object]):
        def get(self, key: str, default: object = None) -> object:
            nonlocal reads
            reads += key == "level"
            return super().get(key, default)

    names = [f"c{number}" for number in range(20)]
    alarms = tuple(CountedAlarm(level="warn", judge="limits", column=name) for name in names)
    past = [VerdictRecord("sales", f"{day}", Decision.WARN, alarms) for day in range(10)]
    findings = [hold(name, metrics.SUM) for name in names]

    found = find_causes(findings, Comparison(sales(500), None), past)

    assert [finding.since for finding in found] == ["0"] * 20
    assert reads == 10 * 20
