"""What a scan costs: ``python -m benchmarks.scan [--rows N] [--cols C] [--quick] [--check]``.

With 20 columns it prints the cost of 25 scan constraints on a table of orders; with more, that of
six basic statistics of every column of a table so wide, and of the first 20 columns' worth of it.
Each by Assay, in its own session and in one with Spark's settings; by one hand-written aggregation
with the same sketches; and by DuckDB as the limit of what the machine can do. The CPU seconds are
those of the whole process tree, the least of the rounds; ways take turns within a round.

``--variants`` prints instead what the planner's choices cost: the size of chunks (``chunks``), or
how sketches share the data with plain aggregates, on Parquet and on CSV (``sharing``).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

from benchmarks.support import generated, planner_choices
from benchmarks.support.execution import by_duckdb, by_hand, by_two, ours
from benchmarks.support.goals import Goal, conclude, console, show
from benchmarks.support.questions import QUESTIONS, Question, basic, differences
from benchmarks.support.sessions import Sessions, sessions
from benchmarks.support.timing import Measured, Way, alternate

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

NARROW = 20
_OURS, _USERS, _HAND, _TWO, _DUCK = (
    "Assay, own session",
    "Assay, user's session",
    "one aggregation",
    "two aggregations",
    "DuckDB",
)
#: left out of a sample
_SLOW = (_USERS, _TWO)


@dataclass(frozen=True)
class Options:
    """What the command line says."""

    rows: int
    cols: int
    rounds: int
    folder: Path
    quick: bool
    check: bool
    variants: str | None

    @classmethod
    def read(cls, arguments: Sequence[str] | None) -> Options:
        """Read the command line."""
        parser = argparse.ArgumentParser(prog="python -m benchmarks.scan")
        add = parser.add_argument
        add("--rows", type=int, help="10,000,000, or 500,000 of a wide table")
        add("--cols", type=int, default=NARROW, help="20 (the default), or more: a wide table")
        add("--rounds", type=int, help="rounds after the first run (3)")
        add("--data", type=Path, default=generated.CACHE, help="where the tables are kept")
        add("--quick", action="store_true", help="a sample: under a minute")
        add("--check", action="store_true", help="exit 1 where a goal is missed")
        add("--variants", choices=planner_choices.STUDIES, help="the planner's choices instead")
        given = parser.parse_args(arguments)
        if given.cols < NARROW:
            parser.error("--cols is 20 or more")
        usual, sample = (10_000_000, 400_000) if given.cols == NARROW else (500_000, 20_000)
        return cls(
            given.rows or (sample if given.quick else usual),
            given.cols,
            given.rounds or (2 if given.quick else 3),
            given.data,
            given.quick,
            given.check,
            given.variants,
        )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit status."""
    options = Options.read(arguments)
    out = console()
    with sessions() as both:
        if options.variants:
            study = planner_choices.STUDIES[options.variants]
            study(both.own, options.folder, options.rows, options.rounds, out)
            return 0
        goals = (narrow if options.cols == NARROW else wide)(both, options, out)
    return conclude(out, goals, check=options.check)


def narrow(both: Sessions, options: Options, out: Console) -> list[Goal]:
    """25 constraints on 20 columns."""
    path = generated.orders(both.own, options.folder, options.rows, out)
    ways = [
        _spark(_OURS, ours, both.own, path, QUESTIONS),
        _spark(_USERS, ours, both.users, path, QUESTIONS),
        _spark(_HAND, by_hand, both.users, path, QUESTIONS),
        _spark(_TWO, by_two, both.users, path, QUESTIONS),
        _duck(path, QUESTIONS),
    ]
    ways = [way for way in ways if not options.quick or way.name not in _SLOW]
    title = f"{len(QUESTIONS)} scan constraints on {options.rows:,} rows x {options.cols} columns"
    found = _run(both.own, title, QUESTIONS, ways, options, out)
    return [
        Goal(f"CPU of {name} to one aggregation", found[name].cpu / found[_HAND].cpu, 1.15)
        for name in (_OURS, _USERS)
        if name in found
    ]


def wide(both: Sessions, options: Options, out: Console) -> list[Goal]:
    """Six statistics of each of many columns, and of 20 columns of the same kinds."""
    found: dict[int, dict[str, Measured]] = {}
    for cols in (NARROW, options.cols):
        path = generated.readings(both.own, options.folder, options.rows, cols, out)
        asked = basic([f"c{n}" for n in range(cols)])
        ways = [
            _spark(_OURS, ours, both.own, path, asked),
            _spark(_USERS, ours, both.users, path, asked),
            _duck(path, asked),
        ]
        if not options.quick or cols == NARROW:
            ways.insert(
                2, _spark(_HAND, by_hand, both.users, path, asked, most=1 if cols > NARROW else 99)
            )
        title = f"six basic statistics of {options.rows:,} rows x {cols} columns"
        found[cols] = _run(both.own, title, asked, ways, options, out)
    return [
        Goal(
            f"CPU per column of {name} at {options.cols} columns to that at {NARROW}",
            found[options.cols][name].cpu / options.cols / (found[NARROW][name].cpu / NARROW),
            1.3,
        )
        for name in (_OURS, _USERS)
        if name in found[NARROW]
    ]


def _run(
    spark: SparkSession,
    title: str,
    questions: Sequence[Question],
    ways: Sequence[Way],
    options: Options,
    out: Console,
) -> dict[str, Measured]:
    found = alternate(spark, ways, options.rounds, out)
    show(out, title, found.values(), found.get(_HAND, found[_OURS]), found[_DUCK])
    wrong = differences(questions, {name: each.result for name, each in found.items()})
    if wrong:
        raise SystemExit("the answers differ:\n" + "\n".join(wrong[:20]))
    out.print(f"all {len(questions)} answers of all ways agree", highlight=False)
    return found


def _spark(
    name: str,
    answer: Callable[[DataFrame, Sequence[Question]], list[Any]],
    spark: SparkSession,
    path: Path,
    questions: Sequence[Question],
    most: int = 99,
) -> Way:
    frame = spark.read.parquet(str(path))
    return Way(name, lambda: answer(frame, questions), most=most)


def _duck(path: Path, questions: Sequence[Question]) -> Way:
    return Way(_DUCK, lambda: by_duckdb(path, questions), on_spark=False)


if __name__ == "__main__":
    sys.exit(main())
