"""A batch that was held and released does not widen the limits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from assay import Gate, MemoryStore
from assay.gate.backtest import replay
from assay.gate.history import GateHistory
from assay.gate.history.released import left_out_columns
from assay.gate.measured_batch import MeasuredBatch
from assay.gate.verdict import Verdict
from assay.learn.fingerprint import metrics
from assay.learn.fingerprint.from_rows import numbers
from assay.learn.novelty.features import Feature
from assay.store import Decision
from assay.store.batch import Batch
from benchmarks.support.batches_of_rows import BatchOfRows
from tests.gate.histories import history_of

pytestmark = pytest.mark.unit


def day(number: int, *, share_null: float = 0.0) -> BatchOfRows:
    rng = np.random.default_rng(number)
    amount = rng.normal(100, 10, 400)
    amount[: int(share_null * 400)] = np.nan
    columns = {"amount": numbers(amount), "count": numbers(rng.poisson(9, 400))}
    return BatchOfRows.of("sales", f"{number:03}", number, columns)


def decisions(batches: list[MeasuredBatch]) -> list[Verdict]:
    spec = Gate("sales", MemoryStore()).spec
    return list(replay(spec, batches, lambda _: True))


def test_one_bad_day_that_was_released_does_not_hide_the_next() -> None:
    batches: list[MeasuredBatch] = [
        day(number, share_null=0.4 if number in (30, 45) else 0.0) for number in range(46)
    ]

    verdicts = decisions(batches)

    assert verdicts[30].decision is Decision.HOLD
    assert verdicts[45].decision is Decision.HOLD
    assert "amount" in verdicts[45].problems[0].columns


def test_a_column_that_is_released_twice_is_usual() -> None:
    keys = ["1", "2", "3"]
    price, both = frozenset({"price"}), frozenset({"price", "city"})

    assert left_out_columns(keys, {"1": price}) == {"1": price}
    assert left_out_columns(keys, {"1": price, "3": both}) == {"3": frozenset({"city"})}
    assert left_out_columns(["2", "3"], {"1": price}) == {}


def test_only_the_columns_of_the_hold_are_left_out() -> None:
    history = history_of("sales", [day(number).fingerprint for number in range(9)])
    bad = day(9, share_null=0.4)

    released = history.plus(bad.batch, bad.fingerprint, None, frozenset({"amount"}))

    assert "amount" not in released.metrics.metrics[-1]
    assert metrics.MEAN in released.metrics.metrics[-1]["count"]
    assert Feature("amount", metrics.MEAN) not in released.features[-1]
    assert Feature("count", metrics.MEAN) in released.features[-1]

    again = released.plus(day(10).batch, bad.fingerprint, None, frozenset({"amount"}))
    assert isinstance(again, GateHistory)
    assert ["amount" in batch for batch in again.metrics.metrics[-2:]] == [True, True]


def test_a_release_of_the_table_leaves_out_the_row_count() -> None:
    history = history_of("sales", [day(number).fingerprint for number in range(9)])

    released = history.plus(day(9).batch, day(9).fingerprint, None, frozenset({None}))

    assert metrics.ROW_COUNT not in released.metrics.metrics[-1]["count"]
    assert metrics.ROW_COUNT in released.metrics.metrics[-2]["count"]
    assert Feature(None, metrics.ROW_COUNT) not in released.features[-1]


def test_a_first_batch_with_few_rows_does_not_widen_the_limits() -> None:
    first = BatchOfRows.of(
        "sales", "first", 0, {name: column[:9] for name, column in day(0).columns.items()}
    )
    batches: list[MeasuredBatch] = [first, *(day(number) for number in range(1, 31))]
    half = day(31).columns
    batches.append(BatchOfRows.of("sales", "half", 31, {name: half[name][:200] for name in half}))

    verdicts = decisions(batches)

    assert verdicts[-1].decision is Decision.HOLD
    assert verdicts[-1].problems[0].cause_code in ("rows_missing", "row_count")


def test_one_bad_day_that_was_accepted_does_not_hide_the_next() -> None:
    fingerprints = [
        day(number, share_null=0.4 if number == 20 else 0.0).fingerprint for number in range(30)
    ]

    history = history_of("sales", fingerprints)

    assert "amount" not in history.metrics.metrics[20]
    assert metrics.MEAN in history.metrics.metrics[20]["count"]
    assert Feature("amount", metrics.COMPLETENESS) not in history.features[20]


def test_a_day_that_is_marked_as_expected_is_learned() -> None:
    fingerprints = [
        day(number, share_null=0.4 if number == 20 else 0.0).fingerprint for number in range(30)
    ]
    complete = history_of("sales", fingerprints[:20])
    expected = replace(complete, expected=frozenset({"20"}))

    for number, fingerprint in enumerate(fingerprints[20:], start=20):
        expected = expected.plus(Batch("sales", str(number)), fingerprint, None)

    assert expected.metrics.metrics[20]["amount"][metrics.COMPLETENESS] == 0.6
