"""One bad batch among the past is found, and a lasting change is not taken for one."""

from __future__ import annotations

import math

import numpy as np
import pytest

from assay.learn.fingerprint import metrics
from assay.learn.novelty.features import ROW_COUNT, Feature, Features
from assay.learn.novelty.isolated import isolated_columns

pytestmark = pytest.mark.unit

FILLED = Feature("amount", metrics.COMPLETENESS)
MEAN = Feature("amount", metrics.MEAN)
MAX = Feature("amount", metrics.MAX)
AMOUNT = frozenset({"amount"})


def days(number: int, *, rows: int = 1000) -> list[Features]:
    rng = np.random.default_rng(0)
    return [
        {
            ROW_COUNT: ROW_COUNT.to_scale(rows),
            FILLED: 1.0,
            MEAN: MEAN.to_scale(100 + rng.normal(scale=2)),
            MAX: MAX.to_scale(500.0),
        }
        for _ in range(number)
    ]


def with_value(history: list[Features], place: int, feature: Feature, value: float) -> None:
    history[place] = {**history[place], feature: feature.to_scale(value)}


@pytest.mark.parametrize("place", [0, 7, 18])
@pytest.mark.parametrize(("feature", "value"), [(FILLED, 0.8), (MEAN, 100_000.0)])
def test_one_bad_batch_is_isolated(place: int, feature: Feature, value: float) -> None:
    history = days(20)
    with_value(history, place, feature, value)

    assert isolated_columns(history) == {place: AMOUNT}


def test_a_partial_batch_is_isolated_in_the_table() -> None:
    history = days(20)
    with_value(history, 0, ROW_COUNT, 400.0)

    assert isolated_columns(history) == {0: frozenset({None})}


def test_a_change_that_lasts_is_not_isolated() -> None:
    history = days(20)
    with_value(history, 19, FILLED, 0.8)
    assert isolated_columns(history) == {}

    with_value(history, 18, FILLED, 0.8)
    assert isolated_columns(history) == {}


def test_two_bad_batches_of_different_columns_are_isolated() -> None:
    history = days(20)
    city = Feature("city", metrics.COMPLETENESS)
    history = [{**features, city: 0.95} for features in history]
    with_value(history, 3, FILLED, 0.5)
    with_value(history, 5, city, 0.1)

    assert isolated_columns(history) == {3: AMOUNT, 5: frozenset({"city"})}


def test_one_row_isolates_nothing() -> None:
    history = days(20, rows=20)
    with_value(history, 4, FILLED, 0.9)
    with_value(history, 6, MAX, 1e9)

    assert isolated_columns(history) == {}


def test_few_or_undefined_values_isolate_nothing() -> None:
    assert isolated_columns([]) == {}
    assert isolated_columns([{FILLED: 0.0}, *days(8)]) == {}
    assert isolated_columns([{FILLED: math.nan}] * 30) == {}
