"""Programs of a whole table, from what a store remembers."""

from __future__ import annotations

import math
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from assay.analyzers import Analyzer
from assay.checks.assertions.expectation import NotEnough
from assay.dataset import Dataset
from assay.engine.frame import schema_of
from assay.errors import CheckError, StoreError
from assay.learn.fingerprint.analyzers import fingerprint_analyzers
from assay.learn.fingerprint.column_stats import Fingerprint
from assay.learn.fingerprint.from_rows import Column, fingerprint, strings
from assay.learn.limits.approved_limits import approve, approved, withdraw
from assay.learn.limits.column_limits import ColumnLimits, Settings
from assay.learn.limits.metric_history import load_metric_history
from assay.learn.limits.table_limits import TableLimits, judge_batch, learn_stored_limits
from assay.store import Batch, Mark, MemoryStore, Selection
from assay.store.verdict import MarkKind
from tests.learn.limits.batches import metrics

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DAYS = 14
start = datetime(2026, 11, 1, tzinfo=UTC)


def table(rng: np.random.Generator) -> dict[str, Column]:
    rows = 120 + int(rng.integers(0, 12))
    return {
        "amount": np.round(rng.gamma(4.0, 5.0, rows), 2),
        "carrier": strings(rng.choice(["AA", "UA", "DL"], rows, p=[0.5, 0.3, 0.2]).tolist()),
    }


def tables() -> list[dict[str, Column]]:
    rng = np.random.default_rng(3)
    return [table(rng) for _ in range(DAYS + 1)]


@pytest.fixture(scope="module")
def measured(spark: SparkSession) -> dict[Batch, Any]:
    rows = [
        ((start + timedelta(days=day)).date(), float(a), str(c))
        for day, table in enumerate(tables()[:DAYS])
        for a, c in zip(table["amount"], table["carrier"], strict=True)
    ]
    frame = spark.createDataFrame(rows, "day date, amount double, carrier string")
    analyzers = fingerprint_analyzers(schema_of(frame.drop("day")))
    store = MemoryStore()
    Dataset("flights", store, analyzers=analyzers).load(frame, ["day"])
    return {stored.batch: stored.measurement for stored in store._contents.batches.values()}


@pytest.fixture
def store(measured: dict[Batch, Any]) -> MemoryStore:
    store = MemoryStore()
    store.load(measured)
    return store


class Counting(MemoryStore):
    """Count the reads of states."""

    state_reads: int = 0

    def states(self, selection: Selection, analyzers: Iterable[Analyzer] | None = None) -> Any:
        self.state_reads += 1
        return super().states(selection, analyzers)


def test_metrics_from_states_are_those_of_rows(store: MemoryStore) -> None:
    result = load_metric_history(store, "flights")
    for name in ("amount", "carrier"):
        wanted = metrics([batch[name] for batch in tables()[:DAYS]])
        for stored, from_rows in zip(result.of(name), wanted, strict=True):
            defined = {metric: value for metric, value in from_rows.items() if value == value}
            assert {m: stored[m] for m in defined} == pytest.approx(defined)


def test_learning_again_reads_the_states_of_two_batches(measured: dict[Batch, Any]) -> None:
    store = Counting()
    store.load(measured)
    first = learn_stored_limits(store, "flights")
    assert store.state_reads == DAYS
    store.state_reads = 0
    assert str(learn_stored_limits(store, "flights")) == str(first)
    assert store.state_reads == 2


def test_a_batch_after_a_bad_batch_is_compared_with_the_one_before_it(store: MemoryStore) -> None:
    load_metric_history(store, "flights")
    store.add_mark(Mark("flights", "day=2026-11-05", MarkKind.BAD))
    results = load_metric_history(store, "flights").of("carrier")
    carriers = [table["carrier"] for at, table in enumerate(tables()[:DAYS]) if at != 4]
    assert [result.get("L_1") for result in results][1:] == pytest.approx(
        [batch_metrics["L_1"] for batch_metrics in metrics(carriers)][1:]
    )


def judged(store: MemoryStore, batch: Fingerprint, settings: Settings | None = None) -> list[str]:
    history = load_metric_history(store, "flights")
    results = judge_batch(learn_stored_limits(store, "flights", settings), history, batch)
    return [str(result) for result in results if result.broken]


