"""Series for the tests: made up, and real ones read with nothing but the standard library."""

from __future__ import annotations

import csv
import gzip
import math
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from assay.checks.assertions.expectation import Detector, Expectation, Point
from assay.data import flights_path
from assay.learn.anomaly import (
    AbsoluteChange,
    BatchNormal,
    ByCallable,
    Differenced,
    HoltWinters,
    MedianDeviation,
    OnlineNormal,
    RelativeChange,
    Seasonal,
    SeasonalArima,
    Threshold,
    ranges,
)
from tests.realdata import batches

START = datetime(2026, 1, 5, tzinfo=UTC)
Rows = Sequence[dict[str, str]]

#: every detector, as people would use it; an odd number of deviations never hits a value exactly
LEARNING: dict[str, Detector] = {
    "BatchNormal": BatchNormal(lower=2.9371, upper=2.9371),
    "OnlineNormal": OnlineNormal(lower=2.9371, upper=2.9371),
    "MedianDeviation": MedianDeviation(),
    "HoltWinters": HoltWinters(),
    "Seasonal": Seasonal(),
    "Differenced": Differenced(BatchNormal()),
    "DifferencedWeekly": Differenced(MedianDeviation(), lag=7),
    "DifferencedTwice": Differenced(BatchNormal(), order=2),
}
DETECTORS: dict[str, Detector] = LEARNING | {
    "SeasonalArima": SeasonalArima(),
    "Threshold": Threshold(low=0.0),
    "AbsoluteChange": AbsoluteChange(at_most_rise=5.0, at_most_fall=2.0),
    "RelativeChange": RelativeChange(at_least=0.5, at_most=2.0),
    "ByCallable": ByCallable(lambda *_: (-1.0, 1.0)),
}


def daily(values: Sequence[float], start: datetime = START) -> list[Point]:
    """One value a day."""
    return [Point(start + timedelta(days=n), float(value)) for n, value in enumerate(values)]


def expected(detector: Detector, values: Sequence[float]) -> Expectation:
    """Return the expectation for the day after the given values."""
    result = detector.expect(daily(values), START + timedelta(days=len(values)))
    assert isinstance(result, Expectation), result
    return result


def alarms(detector: Detector, points: Sequence[Point], *, hold: bool = False) -> list[str]:
    """Return the days with an unexpected value."""
    walked = zip(points, ranges(detector, points, hold=hold), strict=True)
    return [
        point.time.date().isoformat()
        for point, range_ in walked
        if isinstance(range_, Expectation) and not range_.holds(point.value)
    ]


def read(path: Path) -> Rows:
    """Return the rows of a gzipped CSV file as text."""
    with gzip.open(path, "rt", encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def share(column: str) -> Callable[[Rows], float]:
    """Return the share of rows with a value in the column."""

    def of(rows: Rows) -> float:
        result = sum(row.get(column) not in (None, "", "NA") for row in rows)
        return result / len(rows) if rows else math.nan

    return of


def recurring(dataset: str, **metrics: Callable[[Rows], float]) -> dict[str, list[Point]]:
    """Return the metrics of each delivery of a recurring data set, or skip the test."""
    return _measured([batch.path for batch in batches(dataset)], metrics)


def flights(**metrics: Callable[[Rows], float]) -> dict[str, list[Point]]:
    """Return the metrics of the fourteen days that come with Assay."""
    return _measured(sorted(flights_path().glob("*.csv.gz")), metrics)


def _measured(
    files: Sequence[Path], metrics: Mapping[str, Callable[[Rows], float]]
) -> dict[str, list[Point]]:
    points: dict[str, list[Point]] = {name: [] for name in metrics}
    for path in files:
        rows = read(path)
        time = datetime.fromisoformat(path.name.partition(".")[0]).replace(tzinfo=UTC)
        for name, metric in metrics.items():
            points[name].append(Point(time, metric(rows)))
    return points
