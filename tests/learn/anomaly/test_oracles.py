"""The same numbers from elsewhere: numpy, statistics, scipy, statsmodels, and by hand."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.learn.anomaly import (
    AbsoluteChange,
    BatchNormal,
    Differenced,
    MedianDeviation,
    OnlineNormal,
    RelativeChange,
    SeasonalArima,
    Threshold,
)
from assay.learn.anomaly.smoothing import smooth
from assay.learn.anomaly.structural import follow
from assay.learn.anomaly.student import normal_deviations, student_deviations
from tests.learn.anomaly.series import expected

series = st.lists(st.floats(-1e6, 1e6), min_size=10, max_size=50)


@given(series)
def test_batch_normal_agrees_with_numpy(values: list[float]) -> None:
    result = expected(BatchNormal(lower=2.0, upper=3.0), values)
    mean, sd = np.mean(values), np.std(values, ddof=1)
    assert result.low == pytest.approx(mean - 2 * sd, abs=1e-6)
    assert result.high == pytest.approx(mean + 3 * sd, abs=1e-6)


@given(series)
def test_online_normal_that_ignores_nothing_is_batch_normal(values: list[float]) -> None:
    online = expected(OnlineNormal(ignore_anomalies=False), values)
    batch = expected(BatchNormal(), values)
    assert online.low == pytest.approx(batch.low, abs=1e-5)
    assert online.high == pytest.approx(batch.high, abs=1e-5)


@given(series)
def test_median_deviation_agrees_with_scipy(values: list[float]) -> None:
    stats: Any = pytest.importorskip("scipy.stats")
    spread = stats.median_abs_deviation(values, scale="normal")
    result = expected(MedianDeviation(lower=4.0, upper=4.0), values)
    if spread > 1e-9:
        assert result.low == pytest.approx(np.median(values) - 4 * spread, rel=1e-12, abs=1e-6)


@pytest.mark.parametrize(
    ("values", "deviation"),
    [
        ([-1e6, -1e6, -1e6, 0.0, 1e6, 1e6, 1e6], 1482602.218505602),
        # more than half are equal: the mean deviation times sqrt(pi / 2)
        ([0.0] * 6 + [7e6], 1253314.1373155003),
    ],
)
def test_median_deviation_does_not_round_its_constants(
    values: list[float], deviation: float
) -> None:
    limits = expected(MedianDeviation(lower=1.0, upper=1.0), values)

    assert limits.high == pytest.approx(deviation, rel=1e-12)


@pytest.mark.parametrize("df", [3, 6, 13, 40, 200])
def test_students_deviations_agree_with_scipy(df: int) -> None:
    stats: Any = pytest.importorskip("scipy.stats")
    for t in (1.0, 2.0, 3.0, 5.0):
        z = normal_deviations(t, df)
        assert stats.norm.sf(z) == pytest.approx(stats.t.sf(t, df), abs=0.0015)
        assert student_deviations(z, df) == pytest.approx(t)


def test_the_confidence_of_a_normal_range_is_that_of_its_prediction_interval() -> None:
    stats: Any = pytest.importorskip("scipy.stats")
    result = expected(BatchNormal(), [float(n * n % 11) for n in range(12)])
    exact = 1 - 2 * stats.t.sf(3 / math.sqrt(1 + 1 / 12), 11)
    assert result.confidence == pytest.approx(exact, abs=0.001)


@pytest.mark.parametrize("factors", [(0.3, 0.1, 0.2), (0.05, 0.0, 0.0), (0.7, 0.3, 0.1)])
def test_smoothing_agrees_with_statsmodels(factors: tuple[float, float, float]) -> None:
    smoothing: Any = pytest.importorskip("statsmodels.tsa.holtwinters")
    rng = np.random.default_rng(7)
    values = 50 + 5 * np.sin(np.arange(14) * 2 * np.pi / 7) + rng.normal(size=14)
    ours = smooth(values, 7, np.array([factors]))
    # the first period has made the first season; theirs goes on from there
    model = smoothing.ExponentialSmoothing(
        values[7:],
        trend="add",
        seasonal="add",
        seasonal_periods=7,
        initialization_method="known",
        initial_level=values[:7].mean(),
        initial_trend=0.0,
        initial_seasonal=values[:7] - values[:7].mean(),
    )
    level, trend, season = factors
    theirs = model.fit(
        smoothing_level=level, smoothing_trend=trend, smoothing_seasonal=season, optimized=False
    )
    assert ours.forecast[0] == pytest.approx(theirs.forecast(1)[0])
    assert ours.errors[:, 0] == pytest.approx(theirs.resid)


def test_a_straight_line_is_forecast_without_error() -> None:
    steps = np.array([0.0, 1.0, 2.0, 4.0, 5.0, 9.0, 10.0, 11.0, 15.0, 16.0, 20.0])
    line = (steps - steps.mean()) / steps.std()
    result = follow(steps, line[:-1], np.zeros((len(steps), 0)))
    assert result.value == pytest.approx(line[-1], abs=0.05)
    assert result.slope


def test_a_gap_widens_the_forecast() -> None:
    rng = np.random.default_rng(3)
    walk = np.cumsum(rng.normal(size=60))
    walk = (walk - walk.mean()) / walk.std()
    none = np.zeros((61, 0))
    errors = [
        follow(np.append(np.arange(60.0), 59.0 + gap), walk, none).error for gap in (1, 10, 50)
    ]
    assert errors[0] < errors[1] < errors[2]


def test_arima_agrees_with_statsmodels() -> None:
    sarimax: Any = pytest.importorskip("statsmodels.tsa.statespace.sarimax")
    rng = np.random.default_rng(11)
    values = 50 + 5 * np.sin(np.arange(60) * 2 * np.pi / 7) + rng.normal(size=60)
    result = expected(SeasonalArima(lower=3.0, upper=3.0, order=(1, 0, 0)), values.tolist())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit = sarimax.SARIMAX(values, order=(1, 0, 0), seasonal_order=(0, 1, 1, 7)).fit(disp=0)
    forecast = fit.get_forecast(1)
    half = 3 * float(forecast.se_mean[0])
    assert (result.low + result.high) / 2 == pytest.approx(
        float(forecast.predicted_mean[0]), abs=0.1
    )
    assert half < (result.high - result.low) / 2 < 1.2 * half


def test_the_reason_says_that_no_arima_could_be_fitted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SeasonalArima, "_forecast", lambda *_: None)
    values = [float(n % 7 + n % 2) for n in range(40)]
    result = expected(SeasonalArima(), values)
    assert result.reason.startswith("no ARIMA could be fitted; change from the 7 batches before")
    plain = expected(Differenced(BatchNormal(), lag=7), values)
    assert (result.low, result.high) == (plain.low, plain.high)


@settings(max_examples=50)
@given(
    st.lists(st.integers(-1000, 1000), min_size=12, max_size=20),
    st.integers(1, 3),
    st.integers(1, 3),
)
def test_differences_agree_with_numpy(values: list[int], order: int, lag: int) -> None:
    limits = Threshold(low=-10.0, high=25.0)
    result = expected(Differenced(limits, order=order, lag=lag), values)
    for end in (result.low, result.high):
        changes = np.array([*values, end])
        for _ in range(order):
            changes = changes[lag:] - changes[:-lag]
        assert changes[-1] == pytest.approx(-10.0 if end == result.low else 25.0)


@given(st.lists(st.integers(-1000, 1000), min_size=5, max_size=20), st.integers(1, 4))
def test_absolute_change_bounds_numpys_difference(values: list[int], order: int) -> None:
    result = expected(AbsoluteChange(at_most_rise=7.0, at_most_fall=3.0, order=order), values)
    assert np.diff([*values, result.high], order)[-1] == pytest.approx(7.0)
    assert np.diff([*values, result.low], order)[-1] == pytest.approx(-3.0)


@given(st.floats(-1e6, 1e6).filter(lambda x: abs(x) > 1e-3), st.floats(-4e6, 4e6))
def test_relative_change_bounds_the_ratio(earlier: float, value: float) -> None:
    result = expected(RelativeChange(at_least=0.5, at_most=2.0, order=2), [earlier, 1.0])
    ratio = value / earlier
    if min(abs(ratio - 0.5), abs(ratio - 2.0)) > 1e-9:
        assert result.holds(value) == (0.5 <= ratio <= 2.0)


def test_zero_is_the_only_multiple_of_zero() -> None:
    result = expected(RelativeChange(at_least=0.5, at_most=2.0), [3.0, 0.0])
    assert (result.low, result.high) == (0.0, 0.0)
    assert "only 0 is a multiple" in result.reason
    open_ended = expected(RelativeChange(at_least=0.5), [3.0, 0.0])
    assert open_ended.holds(100.0)
    assert not open_ended.holds(-1.0)


def test_seven_normal_batches_by_hand() -> None:
    result = expected(OnlineNormal(), [8.0, 8.5, 7.5, 8.0, 9.0, 7.0, 8.0])
    assert result.low == pytest.approx(8 - 3 * math.sqrt(2.5 / 6))
    assert result.high == pytest.approx(8 + 3 * math.sqrt(2.5 / 6))
    assert result.reason == "mean 8 ± 3 sd 0.6455 of 7 batches"
