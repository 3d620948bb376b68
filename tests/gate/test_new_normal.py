"""A change that lasts is proposed as the new normal, and one mark accepts it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import numpy as np
import pytest

from assay import Gate, MemoryStore, Verdict
from assay.gate.causes.cause import CauseCode
from assay.gate.decide.lasting import propose_new_normal
from assay.gate.finding import Finding
from assay.store import BatchStatus, Decision, MarkKind, Selection, VerdictRecord

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

UNIT = Finding(
    "limits", Decision.HOLD, "the mean is 9, expected 5.", "amount", "mean",
    cause_code=CauseCode.UNIT_CHANGED,
)  # fmt: skip
CHECK = Finding(
    "checks", Decision.HOLD, "is_complete(id) fails.", "id", cause_code=CauseCode.NULLS_ROSE
)
N_GOOD = 14


def record(key: str, *findings: Finding) -> VerdictRecord:
    return VerdictRecord("d", key, Decision.HOLD, tuple(f.to_dict() for f in findings))


@pytest.mark.unit
def test_the_third_batch_in_a_row_with_a_change_proposes_the_first_one() -> None:
    earlier = [record("1"), record("2", UNIT), record("3", UNIT)]

    proposal = propose_new_normal("d", [UNIT], earlier)

    assert proposal is not None
    assert (proposal.level, proposal.since, proposal.column) == (Decision.ACCEPT, "2", "amount")
    assert "assay mark d/2 --new-normal" in proposal.reason


@pytest.mark.unit
@pytest.mark.parametrize(
    "earlier",
    [
        [],
        [record("2", UNIT)],
        [record("2", UNIT), record("3", UNIT), record("4")],
        [record("2", UNIT), record("3", UNIT), record("3")],  # a later version of batch 3
    ],
)
def test_fewer_batches_or_an_interrupted_run_propose_nothing(earlier: list[VerdictRecord]) -> None:
    assert propose_new_normal("d", [UNIT], earlier) is None


@pytest.mark.unit
def test_a_check_that_fails_every_day_is_no_new_normal() -> None:
    assert propose_new_normal("d", [CHECK], [record(key, CHECK) for key in "123"]) is None


@pytest.fixture
def gate(spark: SparkSession) -> Gate:
    gate = Gate("orders", MemoryStore())
    days = [day(spark, number) for number in range(N_GOOD)]
    history = days[0].selectExpr("0 as day", "*")
    for number, rows in enumerate(days[1:], 1):
        history = history.union(rows.selectExpr(f"{number} as day", "*"))
    gate.backfill(history, "day")
    return gate


def day(spark: SparkSession, number: int, *, factor: float = 1.0) -> DataFrame:
    rng = np.random.default_rng(number)
    amounts = (rng.gamma(4.0, 5.0, 150 + number % 5) * factor).round(2).tolist()
    states = rng.choice(["new", "paid", "void"], len(amounts)).tolist()
    return spark.createDataFrame(
        list(zip(amounts, states, strict=True)), "amount double, state string"
    )


def submit(gate: Gate, df: DataFrame, number: int) -> Verdict:
    return gate.submit(df, f"day={number}", time=datetime.now(UTC) + timedelta(days=number))


def test_one_mark_accepts_a_change_and_the_batches_held_for_it(
    spark: SparkSession, gate: Gate
) -> None:
    held = [submit(gate, day(spark, n, factor=100), n) for n in range(N_GOOD, N_GOOD + 3)]
    assert [verdict.decision for verdict in held] == [Decision.HOLD] * 3
    proposals = [f for verdict in held for f in verdict.observations if f.judge == "gate"]
    assert [(p.since, p.column) for p in proposals] == [(f"day={N_GOOD}", "amount")]

    released = gate.mark(f"day={N_GOOD}", "new normal", author="ada", reason="cents")

    assert released == (f"day={N_GOOD + 1}", f"day={N_GOOD + 2}")
    assert gate.quarantine.waiting() == ()
    marks = gate.store.marks(Selection.one("orders", f"day={N_GOOD + 1}"))
    assert [mark.kind for mark in marks] == [MarkKind.EXPECTED]
    later = submit(gate, day(spark, N_GOOD + 3, factor=100), N_GOOD + 3)
    assert later.accepted, str(later)


def test_a_batch_that_is_held_for_another_reason_as_well_stays_held(
    spark: SparkSession, gate: Gate
) -> None:
    submit(gate, day(spark, N_GOOD, factor=100), N_GOOD)
    other = day(spark, N_GOOD + 1, factor=100).selectExpr("amount", "upper(state) as state")
    submit(gate, other, N_GOOD + 1)

    released = gate.mark(f"day={N_GOOD}", "new normal", author="ada", reason="cents")

    assert released == ()
    batches = gate.store.batches(Selection("orders", status=BatchStatus.HELD))
    assert [batch.key for batch in batches] == [f"day={N_GOOD + 1}"]
