"""The share of false holds over the datasets of a team."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path

import numpy as np
import pytest

from assay import EmbeddedStore, Gate, MemoryStore
from assay.dataset.dataset import Dataset
from assay.engine.measurement import Measurement
from assay.gate.context import BatchContext, learn_limits
from assay.gate.decide.batch_p_value import p_value
from assay.gate.decide.team_budget import (
    TeamBudget,
    apply_team_budget,
    load_team_budget,
    save_team_budget,
)
from assay.gate.finding import Finding
from assay.gate.measured_batch import MeasuredBatch
from assay.gate.submit import judge_measured
from assay.gate.table_schema import TableSchema
from assay.gate.verdict import Verdict
from assay.learn.fingerprint.from_rows import fingerprint
from assay.store.batch import Batch
from assay.store.protocol import Store
from assay.store.verdict import Decision
from tests.gate.histories import history_of

SHARE_FALSE = 0.1
COLUMNS = TableSchema((("amount", "double"),))
N_DATASETS, N_DAYS, N_HISTORY, ROWS = 6, 60, 20, 50
INCIDENT_RATE = 0.06


@dataclass(frozen=True)
class Day:
    """A batch of one dataset: what it is, and its verdict by the budget of the dataset."""

    verdict: Verdict
    context: BatchContext
    is_incident: bool
    day: str


def amounts(rng: np.random.Generator, shock: float, *, is_incident: bool) -> np.ndarray:
    """Return values whose level depends on a shock that all datasets of a day share."""
    level = 100.0 * np.exp(shock + 0.02 * rng.standard_t(4))
    return (20.0 if is_incident else 1.0) * rng.normal(level, 10.0, ROWS).round(2)


def shocks(rng: np.random.Generator, n_days: int) -> list[float]:
    """Return heavy-tailed shocks, each of which depends on the day before."""
    values = [0.0]
    for innovation in rng.standard_t(3, n_days):
        values.append(0.5 * values[-1] + 0.02 * float(innovation))
    return values[1:]


@cache
def simulated() -> tuple[Day, ...]:
    """Judge good and bad batches through the whole decision, without Spark."""
    rng = np.random.default_rng(5)
    # a generous budget, so that many good batches are held
    gate = Gate("sales", MemoryStore(), budget="1/3", share_false=SHARE_FALSE)
    dataset = Dataset("sales", gate.store)
    contexts = []
    for _ in range(N_DATASETS):
        past = (
            fingerprint({"amount": amounts(rng, shock, is_incident=False)})
            for shock in shocks(rng, N_HISTORY)
        )
        history = history_of("sales", past, COLUMNS)
        limits = learn_limits(history, gate.spec.budget, gate.settings)
        context = BatchContext(
            settings=gate.settings,
            budget=gate.spec.budget,
            history=history,
            learn=partial(dict, limits),
        )
        contexts.append(context)
    days = []
    for number, shock in enumerate(shocks(rng, N_DAYS)):
        for context in contexts:
            is_incident = bool(rng.random() < INCIDENT_RATE)
            proposal = dataset.propose_measured(Batch("sales", "now"), Measurement({}, {}))
            batch = MeasuredBatch(proposal.batch, Measurement({}, {}), COLUMNS, proposal=proposal)
            values = {"amount": amounts(rng, shock, is_incident=is_incident)}
            batch.__dict__["fingerprint"] = fingerprint(values)
            days.append(Day(judge_measured(context, batch), context, is_incident, str(number)))
    return tuple(days)


def within_team_budget(days: tuple[Day, ...]) -> Iterator[Verdict]:
    team = TeamBudget()
    for one in days:
        verdict, team = apply_team_budget(
            one.verdict, one.context, team, n_datasets=N_DATASETS, day=one.day
        )
        yield verdict


def count_holds(verdicts: list[Verdict], days: tuple[Day, ...]) -> tuple[int, int]:
    """Return the numbers of right and of false holds."""
    held = [verdict.decision is Decision.HOLD for verdict in verdicts]
    pairs = list(zip(held, days, strict=True))
    return (
        sum(is_held and day.is_incident for is_held, day in pairs),
        sum(is_held and not day.is_incident for is_held, day in pairs),
    )


def test_few_holds_of_a_team_are_false_although_its_datasets_depend_on_each_other() -> None:
    days = simulated()
    right_alone, false_alone = count_holds([day.verdict for day in days], days)
    right, false = count_holds(list(within_team_budget(days)), days)
    assert false_alone > SHARE_FALSE * (right_alone + false_alone + 1)
    assert false <= SHARE_FALSE * (right + false + 1)
    assert right >= 0.75 * right_alone


def test_p_values_of_good_batches_are_at_least_uniform() -> None:
    days = simulated()
    good = [p_value(day.verdict.alarms, day.context) for day in days if not day.is_incident]
    values = np.array([1.0 if p is None else p for p in good])
    for level in (0.3, 0.1, 0.03, 0.01):
        assert np.mean(values <= level) <= level + 2 * np.sqrt(level / len(values))
    bad = [p_value(day.verdict.alarms, day.context) for day in days if day.is_incident]
    assert np.median([1.0 if p is None else p for p in bad]) < 0.01


def test_a_withdrawn_hold_warns_and_says_why() -> None:
    days = simulated()
    verdicts = list(within_team_budget(days))
    changed = next(
        after
        for after, day in zip(verdicts, days, strict=True)
        if after.decision is not day.verdict.decision
    )
    assert changed.decision is Decision.WARN
    assert {finding.level for finding in changed.alarms} == {Decision.WARN}
    (explained,) = [f for f in changed.observations if f.judge == "team budget"]
    assert explained.actual is not None
    assert explained.high is not None
    assert explained.actual > explained.high
    assert "accepted with a warning" in explained.reason


def test_without_share_false_nothing_changes() -> None:
    day = next(day for day in simulated() if day.verdict.decision is Decision.HOLD)
    context = replace(day.context, settings=replace(day.context.settings, share_false=None))
    team = TeamBudget()
    verdict, after = apply_team_budget(day.verdict, context, team, n_datasets=1, day="1")
    assert (verdict, after) == (day.verdict, team)


def test_a_batch_that_is_held_for_a_fact_is_no_test() -> None:
    context = simulated()[0].context
    assert p_value([Finding("schema", Decision.HOLD, "a column is gone")], context) is None
    assert p_value([Finding("limits", Decision.HOLD, "stated by a person")], context) is None
    assert p_value([Finding("limits", Decision.WARN, "", false_alarm_rate=0.1)], context) == 1.0
    rare = Finding("keys", Decision.HOLD, "", "amount", false_alarm_rate=1e-6)
    assert 1e-6 <= (p_value([rare], context) or 0) <= 2e-5


@pytest.fixture(params=["memory", "embedded"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    return MemoryStore() if request.param == "memory" else EmbeddedStore(tmp_path / "store")


def test_the_state_of_a_team_is_no_dataset(store: Store) -> None:
    save_team_budget(store, TeamBudget(credit=0.25, pending=2.0, day="2026-11-14"))
    assert load_team_budget(store) == TeamBudget(credit=0.25, pending=2.0, day="2026-11-14")
    assert store.datasets() == ()


def test_concurrent_tests_of_a_team_are_all_counted(tmp_path: Path) -> None:
    """Each batch is tested within the transaction that records its verdict."""
    store = EmbeddedStore(tmp_path / "store")
    day = datetime.now(UTC).date().isoformat()

    def judge_batches() -> None:
        for _ in range(10):
            with store.transaction():
                before = load_team_budget(store)
                _, after = before.test(1e-9, share_false=0.1, n_datasets=4, day=day)
                save_team_budget(store, after)

    threads = [threading.Thread(target=judge_batches) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    one = TeamBudget()
    for _ in range(40):
        _, one = one.test(1e-9, share_false=0.1, n_datasets=4, day=day)
    assert load_team_budget(store) == one


def test_credit_of_a_day_is_spent_from_the_next_day_on() -> None:
    options = {"share_false": 0.1, "n_datasets": 10}
    _, after = TeamBudget().test(1e-9, day="1", **options)  # type: ignore[arg-type]
    today = after.level(day="1", **options)  # type: ignore[arg-type]
    tomorrow = after.level(day="2", **options)  # type: ignore[arg-type]
    assert tomorrow > 1.5 * today
