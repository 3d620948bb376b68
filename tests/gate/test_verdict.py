"""A verdict says what it was compared with, and is read back as it was recorded."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from assay import Gate
from assay.analyzers import Maximum, Size
from assay.engine.measurement import Measurement, Metric
from assay.gate import Verdict
from assay.gate.finding import Finding
from assay.gate.problem import Problem
from assay.store import Batch, Decision, MemoryStore, VerdictRecord

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

BATCH = Batch("orders", "2026-11-14", datetime(2026, 11, 14, tzinfo=UTC))
VERDICT = Verdict(
    BATCH,
    Decision.ACCEPT,
    row_count=956,
    column_count=14,
    n_history=11,
    history_start="2026-11-01",
    history_end="2026-11-13",
)


def test_a_recorded_verdict_keeps_what_it_was_compared_with() -> None:
    assert Verdict.of_record(VERDICT.to_record(), BATCH) == VERDICT
    first = Verdict(BATCH, Decision.ACCEPT, row_count=1, similar_dataset="orders_eu")
    assert Verdict.of_record(first.to_record(), BATCH) == first


def test_a_verdict_recorded_without_columns_is_read() -> None:
    record = VERDICT.to_record()
    new_fields = {"column_count", "history_end", "similar_dataset"}
    document = {name: value for name, value in record.document.items() if name not in new_fields}

    verdict = Verdict.of_record(replace(record, document=document), BATCH)

    assert verdict.compared_with == "956 rows, compared with 11 batches since 2026-11-01"


def test_a_verdict_of_version_0_1_is_not_taken_for_a_first_batch() -> None:
    verdict = Verdict.of_record(VerdictRecord("orders", "2026-11-14", Decision.ACCEPT), BATCH)

    assert not verdict.is_first
    assert str(verdict) == "✓ ACCEPTED  orders 2026-11-14"


def test_findings_problems_and_measurements_are_shown_in_a_line() -> None:
    finding = Finding("limits", Decision.HOLD, "the mean is 9, expected 1 to 2. " * 9, "amount")
    problem = Problem(
        cause_code="unit",
        cause="About 100 times larger than before.",
        columns=("amount",),
        level=Decision.HOLD,
        findings=(finding,) * 30,
    )
    measured = Measurement({a: Metric(a, 1) for a in (Size(), Maximum("id"))}, {})

    assert repr(finding).startswith("Finding(limits: hold, 'amount: the mean is 9, expected")
    assert len(repr(finding)) <= 120
    assert repr(problem) == (
        "Problem(unit: hold, 'amount: About 100 times larger than before.', 30 findings)"
    )
    assert repr(measured) == "Measurement(2 metrics, 0 states)"


@pytest.mark.parametrize(
    ("decision", "outcome"),
    [
        (Decision.ACCEPT, "○ FIRST BATCH"),
        (Decision.WARN, "! WARNING"),
        (Decision.HOLD, "✗ HELD"),
    ],
)
def test_only_a_first_batch_without_problems_has_an_outcome_of_its_own(
    decision: Decision, outcome: str
) -> None:
    verdict = Verdict(BATCH, decision, row_count=10, column_count=2)

    assert verdict.is_first
    assert verdict.outcome == outcome
    assert replace(VERDICT, decision=Decision.ACCEPT).outcome == "✓ ACCEPTED"


def test_the_first_batch_of_a_misspelled_dataset_names_the_similar_one(
    spark: SparkSession,
) -> None:
    store = MemoryStore()
    df = spark.range(30).selectExpr("id", "id % 3 AS kind").coalesce(1)
    first = Gate("orders", store).submit(df, "day=1")
    second = Gate("orders", store).submit(df.selectExpr("id + 1 AS id", "kind"), "day=2")
    misspelled = Gate("order", store).submit(df, "day=1")

    assert (first.is_first, first.similar_dataset) == (True, None)
    assert (second.is_first, second.similar_dataset) == (False, None)
    assert (second.column_count, second.n_history) == (2, 1)
    assert (second.history_start, second.history_end) == ("day=1", "day=1")
    assert misspelled.headline == (
        "First batch of 'order': nothing to compare with. Did you mean 'orders'?"
    )
