"""Measure which share of a team's alarms is false, for five ways to set the level of each test.

    python -m benchmarks.fdr [--years N] [--quick] [--check]

It simulates the daily batches of 1,000 datasets. Good batches have heavy tails, and depend on each
other in several ways (`benchmarks.support.team_streams`). The ways are:

- a fixed rate of 1 false alarm in 200 batches of each dataset;
- Bonferroni: 0.1 false alarms a day, divided over the datasets of the team;
- LORD++ (Ramdas et al. 2017), which never forgets;
- LORD with decay, in which an alarm raises the level of the next test;
- `assay.learn.false_discovery.OnlineFdr`, in which it raises the levels of the next day.

The *FDR with memory* is the expected share of remembered alarms that are false, at the end of a
day. An alarm has half its weight after three weeks. No alarm counts as a share of 0.

Goals, in each scenario with valid p-values, for `OnlineFdr` with a share of 10 %:

- the FDR with memory is at most 10 %;
- if there are incidents, at least 75 % of those are caught that a fixed rate catches.

The last scenario has heavier tails than the p-values assume. It has no goal: no method keeps its
promise if p-values are wrong.

Data: simulated, with fixed seeds.
Time on 2 cores: about 3 minutes; half a minute with ``--quick``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from rich.console import Console

from assay.learn.false_discovery import OnlineFdr
from benchmarks.support.command import benchmark_parser, run_benchmark
from benchmarks.support.goals import Goal
from benchmarks.support.output import create_table, percent
from benchmarks.support.team_streams import (
    DATASETS,
    SCENARIOS,
    Bools,
    Floats,
    Scenario,
    TeamYear,
    simulate_year,
)

SHARE_FALSE = 0.1
_FIXED_RATE = 1 / 200
_MEMORY_DAYS = 30
DECAY = 1 - 1 / (_MEMORY_DAYS * DATASETS)
#: least share of the incidents caught by the fixed rate that `OnlineFdr` catches, too
_MIN_CAUGHT_RATIO = 0.75
_YEARS, _QUICK_YEARS = 5, 3
#: with --quick, every third scenario is simulated
_QUICK_STEP = 3
#: p-values that are searched for the next alarm at once
_SEARCHED = 4096

#: returns which p-values raise an alarm
Rule = Callable[[Floats], Bools]


@dataclass
class Tally:
    """The alarms of one way, over all simulated years."""

    alarms: int = 0
    false_alarms: int = 0
    incidents: int = 0
    memory_shares: list[Floats] = field(default_factory=list)

    def add(self, year: TeamYear, alarms: Bools) -> None:
        """Add the alarms of a year."""
        is_false = alarms & ~year.is_incident
        self.alarms += int(alarms.sum())
        self.false_alarms += int(is_false.sum())
        self.incidents += int(year.is_incident.sum())
        remembered_false, remembered = _remember(is_false), _remember(alarms)
        self.memory_shares.append(remembered_false / np.maximum(remembered, 1))

    @property
    def share_false(self) -> float:
        """The share of all alarms that are false."""
        return self.false_alarms / self.alarms if self.alarms else float("nan")

    @property
    def caught(self) -> float:
        """The share of incidents that raise an alarm."""
        if not self.incidents:
            return float("nan")
        return (self.alarms - self.false_alarms) / self.incidents

    @property
    def memory_fdr(self) -> float:
        """The FDR with memory, over all days and years."""
        return float(np.mean(self.memory_shares))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    parser = benchmark_parser("fdr", __doc__, quick="three years of every third scenario")
    parser.add_argument("--years", type=int, help=f"years of each scenario (default: {_YEARS})")
    return run_benchmark(parser, arguments, measure)


def measure(options: argparse.Namespace, out: Console) -> list[Goal]:
    """Simulate all scenarios."""
    years = options.years or (_QUICK_YEARS if options.quick else _YEARS)
    goals: list[Goal] = []
    for scenario in SCENARIOS[:: _QUICK_STEP if options.quick else 1]:
        simulated = (simulate_year(scenario, np.random.default_rng(year)) for year in range(years))
        tallies = evaluate(simulated)
        print_tallies(scenario, tallies, years, out)
        if scenario.is_valid:
            goals += _goals(scenario, tallies)
    return goals


def evaluate(years: Iterable[TeamYear]) -> Mapping[str, Tally]:
    """Apply all ways to the same years."""
    tallies = {name: Tally() for name in RULES}
    for year in years:
        p_values = year.p_values.ravel()
        for name, rule in RULES.items():
            tallies[name].add(year, rule(p_values).reshape(year.p_values.shape))
    return tallies


def print_tallies(
    scenario: Scenario, tallies: Mapping[str, Tally], years: int, out: Console
) -> None:
    """Print the figures of all ways in one scenario."""
    note = "" if scenario.is_valid else " (no promise: p-values are not valid)"
    table = create_table(
        f"{scenario.name}, {percent(scenario.incident_rate)} of the batches are incidents{note}",
        "way",
        ("alarms that are false", "FDR with memory", "incidents caught", "false alarms a year"),
    )
    for name, tally in tallies.items():
        shares = (tally.share_false, tally.memory_fdr, tally.caught)
        table.add_row(name, *map(percent, shares), f"{tally.false_alarms / years:,.1f}")
    out.print(table)


def _goals(scenario: Scenario, tallies: Mapping[str, Tally]) -> list[Goal]:
    tally = tallies[_ASSAY]
    fdr = Goal(
        name=f"FDR with memory, {scenario.name}",
        actual=100 * tally.memory_fdr,
        at_most=100 * SHARE_FALSE,
        decimals=1,
        unit=" %",
    )
    if not tally.incidents:
        return [fdr]
    caught = Goal(
        name=f"incidents caught / caught by a fixed rate, {scenario.name}",
        actual=tally.caught / tallies[_FIXED].caught,
        at_least=_MIN_CAUGHT_RATIO,
    )
    return [fdr, caught]


def lord(p_values: Floats) -> Bools:
    """Return the alarms of LORD++ without decay, with the weights of Ramdas et al. (2017)."""
    times = np.arange(1, len(p_values) + 1)
    weights = np.log(np.maximum(times, 2)) / (times * np.exp(np.sqrt(np.log(times))))
    weights /= weights.sum()
    start = SHARE_FALSE / 2
    levels = start * weights
    alarms = np.zeros(len(p_values), dtype=bool)
    reward = SHARE_FALSE - start
    time = _next_alarm(p_values, levels, 0)
    while time is not None:
        alarms[time] = True
        levels[time + 1 :] += reward * weights[: len(weights) - time - 1]
        reward = SHARE_FALSE
        time = _next_alarm(p_values, levels, time + 1)
    return alarms


def _next_alarm(p_values: Floats, levels: Floats, since: int) -> int | None:
    for start in range(since, len(p_values), _SEARCHED):
        span = slice(start, start + _SEARCHED)
        places = np.flatnonzero(p_values[span] <= levels[span])
        if len(places):
            return start + int(places[0])
    return None


def online(p_values: Floats, settle_every: int) -> Bools:
    """Return the alarms of `OnlineFdr`, whose credit is settled after some tests each."""
    state, alarms = OnlineFdr(SHARE_FALSE, decay=DECAY), list[bool]()
    for time, p_value in enumerate(p_values.tolist()):
        if time % settle_every == 0:
            state = state.settle()
        alarm, state = state.after(p_value)
        alarms.append(alarm)
    return np.array(alarms)


def fixed(p_values: Floats, level: float) -> Bools:
    """Return the alarms at one level."""
    return np.less_equal(p_values, level)


def _remember(of_days: Bools) -> Floats:
    """Return the number of alarms up to each day, with their weights at its end."""
    remembered = [0.0]
    for count in of_days.sum(axis=1).tolist():
        remembered.append(DECAY**DATASETS * remembered[-1] + count)
    return np.array(remembered[1:])


_FIXED, _ASSAY = "fixed 1/200", "OnlineFdr, settled daily"
RULES: Mapping[str, Rule] = {
    _FIXED: partial(fixed, level=_FIXED_RATE),
    "Bonferroni over the team": partial(fixed, level=SHARE_FALSE / DATASETS),
    "LORD++": lord,
    "LORD with decay": partial(online, settle_every=1),
    _ASSAY: partial(online, settle_every=DATASETS),
}

if __name__ == "__main__":
    sys.exit(main())
