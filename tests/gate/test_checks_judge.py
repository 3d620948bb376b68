"""Findings of checks quote no values of private columns, and say why nothing was judged."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from assay import Check, Outcome
from assay.analyzers import Problem
from assay.checks.result import ConstraintResult
from assay.gate.finding import Finding
from assay.gate.judges.checks import _withhold_values
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
