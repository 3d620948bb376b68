"""Simulated p-values of a team's datasets, with true incidents and several kinds of dependence."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy import stats

__all__ = ["DATASETS", "SCENARIOS", "Scenario", "TeamYear", "simulate_year"]

DATASETS, _DAYS = 1_000, 365
#: metrics of recurring tables have tails like Student's t with few degrees of freedom
_DEGREES_OF_FREEDOM = 4
#: an incident moves a metric by 3 to 1,000 times its scale
_MIN_SHIFT, _MAX_SHIFT = 3.0, 1_000.0

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Rng = np.random.Generator


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """How the good batches of a team depend on each other, and how frequent incidents are.

    The dependence is Student's: datasets of a block share the days on which all tails are large.
    The p-values of good batches are uniform, unless `assumed_degrees` differs from the truth.

    Parameters
    ----------
    name
        What the output calls it.
    block
        Number of datasets that one upstream source feeds.
    correlation
        Correlation of the datasets of a block.
    autocorrelation
        Correlation of a dataset with itself on the day before.
    incident_rate
        Share of batches with a true incident.
    spreads
        Whether incidents begin in a source, and reach half of its block.
    assumed_degrees
        Degrees of freedom by which p-values are computed.
    """

    name: str
    block: int = 1
    correlation: float = 0.0
    autocorrelation: float = 0.0
    incident_rate: float = 0.01
    spreads: bool = False
    assumed_degrees: float = _DEGREES_OF_FREEDOM

    @property
    def is_valid(self) -> bool:
        """True if p-values of good batches are uniform."""
        return self.assumed_degrees == _DEGREES_OF_FREEDOM


_SOURCES = Scenario(name="blocks of 20, correlation 0.9", block=20, correlation=0.9)
SCENARIOS = (
    Scenario(name="independent"),
    Scenario(name="independent, no incidents", incident_rate=0.0),
    Scenario(name="blocks of 20, correlation 0.5", block=20, correlation=0.5),
    _SOURCES,
    replace(_SOURCES, name="blocks of 20, rare incidents", incident_rate=0.005),
    replace(_SOURCES, name="blocks of 20, frequent incidents", incident_rate=0.02),
    replace(_SOURCES, name="blocks of 20, incidents spread", spreads=True),
    replace(_SOURCES, name="blocks of 20, autocorrelation 0.9", autocorrelation=0.9),
    Scenario(name="autocorrelation 0.9", autocorrelation=0.9),
    Scenario(name="one block of 1,000, correlation 0.2", block=DATASETS, correlation=0.2),
    Scenario(name="tails heavier than assumed", assumed_degrees=6),
)


@dataclass(frozen=True)
class TeamYear:
    """The p-values of a year, and the true incidents: one row for each day."""

    p_values: Floats
    is_incident: Bools


def simulate_year(scenario: Scenario, rng: Rng) -> TeamYear:
    """Simulate the batches of all datasets over a year."""
    sources = DATASETS // scenario.block
    shared = _spread(_series(sources, scenario.autocorrelation, rng), scenario)
    of_datasets = _series(DATASETS, scenario.autocorrelation, rng)
    normal = (
        math.sqrt(scenario.correlation) * shared + math.sqrt(1 - scenario.correlation) * of_datasets
    )
    tails = rng.chisquare(_DEGREES_OF_FREEDOM, (_DAYS, sources)) / _DEGREES_OF_FREEDOM
    deviations = np.abs(normal / np.sqrt(_spread(tails, scenario)))
    is_incident = _incidents(scenario, rng)
    log_shifts = rng.uniform(math.log(_MIN_SHIFT), math.log(_MAX_SHIFT), deviations.shape)
    deviations += np.where(is_incident, np.exp(log_shifts), 0.0)
    p_values = 2 * stats.t.sf(deviations, scenario.assumed_degrees)
    return TeamYear(np.asarray(p_values, dtype=float), is_incident)


def _series(columns: int, autocorrelation: float, rng: Rng) -> Floats:
    """Return standard normal series of a year, one in each column."""
    series = rng.standard_normal((_DAYS, columns))
    for day in range(1, _DAYS):
        noise = math.sqrt(1 - autocorrelation**2) * series[day]
        series[day] = autocorrelation * series[day - 1] + noise
    return series


def _incidents(scenario: Scenario, rng: Rng) -> Bools:
    if not scenario.spreads:
        return rng.random((_DAYS, DATASETS)) < scenario.incident_rate
    reached = 0.5
    at_source = rng.random((_DAYS, DATASETS // scenario.block)) < scenario.incident_rate / reached
    spread = np.repeat(at_source, scenario.block, axis=1)
    return spread & (rng.random((_DAYS, DATASETS)) < reached)


def _spread(of_sources: Floats, scenario: Scenario) -> Floats:
    """Return the series of each source for all datasets of its block."""
    return np.repeat(of_sources, scenario.block, axis=1)
