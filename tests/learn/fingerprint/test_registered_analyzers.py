"""Analyzers that users register as batch metrics, from the plan to a held batch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest

from assay import Gate, MemoryStore
from assay.analyzers import Completeness
from assay.analyzers.analyzer import Analyzer
from assay.analyzers.schema import Schema
from assay.analyzers.state import State
from assay.dataset.dataset import Dataset
from assay.engine.measurement import Measurement
from assay.errors import CheckError
from assay.extending import COLUMN, BatchMetric, Ratio, ScanAnalyzer, count_of, rows
from assay.gate.context import BatchContext
from assay.gate.measured_batch import MeasuredBatch
from assay.gate.submit import judge_measured
from assay.gate.table_schema import TableSchema
from assay.learn.fingerprint import metrics
from assay.learn.fingerprint.analyzers import FingerprintPlan, plan_fingerprint
from assay.learn.fingerprint.column_stats import Fingerprint
from assay.learn.fingerprint.from_rows import fingerprint
from assay.learn.fingerprint.from_states import fingerprint_of
from assay.learn.fingerprint.metric_registry import register, unregister
from assay.store.batch import Batch
from assay.store.verdict import Decision
from tests.gate.histories import history_of

SCHEMA = Schema.of(visits="bigint", price="double", name="string")
COLUMNS = TableSchema((("visits", "bigint"),))


@dataclass(frozen=True)
class EvenShare(ScanAnalyzer[Ratio]):
    """The share of rows whose integer is even."""

    abstract = True  # keeps it out of the registry that other tests walk
    exposes_values = False
    column: str = field(metadata=COLUMN)

    def aggregate_exprs(self, schema: Schema) -> Any:
        column = schema.column(self.column).require(frozenset({"integral"}), "EvenShare")
        even = count_of(schema, f"{column.sql} % 2 = 0", self.where, column)
        return even, rows(schema, self.where)

    def state(self, values: Any, schema: Schema) -> Ratio:
        return Ratio(*values)


@pytest.fixture
def even_share() -> Iterator[BatchMetric]:
    metric = BatchMetric(
        name="even_share",
        label="the share of even numbers",
        formula="even values / rows",
        columns=frozenset({"numeric"}),
        kind="mean",
        low=0.0,
        high=1.0,
        analyzer=EvenShare,
        sql="count_if({c} % 2 = 0) / nullif(count(*), 0)",
        rows_if_low="{c} % 2 <> 0",
        rows_if_high="{c} % 2 = 0",
    )
    yield register(metric)
    unregister(metric.name)


@pytest.mark.usefixtures("even_share")
def test_the_plan_has_the_analyzer_on_each_column_that_it_can_measure() -> None:
    plan = plan_fingerprint(SCHEMA)
    assert EvenShare("visits") in plan.analyzers
    assert EvenShare("price") not in plan.analyzers
    assert EvenShare("name") not in plan.analyzers
    # the stored plan is the same with and without it
    assert FingerprintPlan.from_json(plan.to_json()) == plan


@pytest.mark.usefixtures("even_share")
def test_a_private_column_has_no_analyzer_that_exposes_values(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert EvenShare("visits") in plan_fingerprint(SCHEMA, ["visits"]).analyzers
    monkeypatch.setattr(EvenShare, "exposes_values", True)
    assert EvenShare("visits") not in plan_fingerprint(SCHEMA, ["visits"]).analyzers


def test_its_metric_is_read_from_the_state(even_share: BatchMetric) -> None:
    plan = plan_fingerprint(Schema.of(visits="bigint"))
    states: dict[Analyzer, State] = {
        Completeness("visits"): Ratio(10, 10),
        EvenShare("visits"): Ratio(4, 10),
    }
    stats = fingerprint_of(states, plan).columns["visits"]
    assert stats["even_share"] == 0.4
    assert metrics.compute(stats)["even_share"] == 0.4
    assert even_share in metrics.for_novelty("numeric")
    assert even_share in metrics.with_limits("numeric")


def test_a_metric_with_an_analyzer_needs_columns_and_nothing_else() -> None:
    with pytest.raises(CheckError, match="expected the kinds of columns"):
        BatchMetric(name="x", label="x", analyzer=EvenShare)


def batch_of(rng: np.random.Generator, *, only_even: bool = False) -> Fingerprint:
    """Return a batch whose other metrics stay as they are if all numbers become even."""
    values = rng.integers(0, 500, 400) * 2 + (0 if only_even else rng.integers(0, 2, 400))
    plain = fingerprint({"visits": values.astype(np.float64)})
    stats = plain.columns["visits"]
    share = float(np.mean(values % 2 == 0))
    column = replace(stats, numbers={**stats.numbers, "even_share": share})
    return replace(plain, columns={"visits": column})


@pytest.mark.usefixtures("even_share")
def test_its_learned_limit_holds_a_batch() -> None:
    rng = np.random.default_rng(0)
    history = history_of("sales", (batch_of(rng) for _ in range(30)), COLUMNS)
    gate = Gate("sales", MemoryStore())
    context = BatchContext(settings=gate.settings, budget=gate.spec.budget, history=history)
    sensitive = context.limits["sensitive"].columns["visits"]
    assert "even_share" in str(getattr(sensitive, "constraints", ""))
    dataset = Dataset("sales", gate.store)

    def judge(measured: Fingerprint) -> tuple[Decision, dict[str, str | None]]:
        proposal = dataset.propose_measured(Batch("sales", "now"), Measurement({}, {}))
        batch = MeasuredBatch(proposal.batch, Measurement({}, {}), COLUMNS, proposal=proposal)
        batch.__dict__["fingerprint"] = measured
        verdict = judge_measured(context, batch)
        alarms = [finding for finding in verdict.alarms if finding.metric == "even_share"]
        return verdict.decision, {finding.judge: finding.sql for finding in alarms}

    assert judge(batch_of(rng))[0] is Decision.ACCEPT
    decision, sql = judge(batch_of(rng, only_even=True))
    assert decision is Decision.HOLD
    assert sql.keys() == {"limits", "novelty"}
    assert "count_if(`visits` % 2 = 0)" in str(sql["limits"])
