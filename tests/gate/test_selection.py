"""Selected judges, columns and metrics, and the detectors of the novelty paper."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from assay import Gate, GateSettings, MemoryStore
from assay.analyzers.schema import Schema
from assay.dataset.dataset import Dataset
from assay.engine.measurement import Measurement
from assay.errors import CheckError
from assay.gate.budget import Budget
from assay.gate.context import BatchContext, learn_limits
from assay.gate.history import GateHistory
from assay.gate.measured_batch import MeasuredBatch
from assay.gate.selection import require_columns, select_columns
from assay.gate.submit import judge_measured
from assay.gate.table_schema import TableSchema
from assay.gate.verdict import Verdict
from assay.learn.fingerprint.from_rows import Column, fingerprint, strings
from assay.store.batch import Batch
from assay.store.verdict import Decision
from assay.suite.settings import DetectorSettings
from tests.gate.histories import history_of

N_BATCHES, ROWS = 30, 120
COLUMNS = TableSchema((("amount", "double"), ("state", "string")))


def draw(seed: int) -> dict[str, Column]:
    rng = np.random.default_rng(seed)
    return {
        "amount": rng.normal(100.0, 10.0, ROWS).round(2),
        "state": strings(rng.choice(["new", "paid", "paid", "void"], ROWS).tolist()),
    }


@pytest.fixture(scope="module")
def history() -> GateHistory:
    return history_of("sales", (fingerprint(draw(seed)) for seed in range(N_BATCHES)), COLUMNS)


def judge(history: GateHistory, values: dict[str, Column], **options: Any) -> Verdict:
    gate = Gate("sales", MemoryStore(), **options)
    context = BatchContext(
        settings=gate.settings,
        budget=gate.spec.budget,
        history=select_columns(history, gate.settings),
    )
    proposal = Dataset("sales", gate.store).propose_measured(
        Batch("sales", "now"), Measurement({}, {})
    )
    batch = MeasuredBatch(proposal.batch, Measurement({}, {}), COLUMNS, proposal=proposal)
    plan = gate.spec.plan_fingerprint(Schema.of(amount="double", state="string"))
    planned = {column.name for column in plan.columns}
    whole = fingerprint(values)
    measured = {name: stats for name, stats in whole.columns.items() if name in planned}
    batch.__dict__["fingerprint"] = replace(whole, columns=measured)
    return judge_measured(context, batch)


def broken() -> dict[str, Column]:
    columns = draw(999)
    return {**columns, "amount": columns["amount"] * 1000}


def test_by_default_all_judges_hold_a_changed_column(history: GateHistory) -> None:
    verdict = judge(history, broken())
    assert verdict.decision is Decision.HOLD
    assert {finding.judge for finding in verdict.alarms} >= {"limits", "novelty"}


@pytest.mark.parametrize("judges", [("limits",), ("novelty",), ("schema", "limits")])
def test_only_selected_judges_are_asked_and_a_lone_learner_holds(
    history: GateHistory, judges: tuple[str, ...]
) -> None:
    verdict = judge(history, broken(), judges=judges)
    assert {finding.judge for finding in verdict.findings} <= set(judges)
    assert verdict.decision is Decision.HOLD
    assert judge(history, draw(5000), judges=judges).accepted


def test_without_learners_nothing_is_learned(history: GateHistory) -> None:
    assert judge(history, broken(), judges=("schema", "empty")).decision is Decision.ACCEPT


@pytest.mark.parametrize("options", [{"exclude": "AMOUNT"}, {"columns": "state"}])
def test_a_column_that_is_left_out_is_neither_measured_nor_judged(
    history: GateHistory, options: dict[str, str]
) -> None:
    verdict = judge(history, broken(), **options)
    assert verdict.decision is Decision.ACCEPT
    assert not any(finding.column == "amount" for finding in verdict.findings)
    voids = {**draw(1), "state": strings(["lost"] * ROWS)}
    assert judge(history, voids, **options).decision is Decision.HOLD


def test_only_selected_metrics_are_compared(history: GateHistory) -> None:
    verdict = judge(history, broken(), metrics=["max", "sd"])
    learned = {finding.metric for finding in verdict.alarms if finding.judge != "redelivery"}
    assert learned <= {"max", "sd"}
    assert verdict.decision is Decision.HOLD
    assert judge(history, broken(), metrics="complete_ratio").decision is Decision.ACCEPT


def test_the_budget_is_divided_among_the_selected_learners_and_columns(
    history: GateHistory,
) -> None:
    both, alone = GateSettings(), GateSettings(judges=("limits",), metrics=("mean",))
    assert Budget.from_settings(alone).hold == 2 * Budget.from_settings(both).hold
    (limits,) = (
        limits
        for limits in learn_limits(history, Budget.from_settings(alone), alone)["sensitive"]
        if limits.column == "amount"
    )
    # the mean alone gets the whole share of its column
    assert {constraint.metric for constraint in limits.constraints} == {"mean"}
    assert limits.rate == pytest.approx(limits.delta)
    one = GateSettings(columns=("state",))
    learned = learn_limits(select_columns(history, one), Budget.from_settings(one), one)["strict"]
    assert set(learned.columns) == {None, "state"}


def test_an_unknown_column_is_an_error_with_a_suggestion() -> None:
    known = ("amount", "state")
    require_columns(GateSettings(columns=("State",)), known)
    with pytest.raises(CheckError) as error:
        require_columns(GateSettings(exclude=("amuont",)), known)
    assert "exclude: column 'amuont' does not exist. Did you mean 'amount'?" in str(error.value)


@pytest.mark.parametrize(
    "detector",
    [
        DetectorSettings("average knn"),
        DetectorSettings("knn", neighbours=3, distance="manhattan"),
        DetectorSettings("average knn", aggregation="median", contamination=0.05),
        DetectorSettings("average knn", features="paper"),
        DetectorSettings("hbos", features="paper"),
    ],
    ids=str,
)
def test_the_paper_s_detector_reports_a_changed_column(
    history: GateHistory, detector: DetectorSettings
) -> None:
    verdict = judge(history, broken(), detector=detector)
    novel = [finding for finding in verdict.findings if finding.judge == "novelty"]
    assert "amount" in {finding.column for finding in novel}
    assert verdict.decision is Decision.HOLD


def test_the_paper_s_features_include_the_index_of_peculiarity(history: GateHistory) -> None:
    columns = draw(7)
    spellings = {"new": "nwe", "paid": "aaaaaaab", "void": "voidvoid"}
    changed = {**columns, "state": strings([spellings[str(s)] for s in columns["state"]])}
    detector = DetectorSettings("average knn", features="paper")
    findings = judge(history, changed, detector=detector, judges="novelty").findings
    assert "peculiarity" in {finding.metric for finding in findings}


def test_the_parameters_of_a_detector_change_its_limit(history: GateHistory) -> None:
    def score(**parameters: Any) -> float | None:
        detector = DetectorSettings("average knn", **parameters)
        verdict = judge(history, broken(), detector=detector, judges=("novelty",), metrics="mean")
        return max(finding.severity for finding in verdict.findings)

    assert score() is not None
    with pytest.raises(CheckError, match="does not use neighbours"):
        DetectorSettings("isolation forest", neighbours=3)
    with pytest.raises(CheckError, match="neighbours must be a whole number"):
        DetectorSettings("knn", neighbours=0)
