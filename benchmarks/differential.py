"""What states save: ``python -m benchmarks.differential [--rows N] [--quick] [--check]``.

Figures 3, 4 and 5 of differential-icde19 for Assay: a dataset that grows, a partition that is
replaced, and views over combinations of partitions, each from states and by reading everything
again; for the paper's basic test (a scan) and its advanced test (unique value ratios and exact
cardinalities besides), in 14 partitions and in 1,000. Beside our ratios stand the paper's.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

from assay import Check, Dataset, EmbeddedStore, Result, measure, verify
from assay.store import Batch
from benchmarks.support import generated
from benchmarks.support.cpu import Meter
from benchmarks.support.goals import Goal, conclude, console
from benchmarks.support.sessions import sessions

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_COMPLETE = [
    "created_utc",
    "week_day",
    "ups",
    "downs",
    "id",
    "name",
    "subreddit_id",
    "link_id",
    "subreddit",
    "author",
    "controversiality",
    "parent_id",
]
_INTEGERS = ["created_utc", "week_day", "ups", "downs", "controversiality"]

BASIC = Check("basic").is_complete(*_COMPLETE).has_completeness("removal_reason", at_most=0.05)
for _column in _INTEGERS:
    BASIC = BASIC.has_data_type(_column, "integral")
BASIC = (
    BASIC.has_min("week_day", at_least=0)
    .has_max("week_day", at_most=6)
    .has_min("controversiality", at_least=0)
    .has_max("controversiality", at_most=1)
    .has_approx_count_distinct("subreddit", at_least=1)
    .has_approx_count_distinct("subreddit_id", at_least=1)
    .has_approx_quantile("ups", 0.9, less_than=10)
)
ADVANCED = BASIC
for _column in ("subreddit", "subreddit_id"):
    ADVANCED = ADVANCED.has_unique_value_ratio(_column, at_least=0).has_count_distinct(
        _column, at_least=1
    )
ADVANCED = ADVANCED.has_count_distinct("subreddit", "subreddit_id", at_least=1)
TESTS = {"basic": BASIC, "advanced": ADVANCED}


@dataclass(frozen=True)
class Cost:
    """CPU seconds, seconds and Spark jobs of one piece of work."""

    cpu: float
    wall: float
    jobs: int


@dataclass(frozen=True)
class Comments:
    """The table, and how it is taken apart."""

    spark: SparkSession
    path: Path
    parts: int

    def of(self, parts: Sequence[int]) -> DataFrame:
        """The rows of some partitions, without a look at the others' files."""
        paths = [str(self.path / f"part={part}") for part in parts]
        return self.spark.read.option("basePath", str(self.path)).parquet(*paths)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.differential")
    add = parser.add_argument
    add("--rows", type=int, help="7,000,000")
    add("--parts", type=int, nargs="*", help="numbers of partitions (14 1000)")
    add("--data", type=Path, default=generated.CACHE, help="where the table is kept")
    add("--quick", action="store_true", help="a sample: under a minute")
    add("--check", action="store_true", help="exit 1 where a goal is missed")
    given = parser.parse_args(arguments)
    rows = given.rows or (100_000 if given.quick else 7_000_000)
    out = console()
    goals: list[Goal] = []
    with sessions() as both:
        for parts in given.parts or ([14] if given.quick else [14, 1000]):
            path = generated.comments(both.own, given.data, rows, parts, out)
            table = Comments(both.own, path, parts)
            tests = ["advanced"] if given.quick else list(TESTS)
            for name in tests:
                words = f"{name} test, {rows:,} rows in {parts}"
                goals += figures(table, name, words, out, quick=given.quick)
        if not given.quick:
            goals.append(many(table, out))
    if given.quick:
        # what a job costs at least hides what a sample would show; that appends stay alike does not
        goals = [goal for goal in goals if goal.text.startswith("append")]
    return conclude(out, goals, check=given.check)


def figures(table: Comments, test: str, words: str, out: Console, *, quick: bool) -> list[Goal]:
    """All three figures for one test."""
    check = TESTS[test]
    with _store() as store:
        dataset = Dataset("comments", store, check)
        everything = table.of(range(table.parts))
        verify(everything, check)  # to warm up
        first, load = _cost(table, lambda: dataset.load(everything, by=["part"]))
        out.print(f"{words} partitions: states of all of them in {_told(load)}", highlight=False)
        _same(first, verify(everything, check))
        goals = _views(table, dataset, test, words, out)
        goals += _replacement(table, dataset, test, words, out)
    return [*_append(table, test, words, out, quick=quick), *goals]


def many(table: Comments, out: Console) -> Goal:
    """A view over 10,000 partitions of the basic test's states, on the driver alone."""
    analyzers = [each.analyzer for each in BASIC.constraints]
    one = measure(table.of([0]), analyzers)
    with _store() as store:
        start = datetime(2000, 1, 1, tzinfo=UTC)
        days = ((start + timedelta(days=n)) for n in range(10_000))
        store.load({Batch("comments", f"date={day:%Y-%m-%d}", day): one for day in days})
        dataset = Dataset("comments", store, BASIC)
        walls = [_cost(table, partial(dataset.verify, where="date > ''"))[1].wall for _ in range(3)]
    words = f"seconds for a view over 10,000 partitions, {len(set(analyzers))} analyzers"
    out.print(f"{words}: {min(walls):.2f}", highlight=False)
    return Goal(words, min(walls), 1.0)


