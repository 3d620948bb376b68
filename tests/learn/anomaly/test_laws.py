"""Laws of all detectors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.checks.assertions.expectation import Detector, Expectation, NotEnough, Point
from assay.learn.anomaly import Differenced, ranges
from assay.learn.anomaly.deviation_range import Deviations
from tests.learn.anomaly.series import DETECTORS, LEARNING, START, daily, expected

pytestmark = pytest.mark.slow

numbers = st.integers(-1000, 1000).map(float)
histories = st.lists(numbers, min_size=16, max_size=40)
any_number = st.floats(allow_nan=True, allow_infinity=True)
every_detector = pytest.mark.parametrize("detector", DETECTORS.values(), ids=DETECTORS)
learning = pytest.mark.parametrize("detector", LEARNING.values(), ids=LEARNING)
few = settings(max_examples=25)


@learning
@few
@given(histories, st.integers(-10_000, 10_000))
def test_a_shift_of_all_values_shifts_the_range(
    detector: Detector, values: list[float], shift: int
) -> None:
    before, after = expected(detector, values), expected(detector, [v + shift for v in values])
    assert after.low == pytest.approx(before.low + shift, rel=1e-6, abs=1e-4)
    assert after.high == pytest.approx(before.high + shift, rel=1e-6, abs=1e-4)
    assert after.confidence == pytest.approx(before.confidence)


@learning
@few
@given(histories, st.integers(-20, 20))
def test_another_unit_of_all_values_is_another_unit_of_the_range(
    detector: Detector, values: list[float], power: int
) -> None:
    factor = 2.0**power
    before, after = expected(detector, values), expected(detector, [v * factor for v in values])
    assert after.low == pytest.approx(before.low * factor, rel=1e-6, abs=1e-6 * factor)
    assert after.high == pytest.approx(before.high * factor, rel=1e-6, abs=1e-6 * factor)


@learning
@few
@given(histories)
def test_turned_upside_down_the_range_is_too(detector: Detector, values: list[float]) -> None:
    before, after = expected(detector, values), expected(detector, [-v for v in values])
    assert after.low == pytest.approx(-before.high, rel=1e-6, abs=1e-4)
    assert after.high == pytest.approx(-before.low, rel=1e-6, abs=1e-4)


@pytest.mark.parametrize("detector", [*LEARNING.values(), DETECTORS["SeasonalArima"]])
@few
@given(st.floats(-1e12, 1e12), st.integers(30, 60))
def test_a_constant_series_is_expected_to_stay_constant(
    detector: Detector, value: float, size: int
) -> None:
    result = expected(detector, [value] * size)
    assert result.holds(value)
    assert result.high - result.low <= 1e-9 * abs(value)
    assert not result.holds(value + 1 + abs(value) / 100)


@every_detector
@few
@given(st.lists(any_number, max_size=24))
def test_any_history_has_an_answer(detector: Detector, values: list[float]) -> None:
    for result in ranges(detector, daily([*values, 0.0]))[-3:]:
        match result:
            case Expectation():
                assert result.low <= result.high
                assert 0 <= result.confidence <= 1
                assert not result.holds(math.nan)
                assert result.reason
            case NotEnough():
                assert 0 <= result.have < result.need


@every_detector
@few
@given(st.lists(numbers, min_size=40, max_size=60), st.data())
def test_batches_without_a_number_are_passed_over(
    detector: Detector, values: list[float], data: st.DataObject
) -> None:
    if detector is DETECTORS["SeasonalArima"]:
        values = [1.0] * len(values)
    points = daily(values)
    time = points[-1].time + timedelta(days=1)
    nan = Point(START, data.draw(st.sampled_from([math.nan, math.inf, -math.inf])))
    at = data.draw(st.integers(0, len(points)))
    assert detector.expect([*points[:at], nan, *points[at:]], time) == detector.expect(points, time)


@learning
def test_too_few_batches_say_how_many_are_needed(detector: Detector) -> None:
    points = daily([float(n % 7 + n % 3) for n in range(40)])
    answers = ranges(detector, points)
    needed = next(n for n, answer in enumerate(answers) if isinstance(answer, Expectation))
    assert needed >= 7
    for have, answer in enumerate(answers):
        if have < needed:
            assert answer == NotEnough(have, needed)
        else:
            assert isinstance(answer, Expectation)


@learning
@few
@given(histories, st.lists(any_number, min_size=1, max_size=3), st.lists(any_number, max_size=3))
def test_no_range_depends_on_the_judged_value_or_later_ones(
    detector: Detector, values: list[float], later: list[float], others: list[float]
) -> None:
    size = len(values)
    one, other = ranges(detector, daily(values + later)), ranges(detector, daily(values + others))
    assert one[:size] == other[:size]
    if others:
        assert one[size] == other[size]


STEADY = [(name, "steady", size) for name in LEARNING for size in (16, 60)]
WEEKLY = [
    (name, "weekly", size)
    for name in ("HoltWinters", "Seasonal", "DifferencedWeekly")
    for size in (16, 60)
]


@pytest.mark.parametrize(("name", "kind", "size"), STEADY + WEEKLY)
def test_false_alarms_are_as_many_as_the_confidence_says(name: str, kind: str, size: int) -> None:
    detector = _two_deviations(LEARNING[name])
    rng = np.random.default_rng(20260105)
    week = np.array([0.0, 4.0, 2.0, 1.0, 0.0, -12.0, -16.0]) * (kind == "weekly")
    wrong, risk, missed, rounds = 0, 0.0, 0, 400
    for _ in range(rounds):
        values = 100 + week[np.arange(size + 1) % 7] + rng.normal(size=size + 1)
        result = expected(detector, values[:-1].tolist())
        wrong += not result.holds(values[-1])
        missed += result.holds(values[-1] + 20)
        risk += 1 - result.confidence
    # chance, and two in a hundred more; fewer are welcome as long as the detector is not blind
    assert wrong <= risk + 3 * math.sqrt(risk) + 0.02 * rounds
    assert missed <= 0.05 * rounds


def _two_deviations(detector: Detector) -> Detector:
    if isinstance(detector, Differenced):
        return replace(detector, detector=_two_deviations(detector.detector))
    assert isinstance(detector, Deviations)
    return replace(detector, lower=2.0, upper=2.0)


def test_times_without_a_zone_are_in_utc() -> None:
    points = daily([float(n % 7) + n % 2 for n in range(30)])
    plain = [Point(point.time.replace(tzinfo=None), point.value) for point in points]
    time: datetime = points[-1].time + timedelta(days=1)
    seasonal = DETECTORS["Seasonal"]
    assert seasonal.expect(plain, time.replace(tzinfo=None)) == seasonal.expect(points, time)


def test_held_points_do_not_train() -> None:
    detector = LEARNING["BatchNormal"]
    points: Sequence[Point] = daily([1.0, 2.0] * 10 + [50.0] + [1.5])
    assert ranges(detector, points, hold=True)[-1] == detector.expect(points[:20], points[-1].time)
    assert ranges(detector, points)[-1] == detector.expect(points[:21], points[-1].time)
