"""Measure what states save, compared with reading all rows again.

    python -m benchmarks.differential [--rows N] [--parts N ...] [--quick] [--check]

It repeats Figures 3, 4 and 5 of differential-icde19 with Assay: a dataset grows (append), a
partition is replaced, and views combine partitions. Each is evaluated from states and by reading
all rows, and both must give the same answers. The paper's ratios are shown next to ours. There are
two tests: *basic* needs one scan; *advanced* adds unique value ratios and exact cardinalities. The
table has 14 or 1,000 partitions.

Goals:

- Appends in the later half of the partitions take at most 1.5 times as long as in the earlier half.
- A replacement takes no longer than reading again (basic), or a quarter of it (advanced).
- A view takes 0.01 of the time of reading again (basic), or no longer (advanced).
- A view over 10,000 partitions takes at most 1 second.

With ``--quick``, only the first goal counts: the fixed cost of a job hides the others.

Data: generated. Time on 2 cores: about 1 hour; 1 minute with ``--quick``.
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
from benchmarks.support.command import add_table_options, benchmark_parser, run_benchmark
from benchmarks.support.cpu import Meter
from benchmarks.support.goals import Goal
from benchmarks.support.output import count, create_table
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
    """CPU seconds, wall seconds and Spark jobs of one piece of work."""

    cpu: float
    wall: float
    jobs: int

    def __str__(self) -> str:
        return f"{self.cpu:.1f} CPU s, {self.wall:.1f} s, {count(self.jobs, 'Spark job')}"


@dataclass(frozen=True)
class Comments:
    """The table of comments in partitions."""

    spark: SparkSession
    path: Path
    parts: int

    def read(self, parts: Sequence[int]) -> DataFrame:
        """Read only the files of some partitions."""
        paths = [str(self.path / f"part={part}") for part in parts]
        return self.spark.read.option("basePath", str(self.path)).parquet(*paths)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    parser = benchmark_parser(
        "differential", __doc__, quick="100,000 rows, 14 partitions, the advanced test"
    )
    add_table_options(parser, rows="7,000,000", rounds=False)
    parser.add_argument(
        "--parts", type=int, nargs="*", help="numbers of partitions (default: 14 1000)"
    )
    return run_benchmark(parser, arguments, measure_figures)


def measure_figures(options: argparse.Namespace, out: Console) -> list[Goal]:
    """Measure all figures for the chosen numbers of partitions."""
    rows = options.rows or (100_000 if options.quick else 7_000_000)
    goals: list[Goal] = []
    with sessions() as both:
        for parts in options.parts or ([14] if options.quick else [14, 1000]):
            path = generated.comments(both.assay, options.data, rows, parts, out)
            table = Comments(both.assay, path, parts)
            for test in ["advanced"] if options.quick else list(TESTS):
                title = f"{test} test, {rows:,} rows in {parts} partitions"
                goals += measure_test(table, test, title, out, quick=options.quick)
        if not options.quick:
            goals.append(measure_many_partitions(table))
    if options.quick:
        goals = [goal for goal in goals if goal.name.startswith("append")]
    return goals


def measure_test(
    table: Comments, test: str, title: str, out: Console, *, quick: bool
) -> list[Goal]:
    """Measure all three figures for one test."""
    check = TESTS[test]
    with _temporary_store() as store:
        dataset = Dataset("comments", store, check)
        all_rows = table.read(range(table.parts))
        verify(all_rows, check)  # warms up
        loaded, load_cost = _measure_cost(table, lambda: dataset.load(all_rows, by=["part"]))
        out.print(f"{title}: computing all states takes {load_cost}", highlight=False)
        _require_equal_answers(loaded, verify(all_rows, check))
        goals = _measure_views(table, dataset, test, title, out)
        goals += _measure_replacement(table, dataset, test, title, out)
    return [*_measure_append(table, test, title, out, quick=quick), *goals]


def measure_many_partitions(table: Comments) -> Goal:
    """Measure a view over the states of 10,000 partitions, on the driver alone."""
    analyzers = [constraint.analyzer for constraint in BASIC.constraints]
    one = measure(table.read([0]), analyzers)
    with _temporary_store() as store:
        start = datetime(2000, 1, 1, tzinfo=UTC)
        days = ((start + timedelta(days=n)) for n in range(10_000))
        store.load({Batch("comments", f"date={day:%Y-%m-%d}", day): one for day in days})
        dataset = Dataset("comments", store, BASIC)
        view = partial(dataset.verify, where="date > ''")
        seconds = [_measure_cost(table, view)[1].wall for _ in range(3)]
    return Goal(
        name=f"time of a view over 10,000 partitions, {len(set(analyzers))} analyzers",
        actual=min(seconds),
        at_most=1.0,
        unit=" s",
    )


def _measure_append(
    table: Comments, test: str, title: str, out: Console, *, quick: bool
) -> list[Goal]:
    """Figure 3: append a partition to one seventh of the partitions, then to two sevenths, etc."""
    check = TESTS[test]
    sevenths = range(1, 7, 2) if quick else range(1, 7)
    steps = [table.parts * n // 7 for n in sevenths]
    output = _create_table(f"Figure 3, append: {title}", "partitions before")
    costs: list[Cost] = []
    with _temporary_store() as store:
        dataset, loaded_parts = Dataset("comments", store, check), 0
        for step in steps:
            if loaded_parts < step:
                dataset.load(table.read(range(loaded_parts, step)), by=["part"])
                loaded_parts = step
            if loaded_parts + 2 > table.parts:
                break
            # the first append after a load also computes the running totals
            dataset.append(table.read([loaded_parts]), f"part={loaded_parts}")
            loaded_parts += 1
            key, delta = f"part={loaded_parts}", table.read([loaded_parts])
            appended, cost = _measure_cost(table, partial(dataset.append, delta, key))
            loaded_parts += 1
            all_rows = table.read(range(loaded_parts))
            expected, full_cost = _measure_cost(table, partial(verify, all_rows, check))
            _require_equal_answers(appended.whole, expected)
            costs.append(cost)
            _add_row(output, f"{loaded_parts - 1}", cost, full_cost, "falls with size")
    out.print(output)
    half = len(costs) // 2
    growth = median(c.wall for c in costs[half:]) / median(c.wall for c in costs[:half])
    return [Goal(name=f"append, later half / earlier half, {title}", actual=growth, at_most=1.5)]


def _measure_replacement(
    table: Comments, dataset: Dataset, test: str, title: str, out: Console
) -> list[Goal]:
    """Figure 4: judge the whole dataset with a new version of one partition."""
    output = _create_table(f"Figure 4, replacement: {title}", "partition")
    paper_ratio = {"basic": "0.25", "advanced": "0.33"}[test]
    costs, full_costs = [], []
    for part in (0, table.parts // 2, table.parts - 1):
        version, key = table.read([part]).where("ups < 100"), f"part={part}"
        others = table.read([other for other in range(table.parts) if other != part])
        proposal, cost = _measure_cost(table, partial(dataset.propose, version, key))
        all_rows = others.unionByName(version)
        expected, full_cost = _measure_cost(table, partial(verify, all_rows, dataset.checks[0]))
        _require_equal_answers(proposal.whole, expected)
        costs.append(cost)
        full_costs.append(full_cost)
        _add_row(output, f"{part}", cost, full_cost, paper_ratio)
    out.print(output)
    return [
        Goal(
            name=f"replacement / reading again, {title}",
            actual=median(c.wall for c in costs[1:]) / median(c.wall for c in full_costs[1:]),
            at_most={"basic": 1.0, "advanced": 0.25}[test],
        )
    ]


def _measure_views(
    table: Comments, dataset: Dataset, test: str, title: str, out: Console
) -> list[Goal]:
    """Figure 5: evaluate combinations of partitions from their states alone."""
    output = _create_table(f"Figure 5, views: {title}", "view")
    paper_ratio = {"basic": "< 0.1", "advanced": "about 0.3"}[test]
    last = table.parts - 1
    views = {
        "one partition": ("part = 1", [1]),
        "all but one": ("part <> 0", list(range(1, table.parts))),
        "first half": (f"part <= {last // 2}", list(range(last // 2 + 1))),
        "every second": ("part % 2 = 0", list(range(0, table.parts, 2))),
    }
    ratios = []
    for name, (where, parts) in views.items():
        view, cost = _measure_cost(table, partial(dataset.verify, where=where))
        rows = table.read(parts)
        expected, full_cost = _measure_cost(table, partial(verify, rows, dataset.checks[0]))
        _require_equal_answers(view, expected)
        _add_row(output, name, cost, full_cost, paper_ratio)
        ratios.append(cost.wall / full_cost.wall)
    out.print(output)
    return [
        Goal(
            name=f"views / reading again, {title}",
            actual=median(ratios[1:]),
            at_most={"basic": 0.01, "advanced": 1.0}[test],
        )
    ]


@contextmanager
def _temporary_store() -> Iterator[EmbeddedStore]:
    folder = Path(tempfile.mkdtemp(prefix="assay-differential-"))
    try:
        yield EmbeddedStore(folder)
    finally:
        shutil.rmtree(folder)


def _measure_cost(table: Comments, work: Callable[[], Any]) -> tuple[Any, Cost]:
    context = table.spark.sparkContext
    group = f"differential {id(work)}"
    context.setJobGroup(group, group)
    with Meter() as meter:
        result = work()
    jobs = len(context.statusTracker().getJobIdsForGroup(group))
    return result, Cost(meter.cpu, meter.wall, jobs)


def _require_equal_answers(from_states: Result, from_rows: Result) -> None:
    """Stop if two results differ, beyond the error of sketches where there are any."""
    for state_result, row_result in zip(from_states, from_rows, strict=True):
        a, b = state_result.value, row_result.value
        name = state_result.constraint.name
        # a quantile of integers within the error of ranks may be the next integer
        approximate = "approx" in name
        if a != b and not (approximate and abs(a - b) <= max(1, 0.05 * abs(b))):  # type: ignore[operator, arg-type]
            raise SystemExit(f"{name}: {a!r} from states, {b!r} from rows")


def _create_table(title: str, first: str) -> Table:
    headings = (
        *("states: CPU s", "wall s", "jobs"),
        *("all rows: CPU s", "wall s", "jobs"),
        *("ratio of CPU", "of wall s", "paper"),
    )
    return create_table(title, first, headings)


def _add_row(table: Table, name: str, cost: Cost, full_cost: Cost, paper_ratio: str) -> None:
    table.add_row(
        name,
        *(f"{cost.cpu:.2f}", f"{cost.wall:.3f}", f"{cost.jobs}"),
        *(f"{full_cost.cpu:.2f}", f"{full_cost.wall:.2f}", f"{full_cost.jobs}"),
        *(f"{cost.cpu / max(full_cost.cpu, 1e-9):.3f}", f"{cost.wall / full_cost.wall:.3f}"),
        paper_ratio,
    )


if __name__ == "__main__":
    sys.exit(main())
