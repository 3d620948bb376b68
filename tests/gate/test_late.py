"""Batches that come after a pause."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from assay.gate.finding import Finding
from assay.gate.judges import Budget
from assay.gate.knowledge import Knowledge
from assay.gate.late import judge_late
from assay.learn.history.chronicle import Chronicle
from assay.store import Batch, Decision
from assay.suite.settings import GateSettings

START = datetime(2026, 1, 1, tzinfo=UTC)


def judged(pauses: list[float], pause: float, held: float | None = None) -> list[Finding]:
    """What is said of a batch so many days after the last; one may have been held meanwhile."""
    times = [START]
    for each in pauses:
        times.append(times[-1] + timedelta(days=each))
    batches = tuple(Batch("d", str(at), time) for at, time in enumerate(times))
    known = Knowledge(Chronicle("d", batches))
    if held is not None:
        known = Knowledge(
            known.chronicle, held=(Batch("d", "held", times[-1] + timedelta(days=held)), None)
        )
    return judge_late(known, times[-1] + timedelta(days=pause), Budget.of(GateSettings()))


def test_a_pause_as_never_before_is_a_warning() -> None:
    (found,) = judged([1.0] * 59, 8.0)
    assert found.level is Decision.WARN
    assert found.reason == ("no batch came for 8 days, usually one comes after 1 day (60 batches).")
    assert found.cause == "about 7 deliveries between them did not come."
    assert found.risk == pytest.approx(1 / 60)


@pytest.mark.parametrize(
    ("pauses", "pause"),
    [
        ([1.0] * 59, 1.9),
        ([1.0, 1.0, 1.0, 1.0, 3.0] * 12, 3.0),
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


def test_a_batch_that_was_held_has_come_all_the_same() -> None:
    assert judged([1.0] * 59, 8.0, held=7.0) == []
    (found,) = judged([1.0] * 59, 8.0, held=1.0)
    assert found.cause == "about 6 deliveries between them did not come."