def _append(table: Comments, test: str, words: str, out: Console, *, quick: bool) -> list[Goal]:
    """Figure 3: a seventh of the partitions is there, then two sevenths, …; one more comes."""
    check = TESTS[test]
    sevenths = range(1, 7, 2) if quick else range(1, 7)
    steps = [table.parts * n // 7 for n in sevenths]
    shown = _table(f"Figure 3, append: {words} partitions", "partitions before", "paper's ratio")
    costs: list[Cost] = []
    with _store() as store:
        dataset, there = Dataset("comments", store, check), 0
        for step in steps:
            if there < step:
                dataset.load(table.of(range(there, step)), by=["part"])
                there = step
            if there + 2 > table.parts:
                break
            # the first one after a load puts the running totals together
            dataset.append(table.of([there]), f"part={there}")
            there += 1
            key, delta = f"part={there}", table.of([there])
            proposal, ours = _cost(table, partial(dataset.append, delta, key))
            there += 1
            again, theirs = _cost(table, partial(verify, table.of(range(there)), check))
            _same(proposal.whole, again)
            costs.append(ours)
            _row(shown, f"{there - 1}", ours, theirs, "falls with size")
    out.print(shown)
    half = len(costs) // 2
    growth = median(c.wall for c in costs[half:]) / median(c.wall for c in costs[:half])
    return [Goal(f"append, later half to earlier half, {words}", growth, 1.5)]


def _replacement(
    table: Comments, dataset: Dataset, test: str, words: str, out: Console
) -> list[Goal]:
    """Figure 4: one partition gets a new version; the whole is judged as it would be."""
    shown = _table(f"Figure 4, replacement: {words} partitions", "partition", "paper's ratio")
    paper = {"basic": "0.25", "advanced": "0.33"}[test]
    ours, theirs = [], []
    for part in (0, table.parts // 2, table.parts - 1):
        version, key = table.of([part]).where("ups < 100"), f"part={part}"
        others = table.of([each for each in range(table.parts) if each != part])
        proposal, mine = _cost(table, partial(dataset.propose, version, key))
        whole = others.unionByName(version)
        again, full = _cost(table, partial(verify, whole, dataset.checks[0]))
        _same(proposal.whole, again)
        ours.append(mine)
        theirs.append(full)
        _row(shown, f"{part}", mine, full, paper)
    out.print(shown)
    ratio = median(c.wall for c in ours[1:]) / median(c.wall for c in theirs[1:])
    limit = {"basic": 1.0, "advanced": 0.25}[test]
    return [Goal(f"replacement to recomputation, {words}", ratio, limit)]


def _views(table: Comments, dataset: Dataset, test: str, words: str, out: Console) -> list[Goal]:
    """Figure 5: combinations of partitions, from states alone."""
    shown = _table(f"Figure 5, views: {words} partitions", "view", "paper's ratio")
    last = table.parts - 1
    views = {
        "one partition": ("part = 1", [1]),
        "all but one": ("part <> 0", list(range(1, table.parts))),
        "half of them": (f"part <= {last // 2}", list(range(last // 2 + 1))),
        "every second": ("part % 2 = 0", list(range(0, table.parts, 2))),
    }
    ratios = []
    for name, (where, parts) in views.items():
        view, ours = _cost(table, partial(dataset.verify, where=where))
        rows = table.of(parts)
        again, theirs = _cost(table, partial(verify, rows, dataset.checks[0]))
        _same(view, again)
        _row(shown, name, ours, theirs, "< 0.1" if test == "basic" else "about 0.3")
        ratios.append(ours.wall / theirs.wall)
    out.print(shown)
    if test == "basic":
        return [Goal(f"views to recomputation, {words}", median(ratios[1:]), 0.01)]
    return [Goal(f"views to recomputation, {words}", median(ratios[1:]), 1.0)]


@contextmanager
def _store() -> Iterator[EmbeddedStore]:
    folder = Path(tempfile.mkdtemp(prefix="assay-differential-"))
    try:
        yield EmbeddedStore(folder)
    finally:
        shutil.rmtree(folder)


def _cost(table: Comments, work: Callable[[], Any]) -> tuple[Any, Cost]:
    context = table.spark.sparkContext
    group = f"differential {id(work)}"
    context.setJobGroup(group, group)
    with Meter() as meter:
        found = work()
    jobs = len(context.statusTracker().getJobIdsForGroup(group))
    return found, Cost(meter.cpu, meter.wall, jobs)


def _same(ours: Result, theirs: Result) -> None:
    """The same answers: exactly, but for sketches."""
    for mine, full in zip(ours, theirs, strict=True):
        a, b = mine.value, full.value
        # of whole numbers, a quantile within the error of ranks may be the next number
        approximate = "approx" in mine.constraint.name
        if a != b and not (approximate and abs(a - b) <= max(1, 0.05 * abs(b))):  # type: ignore[operator, arg-type]
            raise SystemExit(f"{mine.constraint.name}: {a!r} from states, {b!r} from rows")


def _table(title: str, first: str, paper: str) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold", expand=False)
    table.add_column(first)
    for heading in ("CPU s", "s", "jobs", "again: CPU s", "s", "jobs", "ratio CPU", "s", paper):
        table.add_column(heading, justify="right")
    return table


def _row(table: Table, name: str, ours: Cost, theirs: Cost, paper: str) -> None:
    table.add_row(
        name,
        *(f"{ours.cpu:.2f}", f"{ours.wall:.3f}", f"{ours.jobs}"),
        *(f"{theirs.cpu:.2f}", f"{theirs.wall:.2f}", f"{theirs.jobs}"),
        *(f"{ours.cpu / max(theirs.cpu, 1e-9):.3f}", f"{ours.wall / theirs.wall:.3f}"),
        paper,
    )


def _told(cost: Cost) -> str:
    return f"{cost.cpu:.1f} CPU s, {cost.wall:.1f} s, {cost.jobs} jobs"


if __name__ == "__main__":
    sys.exit(main())
