"""The paper's examples: anomalies in the size of a delta (listing 1), spikes of a mean (5.4)."""

from __future__ import annotations

import math

import pytest

from assay.learn.anomaly import Differenced, OnlineNormal
from tests.learn.anomaly.series import alarms, daily, expected

#: mean 1000, standard deviation 20
SIZES = [1000.0 + off for off in (20.0, -20.0) * 20]
WARNING, ERROR = OnlineNormal(lower=3.0, upper=3.0), OnlineNormal(lower=4.0, upper=4.0)


@pytest.mark.parametrize(
    ("size", "warned", "failed"),
    [(1040.0, False, False), (1072.0, True, False), (1100.0, True, True), (500.0, True, True)],
)
def test_listing_1_warns_beyond_three_and_fails_beyond_four_deviations(
    size: float, warned: bool, failed: bool
) -> None:
    assert expected(WARNING, SIZES).holds(size) is not warned
    assert expected(ERROR, SIZES).holds(size) is not failed


def test_an_anomaly_does_not_train() -> None:
    clean = expected(WARNING, SIZES)
    after = expected(WARNING, [*SIZES, 5000.0, 0.0])
    assert (after.low, after.high) == pytest.approx((clean.low, clean.high))
    poisoned = expected(OnlineNormal(ignore_anomalies=False), [*SIZES, 5000.0, 0.0])
    assert poisoned.holds(2000.0)


def test_at_the_start_everything_trains() -> None:
    assert expected(OnlineNormal(), [5000.0, *SIZES]).holds(2000.0)
    assert not expected(OnlineNormal(), [*SIZES[:20], 5000.0, *SIZES]).holds(2000.0)
    assert expected(OnlineNormal(ignore_start=0.5), [*SIZES[:20], 5000.0, *SIZES]).holds(2000.0)


def test_section_5_4_marks_spikes_of_the_mean_only_upwards() -> None:
    calm = [0.03 + 0.004 * math.sin(day * 1.7) for day in range(60)]
    spiky = [*calm[:40], 0.09, *calm[41:50], 0.001, *calm[51:]]
    upper = OnlineNormal(lower=None, upper=3.0)
    assert alarms(upper, daily(calm)) == []
    assert alarms(upper, daily(spiky)) == ["2026-02-14"]


def test_section_3_4_differencing_makes_a_growing_series_steady() -> None:
    growing = [100.0 + 10 * day + (day % 3) for day in range(40)]
    assert alarms(Differenced(OnlineNormal()), daily(growing)) == []
    stuck = [*growing, growing[-1] - 200]
    assert alarms(OnlineNormal(), daily(stuck)) == []
    assert alarms(Differenced(OnlineNormal()), daily(stuck)) == ["2026-02-14"]
