"""Batches that come after a pause."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from assay import Gate
from assay.engine.measurement import Measurement
from assay.gate.budget import Budget
from assay.gate.causes.cause import CauseCode
from assay.gate.decide import require_agreement
from assay.gate.finding import Finding
from assay.gate.history import GateHistory, load_history
from assay.gate.judges.arrival import judge_arrival
from assay.learn.limits.metric_history import MetricHistory
from assay.store import Batch, Decision, MemoryStore
from assay.suite.settings import GateSettings

START = datetime(2026, 1, 1, tzinfo=UTC)


def judged(pauses: list[float], pause: float) -> list[Finding]:
    """What is said of a batch so many days after the last of those that came."""
    times = [START]
    for each in pauses:
        times.append(times[-1] + timedelta(days=each))
    known = GateHistory(MetricHistory("d"), arrivals=tuple(times))
    return judge_arrival(
        known, times[-1] + timedelta(days=pause), Budget.from_settings(GateSettings())
    )


def test_a_pause_as_never_before_is_a_warning() -> None:
    (found,) = judged([1.0] * 59, 8.0)
    assert found.level is Decision.WARN
    assert found.cause_code == CauseCode.ARRIVAL_GAP
    assert (found.actual, found.high) == (8 * 86400.0, 86400.0)
    assert found.cause == "About 7 deliveries are missing before this batch."
    assert found.false_alarm_rate == pytest.approx(1 / 60)
    # a day is left out, and the clock is not exact
    (found,) = judged([1.0, 1.01, 0.99] * 20, 1.98)
    assert found.cause == "About 1 delivery is missing before this batch."
    assert judged([1.0] * 59, 2000.0)[0].cause is None


@pytest.mark.parametrize(
    ("pauses", "pause"),
    [
        ([1.0] * 59, 1.6),
        # pauses that a schedule has of itself: weekends, nights
        ([1.0, 1.0, 1.0, 1.0, 3.0] * 12, 3.2),
        (([1 / 144] * 96 + [1 / 3]) * 2, 1 / 3 + 1 / 144),
        # 1 in 31 is more than the budget of warnings
        ([1.0] * 30, 8.0),
        # all were remembered, or submitted, at once
        ([0.0] * 59, 8.0),
        ([10 / 86400] * 59, 1.0),
        ([], 8.0),
        ([1.0] * 59, -8.0),
    ],
)
def test_what_is_usual_or_may_be_chance_is_not_told(pauses: list[float], pause: float) -> None:
    assert judged(pauses, pause) == []


def test_all_that_came_counts_whatever_became_of_it() -> None:
    store = MemoryStore()
    gate = Gate("d", store)
    for day in range(60):
        moment, key = START + timedelta(days=day), f"{day:02d}"
        if day % 20 == 19:
            gate.refuse(key, "it is a page of HTML.", time=moment)
        else:
            store.write(Batch("d", key, moment), Measurement({}, {}))
    gate.mark("58", "bad", author="ann", reason="so")
    known = load_history(store, "d", until=START + timedelta(days=60))
    assert known.arrivals == tuple(START + timedelta(days=day) for day in range(60))
    assert known.held is not None
    assert known.held[0].key == "59"


def test_that_a_batch_is_late_speaks_for_no_other_finding() -> None:
    rows = Finding("limits", Decision.HOLD, "", None, "row_count")
    for judge, level in {"arrival": Decision.WARN, "novelty": Decision.HOLD}.items():
        beside = Finding(judge, Decision.WARN, "", None, "pause")
        assert require_agreement([rows, beside])[0].level is level
