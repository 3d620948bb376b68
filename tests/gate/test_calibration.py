"""The measured rate of false holds, and how it widens limits."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from assay import Gate, MemoryStore
from assay.gate.budget.calibration import Calibration, evidence_above, load_calibration
from assay.gate.budget.track_record import TrackRecord, load_track_record
from assay.gate.context import BatchContext, load_context
from assay.gate.status import dataset_statuses
from assay.gate.submit import refuse
from assay.store.batch import Batch
from assay.store.verdict import Decision, Mark, MarkKind, VerdictRecord

PROMISED = 1 / 200
DAY = datetime(2026, 1, 1, tzinfo=UTC)


def simulate(excess: float, n_batches: int, seed: int) -> tuple[float, float, list[float]]:
    """Return the rates of the first and the second half, and the factor after each batch.

    The true rate is `excess` times the budget that the gate uses. Tails are heavy, so the rate
    falls more slowly than the budget.
    """
    draws = np.random.default_rng(seed).random(n_batches).tolist()
    calibration, counts, factors = Calibration(), [0], list[float]()
    for place, draw in enumerate(draws):
        calibration = calibration.after(TrackRecord(place, false_holds=counts[-1]), PROMISED)
        factors.append(calibration.factor)
        counts.append(counts[-1] + (draw < excess * PROMISED / calibration.factor**0.8))
    half = n_batches // 2
    return counts[half] / half, (counts[-1] - counts[half]) / half, factors


@pytest.mark.parametrize("excess", [0.2, 0.5, 1.0])
def test_a_kept_promise_rarely_widens_limits(excess: float) -> None:
    factors = [simulate(excess, 1000, seed)[2][-1] for seed in range(30)]
    assert sum(factor > 1 for factor in factors) <= 3


@pytest.mark.parametrize("excess", [4.0, 10.0])
def test_a_broken_promise_is_kept_after_recalibration(excess: float) -> None:
    halves = [simulate(excess, 4000, seed)[:2] for seed in range(12)]
    later = float(np.mean([second for _, second in halves]))
    assert later <= 1.5 * PROMISED


def test_the_factor_is_never_below_one() -> None:
    assert min(simulate(3.0, 3000, 1)[2]) == 1.0


def test_limits_return_to_the_promise_when_the_rate_falls() -> None:
    wide = Calibration(factor=4.0, judged=100, false_holds=4, measured=0.04)
    soon = TrackRecord(250, false_holds=4)
    assert wide.after(soon, PROMISED) is wide  # the rate over all batches is still too high
    later = TrackRecord(900, false_holds=4)
    narrower = wide.after(later, PROMISED)
    assert narrower.factor == 2.0
    assert narrower.after(TrackRecord(1100, false_holds=4), PROMISED).factor == 1.0


def test_a_mark_that_is_taken_back_is_no_evidence() -> None:
    calibration = Calibration(factor=2.0, judged=100, false_holds=4)
    assert calibration.after(TrackRecord(110, false_holds=2), PROMISED) is calibration


def test_one_false_hold_is_not_enough_evidence() -> None:
    assert evidence_above(1, 1, PROMISED) < 20
    assert evidence_above(3, 60, PROMISED) > 20


def test_the_interval_contains_the_true_rate() -> None:
    rng = np.random.default_rng(3)
    inside = 0
    for _ in range(200):
        record = TrackRecord(300, false_holds=int(rng.binomial(300, 0.02)))
        low, high = record.interval
        inside += low <= 0.02 <= high
    assert inside >= 186
    assert TrackRecord(100).interval[0] == 0.0
    assert TrackRecord(100).interval[1] == pytest.approx(0.0362, abs=1e-4)


def reviewed_store(n_false: int) -> MemoryStore:
    """Return a store with 100 verdicts, of which the first are holds that were released."""
    store = MemoryStore()
    for day in range(100):
        time = DAY + timedelta(days=day)
        decision = Decision.HOLD if day <= n_false else Decision.ACCEPT
        document = {"budget": PROMISED}
        store.add_verdict(VerdictRecord("orders", f"{day}", decision, time=time, document=document))
        if day <= n_false:
            kind = MarkKind.RELEASED if day < n_false else MarkKind.REJECTED
            store.add_mark(
                Mark("orders", f"{day}", kind, "ada", "review", time + timedelta(hours=1))
            )
    return store


def context_of(gate: Gate) -> BatchContext:
    spec, batch = gate.spec, Batch("orders", "next", DAY + timedelta(days=200))
    return load_context(spec.store, batch, spec.settings, spec.budget, spec.load_index)


def test_reviewed_verdicts_are_counted() -> None:
    record = Gate("orders", reviewed_store(4)).track_record
    assert record == TrackRecord(100, 5, 0, false_alarms=4, false_holds=4, confirmed=1)
    assert (record.false_hold_rate, record.unreviewed) == (0.04, 0)


def test_false_holds_widen_the_limits_of_the_next_batch() -> None:
    gate = Gate("orders", reviewed_store(4))
    context = context_of(gate)
    assert context.calibration.factor == pytest.approx(8.0)
    assert context.budget.hold == pytest.approx(gate.spec.budget.hold / 8)
    assert context.budget.total == gate.spec.budget.total
    # only a submit records it
    assert load_calibration(gate.store, "orders").factor == 1.0
    before = replace(gate.store.counters)
    refuse(gate.spec, Batch("orders", "next", DAY + timedelta(days=200)), "it is no table")
    assert gate.store.counters.commits == before.commits + 1
    assert load_calibration(gate.store, "orders") == context.calibration
    # the same evidence is not used twice
    assert context_of(gate).calibration == context.calibration


def test_a_kept_promise_changes_nothing() -> None:
    context = context_of(Gate("orders", reviewed_store(0)))
    assert context.calibration == Calibration()
    assert not context.unsaved


def test_the_status_shows_the_measured_rate_beside_the_promised_one() -> None:
    store = reviewed_store(4)
    refuse(Gate("orders", store).spec, Batch("orders", "next", DAY + timedelta(days=200)), "broken")
    (status,) = dataset_statuses(store)
    document = status.to_dict()
    assert document["promised_false_hold_rate"] == PROMISED
    assert document["track_record"]["false_hold_rate"] == 4 / 101
    assert document["limits_widened_by"] == pytest.approx(8.0)
    assert load_track_record(store, "orders").judged == 101
