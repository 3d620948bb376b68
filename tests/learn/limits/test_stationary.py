"""Series made stationary, and the restraint in it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.learn.fingerprint.column_stats import Floats
from assay.learn.limits.stationary import AS_IS, LEAST, Transformation, stationary
from assay.learn.limits.tail_bounds import Spread
from assay.learn.limits.unit_root import unit_root

WEEK = np.tile([100.0, 103.0, 105.0, 101.0, 99.0, 60.0, 55.0], 5)


def noise(seed: int, n: int = 30) -> Floats:
    return np.random.default_rng(seed).normal(size=n)


def test_noise_is_not_transformed() -> None:
    result = [stationary(noise(seed)) for seed in range(40)]
    assert result.count(AS_IS) >= 37


def test_walks_are_differenced() -> None:
    result = [stationary(np.cumsum(noise(seed))) for seed in range(40)]
    assert result.count(Transformation(1)) >= 30


def test_growth_by_a_factor_is_a_matter_of_logarithms() -> None:
    result = stationary(np.exp2(np.arange(30.0)))
    assert result == Transformation(1, log=True)
    spread = Spread.of(result.of(np.exp2(np.arange(30.0))))
    assert spread.constant
    assert spread.mean == pytest.approx(math.log(2))
    assert result.undo(np.array([8.0]), math.log(2)) == pytest.approx(16.0)


def test_a_season_that_is_not_declared_is_hardly_ever_used() -> None:
    growing = [noise(seed) + 2 * np.arange(30) for seed in range(25)]
    results = [stationary(series) for series in growing]
    far = [result for result in results if result is not None and result.lag > 1]
    anything = [stationary(series, any_lag=True) for series in growing]
    assert len(far) <= 2
    assert all(transformation is not None for transformation in anything)


def test_a_season_is_detected_with_a_trend_and_used_if_declared() -> None:
    jitter = noise(3, 35)
    assert stationary(WEEK + 5 * np.arange(35) + jitter) == Transformation(7)
    assert stationary(WEEK + jitter) == AS_IS
    assert stationary(WEEK + jitter, season=7) == Transformation(7)
    # one that does not help is not
    assert stationary(noise(1, 35), season=7) == AS_IS


def test_no_test_of_fewer_than_eight_points() -> None:
    assert stationary(np.arange(LEAST - 1.0)) == AS_IS
    assert stationary(np.arange(LEAST - 1.0), any_lag=True) == AS_IS
    assert stationary(np.arange(16.0)) == Transformation(1)


def test_a_line_is_not_stationary_and_alternation_is() -> None:
    line = stationary(np.arange(30.0) * 0.1)
    assert line == Transformation(1)
    assert Spread.of(line.of(np.arange(30.0) * 0.1)).constant
    assert stationary(np.tile([0.0, 1.0], 15)) == AS_IS
    assert stationary(np.full(30, 5.0)) == AS_IS


def test_gaps_are_passed_over() -> None:
    walk = np.cumsum(noise(11, 40)) * 10
    gaps = walk.copy()
    gaps[[5, 20]] = np.nan
    result = stationary(gaps)
    assert result == Transformation(1)
    assert np.isnan(result.of(gaps)).sum() == 4
    assert math.isnan(result.of_next(np.array([1.0, math.nan]), 3.0))
    assert math.isnan(Transformation(3).of_next(np.array([1.0]), 3.0))


def test_the_test_of_a_unit_root() -> None:
    assert unit_root(noise(0)) < 0.05
    assert unit_root(np.cumsum(noise(4))) > 0.05
    assert unit_root(np.full(30, 2.0)) == 0.0
    assert unit_root(noise(0) * 1e200) == pytest.approx(unit_root(noise(0)))


lags = st.integers(0, 3)
values = st.lists(st.floats(0.01, 1e6), min_size=5, max_size=9)


@given(lags, st.booleans(), values, st.floats(0.01, 1e6))
def test_a_new_value_is_transformed_like_the_history(
    lag: int, log: bool, history: list[float], new: float
) -> None:
    transformation = Transformation(lag, log)
    earlier = np.array(history)
    next_one = transformation.of_next(earlier, new)
    assert next_one == pytest.approx(
        float(transformation.of(np.append(earlier, new))[-1]), abs=1e-9
    )
    assert transformation.undo(earlier, next_one) == pytest.approx(new, rel=1e-6, abs=1e-6)


@settings(max_examples=60)
@given(st.lists(st.floats(), max_size=20), st.none() | st.integers(1, 25))
def test_no_series_is_too_strange(series: list[float], season: int | None) -> None:
    result = stationary(np.array(series, dtype=np.float64), season)
    assert result is None or result.lag <= len(series)


@pytest.mark.parametrize("scale", [1e-300, 1e-12, 1e12, 1e290])
def test_scale_makes_no_difference(scale: float) -> None:
    walk = np.cumsum(noise(4))
    assert stationary(walk * scale) == stationary(walk) == Transformation(1)
