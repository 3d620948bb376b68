"""How often batches that are fine are held, and whether those that are not still are."""

from __future__ import annotations

import numpy as np
import pytest

from assay import Gate, MemoryStore
from assay.dataset.dataset import Dataset
from assay.engine.measurement import Measurement
from assay.gate.context import BatchContext, learn_limits
from assay.gate.history import GateHistory
from assay.gate.measured_batch import MeasuredBatch
from assay.gate.submit import verdict_on
from assay.gate.table_schema import TableSchema
from assay.learn.fingerprint.from_rows import Column, fingerprint, strings
from assay.learn.limits.metric_history import MetricHistory
from assay.store.batch import Batch
from assay.store.verdict import Decision

pytestmark = pytest.mark.slow

LEARNED, JUDGED = 40, 100
COLUMNS = TableSchema((("amount", "double"), ("state", "string"), ("visits", "double")))


def drawn(rng: np.random.Generator, rows: int) -> dict[str, Column]:
    return {
        "amount": rng.lognormal(3.0, 1.0, rows).round(2),
        "state": strings(rng.choice(["new", "paid", "paid", "paid", "void"], rows).tolist()),
        "visits": np.where(rng.random(rows) < 0.2, np.nan, rng.poisson(3.0, rows)),
    }


@pytest.mark.parametrize("rows", [12, 60, 400])
def test_batches_of_the_same_kind_are_held_as_seldom_as_the_budget_says(rows: int) -> None:
    rng = np.random.default_rng(rows)
    gate, known = Gate("sales", MemoryStore()), GateHistory(MetricHistory("sales"))
    dataset = Dataset("sales", gate.store)
    for at in range(LEARNED):
        known = known.plus(Batch("sales", str(at)), fingerprint(drawn(rng, rows)), COLUMNS)
    limits = learn_limits(known, gate.budget, gate.settings)
    context = BatchContext(
        settings=gate.settings, budget=gate.budget, history=known, learned_limits=limits
    )

    def decided(columns: dict[str, Column]) -> Decision:
        proposal = dataset.proposed(Batch("sales", "now"), Measurement({}, {}))
        batch = MeasuredBatch(proposal.batch, Measurement({}, {}), COLUMNS, proposal=proposal)
        batch.__dict__["fingerprint"] = fingerprint(columns)
        return verdict_on(context, batch).decision

    fine = [decided(drawn(rng, rows)) for _ in range(JUDGED)]
    # 1 in 200, and one by chance
    assert fine.count(Decision.HOLD) <= 1
    assert fine.count(Decision.WARN) <= JUDGED / 5
    for _ in range(5):
        bad = drawn(rng, rows)
        assert decided({**bad, "amount": bad["amount"] * 1000}) is Decision.HOLD
        lost = strings([None] * rows)
        assert decided({**bad, "state": lost}) is Decision.HOLD
        upper = strings([each.upper() for each in bad["state"]])
        assert decided({**bad, "state": upper}) is Decision.HOLD
        assert decided({name: each[:0] for name, each in bad.items()}) is Decision.HOLD
