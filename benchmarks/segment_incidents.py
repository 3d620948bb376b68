"""Count errors in one segment that a gate finds with and without `by`, and its false alarms.

    python -m benchmarks.segment_incidents [--quick] [--check] [--cache FOLDER] [DATASET ...]

Each data set is split by one of its columns. Two tables are printed:

- *False alarms*: the judge of segments judges each batch by the 60 batches before it. Batches with
  an incident of the README are left out. An alarm is a *change* if the same deviation is in the
  next batch, too: the source has changed. Others are *false*.
- *Errors found*: in some batches, one segment gets an error. All of its rows or half of them are
  missing, or the numbers of one column are multiplied by 1.609. An error is *found* if the batch is
  held or warned, and *named* if a problem names the segment. The same gate without `by` judges the
  same batches. Segments with fewer than 50 rows are left out: their limits are wide.

Goals: at most 0.2 false holds and 0.5 false warnings in 100 batches. At least 90 % of the missing
segments are found.

Data: nycflights, online_retail and jhu_us. All were used during development.
Time on 2 cores: about 15 minutes; 1 to 2 minutes with ``--quick``. With ``--cache FOLDER``, the
batches are measured once.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import io
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from rich.console import Console

from assay import Gate, MemoryStore, Verdict, local_session
from assay.gate.context import BatchContext
from assay.gate.history import GateHistory
from assay.gate.judges.segments import judge_segments
from assay.gate.measure_files import measure_files
from assay.gate.measured_batch import MeasuredBatch
from assay.gate.segments.batch_segments import BatchSegments, name_segment
from assay.gate.segments.deviations import Rates
from assay.gate.submit import judge_measured
from assay.io.batch_files import BatchFile
from assay.learn.limits.metric_history import MetricHistory
from assay.store.verdict import Decision
from benchmarks.support.command import add_cache_option, benchmark_parser, run_benchmark
from benchmarks.support.goals import Goal
from benchmarks.support.output import count, create_table, percent
from benchmarks.support.recurring import CASES, Case, measure_case
from tools.real_data import real_data_path

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ErrorKind = Literal["rows missing", "half of the rows", "unit changed"]

_WINDOW = 60
_FIRST_COUNTED = 30
_N_TARGETS, _N_QUICK_TARGETS = 12, 4
_MIN_ROWS = 50
_FACTOR = 1.609


@dataclass(frozen=True)
class Split:
    """A data set, the column that splits it, and a column of numbers that gets another unit."""

    name: str
    by: str
    numbers: str
    #: first and last batch with --quick
    quick: tuple[str, str] | None = None

    @property
    def case(self) -> Case:
        """The data set."""
        return next(case for case in CASES if case.name == self.name)

    def __str__(self) -> str:
        return f"{self.name} by {self.by}"


_SPLITS = (
    Split("nycflights13_daily", "carrier", "distance", ("2013-01-01", "2013-02-28")),
    Split("nycflights13_daily", "origin", "distance"),
    Split("online_retail_by_day", "Country", "UnitPrice"),
    Split("jhu_us_daily", "Province_State", "Deaths"),
)


@dataclass
class Outcome:
    """The alarms in good batches, and the errors found, of one data set."""

    split: Split
    batches: int = 0
    false_holds: list[str] = field(default_factory=list)
    false_warnings: list[str] = field(default_factory=list)
    changes: list[str] = field(default_factory=list)
    injected: Counter[ErrorKind] = field(default_factory=Counter)
    n_found: Counter[tuple[ErrorKind, str]] = field(default_factory=Counter)

    def rate(self, keys: Sequence[str]) -> float:
        """Return the number in 100 batches."""
        return 100 * len(keys) / self.batches if self.batches else 0.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    parser = benchmark_parser("segment_incidents", __doc__, quick="59 batches of one data set")
    parser.add_argument("datasets", nargs="*", help="only these data sets")
    add_cache_option(parser)
    return run_benchmark(parser, arguments, measure)


def measure(options: argparse.Namespace, out: Console) -> list[Goal]:
    """Judge good batches and batches with errors of the chosen data sets."""
    splits = [s for s in _SPLITS if not options.datasets or s.name in options.datasets]
    if options.quick:
        splits = [split for split in splits if split.quick is not None]
    real_data_path("recurring")
    spark = local_session("assay-benchmark")
    outcomes = []
    try:
        for split in splits:
            within = split.quick if options.quick else None
            measured = measure_case(split.case, spark, within, options.cache, split.by)
            outcome = Outcome(split)
            judge_good_batches(outcome, measured)
            n_targets = _N_QUICK_TARGETS if options.quick else _N_TARGETS
            inject_errors(outcome, measured, spark, n_targets)
            outcomes.append(outcome)
    finally:
        spark.stop()
    _print(outcomes, out)
    return list(_goals(outcomes))


def judge_good_batches(outcome: Outcome, measured: Sequence[MeasuredBatch]) -> None:
    """Count the alarms of the judge of segments in good batches after the 30th."""
    budget = Gate("any", MemoryStore(), by=outcome.split.by).spec.budget
    rates = Rates(budget.hold, budget.warn)
    batches = [(b, b.segments) for b in measured if b.segments is not None]
    for place in range(_FIRST_COUNTED, len(batches)):
        batch, segments = batches[place]
        if batch.batch.key.startswith(outcome.split.case.incidents or ("-",)):
            continue
        outcome.batches += 1
        history = batches[max(0, place - _WINDOW) : place]
        alarms = _alarms(history, batch, segments, rates)
        if not alarms:
            continue
        later = batches[place + 1] if place + 1 < len(batches) else None
        key = f"{batch.batch.key}: {'; '.join(sorted(alarms))}"
        if later is not None and alarms.keys() & _alarms(history, *later, rates).keys():
            outcome.changes.append(key)
        elif Decision.HOLD in alarms.values():
            outcome.false_holds.append(key)
        else:
            outcome.false_warnings.append(key)


def _alarms(
    history: Sequence[tuple[MeasuredBatch, BatchSegments]],
    batch: MeasuredBatch,
    segments: BatchSegments,
    rates: Rates,
) -> dict[str, Decision]:
    """Return the level of each alarm, by its subject."""
    phases = [earlier.batch.time.weekday() for earlier, _ in history]
    findings = judge_segments(
        [earlier for _, earlier in history], segments, [*phases, batch.batch.time.weekday()], rates
    )
    return {f"{f.where} {f.column} {f.metric}": f.level for f in findings if f.alarm}


def inject_errors(
    outcome: Outcome, measured: Sequence[MeasuredBatch], spark: SparkSession, n_targets: int
) -> None:
    """Judge batches with an error in one segment, with and without `by`."""
    split, draw = outcome.split, random.Random(7)
    usable = [
        (place, name)
        for place, batch in enumerate(measured)
        if place >= _FIRST_COUNTED and batch.segments is not None
        for name, rows in zip(batch.segments.names, batch.segments.rows, strict=True)
        if name is not None and rows >= _MIN_ROWS
    ]
    targets = draw.sample(usable, min(n_targets, len(usable)))
    kinds: tuple[ErrorKind, ...] = get_args(ErrorKind)
    gates = {by: Gate(split.name, MemoryStore(), by=by).spec for by in (split.by, None)}
    with tempfile.TemporaryDirectory() as folder:
        files, meaning = [], {}
        for number, (place, name) in enumerate(targets):
            for kind in kinds:
                key = f"{number}-{kind.replace(' ', '-')}"
                path = Path(folder, f"{key}.csv")
                source = measured[place].batch
                _write_with_error(split, source.key, name, kind, path)
                files.append(BatchFile(key, source.time, path))
                meaning[key] = place, name, kind
        with_errors = measure_files(gates[split.by], spark, files) if files else []
    for batch in with_errors:
        place, name, kind = meaning[batch.batch.key]
        outcome.injected[kind] += 1
        for by, spec in gates.items():
            context = _context(spec, measured[max(0, place - _WINDOW) : place], by)
            verdict = judge_measured(context, batch if by else replace(batch, segments=None))
            gate = "with" if by else "without"
            outcome.n_found[kind, gate] += verdict.decision is not Decision.ACCEPT
            outcome.n_found[kind, f"named {gate}"] += _names(verdict, split.by, name)


def _context(spec: object, batches: Sequence[MeasuredBatch], by: str | None) -> BatchContext:
    """Return what a gate knows after these batches, all accepted."""
    history = GateHistory(MetricHistory("any"))
    for batch in batches:
        if batch.measurement is not None:
            history = history.plus(batch.batch, batch.fingerprint, batch.schema)
            history = history.after(batch.batch, batch.schema, accepted=True)
    return BatchContext(
        settings=spec.settings,  # type: ignore[attr-defined]
        budget=spec.budget,  # type: ignore[attr-defined]
        history=history.latest(),
        segments=tuple((b.batch, b.segments) for b in batches if by and b.segments is not None),
    )


def _names(verdict: Verdict, by: str, name: str) -> bool:
    segment = name_segment(by, name)
    return any(
        segment in (problem.segment or "") or segment in problem.cause
        for problem in verdict.problems
    )


def _write_with_error(split: Split, key: str, name: str, kind: ErrorKind, path: Path) -> None:
    """Write a batch as CSV, with an error in the rows of one segment."""
    folder = real_data_path("recurring", split.name, "batches")
    source = next(file for file in folder.iterdir() if file.name.startswith(key))
    data = source.read_bytes()
    text = (gzip.decompress(data) if source.suffix == ".gz" else data).decode("utf-8-sig")
    rows = csv.DictReader(io.StringIO(text))
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows.fieldnames or ())
        writer.writeheader()
        writer.writerows(_with_error(rows, split, name, kind))


def _with_error(
    rows: csv.DictReader[str], split: Split, name: str, kind: ErrorKind
) -> Iterator[Mapping[str, str]]:
    n_seen = 0
    for row in rows:
        if row[split.by] != name:
            yield row
            continue
        n_seen += 1
        if kind == "unit changed":
            value = row[split.numbers]
            decimals = len(value.partition(".")[2])
            yield {**row, split.numbers: value and f"{_FACTOR * float(value):.{decimals}f}"}
        elif kind == "half of the rows" and n_seen % 2:
            yield row


def _print(outcomes: Sequence[Outcome], out: Console) -> None:
    for outcome in outcomes:
        for kind, keys in (
            ("held", outcome.false_holds),
            ("warned", outcome.false_warnings),
            ("changed", outcome.changes),
        ):
            for key in keys:
                out.print(f"{outcome.split}: {kind} {key}", markup=False, highlight=False)
    headings = ("batches", "changes", "false holds /\n100", "false warnings /\n100")
    table = create_table("alarms of segments in good batches", "data set", headings)
    for outcome in outcomes:
        table.add_row(
            str(outcome.split),
            f"{outcome.batches}",
            f"{len(outcome.changes)}",
            f"{outcome.rate(outcome.false_holds):.2f}",
            f"{outcome.rate(outcome.false_warnings):.2f}",
        )
    out.print(table)
    of_errors = ("batches", "found", "named", "found\nwithout by", "named\nwithout by")
    table = create_table("errors in one segment", "data set and error", of_errors)
    for outcome in outcomes:
        for kind, n in outcome.injected.items():
            ways = ("with", "named with", "without", "named without")
            shares = (percent(outcome.n_found[kind, way] / n, 0) for way in ways)
            table.add_row(f"{outcome.split}: {kind}", f"{n}", *shares)
    out.print(table)
    out.print(f"{count(sum(o.batches for o in outcomes), 'good batch', 'good batches')} judged.")


def _goals(outcomes: Sequence[Outcome]) -> Iterator[Goal]:
    n_batches = sum(outcome.batches for outcome in outcomes)
    holds = sum(len(outcome.false_holds) for outcome in outcomes)
    warnings = sum(len(outcome.false_warnings) for outcome in outcomes)
    yield Goal(name="false holds per 100", actual=100 * holds / max(1, n_batches), at_most=0.2)
    yield Goal(
        name="false warnings per 100", actual=100 * warnings / max(1, n_batches), at_most=0.5
    )
    injected = sum(outcome.injected["rows missing"] for outcome in outcomes)
    n_found = sum(outcome.n_found["rows missing", "with"] for outcome in outcomes)
    if injected:
        yield Goal(name="missing segments found", actual=n_found / injected, at_least=0.9)


if __name__ == "__main__":
    sys.exit(main())
