"""Rates, limits and the grid of deviations, with many batches and with few."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from assay.learn.limits.tail_bounds import (
    EPSILON,
    Inequality,
    Spread,
    at_rate,
    constant,
    constant_rate,
    heavy,
    heavy_inverse,
    interval,
    rate,
    steps,
    student,
)


@pytest.mark.parametrize("batches", [7, 30])
@pytest.mark.parametrize("sides", [1, 2])
def test_student_is_the_rate_of_a_new_normal_value(batches: int, sides: int) -> None:
    rng = np.random.default_rng(0)
    drawn = rng.normal(5, 3, (20_000, batches + 1))
    history, new = drawn[:, :-1], drawn[:, -1]
    deviations = (new - history.mean(axis=1)) / history.std(axis=1, ddof=1)
    outside = ((np.abs(deviations) if sides == 2 else deviations) > 2.5).mean()
    expected = student(2.5, batches, sides=sides)
    assert outside == pytest.approx(expected, abs=4 * math.sqrt(expected / 20_000))
    t = 2.5 / math.sqrt(1 + 1 / batches)
    assert expected == pytest.approx(sides * stats.t.sf(t, batches - 1))


@given(st.floats(1e-8, 0.5), st.integers(4, 200), st.sampled_from([1, 2]))
def test_heavy_tails_have_an_inverse(share: float, batches: int, sides: int) -> None:
    k = heavy_inverse(share, batches, sides=sides)
    assert heavy(k, batches, sides=sides) == pytest.approx(share, rel=1e-6)


def test_heavy_tails_are_heavier_than_normal_ones_and_less_so_than_the_heaviest() -> None:
    for k in (3.0, 5.0, 8.0, 12.0):
        assert student(k, 30) < heavy(k, 30) < rate(k, 30, "chebyshev")
    assert heavy(5.0, 30) == pytest.approx(2 * stats.t.sf(5 / math.sqrt(31 / 30 * 29 / 27), 3))
    assert heavy(5.0, 7) > 1.5 * heavy(5.0, 30)
    assert heavy(5.0, 3) == 1.0


def test_limits_that_the_history_has_broken_will_be_broken_again() -> None:
    history = np.append(np.sin(np.arange(29.0)), 6.0)
    spread = Spread.of(history)
    assert 4 < spread.furthest() < 5.5
    narrow, wide = (interval(spread, k, "heavy") for k in (4.0, 5.5))
    assert narrow.rate >= 1 / 30 > wide.rate
    assert interval(spread, 4.0, "chebyshev").rate == 1 / 16
    everything = at_rate(spread, 0.2)
    assert everything.high == pytest.approx(6.0)
    # only what is suspicious counts: of a distance, large values
    assert Spread.of(-history).furthest(one_sided=True) < 2 < Spread.of(-history).furthest()


def test_the_grid_goes_by_halves_and_then_by_ratios_as_far_as_the_budget_asks() -> None:
    grid = steps(0.01)
    assert grid[:18].tolist() == [number / 2 for number in range(2, 20)]
    assert grid[18] == pytest.approx(10)
    assert grid[-1] == pytest.approx(110)
    assert np.allclose(np.diff(np.log(grid[18:]), 2), 0, atol=1e-9)
    for budget in (0.01, 0.001, 1e-5, 1e-7):
        assert rate(float(steps(budget)[-1]), 30, "chebyshev") <= budget


@given(st.sampled_from(["chebyshev", "cantelli", "clt", "student", "heavy"]), st.integers(4, 60))
def test_wider_limits_are_broken_less_often_and_few_batches_more_often(
    inequality: Inequality, batches: int
) -> None:
    rates = [rate(k, batches, inequality) for k in steps(0.01).tolist()]
    assert all(0 < rate <= 1 for rate in rates)
    assert all(a >= b for a, b in pairwise(rates))
    fewer = [rate(k, max(4, batches // 2), inequality) for k in steps(0.01).tolist()]
    assert all(a >= b * (1 - 1e-9) for a, b in zip(fewer, rates, strict=True))


@pytest.mark.parametrize("inequality", ["chebyshev", "cantelli", "clt"])
def test_the_rates_are_those_of_the_paper_from_30_batches_on(inequality: Inequality) -> None:
    expected = {"chebyshev": 1 / 16, "cantelli": 1 / 17, "clt": math.erfc(4 / math.sqrt(2))}
    assert rate(4.0, 30, inequality) == pytest.approx(expected[inequality])
    assert rate(4.0, 29, inequality) > rate(4.0, 30, inequality)
    # not by much: the bound is for the paper's formula with an uncertain deviation
    if inequality != "clt":
        assert rate(4.0, 29, inequality) < 1.2 * rate(4.0, 30, inequality)


@pytest.mark.parametrize("batches", [7, 12])
@pytest.mark.parametrize("inequality", ["chebyshev", "cantelli"])
def test_the_bounds_hold_with_few_batches(inequality: Inequality, batches: int) -> None:
    rng = np.random.default_rng(1)
    for draw in (rng.normal, rng.laplace, rng.logistic):
        drawn = draw(size=(20_000, batches + 1))
        history, new = drawn[:, :-1], drawn[:, -1]
        deviations = (new - history.mean(axis=1)) / history.std(axis=1, ddof=1)
        for k in (2.0, 4.0, 8.0):
            outside = (
                (np.abs(deviations) if inequality == "chebyshev" else deviations) >= k
            ).mean()
            assert outside <= rate(k, batches, inequality)


def test_limits_do_not_leave_the_range_of_the_metric() -> None:
    spread = Spread(0.9, 0.1, 30, 0.7, 1.0)
    assert interval(spread, 5, "chebyshev", reach=(0.0, 1.0)).low == pytest.approx(0.4)
    assert interval(spread, 5, "chebyshev", reach=(0.0, 1.0)).high == 1.0
    wide = interval(spread, 50, "chebyshev", reach=(0.0, 1.0))
    assert (wide.low, wide.high) == (0.0, 1.0)
    above = interval(spread, 0.5, "cantelli", reach=(0.0, 1.0), one_sided=True)
    assert above.low == 0.0
    assert above.high == pytest.approx(0.95)
    sensitive = at_rate(spread, 1e-6, reach=(0.0, 1.0))
    assert sensitive.high == 1.0
    assert sensitive.rate == 1e-6


def test_a_constant_metric_must_not_change() -> None:
    spread = Spread.of(np.full(30, 0.1 + 0.2))
    assert spread.constant
    result = constant(spread)
    assert result.low <= 0.3 <= result.high
    assert result.high - result.low < 1e-8
    assert result.rate == EPSILON
    assert constant_rate(60) == EPSILON
    assert constant_rate(10) == pytest.approx(3 * EPSILON)
    zero = constant(Spread.of(np.zeros(30)))
    assert (zero.low, zero.high) == (0.0, 0.0)


def test_rounding_is_no_change_and_a_change_is_one() -> None:
    assert Spread.of(np.array([0.3, 0.1 + 0.2] * 10)).constant
    assert not Spread.of(np.array([0.3, 0.3 + 1e-6] * 10)).constant
    assert not Spread.of(np.array([0.0, 1e-300])).constant


def test_numbers_whose_squares_overflow_have_a_deviation() -> None:
    spread = Spread.of(np.array([1e200, 3e200, 2e200]))
    assert spread.mean == pytest.approx(2e200)
    assert spread.deviation == pytest.approx(1e200)
