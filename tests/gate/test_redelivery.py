"""Judge batches that repeat an earlier one: a redelivered file, or a feed that has stopped."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import numpy as np
import pytest

from assay import Gate
from assay.gate.budget import Budget
from assay.gate.causes.cause import CauseCode
from assay.gate.finding import Finding
from assay.gate.history import GateHistory
from assay.gate.judges.redelivery import judge_redelivery
from assay.learn.fingerprint.column_stats import Fingerprint
from assay.learn.fingerprint.from_rows import fingerprint
from assay.learn.limits.metric_history import MetricHistory
from assay.learn.novelty.features import UNCHANGED, Features
from assay.learn.novelty.seen_values import SeenValues
from assay.store import Decision, MemoryStore
from assay.suite.settings import GateSettings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

BUDGET = Budget.from_settings(GateSettings())


def batch(*seeds: int, rows: int = 20) -> Fingerprint:
    columns = [np.random.default_rng(seed).normal(size=rows) for seed in seeds]
    return fingerprint({f"c{place}": column for place, column in enumerate(columns)})


def judge(unchanged_shares: list[float], now: Fingerprint, last: Fingerprint) -> list[Finding]:
    features: list[Features] = [{UNCHANGED: share} for share in unchanged_shares]
    history = GateHistory(MetricHistory("d"), tuple(features), SeenValues().add(last))
    return judge_redelivery(history, now, BUDGET)


def test_a_repeated_batch_is_held_if_no_batch_was_nearly_the_same_before() -> None:
    (finding,) = judge([0.0] * 30, batch(1, 2, 3, 4), batch(1, 2, 3, 4))
    assert finding.level is Decision.HOLD
    assert finding.false_alarm_rate == pytest.approx(0.0015)
    assert finding.cause_code == CauseCode.REDELIVERED
    assert finding.actual == 1.0
    # it may be chance after few batches, or if a batch was nearly the same once
    (finding,) = judge([0.0] * 10, batch(1, 2, 3, 4), batch(1, 2, 3, 4))
    assert finding.level is Decision.WARN
    (finding,) = judge([0.0] * 30 + [0.75], batch(1, 2, 3, 4), batch(1, 2, 3, 4))
    assert finding.level is Decision.WARN


def test_a_mostly_repeated_batch_warns_if_that_is_rare() -> None:
    last, now = batch(1, 2, 3, 4), batch(1, 2, 3, 5)
    (finding,) = judge([0.0] * 30, now, last)
    assert finding.level is Decision.WARN
    assert finding.actual == 0.75
    # 2 of 81 batches are within the budget of warnings, 2 of 32 are not
    (finding,) = judge([0.0] * 79 + [0.9], now, last)
    assert finding.false_alarm_rate == pytest.approx(2 / 81)
    assert judge([0.0] * 30 + [0.9], now, last) == []
    assert judge([0.0] * 30, batch(1, 6, 7, 8), last) == []


def test_small_batches_may_be_the_same_by_chance() -> None:
    assert judge([0.0] * 30, batch(1, 2, rows=2), batch(1, 2, rows=2)) == []
    (finding,) = judge([0.0] * 30, batch(1, 2, rows=19), batch(1, 2, rows=19))
    assert finding.level is Decision.WARN


@pytest.mark.connect
def test_a_redelivery_is_held_in_any_order_of_its_rows(spark: SparkSession) -> None:
    """Another order of rows changes the sums of doubles and the values that sketches keep."""
    rng, start = np.random.default_rng(3), datetime(2026, 11, 1, tzinfo=UTC)
    ids = rng.permutation(60_000)
    rows = [
        (start.date() + timedelta(days=day), float(amount), f"A-{ids[day * 2000 + at]:06d}", code)
        for day in range(20)
        for at, (amount, code) in enumerate(
            zip(rng.lognormal(3, 1, 2000), rng.choice([*"abc"], 2000).tolist(), strict=True)
        )
    ]
    all_days = spark.createDataFrame(rows, "day date, amount double, id string, code string")
    gate = Gate("orders", MemoryStore())
    gate.backfill(all_days, ["day"])
    last, other = (all_days.where(f"day = '2026-11-{day}'").drop("day") for day in (20, 19))
    again = last.repartition(5, "amount").sortWithinPartitions("id")
    verdict = gate.submit(again, "21", time=start + timedelta(days=20))
    (finding,) = (finding for finding in verdict.findings if finding.metric == "unchanged")
    assert (verdict.decision, finding.level) == (Decision.HOLD, Decision.HOLD), str(verdict)
    gate.reject("21", author="ann", reason="the file of the day before")
    verdict = gate.submit(other, "22", time=start + timedelta(days=21))
    assert not [finding for finding in verdict.findings if finding.metric == "unchanged"], str(
        verdict
    )
