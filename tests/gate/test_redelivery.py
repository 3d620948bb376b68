"""Judge batches that repeat an earlier one: a redelivered file, or a feed that has stopped."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import numpy as np
import pytest

from assay import Gate
from assay.engine.measurement import Measurement
from assay.gate.budget import Budget
from assay.gate.causes.cause import CauseCode
from assay.gate.context import BatchContext
from assay.gate.finding import Finding
from assay.gate.history import GateHistory
from assay.gate.judges.redelivery import (
    RedeliveryJudge,
    judge_earlier_batches,
    judge_redelivery,
)
from assay.gate.measured_batch import MeasuredBatch
from assay.learn.fingerprint.column_stats import Fingerprint
from assay.learn.fingerprint.from_rows import fingerprint, numbers, strings
from assay.learn.limits.metric_history import MetricHistory
from assay.learn.novelty.contents import BatchContents
from assay.learn.novelty.features import UNCHANGED, Features
from assay.learn.novelty.seen_values import SeenValues
from assay.store import Batch, Decision, MemoryStore
from assay.suite.settings import GateSettings
from tests.gate.histories import history_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

BUDGET = Budget.from_settings(GateSettings())


def batch(*seeds: int, rows: int = 20) -> Fingerprint:
    columns = [np.random.default_rng(seed).normal(size=rows) for seed in seeds]
    return fingerprint({f"c{place}": column for place, column in enumerate(columns)})


def judge(unchanged_shares: list[float], now: Fingerprint, last: Fingerprint) -> list[Finding]:
    features: list[Features] = [{UNCHANGED: share} for share in unchanged_shares]
    history = GateHistory(
        MetricHistory("d"), features=tuple(features), seen_values=SeenValues().add(last)
    )
    return judge_redelivery(history, now, BUDGET)


def test_a_repeated_batch_is_held_if_no_batch_was_nearly_the_same_before() -> None:
    (finding,) = judge([0.0] * 30, batch(1, 2, 3, 4), batch(1, 2, 3, 4))
    assert finding.level is Decision.HOLD
    assert finding.false_alarm_rate == pytest.approx(0.001)
    assert finding.cause_code == CauseCode.REDELIVERED
    assert finding.actual == 1.0
    # so it is after few batches
    (finding,) = judge([0.0] * 6, batch(1, 2, 3, 4), batch(1, 2, 3, 4))
    assert finding.level is Decision.HOLD
    # it may be chance if batches are often nearly the same, or were once
    (finding,) = judge([0.7] * 10, batch(1, 2, 3, 4), batch(1, 2, 3, 4))
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
    # an older batch is recognized as well
    (finding,) = (finding for finding in verdict.findings if finding.metric == "unchanged")
    assert finding.level is Decision.HOLD
    assert "day=2026-11-19" in finding.reason


def day_of(number: int) -> Fingerprint:
    return batch(3 * number, 3 * number + 1, 3 * number + 2, rows=60)


def earlier(now: Fingerprint, n_batches: int = 30) -> list[Finding]:
    history = history_of("d", (day_of(number) for number in range(n_batches)))
    return judge_earlier_batches(history, now, BUDGET)


def test_a_batch_of_last_week_that_comes_again_is_held_and_named() -> None:
    (finding,) = earlier(day_of(23))
    assert finding.level is Decision.HOLD
    assert finding.cause_code == CauseCode.REDELIVERED
    assert finding.actual == 1.0
    assert "'23'" in finding.reason or " 23;" in finding.reason
    assert earlier(day_of(30)) == []


def test_a_batch_with_some_rows_of_an_earlier_one_warns() -> None:
    old, new = (np.random.default_rng(seed) for seed in (3 * 20, 3 * 30))
    rows = [np.concatenate((old.normal(size=60)[:40], new.normal(size=60)[:20]))]
    history = history_of(
        "d",
        (
            fingerprint({"c": np.random.default_rng(3 * number).normal(size=60)})
            for number in range(30)
        ),
    )
    (finding,) = judge_earlier_batches(history, fingerprint({"c": rows[0]}), BUDGET)
    assert finding.level is Decision.WARN
    assert finding.actual == pytest.approx(2 / 3)


def test_a_sample_of_equal_rows_is_no_proof_where_most_rows_repeat_every_day() -> None:
    """A batch keeps the hashes of 128 rows. One new row of 200 is often not among them."""
    updated = np.zeros(200)

    def next_day(number: int, n_updates: int) -> Fingerprint:
        rows = np.random.default_rng(number).choice(200, n_updates, replace=False)
        changed = updated.copy()
        changed[rows] = number
        return fingerprint({"id": np.arange(200.0), "updated": changed})

    days = []
    for number in range(1, 31):
        days.append(next_day(number, 8))
        updated[np.random.default_rng(number).choice(200, 8, replace=False)] = number
    history = history_of("d", days)

    quiet_days = [next_day(number, 1) for number in range(40, 60)]

    assert [judge_earlier_batches(history, day, BUDGET) for day in quiet_days] == [[]] * 20
    (finding,) = judge_earlier_batches(history, days[20], BUDGET)
    assert finding.level is Decision.HOLD


def test_snapshots_that_repeat_most_rows_every_day_raise_no_alarm() -> None:
    def snapshot(number: int) -> Fingerprint:
        return fingerprint({"id": numbers(range(100 + 3 * number))})

    history = history_of("d", (snapshot(number) for number in range(30)))
    assert judge_earlier_batches(history, snapshot(30), BUDGET) == []
    (finding,) = judge_earlier_batches(history, snapshot(20), BUDGET)
    assert finding.level is Decision.HOLD


def dated(number: int, date: int, rows: int = 60) -> Fingerprint:
    values = np.random.default_rng(number).normal(size=rows)
    return fingerprint({"v": values, "date": strings([f"2026-01-{date:02}"] * rows)})


def test_a_date_that_was_already_delivered_is_held() -> None:
    history = history_of("d", (dated(number, number + 1) for number in range(30)))
    (finding,) = judge_earlier_batches(history, dated(30, 12), BUDGET)
    assert (finding.column, finding.level) == ("date", Decision.HOLD)
    assert judge_earlier_batches(history, dated(30, 31), BUDGET) == []


@pytest.mark.unit
@pytest.mark.parametrize(("rows", "level"), [(3, Decision.WARN), (20, Decision.HOLD)])
def test_a_repeated_date_holds_only_a_batch_of_enough_rows(rows: int, level: Decision) -> None:
    history = history_of("d", (dated(number, number + 1, rows) for number in range(30)))
    (finding,) = judge_earlier_batches(history, dated(30, 12, rows), BUDGET)
    assert (finding.metric, finding.level) == ("label", level)


@pytest.mark.unit
def test_a_repeated_date_holds_if_equal_columns_or_rows_only_warn() -> None:
    def wide(number: int, date: int, fixed: int) -> Fingerprint:
        rng = np.random.default_rng(number)
        of_last = np.random.default_rng(29)
        new = [rng.normal(size=60) for _ in range(4)]
        last = [of_last.normal(size=60) for _ in range(4)]
        columns = {f"c{place}": values for place, values in enumerate(last[:fixed] + new[fixed:])}
        return fingerprint({**columns, "date": strings([f"2026-01-{date:02}"] * 60)})

    history = history_of("d", (wide(number, number + 1, 0) for number in range(30)))
    context = BatchContext(settings=GateSettings(), budget=BUDGET, history=history)
    now = wide(30, 12, 3)
    (of_last,) = judge_redelivery(history, now, BUDGET)
    assert of_last.level is Decision.WARN

    measured = MeasuredBatch(Batch("d", "30"), Measurement({}, {}), None)
    measured.__dict__["fingerprint"] = now
    findings = RedeliveryJudge().judge(context, measured)

    assert [(f.column, f.level) for f in findings] == [("date", Decision.HOLD)]


def test_checksums_are_read_as_they_were_written() -> None:
    contents = BatchContents.of(day_of(1), change=7)
    assert BatchContents.from_json(json.loads(json.dumps(contents.to_json()))) == contents
