"""Replay every recurring data set through the gate and count incidents missed and false holds.

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

Goals: no incident is missed, and there is at most 1 false hold per 100 batches.

Data: nine recurring data sets. All were used during development: their holds were explained one by
one, and the gate was improved on them.
Time on 2 cores: about 1 hour; 1 to 2 minutes with ``--quick``.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from assay import Gate, MemoryStore, Verdict, local_session
from assay.gate.backtest import Backtest, replay
from assay.gate.measure_files import measure_files
from assay.io.batch_files import BatchFile, batch_files
from assay.store.verdict import Decision
from benchmarks.support.command import benchmark_parser, run_benchmark
from benchmarks.support.cpu import Meter
from benchmarks.support.goals import Goal
from benchmarks.support.held_batches import HoldKind, evidence_of, kind_of
from benchmarks.support.output import count, create_table
from tools.real_data import real_data_path

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: holds of the first batches are not counted: the history is too short
_FIRST_COUNTED = 30
_MAX_FALSE_HOLDS = 1.0


@dataclass(frozen=True)
class Case:
    """A data set and the incidents that its README lists, by the beginning of the batch key."""

    name: str
    incidents: tuple[str, ...]
    #: incidents that ended with the next batch; all others stay as they are
    once: tuple[str, ...] = ()
    #: folders of batches, one after the other
    parts: tuple[str, ...] = ("batches",)
    #: by folder, the member of a JSON document that holds the table; "" for the document itself
    members: Mapping[str, str] = field(default_factory=dict)
    #: first and last batch of the sample with --quick, which contains an incident
    quick: tuple[str, str] | None = None


def _keys(text: str) -> tuple[str, ...]:
    return tuple(text.split())


CASES = (
    # a storm is not an error of the data: holds on these days count as false
    Case("nycflights13_daily", ()),
    Case("online_retail_by_day", ()),
    Case("ourairports_regions", _keys("2022-06-24 2025-01-31"), _keys("2025-01-31")),
    Case("jhu_us_daily", _keys("2020-08-28 2020-11-09 2021-03-07"),
         quick=("2020-07-25", "2020-09-03")),
    Case(
        "jhu_global_daily",
        _keys(
            "2020-03-01 2020-03-22 2020-05-29 2020-11-09 2020-01-23 2020-01-31 2020-02-02"
            " 2020-03-23 2020-03-28 2020-03-31 2020-04-02 2020-04-04 2020-04-06"
        ),
        _keys("2020-04-02 2020-04-04 2020-04-06"),
    ),
    Case(
        "covid_tracking_states",
        # 2021-03-07 brought the last new values; 2021-03-16 is the first batch that repeats most
        _keys(
            "2020-08-17 2020-03-11 2020-03-12 2020-03-20 2020-03-21 2020-03-26 2020-03-27"
            " 2020-03-30 2020-04-02 2020-04-24 2020-06-02 2020-06-10 2020-07-08 2020-08-14"
            " 2020-08-25 2020-09-18 2020-10-05 2020-10-16 2021-02-15 2021-02-23 2021-03-16"
        ),
        _keys("2020-08-17"),
    ),
    Case(
        "hhs_hospital_utilization",
        # these include byte-order marks that appear and disappear
        _keys(
            "2022-11-19 2022-12-10 2020-08-02T2335 2020-11-22T1834 2020-07-20T2009 2020-07-30T0129"
            " 2020-07-30T2341 2020-07-31 2020-08-01 2020-08-03 2021-04-03"
        ),
        _keys("2022-11-19 2022-12-10 2020-08-02T2335 2020-11-22T1834"),
    ),
    # two feeds: the second one has a new name and other fields
    Case(
        "ca_fires",
        _keys("2021-09-02 2023-03-04 2023-06-28 2023-07-12 2024-07-28"),
        _keys("2023-03-04 2024-07-28"),
        ("batches", "v2_batches"),
        {"batches": "AllYearIncidents", "v2_batches": ""},
        quick=("2022-11-01", "2023-07-17"),
    ),
    # `benchmarks.novelty` covers its dirty version
    Case("fbposts", (), parts=("clean",)),
)  # fmt: skip


@dataclass
class Outcome:
    """The verdicts on one data set, and what they mean."""

    case: Case
    backtest: Backtest
    seconds: float
    caught: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)
    #: holds that are not incidents, by kind
    held: dict[HoldKind, list[Verdict]] = field(
        default_factory=lambda: {"error": [], "change": [], "false": []}
    )

    def rate(self, *kinds: HoldKind) -> float:
        """Return the holds of some kinds per 100 batches after the 30th."""
        counted = len(self.backtest) - _FIRST_COUNTED
        holds = sum(len(self.held[kind]) for kind in kinds)
        return 100 * holds / counted if counted > 0 else 0.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    parser = benchmark_parser("incidents", __doc__, quick="some batches of two data sets")
    parser.add_argument("datasets", nargs="*", help="replay only these data sets")
    parser.add_argument("--verbose", action="store_true", help="print every batch that was held")
    return run_benchmark(parser, arguments, measure)


def measure(options: argparse.Namespace, out: Console) -> list[Goal]:
    """Replay the chosen data sets."""
    cases = [case for case in CASES if not options.datasets or case.name in options.datasets]
    if options.quick:
        cases = [case for case in cases if case.quick is not None]
    real_data_path("recurring")
    outcomes = []
    spark = local_session("assay-benchmark")
    try:
        for case in cases:
            with Meter() as meter:
                backtest = _replay_case(case, spark, case.quick if options.quick else None)
            outcome = _classify_verdicts(case, backtest, meter.wall)
            outcomes.append(outcome)
            for line in _describe(outcome):
                out.print(f"{case.name}: {line}", markup=False, highlight=False)
            if options.verbose:
                out.print(str(backtest), markup=False)
    finally:
        spark.stop()
    out.print(_create_summary(outcomes))
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
            actual=outcome.rate("false"),
            at_most=_MAX_FALSE_HOLDS,
        )
        for outcome in outcomes
    ]
    return goals


def _describe(outcome: Outcome) -> Iterator[str]:
    """Describe the incidents caught and missed, and every other hold with its reason."""
    incidents = len(outcome.caught) + len(outcome.missed)
    yield (
        f"{count(len(outcome.backtest), 'batch', 'batches')}, {outcome.seconds:.0f} s:"
        f" {len(outcome.caught)} of {count(incidents, 'incident')} caught,"
        f" {count(len(outcome.held['false']), 'false hold')}"
    )
    yield from (f"incident missed: {key}" for key in outcome.missed)
    for kind in ("error", "change"):
        for verdict in outcome.held[kind]:
            key = verdict.batch.key
            yield f"{key} held, {kind}: {evidence_of(outcome.case.name, key)}"
    for verdict in outcome.held["false"]:
        yield f"{verdict.batch.key} held, false: {verdict.alarms[0]}"


def _replay_case(case: Case, spark: SparkSession, within: tuple[str, str] | None) -> Backtest:
    gate = Gate(case.name, MemoryStore())
    with tempfile.TemporaryDirectory() as folder:
        files: list[BatchFile] = []
        for part in case.parts:
            part_files = batch_files(real_data_path("recurring", case.name, part))
            if within is not None:
                first, last = within
                part_files = [file for file in part_files if first <= file.key <= last]
            member = case.members.get(part)
            if member is None:
                files += part_files
            else:
                files += _extract_records(part_files, member, Path(folder))
        deliveries = measure_files(gate.spec, spark, files)

    def release(verdict: Verdict) -> bool:
        return not _starts_with_any(verdict.batch.key, case.once)

    return replay(gate.spec, deliveries, release)


def _extract_records(files: Sequence[BatchFile], member: str, folder: Path) -> Iterator[BatchFile]:
    """Write the records of JSON documents as JSON lines. Empty files stay empty."""
    for file in files:
        data = gzip.decompress(file.path.read_bytes())
        path = folder / file.path.name.removesuffix(".gz")
        if data.strip():
            document = json.loads(data)
            records = document[member] if member else document
            data = "".join(json.dumps(record) + "\n" for record in records).encode() or b"[]"
        path.write_bytes(data)
        yield BatchFile(file.key, file.time, path)


def _classify_verdicts(case: Case, backtest: Backtest, seconds: float) -> Outcome:
    outcome = Outcome(case, backtest, seconds)
    for place, verdict in enumerate(backtest):
        key, alarm = verdict.batch.key, verdict.decision is not Decision.ACCEPT
        if _starts_with_any(key, case.incidents):
            (outcome.caught if alarm else outcome.missed).append(key)
        elif verdict.decision is Decision.HOLD and place >= _FIRST_COUNTED:
            outcome.held[kind_of(case.name, key)].append(verdict)
    return outcome


def _starts_with_any(key: str, beginnings: tuple[str, ...]) -> bool:
    return any(key.startswith(beginning) for beginning in beginnings)


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
            f"{outcome.rate('false'):.1f}",
            f"{outcome.rate('error', 'change', 'false'):.1f}",
        )
    return table


if __name__ == "__main__":
    sys.exit(main())
