"""Constraints that describe one batch do not hold later batches."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from assay import Check, Gate
from assay.analyzers import Problem
from assay.checks.result import ConstraintResult, Outcome, Result
from assay.engine.measurement import Measurement
from assay.gate.judges.checks import judge_checks
from assay.store import Decision, MemoryStore

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.mark.parametrize(
    "check",
    [
        Check("c").has_size(between=(10, 30)),
        Check("c").has_sum("n", at_most=300),
        Check("c").has_custom_sql("max(n)", at_most=30),
        Check("c").has_exact_quantile("n", 0.5, at_most=20),
    ],
    ids=lambda check: str(check.constraints[0].name),
)
def test_good_batches_are_not_held(spark: SparkSession, check: Check) -> None:
    gate = Gate("numbers", MemoryStore(), check)
    for day, size in enumerate((20, 21, 19)):
        batch = spark.range(size).selectExpr("CAST(id AS int) AS n").coalesce(1)
        verdict = gate.submit(batch, f"day={day}")
        assert verdict.decision is not Decision.HOLD
        assert not [f for f in verdict.findings if f.judge == "checks" and f.alarm]


def test_a_key_that_repeats_in_a_later_batch_is_held(spark: SparkSession) -> None:
    gate = Gate("numbers", MemoryStore(), Check("c").is_unique("n"))
    gate.submit(spark.range(20).selectExpr("id AS n").coalesce(1), "day=0")
    verdict = gate.submit(spark.range(19, 39).selectExpr("id AS n").coalesce(1), "day=1")
    assert verdict.decision is Decision.HOLD


def test_constraints_that_cannot_be_merged_are_named_once() -> None:
    check = (
        Check("c", on="whole")
        .has_custom_sql("max(n)", at_most=30)
        .has_exact_quantile("n", 0.5, at_most=20)
    )
    problem = Problem("not_incremental", "its states do not merge")
    delta = tuple(ConstraintResult("c", c, Outcome.PASSED, 1.0) for c in check.constraints)
    whole = tuple(
        ConstraintResult("c", c, Outcome.NOT_EVALUATED, problem=problem) for c in check.constraints
    )

    findings = judge_checks(result_of(delta), result_of(whole), None, level_on_error=Decision.HOLD)

    assert [(finding.level, finding.column) for finding in findings] == [(Decision.ACCEPT, None)]
    assert all(constraint.name in findings[0].reason for constraint in check.constraints)


def result_of(results: tuple[ConstraintResult, ...]) -> Result:
    return Result(results, Measurement({}, {}), None, None, None)
