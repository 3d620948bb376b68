"""Replay recurring data sets through the gate: incidents, right reasons, and false alarms.

    python -m benchmarks.incidents [--verbose] [--quick] [--check] [DATASET ...]

Batches are judged in order, each with only the batches before it. A reviewer follows the README of
the data set: what was wrong only once is rejected, and what stays so from then on is released.
Other held batches are released too.

For each data set, the table shows the batches, and how many of them were held and warned. An
incident of the README is caught if its batch was held or warned. Other holds after the 30th batch
are

- *errors* in the data that the README does not list;
- *changes* of the source that stayed;
- *false* holds.

Errors and changes were found by looking at the rows. They are printed above the table with their
evidence (`benchmarks.support.held_batches`). The last rates are holds per 100 batches: only false
ones, and all three kinds.

The second table shows, for each data set and for all together:

- *right reason*: caught incidents whose first problem has an expected cause. The expected causes
  follow from the text of the README (`benchmarks.support.expected_causes`). If the README names the
  columns, the problem must be about one of them.
- *right in any problem*: the same for any problem of the verdict.
- *useful* warnings after the 30th batch, and their share. *Others / 100* is the rate of all other
  warnings per 100 batches.

A warning is useful if its batch is

- an incident, a disturbed day or a legitimate change that the README lists, or
- an explained error or change.

No other warning counts as useful, even if it reports something true.

Goals: no incident is missed, and there is at most 1 false hold per 100 batches.

Data: nine recurring data sets. All were used during development: their holds were explained one by
one, and the gate was improved on them.
Time on 2 cores: about 1 hour; 1 to 2 minutes with ``--quick``. With ``--cache FOLDER``, batches are
measured once, and later runs only judge them.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from assay import Gate, MemoryStore, Verdict
from assay.gate.backtest import Backtest, replay
from assay.store.verdict import Decision
from benchmarks.support.command import add_cache_option, benchmark_parser, run_benchmark
from benchmarks.support.cpu import Meter
from benchmarks.support.goals import Goal
from benchmarks.support.held_batches import evidence_of
from benchmarks.support.incident_outcome import Outcome, classify_verdicts, starts_with_any
from benchmarks.support.output import count, create_table, percent
from benchmarks.support.recurring import CASES, Case, measure_case, start_session
from tools.real_data import real_data_path

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_MAX_FALSE_HOLDS = 1.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    parser = benchmark_parser("incidents", __doc__, quick="some batches of two data sets")
    parser.add_argument("datasets", nargs="*", help="replay only these data sets")
    parser.add_argument("--verbose", action="store_true", help="print every batch that was held")
    add_cache_option(parser)
    return run_benchmark(parser, arguments, measure)


def measure(options: argparse.Namespace, out: Console) -> list[Goal]:
    """Replay the chosen data sets."""
    cases = [case for case in CASES if not options.datasets or case.name in options.datasets]
    if options.quick:
        cases = [case for case in cases if case.quick is not None]
    real_data_path("recurring")
    outcomes = []
    spark = start_session(cases, options.cache, quick=options.quick)
    try:
        for case in cases:
            with Meter() as meter:
                within = case.quick if options.quick else None
                backtest = _replay_case(case, spark, within, options.cache)
            outcome = classify_verdicts(case, backtest, meter.wall)
            outcomes.append(outcome)
            for line in _describe(outcome):
                out.print(f"{case.name}: {line}", markup=False, highlight=False)
            if options.verbose:
                out.print(str(backtest), markup=False)
    finally:
        if spark is not None:
            spark.stop()
    out.print(_create_summary(outcomes))
    out.print(create_table_of_reasons(outcomes))
    goals = [
        Goal(
            name=f"{outcome.case.name}: incidents missed",
            actual=len(outcome.missed),
            at_most=0,
            decimals=0,
        )
        for outcome in outcomes
    ]
    goals += [
        Goal(
            name=f"{outcome.case.name}: false holds per 100 batches",
            actual=outcome.hold_rate("false"),
            at_most=_MAX_FALSE_HOLDS,
        )
        for outcome in outcomes
    ]
    return goals


def _describe(outcome: Outcome) -> Iterator[str]:
    """Describe the incidents caught and missed, and every other hold with its reason."""
    yield (
        f"{count(len(outcome.backtest), 'batch', 'batches')}, {outcome.seconds:.0f} s:"
        f" {len(outcome.caught)} of {count(outcome.n_incidents, 'incident')} caught,"
        f" {count(len(outcome.held['false']), 'false hold')}"
    )
    yield from (f"incident missed: {key}" for key in outcome.missed)
    right = outcome.with_right_reason
    for verdict in outcome.caught:
        if verdict not in right:
            yield f"{verdict.batch.key}, incident with another reason: {verdict.problems[0]}"
    for kind in ("error", "change"):
        for verdict in outcome.held[kind]:
            key = verdict.batch.key
            yield f"{key} held, {kind}: {evidence_of(outcome.case.name, key)}"
    for verdict in outcome.held["false"]:
        yield f"{verdict.batch.key} held, false: {verdict.alarms[0]}"


def _replay_case(
    case: Case, spark: SparkSession | None, within: tuple[str, str] | None, cache: Path | None
) -> Backtest:
    def release(verdict: Verdict) -> bool:
        return not starts_with_any(verdict.batch.key, case.once)

    measured = measure_case(case, spark, within, cache)
    return replay(Gate(case.name, MemoryStore()).spec, measured, release)


def _create_summary(outcomes: list[Outcome]) -> Table:
    headings = (
        *("batches", "held", "warned", "caught", "missed"),
        *("errors", "changes", "false", "false /\n100", "all /\n100"),
    )
    table = create_table("recurring data sets, replayed", "data set", headings)
    table.columns[0].no_wrap = True
    for outcome in outcomes:
        decisions = outcome.backtest.counts
        table.add_row(
            outcome.case.name,
            f"{len(outcome.backtest)}",
            f"{decisions[Decision.HOLD]}",
            f"{decisions[Decision.WARN]}",
            f"{len(outcome.caught)}",
            f"{len(outcome.missed)}",
            *(f"{len(verdicts)}" for verdicts in outcome.held.values()),
            f"{outcome.hold_rate('false'):.1f}",
            f"{outcome.hold_rate('error', 'change', 'false'):.1f}",
        )
    return table


def create_table_of_reasons(outcomes: list[Outcome]) -> Table:
    """Return the incidents with the right reason and the useful warnings, per set and in all."""
    headings = (
        *("incidents", "caught", "right\nreason", "right in\nany problem"),
        *("warnings\nafter 30", "useful", "useful,\nshare", "others\n/ 100"),
    )
    table = create_table("reasons of incidents, and warnings", "data set", headings)
    table.columns[0].no_wrap = True
    for outcome in outcomes:
        table.add_row(outcome.case.name, *_reason_cells([outcome]))
    if len(outcomes) > 1:
        table.add_section()
        table.add_row("all", *_reason_cells(outcomes))
    return table


def _reason_cells(outcomes: Sequence[Outcome]) -> Iterator[str]:
    for count_verdicts in (
        lambda outcome: outcome.n_incidents,
        lambda outcome: len(outcome.caught),
        lambda outcome: len(outcome.with_right_reason),
        lambda outcome: len(outcome.with_right_problem),
    ):
        yield f"{sum(map(count_verdicts, outcomes))}"
    useful = sum(len(outcome.useful_warnings) for outcome in outcomes)
    others = sum(len(outcome.other_warnings) for outcome in outcomes)
    counted = sum(outcome.n_counted for outcome in outcomes)
    yield f"{useful + others}"
    yield f"{useful}"
    yield percent(useful / (useful + others) if useful + others else math.nan, 0)
    yield f"{100 * others / counted:.1f}" if counted else "-"


if __name__ == "__main__":
    sys.exit(main())
