"""Online control of the share of alarms that are false."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import CheckError
from assay.learn.false_discovery import OnlineFdr

SHARES = st.floats(0.001, 0.999)
DECAYS = st.floats(0.01, 0.99999)
#: tests by day, with levels that are often reached
DAYS = st.lists(st.lists(st.sampled_from([0.0, 1e-6, 1e-3, 0.01, 0.3, 1.0]), max_size=20))


def test_levels_are_those_of_the_example_by_hand() -> None:
    # a test spends 10 * (1 - 0.98) = 0.2 of the credit
    state = OnlineFdr(0.1, decay=0.98)
    # 0.98 * 1 + 0.02 = 1 is available
    assert state.level == pytest.approx(0.1 * 0.2 * 1)
    alarm, state = state.after(0.5)
    assert not alarm
    assert state.credit == pytest.approx(0.8)
    # 0.98 * 0.8 + 0.02 = 0.804 is available
    assert state.level == pytest.approx(0.1 * 0.2 * 0.804)
    alarm, state = state.after(0.01)
    assert alarm
    assert (state.credit, state.pending) == pytest.approx((0.8 * 0.804, 1.0))
    # the credit of the alarm is forgotten like all credit, also while it is pending
    alarm, state = state.after(0.5)
    assert not alarm
    assert state.credit == pytest.approx(0.8 * (0.98 * 0.6432 + 0.02))
    assert state.pending == pytest.approx(0.98)
    settled = state.settle()
    assert settled.credit == pytest.approx(state.credit + 0.98)
    assert settled.pending == 0


def test_levels_are_the_sums_of_the_formula() -> None:
    share, decay, spent = 0.2, 0.95, 0.5
    rng = np.random.default_rng(3)
    state, settled = OnlineFdr(share, decay=decay), list[int]()
    for time in range(1, 200):
        start = _start(time, decay, spent)
        gammas = (spent * (1 - spent) ** (time - at - 1) * decay ** (time - at) for at in settled)
        assert state.level == pytest.approx(share * (start + sum(gammas)))
        alarm, state = state.after(0.0 if rng.random() < 0.2 else 1.0)
        state = state.settle()
        settled += [time] if alarm else []


def _start(time: int, decay: float, spent: float) -> float:
    """Return what the first credit and the income add to the level at a time."""
    available = 1.0
    for _ in range(time - 1):
        available = decay * (1 - spent) * available + 1 - decay
    return spent * available


@given(SHARES, DECAYS, DAYS)
def test_levels_add_up_to_the_share_of_the_remembered_alarms(
    share: float, decay: float, days: list[list[float]]
) -> None:
    state = OnlineFdr(share, decay=decay)
    spent = alarms = 0.0
    for day in days:
        state = state.settle()
        for p_value in day:
            level = state.level
            alarm, state = state.after(p_value)
            spent, alarms = decay * spent + level, decay * alarms + alarm
            assert state.credit >= 0
            assert state.pending >= 0
            left = alarms + 1 - state.credit - state.pending
            assert spent == pytest.approx(share * left, abs=1e-9)


@given(SHARES, DECAYS, st.integers(1, 500))
def test_the_level_never_exceeds_the_share_and_never_reaches_zero(
    share: float, decay: float, length: int
) -> None:
    for p_value in (0.0, 1.0):
        state = OnlineFdr(share, decay=decay)
        for _ in range(length):
            assert 0 < state.level <= share * (1 + 1e-9)
            state = state.after(p_value)[1].settle()


@given(SHARES, DECAYS, st.lists(st.booleans(), max_size=50), st.integers(0, 49))
def test_another_alarm_lowers_no_later_level(
    share: float, decay: float, alarms: list[bool], extra: int
) -> None:
    fewer = more = OnlineFdr(share, decay=decay)
    for time, alarm in enumerate(alarms):
        assert more.level >= fewer.level
        fewer = fewer.after(0.0 if alarm else 1.0)[1].settle()
        more = more.after(0.0 if alarm or time == extra else 1.0)[1].settle()


def test_alarms_of_a_day_do_not_change_its_levels() -> None:
    quiet = noisy = OnlineFdr(0.1, decay=0.999)
    for _ in range(100):
        assert noisy.level == quiet.level
        quiet, noisy = quiet.after(1.0)[1], noisy.after(0.0)[1]
    assert noisy.settle().level > 2 * quiet.settle().level


def test_after_a_quiet_time_the_level_recovers_with_an_alarm() -> None:
    state = OnlineFdr(0.1, decay=0.999)
    for _ in range(100_000):
        _, state = state.after(1.0)
    quiet = state.level
    # the income is 0.001 of an alarm for each test, and 10 of 11 parts of it are spent
    assert quiet == pytest.approx(0.1 * 0.001 * 10 / 11, rel=0.01)
    assert state.after(0.0)[1].settle().level > 10 * quiet


@pytest.mark.parametrize("share_false", [0.05, 0.1, 0.3])
@pytest.mark.parametrize("incident_rate", [0.0, 0.01, 0.1])
def test_few_alarms_are_false_in_a_simulation(share_false: float, incident_rate: float) -> None:
    rng = np.random.default_rng(11)
    state, alarms, false_alarms = OnlineFdr(share_false, decay=0.999), 0.0, 0.0
    for _ in range(200):
        state = state.settle()
        is_incident = rng.random(200) < incident_rate
        p_values = np.where(is_incident, rng.random(200) ** 8, rng.random(200))
        for p_value, incident in zip(p_values.tolist(), is_incident.tolist(), strict=True):
            alarm, state = state.after(p_value)
            alarms += alarm
            false_alarms += alarm and not incident
    # one of its alarms may be false for each memory of 1,000 tests, 40 in total
    chance = 3 * (share_false * (alarms + 40)) ** 0.5
    assert false_alarms <= share_false * (alarms + 40) + chance
    assert incident_rate == 0 or alarms > 0.2 * incident_rate * 40_000


@pytest.mark.parametrize(
    "arguments",
    [
        {"share_false": 0},
        {"share_false": 1},
        {"share_false": "0.1"},
        {"share_false": True},
        {"share_false": float("nan")},
        {"share_false": 0.1, "decay": 1},
        {"share_false": 0.1, "decay": 0.0},
        {"share_false": 0.1, "credit": -0.1},
        {"share_false": 0.1, "pending": float("inf")},
    ],
)
def test_arguments_out_of_range_are_refused(arguments: dict[str, Any]) -> None:
    with pytest.raises(CheckError) as caught:
        OnlineFdr(**arguments)
    name = list(arguments)[-1]
    assert str(caught.value).startswith(name)
    assert repr(arguments[name]) in str(caught.value)


@pytest.mark.parametrize("p_value", [-0.1, 1.1, float("nan"), None, True])
def test_a_p_value_out_of_range_is_refused(p_value: Any) -> None:
    with pytest.raises(CheckError) as caught:
        OnlineFdr(0.1).after(p_value)
    assert repr(p_value) in str(caught.value)
