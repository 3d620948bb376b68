"""Constraints that describe one batch do not hold later batches."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from assay import Check, Gate
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
