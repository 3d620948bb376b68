"""The budget: good batches are rarely held, bad batches still are."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from assay import Gate, MemoryStore
from assay.dataset.dataset import Dataset
from assay.engine.measurement import Measurement
from assay.gate.budget import Budget
from assay.gate.context import BatchContext, learn_limits
from assay.gate.measured_batch import MeasuredBatch
from assay.gate.submit import judge_measured
from assay.gate.table_schema import TableSchema
from assay.learn.fingerprint.from_rows import Column, fingerprint, strings
from assay.store.batch import Batch
from assay.store.verdict import Decision
from tests.gate.histories import history_of

pytestmark = pytest.mark.slow

HISTORY_BATCHES, JUDGED_BATCHES = 40, 100
COLUMNS = TableSchema((("amount", "double"), ("state", "string"), ("visits", "double")))


def draw_batch(rng: np.random.Generator, rows: int) -> dict[str, Column]:
    return {
        "amount": rng.lognormal(3.0, 1.0, rows).round(2),
        "state": strings(rng.choice(["new", "paid", "paid", "paid", "void"], rows).tolist()),
        "visits": np.where(rng.random(rows) < 0.2, np.nan, rng.poisson(3.0, rows)),
    }


@pytest.mark.parametrize("rows", [12, 60, 400])
def test_good_batches_are_held_as_rarely_as_the_budget_allows(rows: int) -> None:
    rng = np.random.default_rng(rows)
    gate = Gate("sales", MemoryStore())
    dataset = Dataset("sales", gate.store)
    batches = (fingerprint(draw_batch(rng, rows)) for _ in range(HISTORY_BATCHES))
    history = history_of("sales", batches, COLUMNS)

    limits = learn_limits(history, gate.spec.budget, gate.settings)
    context = BatchContext(
        settings=gate.settings, budget=gate.spec.budget, history=history, learn=lambda: limits
    )

    def decide(columns: dict[str, Column]) -> Decision:
        proposal = dataset.propose_measured(Batch("sales", "now"), Measurement({}, {}))
        batch = MeasuredBatch(proposal.batch, Measurement({}, {}), COLUMNS, proposal=proposal)
        batch.__dict__["fingerprint"] = fingerprint(columns)
        return judge_measured(context, batch).decision

    decisions = [decide(draw_batch(rng, rows)) for _ in range(JUDGED_BATCHES)]
    # the budget allows 1 in 200: one of 100 may be held by chance
    assert decisions.count(Decision.HOLD) <= 1
    assert decisions.count(Decision.WARN) <= JUDGED_BATCHES / 5
    for _ in range(5):
        good = draw_batch(rng, rows)
        assert decide({**good, "amount": good["amount"] * 1000}) is Decision.HOLD
        nulls = strings([None] * rows)
        assert decide({**good, "state": nulls}) is Decision.HOLD
        upper = strings([state.upper() for state in good["state"]])
        assert decide({**good, "state": upper}) is Decision.HOLD
        assert decide({name: column[:0] for name, column in good.items()}) is Decision.HOLD


def test_the_share_of_redelivery_does_not_depend_on_the_number_of_learners() -> None:
    two = Budget(Fraction(1, 200)).of_judge("redelivery")
    three = Budget(Fraction(1, 200), n_learners=3).of_judge("redelivery")
    assert three.hold == two.hold
    assert three.hold >= 0.001  # the rate of an exact repetition in good batches
