"""The sampling error of features of small batches."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.checks.assertions.expectation import NotEnough
from assay.learn.fingerprint import metrics as catalogue
from assay.learn.fingerprint.column_stats import Fingerprint
from assay.learn.fingerprint.from_rows import Column, fingerprint, strings
from assay.learn.novelty.bands import Bands
from assay.learn.novelty.batch_features import compute_features
from assay.learn.novelty.features import Feature
from assay.learn.novelty.sampling_error import sampling_errors
from assay.learn.novelty.seen_values import SeenValues

RNG = np.random.default_rng(3)
DRAWN: dict[str, Callable[[int], Column]] = {
    "normal": lambda n: RNG.normal(50.0, 5.0, n),
    "skewed": lambda n: RNG.lognormal(3.0, 1.0, n).round(2),
    "counts": lambda n: RNG.poisson(2.0, n).astype(np.float64),
    "letters": lambda n: strings(RNG.choice([*"aaabbcde", "other"], n)),
}


def batch(rows: int) -> Fingerprint:
    return fingerprint({name: draw(rows) for name, draw in DRAWN.items()})


@pytest.mark.parametrize(("before", "now"), [(400, 400), (400, 100), (60, 60)])
@pytest.mark.parametrize(
    ("column", "metric"),
    [
        *((column, metric) for column in ("normal", "skewed") for metric in ("mean", "q25", "q75")),
        ("normal", "sd"),
        ("counts", "mean"),
        ("letters", "str_len"),
    ],
)
def test_the_errors_are_how_features_vary_from_batch_to_batch(
    before: int, now: int, column: str, metric: str
) -> None:
    feature = Feature(column, metric)
    drawn = [fingerprint({column: DRAWN[column](now)}) for _ in range(150)]
    varied = float(np.std([compute_features(batch, SeenValues())[feature] for batch in drawn]))
    last = [fingerprint({column: DRAWN[column](before)}) for _ in range(50)]
    error = float(np.mean([sampling_errors(drawn[0], batch)[feature].error for batch in last]))
    assert 0.6 * varied < error < 1.6 * varied


@pytest.mark.parametrize("rows", [8, 60])
def test_few_rows_of_the_same_kind_are_seldom_held(rows: int) -> None:
    memory, history = SeenValues(), []
    last = batch(rows)
    for _ in range(40):
        history.append(compute_features(last, memory))
        memory = memory.add(last)
        last = batch(rows)
    learned = Bands(alpha=0.025).learn(history)
    assert not isinstance(learned, NotEnough)
    levels = []
    for _ in range(200):
        now = batch(rows)
        levels.append(
            learned.judge(compute_features(now, memory), sampling_errors(now, last)).level
        )
    assert levels.count("hold") <= 200 / 200
    assert levels.count("warn") <= 200 / 20


def test_one_value_more_is_the_work_of_one_row() -> None:
    """One of twelve rows goes missing: several features jump, but the batch is not held."""
    reports = RNG.lognormal(8.0, 1.5, 12)
    memory, history = SeenValues(), []
    for day in range(40):
        last = fingerprint({"tests": reports * 1.01**day})
        history.append(compute_features(last, memory))
        memory = memory.add(last)
    learned = Bands(alpha=0.025).learn(history)
    assert not isinstance(learned, NotEnough)
    for gone in range(12):
        column = np.delete(reports * 1.01**40, gone)
        now = fingerprint({"tests": np.append(column, math.nan)})
        assert (
            learned.judge(compute_features(now, memory), sampling_errors(now, last)).level != "hold"
        )
    assert any(
        learned.judge(
            compute_features(
                fingerprint({"tests": np.append(np.delete(reports * 1.01**40, gone), math.nan)}),
                memory,
            )
        ).level
        == "hold"
        for gone in range(12)
    )


@given(st.floats(-1e6, 1e6), st.sampled_from(["mean", "max", "q50"]))
def test_sampling_errors_do_not_excuse_a_change_of_unit(middle: float, metric: str) -> None:
    """Errors are those of the last batch, so that a batch of larger values gets no wider limits."""
    values = middle + np.linspace(-1.0, 1.0, 50)
    last, large = fingerprint({"n": values}), fingerprint({"n": 1000 * values})
    feature = Feature("n", metric)
    assert sampling_errors(large, last)[feature] == sampling_errors(last, last)[feature]
    assert all(
        value.error >= 0 and value.step >= 0 for value in sampling_errors(large, last).values()
    )
    assert {feature.metric for feature in sampling_errors(large, last)} <= {
        metric.name for metric in catalogue.all_metrics()
    }
