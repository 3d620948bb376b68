"""Judge the gap between the arrivals of a batch and of the batch before."""

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


def judge_gap(gaps: list[float], gap: float) -> list[Finding]:
    """Judge a batch that arrives `gap` days after the last one, which came after `gaps`."""
    times = [START]
    for days in gaps:
        times.append(times[-1] + timedelta(days=days))
    history = GateHistory(MetricHistory("d"), arrivals=tuple(times))
    return judge_arrival(
        history, times[-1] + timedelta(days=gap), Budget.from_settings(GateSettings())
    )


def test_a_gap_longer_than_every_earlier_gap_warns() -> None:
    (finding,) = judge_gap([1.0] * 59, 8.0)
    assert finding.level is Decision.WARN
    assert finding.cause_code == CauseCode.ARRIVAL_GAP
    assert (finding.actual, finding.high) == (8 * 86400.0, 86400.0)
    assert finding.cause == "About 7 deliveries are missing before this batch."
    assert finding.false_alarm_rate == pytest.approx(1 / 60)
    # one day is missing, and the clock is inexact
    (finding,) = judge_gap([1.0, 1.01, 0.99] * 20, 1.98)
    assert finding.cause == "About 1 delivery is missing before this batch."
    assert judge_gap([1.0] * 59, 2000.0)[0].cause is None


@pytest.mark.parametrize(
    ("gaps", "gap"),
    [
        ([1.0] * 59, 1.6),
        # regular gaps of a schedule: weekends, nights
        ([1.0, 1.0, 1.0, 1.0, 3.0] * 12, 3.2),
        (([1 / 144] * 96 + [1 / 3]) * 2, 1 / 3 + 1 / 144),
        # 1 in 31 is more than the budget of warnings
        ([1.0] * 30, 8.0),
        # all batches arrived at almost the same time
        ([0.0] * 59, 8.0),
        ([10 / 86400] * 59, 1.0),
        ([], 8.0),
        ([1.0] * 59, -8.0),
    ],
)
def test_a_gap_that_is_usual_or_may_be_chance_is_not_reported(
    gaps: list[float], gap: float
) -> None:
    assert judge_gap(gaps, gap) == []


def test_refused_and_bad_batches_count_as_arrivals() -> None:
    store = MemoryStore()
    gate = Gate("d", store)
    for day in range(60):
        moment, key = START + timedelta(days=day), f"{day:02d}"
        if day % 20 == 19:
            gate.refuse(key, "it is a page of HTML.", time=moment)
        else:
            store.write(Batch("d", key, moment), Measurement({}, {}))
    gate.mark("58", "bad", author="ann", reason="so")
    history = load_history(store, "d", until=START + timedelta(days=60))
    assert history.arrivals == tuple(START + timedelta(days=day) for day in range(60))
    assert history.held is not None
    assert history.held[0].key == "59"


def test_a_late_arrival_does_not_confirm_other_findings() -> None:
    rows = Finding("limits", Decision.HOLD, "", None, "row_count")
    for judge, level in {"arrival": Decision.WARN, "novelty": Decision.HOLD}.items():
        arrival_finding = Finding(judge, Decision.WARN, "", None, "pause")
        assert require_agreement([rows, arrival_finding])[0].level is level
