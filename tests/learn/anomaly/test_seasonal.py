"""Seasons, gaps, new levels and years."""

from __future__ import annotations

from datetime import timedelta

import numpy as np
import pytest

from assay.checks.assertions.expectation import Expectation, Point
from assay.learn.anomaly import HoltWinters, Seasonal, ranges
from tests.learn.anomaly.series import START, alarms, daily, expected

pytestmark = pytest.mark.slow

WEEK = np.array([0.0, 10.0, 5.0, 3.0, 0.0, -40.0, -50.0])


def _weekly(size: int, seed: int = 5) -> list[float]:
    noise = np.random.default_rng(seed).normal(size=size)
    return [float(500 + WEEK[day % 7] + noise[day]) for day in range(size)]


@pytest.mark.parametrize("detector", [HoltWinters(), Seasonal()])
def test_a_weekend_is_no_anomaly_but_a_weekday_like_one_is(
    detector: HoltWinters | Seasonal,
) -> None:
    history = _weekly(40)  # the next day is a Saturday
    assert expected(detector, history).holds(460.0)
    assert not expected(detector, history).holds(500.0)
    assert not expected(detector, _weekly(42)).holds(450.0)


def test_missing_days_do_not_disturb_the_calendar() -> None:
    keep = np.random.default_rng(9).random(120) > 0.3
    points = [p for p, kept in zip(daily(_weekly(120)), keep, strict=True) if kept]
    assert len(alarms(Seasonal(), points)) <= 1
    saturday = START + timedelta(days=124)
    result = Seasonal().expect(points, saturday)
    assert isinstance(result, Expectation)
    assert result.holds(460.0)
    assert not result.holds(500.0)


def test_the_farther_ahead_the_wider() -> None:
    rng = np.random.default_rng(2)
    points = daily((1000 + np.cumsum(rng.normal(size=90))).tolist())
    widths = []
    for days in (1, 8, 29, 92):
        result = Seasonal().expect(points, points[-1].time + timedelta(days=days))
        assert isinstance(result, Expectation)
        widths.append(result.high - result.low)
    assert widths == sorted(widths)
    assert widths[-1] > 2 * widths[0]


def test_three_in_a_row_are_a_new_level() -> None:
    values = _weekly(60) + [value + 300 for value in _weekly(60)[4:40]]
    result = alarms(Seasonal(), daily(values))
    assert {"2026-03-06", "2026-03-07", "2026-03-08"} <= set(result)
    assert len(result) <= 5


def test_a_single_strange_value_hardly_moves_the_range() -> None:
    clean = _weekly(60)
    strange = [*clean[:50], 5000.0, *clean[51:]]
    result = expected(Seasonal(), strange)
    assert result.holds(_weekly(61)[-1])
    assert result.high - result.low < 60


def test_a_year_counts_once_it_has_been_seen_twice() -> None:
    days = np.arange(3 * 365)
    year = 100 * np.cos(2 * np.pi * days / 365.25)
    noise = np.random.default_rng(1).normal(size=len(days))
    points = daily((1000 + year + WEEK[days % 7] + noise).tolist())
    for size, seasons in ((30, "seasons of 7 days"), (900, "seasons of 7 and 365.25 days")):
        result = Seasonal().expect(points[:size], points[size].time)
        assert isinstance(result, Expectation)
        assert result.reason.endswith(seasons)
        assert result.holds(points[size].value)
    # a month of no deliveries: a year's season foresees what comes after
    far = points[960]
    with_year = Seasonal().expect(points[:900], far.time)
    without = Seasonal(periods=(7.0,)).expect(points[:900], far.time)
    assert isinstance(with_year, Expectation)
    assert isinstance(without, Expectation)
    assert with_year.holds(far.value)
    assert with_year.high - with_year.low < without.high - without.low


def test_hourly_batches_have_days() -> None:
    hours = np.arange(24 * 10)
    rng = np.random.default_rng(4)
    values = 100 + 30 * np.cos(2 * np.pi * hours / 24) + rng.normal(size=len(hours))
    points = [Point(START + timedelta(hours=int(h)), float(values[h])) for h in hours]
    result = ranges(Seasonal(periods=(1.0,)), points[:220])[-1]
    assert isinstance(result, Expectation)
    assert result.high - result.low < 12
    assert result.holds(points[219].value)


def test_batches_of_the_same_time_are_accepted() -> None:
    points = [Point(START, float(n % 5)) for n in range(20)]
    assert isinstance(Seasonal().expect(points, START), Expectation)