def test_a_batch_like_the_others_breaks_nothing(store: MemoryStore) -> None:
    assert judged(store, fingerprint(tables()[DAYS])) == []


def test_nulls_and_units_are_found(store: MemoryStore) -> None:
    batch = tables()[DAYS]
    batch["amount"] = batch["amount"] * 1000
    batch["carrier"] = strings([None, *batch["carrier"][1:]])
    results = judged(store, fingerprint(batch), Settings(mode="sensitive"))
    assert any(result.startswith("amount: the mean is ") for result in results)
    assert any(
        result.startswith("carrier: the share of rows that are not null is 99")
        for result in results
    )


def test_columns_that_vanish_appear_or_turn(store: MemoryStore) -> None:
    batch = tables()[DAYS]
    batch["amount"] = strings([str(amount) for amount in batch["amount"]])
    batch["new"] = batch.pop("carrier")
    results = judge_batch(
        learn_stored_limits(store, "flights"),
        load_metric_history(store, "flights"),
        fingerprint(batch),
    )
    status_of = {str(result): result.status for result in results}
    assert status_of["amount: the column held numbers and now holds no numbers."] == "broken"
    assert status_of["carrier: the batch has no such column."] == "broken"
    assert status_of["new: the column is new."] == "not enough history"


def test_a_batch_without_rows_or_columns_does_not_pass_silently(store: MemoryStore) -> None:
    empty = {name: column[:0] for name, column in tables()[DAYS].items()}
    assert judged(store, fingerprint(empty))
    assert judged(store, Fingerprint(0, {}))


def test_too_short_a_history_is_reported(measured: dict[Batch, Any]) -> None:
    store = MemoryStore()
    assert str(learn_stored_limits(store, "flights")) == "no limits for flights yet."
    store.load(dict(list(measured.items())[:5]))
    program = learn_stored_limits(store, "flights")
    assert all(isinstance(column, NotEnough) for column in program.columns.values())
    results = judge_batch(
        program, load_metric_history(store, "flights"), fingerprint(tables()[DAYS])
    )
    assert {result.status for result in results} == {"not enough history"}


def test_limits_are_edited_and_approved(store: MemoryStore) -> None:
    assert approved(store, "flights") is None
    learned = learn_stored_limits(store, "flights", Settings(mode="sensitive"))
    edited = learned.without("amount", "max")
    assert {constraint.metric for constraint in edited.columns["amount"].constraints} == {  # type: ignore[union-attr]
        constraint.metric
        for constraint in learned.columns["amount"].constraints  # type: ignore[union-attr]
    } - {"max"}
    kept = approve(store, edited, by="ada")
    assert approved(store, "flights") == kept
    assert isinstance(kept, TableLimits)
    assert kept.by == "ada"
    with pytest.raises(StoreError, match="no limits on max of column 'amount'"):
        edited.without("amount", "max")
    with pytest.raises(StoreError, match="a person who approves"):
        approve(store, edited, by="")


def test_a_person_sets_a_limit_and_withdraws_the_approval(store: MemoryStore) -> None:
    learned = learn_stored_limits(store, "flights")
    stated = learned.with_bounds("amount", "mean", 1.0, math.inf)
    approve(store, stated, by="ada")

    limits = approved(store, "flights")
    assert limits is not None
    amount = limits.columns["amount"]
    assert isinstance(amount, ColumnLimits)
    (bounds,) = [limit.interval for limit in amount.constraints if limit.metric == "mean"]
    assert (bounds.low, bounds.high, bounds.rate) == (1.0, math.inf, 0.0)

    withdraw(store, "flights")
    assert approved(store, "flights") is None
    with pytest.raises(StoreError, match="no limits of 'flights' are approved"):
        withdraw(store, "flights")
    with pytest.raises(CheckError, match="expected low <= high"):
        learned.with_bounds("amount", "mean", 2.0, 1.0)
    with pytest.raises(StoreError, match="no limits on column 'amout'"):
        learned.with_bounds("amout", "mean", 1.0, 2.0)
