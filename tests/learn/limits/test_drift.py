"""Find ramps in the history of a metric, and nothing in histories without one."""

from __future__ import annotations

import numpy as np
import pytest

from assay.learn.fingerprint.column_stats import Floats
from assay.learn.limits.drift import MIN_BATCHES, Drift, find_drift, threshold

pytestmark = pytest.mark.unit

RATE = 1e-4
WEEK = np.array([1.0, 1.02, 1.03, 1.01, 1.0, 0.7, 0.6])


def noise(seed: int, n: int = 61, scale: float = 0.01) -> Floats:
    return np.random.default_rng(seed).normal(scale=scale, size=n)


def ramp(daily: float, start: int = 30, n: int = 61) -> Floats:
    return (1 + daily) ** np.maximum(np.arange(n) - start + 1, 0)


def first_report(values: Floats) -> tuple[int, Drift] | None:
    for length in range(MIN_BATCHES, len(values) + 1):
        drift = find_drift(values[:length], rate=RATE)
        if drift is not None:
            return length, drift
    return None


@pytest.mark.parametrize("daily", [0.005, 0.01, -0.005, -0.01])
@pytest.mark.parametrize("seed", range(5))
def test_a_ramp_is_found_with_its_direction_size_and_start(daily: float, seed: int) -> None:
    drift = find_drift(100 * ramp(daily) * (1 + noise(seed)), rate=RATE)

    assert drift is not None
    assert drift.rises == (daily > 0)
    assert abs(drift.start - 30) <= 5
    assert drift.relative_change == pytest.approx((1 + daily) ** 31 - 1, abs=0.04)
    assert drift.false_alarm_rate <= RATE


def test_a_ramp_of_02_percent_a_day_is_found_where_the_noise_allows_it() -> None:
    drift = find_drift(100 * ramp(0.002) * (1 + noise(0, scale=0.004)), rate=RATE)

    assert drift is not None
    assert abs(drift.start - 30) <= 6


def test_a_ramp_below_negative_values_falls() -> None:
    drift = find_drift(-100 * ramp(0.01) * (1 + noise(1)), rate=RATE)

    assert drift is not None
    assert not drift.rises
    assert drift.before == pytest.approx(-100, rel=0.02)


def test_a_ramp_on_a_weekly_wave_is_found() -> None:
    days = np.arange(61)
    values = 100 * WEEK[days % 7] * ramp(0.01) * (1 + noise(2))

    drift = find_drift(values, rate=RATE, phases=list(days % 7))

    assert drift is not None
    assert abs(drift.start - 30) <= 5


def test_batches_without_a_value_are_left_out() -> None:
    values = 100 * ramp(0.01) * (1 + noise(3))
    values[[5, 20, 40]] = np.nan

    drift = find_drift(values, rate=RATE)

    assert drift is not None
    assert abs(drift.start - 30) <= 5


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    "shape",
    [
        np.ones(61),
        WEEK[np.arange(61) % 7],
        np.where(np.arange(61) < 35, 1.0, 1.3),
        1 + 0.01 * np.arange(61),
        1.01 ** np.arange(61),
        np.where(np.arange(61) == 60, 3.0, 1.0),
        1 + 0.1 * np.sin(np.arange(61) / 5),
    ],
    ids=["level", "week", "step", "trend", "growth", "odd value", "wave"],
)
def test_other_histories_have_no_drift(shape: Floats, seed: int) -> None:
    assert first_report(100 * shape * (1 + noise(seed))) is None


@pytest.mark.parametrize("values", [np.ones(61), np.zeros(61), np.arange(61.0) * 1000])
def test_exact_lines_have_no_drift(values: Floats) -> None:
    assert find_drift(values, rate=RATE) is None


@pytest.mark.parametrize("size", [1e308, 1e-308, -1e308])
def test_huge_and_tiny_values_raise_no_error(size: float) -> None:
    drift = find_drift(size * ramp(0.01) / ramp(0.01).max() * (1 + noise(5)) * 0.9, rate=RATE)

    assert drift is not None
    assert abs(drift.start - 30) <= 5
    find_drift(size * noise(6), rate=RATE)


@pytest.mark.parametrize("seed", range(5))
def test_a_running_total_drifts_only_if_it_grows_much_faster_than_before(seed: int) -> None:
    total = 1000 * 1.006 ** np.arange(61) * (1 + noise(seed, scale=0.001))

    assert first_report(total * ramp(0.006)) is None
    assert first_report(total * ramp(0.03)) is not None


def test_false_alarms_of_noise_keep_the_rate() -> None:
    rng = np.random.default_rng(0)
    n_alarms = sum(
        find_drift(rng.normal(size=61), rate=0.01, relative=False) is not None for _ in range(1000)
    )

    assert n_alarms <= 10


def test_a_change_without_practical_effect_is_no_drift() -> None:
    values = 100 * ramp(0.002) * (1 + noise(0, scale=0.002))

    assert find_drift(values, rate=RATE) is not None
    assert find_drift(values, rate=RATE, min_change=0.1) is None


def test_few_batches_and_a_missing_latest_value_have_no_drift() -> None:
    values = 100 * ramp(0.01) * (1 + noise(4))

    assert find_drift(values[30 : 30 + MIN_BATCHES - 1], rate=RATE) is None
    assert find_drift(np.append(values, np.nan), rate=RATE) is None


def test_a_smaller_rate_has_a_higher_threshold() -> None:
    assert threshold(1e-2) < threshold(1e-4) < threshold(1e-8)
