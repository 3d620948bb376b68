"""Every recurring data set replayed through the gate: real incidents caught, and false holds.

    python -m benchmarks.incidents [--quick] [--check] [DATASET …]

Batches are judged in order, each with only what came before. A reviewer who knows the data set's
README rejects what was wrong for once, and releases what stays as it is now; other batches that
were held are released too. Prints per data set: batches, held, warned, incidents of the README
caught (held or warned on their day) and missed, and of the other holds after the 30th batch what
they were: *errors* in the data that the README does not list, *changes* of the source that stayed,
each found by looking at the rows and listed above the table with what is there (`known`), and false
holds, per 100 batches; `all` counts errors and changes as false, too. Goals: no incident is missed,
and no more than one false hold in 100 batches.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from rich.box import SIMPLE
from rich.table import Table

from assay import Gate, MemoryStore, Verdict, local_session
from assay.gate.backtest import Backtest, replay
from assay.gate.files import deliveries_in
from assay.io.batch_files import BatchFile, batch_files
from assay.store.verdict import Decision
from benchmarks.support.cpu import Meter
from benchmarks.support.goals import Goal, conclude, console
from benchmarks.support.held_batches import Held, evidence_of, kind_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DATA = Path(os.environ.get("ASSAY_DATA") or Path(__file__).parents[2] / "shared" / "data")
#: the first batches, of which little is known, are not counted
YOUNG = 30


@dataclass(frozen=True)
class Case:
    """A data set, and what its README says of it; keys of batches begin as these."""

    name: str
    incidents: tuple[str, ...]
    #: those that were over with the next batch; the others are how things are from then on
    once: tuple[str, ...] = ()
    #: its folders of batches, one after the other
    parts: tuple[str, ...] = ("batches",)
    #: the member of a JSON document that is the table, by folder; the document itself if empty
    members: Mapping[str, str] = field(default_factory=dict)
    #: the first and the last batch of a sample with an incident
    quick: tuple[str, str] | None = None


def _keys(text: str) -> tuple[str, ...]:
    return tuple(text.split())


CASES = (
    # a storm is no error of the data: days that are held for it count as false
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
        # the values of 2021-03-07 are the last new ones; the first batch that repeats most of them
        # is that of 2021-03-16
        _keys(
            "2020-08-17 2020-03-11 2020-03-12 2020-03-20 2020-03-21 2020-03-26 2020-03-27"
            " 2020-03-30 2020-04-02 2020-04-24 2020-06-02 2020-06-10 2020-07-08 2020-08-14"
            " 2020-08-25 2020-09-18 2020-10-05 2020-10-16 2021-02-15 2021-02-23 2021-03-16"
        ),
        _keys("2020-08-17"),
    ),
    Case(
        "hhs_hospital_utilization",
        # byte-order marks that come and go among them
        _keys(
            "2022-11-19 2022-12-10 2020-08-02T2335 2020-11-22T1834 2020-07-20T2009 2020-07-30T0129"
            " 2020-07-30T2341 2020-07-31 2020-08-01 2020-08-03 2021-04-03"
        ),
        _keys("2022-11-19 2022-12-10 2020-08-02T2335 2020-11-22T1834"),
    ),
    # two feeds, the second under a new name and with other fields
    Case(
        "ca_fires",
        _keys("2021-09-02 2023-03-04 2023-06-28 2023-07-12 2024-07-28"),
        _keys("2023-03-04 2024-07-28"),
        ("batches", "v2_batches"),
        {"batches": "AllYearIncidents", "v2_batches": ""},
        quick=("2022-11-01", "2023-07-17"),
    ),
    # its dirty twin is what `benchmarks.novelty` is about
    Case("fbposts", (), parts=("clean",)),
)  # fmt: skip


@dataclass
class Outcome:
    """What came of one data set."""

    case: Case
    backtest: Backtest
    seconds: float
    caught: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)
    #: the other holds, by what they were
    held: dict[Held, list[Verdict]] = field(
        default_factory=lambda: {"error": [], "change": [], "false": []}
    )

    def rate(self, *kinds: Held) -> float:
        """Such holds per 100 batches after the 30th."""
        counted = len(self.backtest) - YOUNG
        return 100 * sum(len(self.held[each]) for each in kinds) / counted if counted > 0 else 0.0


def main(arguments: list[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("datasets", nargs="*", help="only these data sets")
    parser.add_argument("--quick", action="store_true", help="two data sets, some batches")
    parser.add_argument("--check", action="store_true", help="exit 1 where a goal is missed")
    parser.add_argument("--verbose", action="store_true", help="print every held batch")
    asked = parser.parse_args(arguments)
    cases = [each for each in CASES if not asked.datasets or each.name in asked.datasets]
    if asked.quick:
        cases = [each for each in cases if each.quick is not None]
    out = console()
    if not DATA.exists():
        out.print(f"no real data at {DATA} (set ASSAY_DATA to their folder)")
        return 0
    found = []
    spark = local_session("assay-benchmark")
    try:
        for case in cases:
            with Meter() as meter:
                backtest = _replayed(case, spark, case.quick if asked.quick else None)
            found.append(_outcome(case, backtest, meter))
            for line in _told(found[-1]):
                out.print(f"{case.name} {line}", markup=False, highlight=False)
            if asked.verbose:
                out.print(str(backtest), markup=False)
    finally:
        spark.stop()
    out.print(_table(found))
    goals = [Goal(f"{each.case.name}: incidents missed", len(each.missed), 0) for each in found]
    goals += (Goal(f"{each.case.name}: false holds per 100", each.rate("false"), 1.0)
              for each in found)  # fmt: skip
    return conclude(out, goals, check=asked.check)


def _told(found: Outcome) -> Iterator[str]:
    """Incidents that were caught and missed, and every other hold with why it was one."""
    caught = f"{len(found.caught)} of {len(found.caught) + len(found.missed)} incidents are caught"
    false = len(found.held["false"])
    yield f"{len(found.backtest)} batches, {found.seconds:.0f} s: {caught}, {false} held falsely"
    yield from (f"misses {each}" for each in found.missed)
    for kind in ("error", "change"):
        for each in found.held[kind]:
            yield f"{each.batch.key} held, {kind}: {evidence_of(found.case.name, each.batch.key)}"
    yield from (f"{each.batch.key} held falsely: {each.alarms[0]}" for each in found.held["false"])


def _replayed(case: Case, spark: SparkSession, within: tuple[str, str] | None) -> Backtest:
    gate = Gate(case.name, MemoryStore())
    with tempfile.TemporaryDirectory() as folder:
        files: list[BatchFile] = []
        for part in case.parts:
            own = batch_files(DATA / "recurring" / case.name / part)
            if within is not None:
                own = [each for each in own if within[0] <= each.key <= within[1]]
            member = case.members.get(part)
            files += own if member is None else _flattened(own, member, Path(folder))
        deliveries = deliveries_in(gate, spark, files)

    def fine(verdict: Verdict) -> bool:
        return not _is(verdict.batch.key, case.once)

    return replay(gate, deliveries, fine)


def _flattened(files: Sequence[BatchFile], member: str, folder: Path) -> Iterator[BatchFile]:
    """Documents of JSON as tables of JSON, a record a line; what is none stays as it is."""
    for each in files:
        data = gzip.decompress(each.path.read_bytes())
        path = folder / each.path.name.removesuffix(".gz")
        if data.strip():
            document = json.loads(data)
            records = document[member] if member else document
            data = "".join(json.dumps(record) + "\n" for record in records).encode() or b"[]"
        path.write_bytes(data)
        yield BatchFile(each.key, each.time, path)


def _outcome(case: Case, backtest: Backtest, meter: Meter) -> Outcome:
    found = Outcome(case, backtest, meter.wall)
    for at, verdict in enumerate(backtest):
        key, alarm = verdict.batch.key, verdict.decision is not Decision.ACCEPT
        if _is(key, case.incidents):
            (found.caught if alarm else found.missed).append(key)
        elif verdict.decision is Decision.HOLD and at >= YOUNG:
            found.held[kind_of(case.name, key)].append(verdict)
    return found


def _is(key: str, listed: tuple[str, ...]) -> bool:
    return any(key.startswith(each) for each in listed)


def _table(found: list[Outcome]) -> Table:
    table = Table(title="Recurring data sets, replayed", box=SIMPLE, pad_edge=False)
    for name in ("data set", "batches", "held", "warned", "caught", "missed", "errors", "changes",
                 "false", "per 100", "all", "seconds"):  # fmt: skip
        table.add_column(name, justify="left" if name == "data set" else "right")
    for each in found:
        counts = each.backtest.counts
        table.add_row(
            each.case.name,
            str(len(each.backtest)),
            str(counts[Decision.HOLD]),
            str(counts[Decision.WARN]),
            str(len(each.caught)),
            str(len(each.missed)),
            *(str(len(held)) for held in each.held.values()),
            f"{each.rate('false'):.1f}",
            f"{each.rate('error', 'change', 'false'):.1f}",
            f"{each.seconds:.0f}",
        )
    return table


if __name__ == "__main__":
    sys.exit(main())
