"""What a watched write costs: ``python -m benchmarks.watch [--rows N] [--quick] [--check]``.

A write alone, the same write watched (25 scan constraints ride on it), and the write followed by a
verification of its own: of the query's result, and of what was written. For a cheap query (a copy)
and for a dear one (a join and an aggregation), where reading the result again means running it
again.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from assay.analyzers import Analyzer
from assay.engine import measure, watch
from benchmarks.support import generated
from benchmarks.support.goals import Goal, conclude, console
from benchmarks.support.questions import QUESTIONS
from benchmarks.support.sessions import sessions
from benchmarks.support.timing import Measured, Way, alternate

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_ALONE, _WATCHED = "write alone", "write, watched"
_AFTER, _TWICE = "write, then verify the files", "write, then verify the query"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.watch")
    add = parser.add_argument
    add("--rows", type=int, help="2,000,000")
    add("--rounds", type=int, help="rounds after the first run (3)")
    add("--data", type=Path, default=generated.CACHE, help="where the table is kept")
    add("--quick", action="store_true", help="a sample: under a minute")
    add("--check", action="store_true", help="exit 1 where a goal is missed")
    given = parser.parse_args(arguments)
    rows = given.rows or (100_000 if given.quick else 2_000_000)
    rounds = given.rounds or (1 if given.quick else 3)
    out = console()
    with sessions() as both:
        path = generated.orders(both.own, given.data, rows, out)
        orders = both.own.read.parquet(str(path))
        goals = [
            *compare(orders, f"a copy of {rows:,} rows x 20 columns", rounds, out, dear=False),
            *compare(
                dear(orders), f"a join and an aggregation of {rows:,} rows", rounds, out, dear=True
            ),
        ]
    return conclude(out, goals, check=given.check)


def dear(orders: DataFrame) -> DataFrame:
    """Orders beside what their customer has ordered in all: the same columns, dearly had."""
    from pyspark.sql import functions as F

    ordered = orders.groupBy("customer_id", "sku").agg(F.sum("amount").alias("spent"))
    totals = ordered.groupBy("customer_id").agg(F.max("spent").alias("spent"))
    joined = orders.join(totals.hint("merge"), "customer_id")
    return joined.withColumn("amount", F.expr("least(amount, spent)")).drop("spent")


def compare(query: DataFrame, words: str, rounds: int, out: Console, *, dear: bool) -> list[Goal]:
    """All ways to write a query's result and know it."""
    asked = [question.analyzer for question in QUESTIONS]
    folder = Path(tempfile.mkdtemp(prefix="assay-watch-"))
    try:
        ways: dict[str, Callable[[], object]] = {
            _ALONE: partial(_write, query, folder / "a"),
            _WATCHED: partial(_watched, query, folder / "b", asked),
            _AFTER: partial(_then, query, folder / "c", asked, again=False),
            _TWICE: partial(_then, query, folder / "d", asked, again=True),
        }
        found = alternate(query.sparkSession, _ways(ways), rounds, out)
    finally:
        shutil.rmtree(folder)
    _show(out, words, list(found.values()))
    if not dear:
        return []
    return [
        Goal(
            f"CPU of {_WATCHED} to {_TWICE}, {words}", found[_WATCHED].cpu / found[_TWICE].cpu, 1.0
        )
    ]


def _ways(ways: dict[str, Callable[[], object]]) -> list[Way]:
    return [Way(name, run) for name, run in ways.items()]


def _write(query: DataFrame, path: Path) -> None:
    query.write.mode("overwrite").parquet(str(path))


def _watched(query: DataFrame, path: Path, asked: Sequence[Analyzer]) -> object:
    watched = watch(query, asked)
    _write(watched.df, path)
    return watched.measurement()


def _then(query: DataFrame, path: Path, asked: Sequence[Analyzer], *, again: bool) -> object:
    _write(query, path)
    return measure(query if again else query.sparkSession.read.parquet(str(path)), asked)


def _show(out: Console, words: str, measured: Sequence[Measured]) -> None:
    table = Table(title=words, title_justify="left", title_style="bold", expand=False)
    table.add_column("")
    for heading in ("CPU s", "wall s", "jobs", f"of {_ALONE}"):
        table.add_column(heading, justify="right")
    alone = next(each for each in measured if each.name == _ALONE)
    for each in measured:
        cells = (f"{each.cpu:.2f}", f"{each.wall:.2f}", f"{each.jobs}")
        table.add_row(each.name, *cells, f"{each.cpu / alone.cpu:.2f}")
    out.print(table)


if __name__ == "__main__":
    sys.exit(main())
