"""Findings of checks name their columns, and quote no values of private columns."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from assay import Check, Outcome
from assay.analyzers import Problem
from assay.checks.result import ConstraintResult, Result
from assay.engine.measurement import Measurement
from assay.gate.finding import Finding
from assay.gate.judges.checks import _withhold_values, judge_checks
from assay.gate.table_schema import TableSchema
from assay.store.verdict import Decision

(CONSTRAINT,) = Check("c").has_distance("code", "l1", at_most=0.1).constraints
MISSING = ConstraintResult(
    "c", CONSTRAINT, Outcome.NOT_EVALUATED, problem=Problem("not_enough_history", "0 batches")
)
FAILED = ConstraintResult("c", CONSTRAINT, Outcome.FAILED, 0.75)


@pytest.mark.parametrize(
    ("results", "is_withheld"),
    [([MISSING], False), ([MISSING, MISSING], False), ([FAILED], True), ([FAILED, MISSING], True)],
)
def test_only_metrics_of_private_columns_are_withheld(
    results: list[ConstraintResult], is_withheld: bool
) -> None:
    delta, totals = results[:1], results[1:]
    proposal = SimpleNamespace(
        delta=SimpleNamespace(results=delta), whole=SimpleNamespace(results=totals)
    )
    batch: Any = SimpleNamespace(
        proposal=proposal, schema=TableSchema((("code", "string"), ("id", "int")))
    )
    finding = Finding("checks", Decision.WARN, results[0].message, "code", CONSTRAINT.name)
    shown = _withhold_values(finding, batch, ["code"])
    assert (shown.reason != finding.reason) is is_withheld
    assert "0.75" not in shown.reason


@pytest.mark.parametrize(
    ("check", "columns"),
    [
        (Check("c").is_contained_in("status", ["open", "paid"]), ("status",)),
        (Check("c").satisfies("shipped >= ordered"), ("ordered", "shipped")),
        (Check("c").is_complete("status"), ("status",)),
        (Check("c").is_unique("id", "status"), ("id", "status")),
        (Check("c").is_contained_in("home.zip", ["1000"]), ("home.zip",)),
        (Check("c").has_size(at_least=5), ()),
    ],
)
def test_a_failed_constraint_names_its_columns(check: Check, columns: tuple[str, ...]) -> None:
    schema = TableSchema(
        (
            ("id", "int"),
            ("ordered", "date"),
            ("shipped", "date"),
            ("status", "string"),
            ("home", "struct<zip:string>"),
        )
    )
    (constraint,) = check.constraints
    failed = Result(
        (ConstraintResult("c", constraint, Outcome.FAILED, 0.5),),
        Measurement({}, {}), None, None, None,
    )  # fmt: skip
    nothing = Result((), Measurement({}, {}), None, None, None)
    (finding,) = judge_checks(failed, nothing, schema, level_on_error=Decision.HOLD)
    assert finding.columns == columns
