"""Muted findings raise no alarm."""

from __future__ import annotations

import numpy as np
import pytest

from assay import Gate, MemoryStore
from assay.errors import CheckError
from assay.gate.backtest import replay
from assay.gate.measured_batch import MeasuredBatch
from assay.gate.mutes import Mute, mute
from assay.learn.fingerprint.from_rows import numbers
from assay.store import Decision
from benchmarks.support.batches_of_rows import BatchOfRows

pytestmark = pytest.mark.unit


def day(number: int, factor: float = 1.0) -> MeasuredBatch:
    rng = np.random.default_rng(number)
    columns = {
        "amount": numbers(rng.normal(100, 10, 400) * factor),
        "count": numbers(rng.poisson(9, 400)),
    }
    return BatchOfRows.of("sales", f"{number:03}", number, columns)


def test_a_backtest_applies_the_mutes_of_the_store() -> None:
    store = MemoryStore()
    batches = [*map(day, range(20)), day(20, factor=1000)]

    before = replay(Gate("sales", store).spec, batches).verdicts[-1]
    mute(store, "sales", Mute(column="amount", author="ada", reason="free text"))
    after = replay(Gate("sales", store).spec, batches).verdicts[-1]

    assert before.decision is Decision.HOLD
    assert after.decision is Decision.ACCEPT
    assert "amount" in {observation.column for observation in after.observations}


def test_a_mute_needs_a_condition_an_author_and_a_reason() -> None:
    for condition, author, reason in (({}, "ada", "x"), ({"column": "a"}, "", "x")):
        with pytest.raises(CheckError):
            Mute(**condition, author=author, reason=reason)
