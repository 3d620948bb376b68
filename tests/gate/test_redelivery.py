"""A delivery that came before: yesterday's file, or a feed that is dead."""

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
from assay.learn.novelty.metrics import UNCHANGED, Features
from assay.learn.novelty.seen_values import SeenValues
from assay.store import Decision, MemoryStore
from assay.suite.settings import GateSettings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

BUDGET = Budget.from_settings(GateSettings())


def batch(*seeds: int, rows: int = 20) -> Fingerprint:
    columns = [np.random.default_rng(each).normal(size=rows) for each in seeds]
    return fingerprint({f"c{at}": each for at, each in enumerate(columns)})


def judged(past: list[float], now: Fingerprint, last: Fingerprint) -> list[Finding]:
    features: list[Features] = [{UNCHANGED: each} for each in past]
    known = GateHistory(MetricHistory("d"), tuple(features), SeenValues().add(last))
    return judge_redelivery(known, now, BUDGET)


def test_the_same_in_every_value_is_held_if_it_never_was_nearly_so() -> None:
    (found,) = judged([0.0] * 30, batch(1, 2, 3, 4), batch(1, 2, 3, 4))
    assert found.level is Decision.HOLD
    assert found.false_alarm_rate == pytest.approx(0.0015)
    assert found.cause_code == CauseCode.REDELIVERED
    assert found.actual == 1.0
    # after few batches it may be chance, and so it may where it was nearly so once
    (found,) = judged([0.0] * 10, batch(1, 2, 3, 4), batch(1, 2, 3, 4))
    assert found.level is Decision.WARN
    (found,) = judged([0.0] * 30 + [0.75], batch(1, 2, 3, 4), batch(1, 2, 3, 4))
    assert found.level is Decision.WARN


def test_most_of_it_is_a_warning_as_long_as_that_is_seldom() -> None:
    last, now = batch(1, 2, 3, 4), batch(1, 2, 3, 5)
    (found,) = judged([0.0] * 30, now, last)
    assert found.level is Decision.WARN
    assert found.actual == 0.75
    # 2 in 81 batches spend less than the budget of warnings, 2 in 32 do not
    (found,) = judged([0.0] * 79 + [0.9], now, last)
    assert found.false_alarm_rate == pytest.approx(2 / 81)
    assert judged([0.0] * 30 + [0.9], now, last) == []
    assert judged([0.0] * 30, batch(1, 6, 7, 8), last) == []


def test_few_rows_are_the_same_by_chance() -> None:
    assert judged([0.0] * 30, batch(1, 2, rows=2), batch(1, 2, rows=2)) == []
    (found,) = judged([0.0] * 30, batch(1, 2, rows=19), batch(1, 2, rows=19))
    assert found.level is Decision.WARN


@pytest.mark.connect
def test_yesterday_once_more_is_held_whatever_the_order_of_its_rows(spark: SparkSession) -> None:
    """Sums are of rows in another order, and sketches of other parts: a day is the same day."""
    rng, start = np.random.default_rng(3), datetime(2026, 11, 1, tzinfo=UTC)
    ids = rng.permutation(60_000)
    rows = [
        (start.date() + timedelta(days=day), float(amount), f"A-{ids[day * 2000 + at]:06d}", code)
        for day in range(20)
        for at, (amount, code) in enumerate(
            zip(rng.lognormal(3, 1, 2000), rng.choice([*"abc"], 2000).tolist(), strict=True)
        )
    ]
    every = spark.createDataFrame(rows, "day date, amount double, id string, code string")
    gate = Gate("orders", MemoryStore())
    gate.backfill(every, ["day"])
    last, other = (every.where(f"day = '2026-11-{day}'").drop("day") for day in (20, 19))
    again = last.repartition(5, "amount").sortWithinPartitions("id")
    verdict = gate.submit(again, "21", time=start + timedelta(days=20))
    (found,) = (each for each in verdict.findings if each.metric == "unchanged")
    assert (verdict.decision, found.level) == (Decision.HOLD, Decision.HOLD), str(verdict)
    gate.reject("21", author="ann", reason="the file of the day before")
    verdict = gate.submit(other, "22", time=start + timedelta(days=21))
    assert not [each for each in verdict.findings if each.metric == "unchanged"], str(verdict)
