"""Weekdays, hours and ends of months explain the values of batches, if they did in the past."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from assay.learn.fingerprint import metrics
from assay.learn.novelty.bands import Bands, LearnedBands
from assay.learn.novelty.calendars import CALENDARS
from assay.learn.novelty.features import ROW_COUNT, Feature, Features

pytestmark = pytest.mark.unit

MONDAY = datetime(2024, 1, 1, tzinfo=UTC)
DAY, HOUR = timedelta(days=1), timedelta(hours=1)
UNIT = Feature("x", metrics.COMPLETENESS)


def learned(
    rows_of: Callable[[datetime], float],
    *,
    first: datetime = MONDAY,
    step: timedelta = DAY,
    number: int = 70,
    holidays: tuple[str, ...] = (),
) -> tuple[LearnedBands, datetime]:
    """Learn from batches with these row counts. Return the bands and the time of the next batch."""
    rng = np.random.default_rng(1)
    times = [first + place * step for place in range(number + 1)]
    history: list[Features] = [
        {ROW_COUNT: ROW_COUNT.to_scale(round(rows_of(time) * rng.normal(1, 0.02)))}
        for time in times[:-1]
    ]
    bands = Bands(alpha=0.025, holidays=holidays).learn(history, times)
    assert isinstance(bands, LearnedBands)
    return bands, times[-1]


def score(bands: LearnedBands, rows: float) -> float:
    return bands.judge({ROW_COUNT: ROW_COUNT.to_scale(rows)}).score


def weekend(time: datetime) -> float:
    return 400.0 if time.weekday() == 6 else 1000.0


def test_half_of_the_rows_is_far_outside_on_a_weekday() -> None:
    bands, time = learned(weekend, number=71)

    assert time.weekday() == 1
    assert score(bands, 1000) < 1
    assert score(bands, 500) > 1.6


def test_a_quiet_sunday_is_expected_and_half_of_it_is_not() -> None:
    bands, time = learned(weekend, number=69)

    assert time.weekday() == 6
    assert score(bands, 400) < 1
    assert score(bands, 200) > 1.6
    reason = bands.judge({ROW_COUNT: ROW_COUNT.to_scale(200)}).reasons[0]
    assert reason.when.startswith("on Sundays")
    assert "expected on Sundays" in str(reason)


def test_without_times_the_week_widens_the_band() -> None:
    rng = np.random.default_rng(1)
    history = [
        {ROW_COUNT: ROW_COUNT.to_scale(weekend(MONDAY + day * DAY) * rng.normal(1, 0.02))}
        for day in range(71)
    ]
    bands = Bands(alpha=0.025).learn(history)
    assert isinstance(bands, LearnedBands)

    assert score(bands, 500) < 1


def test_missing_days_do_no_harm() -> None:
    first = datetime(2024, 1, 1, tzinfo=UTC)
    rng = np.random.default_rng(1)
    days = [first + number * DAY for number in range(100)]
    times = [day for day in days if day.weekday() != 5]
    history = [
        {ROW_COUNT: ROW_COUNT.to_scale(weekend(day) * rng.normal(1, 0.02))} for day in times[:-1]
    ]
    bands = Bands(alpha=0.025).learn(history, times)
    assert isinstance(bands, LearnedBands)

    assert score(bands, weekend(times[-1])) < 1
    assert score(bands, weekend(times[-1]) / 2) > 1.6


def test_hours_and_ends_of_months_are_calendars() -> None:
    hourly, time = learned(
        lambda time: 50.0 if time.hour < 6 else 1000.0, step=HOUR, number=24 * 6 + 3
    )
    assert time.hour == 3
    assert score(hourly, 1000) > 1.6 > 1 > score(hourly, 50)

    monthly, time = learned(
        lambda time: 3000.0 if (time + DAY).day == 1 else 1000.0, number=151, first=MONDAY
    )
    assert (time + DAY).day == 1
    assert score(monthly, 1000) > 1.6 > 1 > score(monthly, 3000)
    reason = monthly.judge({ROW_COUNT: ROW_COUNT.to_scale(1000)}).reasons[0]
    assert reason.when.startswith("on the last day of a month")


def test_holidays_are_days_of_their_own() -> None:
    holidays = tuple(f"2024-0{month}-09" for month in range(1, 6))

    def rows(time: datetime) -> float:
        return 300.0 if time.date().isoformat() in holidays else 1000.0

    bands, time = learned(rows, number=129, holidays=holidays)

    assert time.date().isoformat() == holidays[-1]
    assert score(bands, 300) < 1
    assert score(bands, 1000) > 1
    assert bands.judge({ROW_COUNT: ROW_COUNT.to_scale(1000)}).reasons[0].when == "on holidays: "


def test_noise_has_no_calendar() -> None:
    bands, _ = learned(lambda _: 1000.0)

    assert bands.words[int(bands.chosen[0])][0] == ""


def test_one_group_is_no_calendar() -> None:
    times = [MONDAY + week * 7 * DAY for week in range(20)]

    names = {calendar.name for calendar in CALENDARS if calendar.divides(times, ())}

    assert "day of month" in names
    assert not names & {"weekday", "hour", "business day"}
