"""Repeated values of keys are counted exactly, also in batches of many rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from assay import Gate
from assay.gate import Verdict
from assay.gate.causes.cause import CauseCode
from assay.store import Decision, MemoryStore

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

N_BATCHES = 12


def orders(
    spark: SparkSession, day: int, rows: int, *, n_repeated: int = 0, n_equal_draws: int = 0
) -> DataFrame:
    """Return orders with an id, and a number that is drawn at random.

    The last rows have the ids, or the random numbers, of the first ones.
    """
    first_repeated = rows - n_repeated
    drawn = f"if(place >= {rows - n_equal_draws}, 0, cast(rand({day}) * 1e12 AS bigint))"
    place = f"if(place < {first_repeated}, place, place - {first_repeated})"
    return (
        spark.range(rows)
        .withColumnRenamed("id", "place")
        .selectExpr(
            f"concat('ORD-', {(day + 50) * 1_000_000} + {place}) AS order_id",
            f"{drawn} AS drawn",
            f"cast(rand({day + 100}) * 7 AS int) AS shop",
        )
    )


def gate_with(spark: SparkSession, n_batches: int, rows: int) -> Gate:
    gate = Gate("orders", MemoryStore())
    for day in range(n_batches):
        verdict = gate.submit(orders(spark, day, rows + 7 * (day % 5)), f"2026-11-{day + 1:02}")
        assert verdict.decision is Decision.ACCEPT, str(verdict)
    return gate


def key_findings(verdict: Verdict) -> list[str | None]:
    return [finding.column for finding in verdict.alarms if finding.judge == "keys"]


@pytest.fixture(scope="module")
def gate(spark: SparkSession) -> Gate:
    return gate_with(spark, N_BATCHES, 5000)


@pytest.mark.connect
def test_one_percent_of_repeated_keys_is_held_with_the_exact_count(
    spark: SparkSession, gate: Gate
) -> None:
    verdict = gate.submit(orders(spark, 20, 5000, n_repeated=50), "2026-12-01")

    assert verdict.decision is Decision.HOLD
    (finding,) = (finding for finding in verdict.alarms if finding.judge == "keys")
    assert (finding.column, finding.actual) == ("order_id", 50)
    assert finding.cause_code == CauseCode.KEY_DUPLICATED
    assert "50 of 5,000 values" in (finding.cause or "")


def test_random_numbers_that_repeat_by_chance_are_no_alarm(spark: SparkSession, gate: Gate) -> None:
    verdict = gate.submit(orders(spark, 21, 5000, n_equal_draws=2), "2026-12-02")

    assert key_findings(verdict) == []
    assert verdict.decision is Decision.ACCEPT, str(verdict)


def test_one_percent_of_repeated_keys_is_held_in_a_batch_of_100_000_rows(
    spark: SparkSession,
) -> None:
    gate = gate_with(spark, 4, 100_000)

    verdict = gate.submit(orders(spark, 20, 100_000, n_repeated=1000), "2026-12-01")

    assert verdict.decision is Decision.HOLD
    (finding,) = (finding for finding in verdict.alarms if finding.judge == "keys")
    assert (finding.column, finding.actual) == ("order_id", 1000)
    assert "1,000 of 100,000 values" in (finding.cause or "")
