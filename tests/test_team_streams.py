"""The simulated p-values of a team, on which `benchmarks.fdr` relies."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.fdr import lord
from benchmarks.support.team_streams import SCENARIOS, Scenario, simulate_year

BY_NAME = {scenario.name: scenario for scenario in SCENARIOS}
DEPENDENT = Scenario(name="dependent", block=20, correlation=0.9, autocorrelation=0.9, spreads=True)


@pytest.mark.parametrize("scenario", [BY_NAME["independent"], DEPENDENT], ids=lambda s: str(s.name))
def test_p_values_of_good_batches_are_uniform(scenario: Scenario) -> None:
    year = simulate_year(scenario, np.random.default_rng(5))

    good = year.p_values[~year.is_incident]
    for level in (0.01, 0.1, 0.5):
        assert np.mean(good <= level) == pytest.approx(level, rel=0.2)
    assert year.is_incident.mean() == pytest.approx(scenario.incident_rate, rel=0.2)
    assert np.median(year.p_values[year.is_incident]) < 1e-4


def test_datasets_of_a_block_deviate_together() -> None:
    p_values = simulate_year(DEPENDENT, np.random.default_rng(5)).p_values

    small = p_values <= 0.01
    assert np.mean(small[:, 1][small[:, 0]]) > 0.3
    assert np.mean(small[:, 500][small[:, 0]]) < 0.1


def test_p_values_are_too_small_if_tails_are_heavier_than_assumed() -> None:
    year = simulate_year(BY_NAME["tails heavier than assumed"], np.random.default_rng(5))

    assert np.mean(year.p_values[~year.is_incident] <= 0.001) > 0.002


def test_lord_without_decay_spends_what_its_alarms_earned() -> None:
    # the first alarm adds the first weight, the largest, to the level of the next test
    p_values = np.full(1000, 0.5)
    p_values[[10, 11]] = 1e-12, 0.004

    assert np.flatnonzero(lord(p_values)).tolist() == [10, 11]
