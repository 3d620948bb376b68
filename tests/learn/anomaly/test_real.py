"""Real series: known incidents are caught, the rest stays quiet."""

from __future__ import annotations

from datetime import date
from functools import cache

import pytest

from assay.checks.assertions.expectation import Expectation, Point
from assay.learn.anomaly import BatchNormal, HoltWinters, MedianDeviation, OnlineNormal, Seasonal
from tests.learn.anomaly.series import alarms, flights, recurring, share

pytestmark = pytest.mark.slow

Learned = BatchNormal | HoltWinters | MedianDeviation | OnlineNormal | Seasonal


@cache
def _series(dataset: str) -> dict[str, list[Point]]:
    match dataset:
        case "nycflights13_daily":
            return recurring(dataset, rows=len, departed=share("dep_time"))
        case "jhu_us_daily":
            return recurring(
                dataset, hospitalized=share("People_Hospitalized"), recovered=share("Recovered")
            )
        case "ourairports_regions":
            return recurring(dataset, rows=len, keywords=share("keywords"))
        case _:
            return recurring(dataset, rows=len)


@cache
def _alarms(dataset: str, metric: str, detector: Learned) -> list[str]:
    return alarms(detector, _series(dataset)[metric])


def _sampled(points: list[Point], wanted: set[str]) -> tuple[list[str], int]:
    """Alarms of the seasonal detector, and how many days it judged.

    It is slow: of a long series, the wanted days and every third other.
    """
    result, detector = [], Seasonal()
    judged = 0
    for at, point in enumerate(points):
        day = point.time.date().isoformat()
        if len(points) > 200 and day not in wanted and at % 3:
            continue
        judged += 1
        expected = detector.expect(points[:at], point.time)
        if isinstance(expected, Expectation) and not expected.holds(point.value):
            result.append(day)
    return result, judged


#: data set, metric, detector, the incidents that its README names, and the greatest share of alarms
INCIDENTS: list[tuple[str, str, Learned, list[str], float]] = [
    ("nycflights13_daily", "departed", Seasonal(), ["2013-02-08", "2013-02-09"], 0.04),
    ("nycflights13_daily", "departed", HoltWinters(), ["2013-02-08", "2013-02-09"], 0.03),
    ("nycflights13_daily", "departed", BatchNormal(), ["2013-02-08", "2013-02-09"], 0.03),
    ("nycflights13_daily", "rows", HoltWinters(), [], 0.05),
    ("online_retail_by_day", "rows", HoltWinters(), [], 0.02),
    ("jhu_us_daily", "hospitalized", Seasonal(), ["2020-08-28"], 0.02),
    ("jhu_us_daily", "hospitalized", HoltWinters(), ["2020-08-28"], 0.015),
    ("jhu_us_daily", "recovered", HoltWinters(), ["2021-03-07"], 0.015),
    ("ourairports_regions", "rows", Seasonal(), ["2025-01-31"], 0.03),
    ("ourairports_regions", "rows", BatchNormal(), ["2025-01-31"], 0.05),
    ("ourairports_regions", "keywords", Seasonal(), ["2022-06-24", "2025-01-31"], 0.06),
    ("covid_tracking_states", "rows", Seasonal(), ["2020-08-17"], 0.01),
    ("covid_tracking_states", "rows", OnlineNormal(), ["2020-08-17"], 0.01),
]


@pytest.mark.parametrize(
    ("dataset", "metric", "detector", "incidents", "most"),
    INCIDENTS,
    ids=[
        f"{dataset}-{metric}-{type(detector).__name__}"
        for dataset, metric, detector, *_ in INCIDENTS
    ],
)
def test_incidents_are_caught_and_the_rest_is_quiet(
    dataset: str, metric: str, detector: Learned, incidents: list[str], most: float
) -> None:
    points = _series(dataset)[metric]
    if isinstance(detector, Seasonal):
        result, judged = _sampled(points, set(incidents))
    else:
        result, judged = _alarms(dataset, metric, detector), len(points)
    assert set(incidents) <= set(result)
    # the share of alarms beyond the incidents
    assert len(result) - len(incidents) <= most * judged


def test_saturdays_are_a_season_and_no_anomaly() -> None:
    def saturdays(days: list[str]) -> int:
        return sum(date.fromisoformat(day).weekday() == 5 for day in days)

    points = _series("nycflights13_daily")["rows"]
    days = [point.time.date().isoformat() for point in points]
    holidays = {"2013-07-04", "2013-11-28", "2013-12-25"}
    seasonal, judged = _sampled(points, {*filter(lambda day: saturdays([day]), days), *holidays})
    assert saturdays(_alarms("nycflights13_daily", "rows", MedianDeviation())) > 30
    assert len(set(seasonal) - holidays) <= 0.05 * judged
    assert saturdays(seasonal) <= 5
    assert holidays <= set(seasonal)


@pytest.mark.parametrize("detector", [OnlineNormal(), MedianDeviation()])
def test_two_weeks_of_flights_show_the_storm(detector: Learned) -> None:
    points = flights(departed=share("dep_time"))["departed"]
    # the 11th is its aftermath: 8 % cancelled
    assert alarms(detector, points) == ["2013-02-08", "2013-02-09", "2013-02-11"]
