"""Measure the CPU cost of a scan, compared with hand-written aggregations and DuckDB.

    python -m benchmarks.scan [--rows N] [--cols C] [--variants chunks|sharing] [--quick] [--check]

With 20 columns, it measures 25 scan constraints on a table of orders. With more columns, it
measures six basic statistics of every column, and of a table with 20 such columns.

Every table is measured by

- Assay in its own session, and in a session with Spark's settings;
- one hand-written aggregation with the same sketches, and two (sketches apart);
- DuckDB, as the limit of what the machine can do.

CPU seconds are those of the whole process tree in the cheapest round; the ways alternate within a
round. All answers must agree.

Goals: Assay costs at most 1.15 times the CPU of one hand-written aggregation. A column of a wide
table costs at most 1.3 times a column of a table with 20 columns.

``--variants`` measures choices of the planner instead and has no goals. ``chunks`` measures the
size of chunks, ``sharing`` how sketches share a scan with plain aggregates, on Parquet and CSV.

Data: generated. Time on 2 cores: about 20 minutes; about 1 minute with ``--quick``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

from benchmarks.support import generated, planner_choices
from benchmarks.support.command import add_table_options, benchmark_parser, run_benchmark
from benchmarks.support.execution import (
    by_assay,
    by_duckdb,
    by_one_aggregation,
    by_two_aggregations,
)
from benchmarks.support.goals import Goal
from benchmarks.support.output import print_costs
from benchmarks.support.questions import QUESTIONS, Question, basic, differences
from benchmarks.support.sessions import Sessions, sessions
from benchmarks.support.timing import Measured, Way, alternate

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

NARROW_COLUMNS = 20
#: CPU of Assay / CPU of one hand-written aggregation
_MAX_RATIO = 1.15
#: CPU per column of a wide table / CPU per column of a narrow one
_MAX_WIDE_RATIO = 1.3
_ASSAY, _USER, _ONE, _TWO, _DUCKDB = (
    "Assay, own session",
    "Assay, user's session",
    "one aggregation",
    "two aggregations",
    "DuckDB",
)
#: ways that ``--quick`` leaves out
_SLOW = (_USER, _TWO)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    parser = benchmark_parser("scan", __doc__, quick="400,000 rows, or 20,000 of a wide table")
    add_table_options(parser, rows="10,000,000, or 500,000 of a wide table")
    parser.add_argument(
        "--cols", type=int, default=NARROW_COLUMNS, help="columns: 20 (default) or more"
    )
    parser.add_argument(
        "--variants", choices=planner_choices.STUDIES, help="measure choices of the planner instead"
    )
    return run_benchmark(parser, arguments, measure)


def measure(options: argparse.Namespace, out: Console) -> list[Goal]:
    """Measure the tables that the options select."""
    if options.cols < NARROW_COLUMNS:
        raise SystemExit(f"--cols: expected {NARROW_COLUMNS} or more, got {options.cols}.")
    narrow = options.cols == NARROW_COLUMNS
    full_rows, quick_rows = (10_000_000, 400_000) if narrow else (500_000, 20_000)
    options.rows = options.rows or (quick_rows if options.quick else full_rows)
    options.rounds = options.rounds or (2 if options.quick else 3)
    with sessions() as both:
        if options.variants:
            study = planner_choices.STUDIES[options.variants]
            study(both.assay, options.data, options.rows, options.rounds, out)
            return []
        return (measure_narrow if narrow else measure_wide)(both, options, out)


def measure_narrow(both: Sessions, options: argparse.Namespace, out: Console) -> list[Goal]:
    """Measure 25 constraints on 20 columns."""
    path = generated.orders(both.assay, options.data, options.rows, out)
    ways = [
        _spark_way(_ASSAY, by_assay, both.assay, path, QUESTIONS),
        _spark_way(_USER, by_assay, both.user, path, QUESTIONS),
        _spark_way(_ONE, by_one_aggregation, both.user, path, QUESTIONS),
        _spark_way(_TWO, by_two_aggregations, both.user, path, QUESTIONS),
        _duckdb_way(path, QUESTIONS),
    ]
    ways = [way for way in ways if not options.quick or way.name not in _SLOW]
    title = f"{len(QUESTIONS)} scan constraints on {options.rows:,} rows x {options.cols} columns"
    measured = _run_ways(both.assay, title, QUESTIONS, ways, options, out)
    return [
        Goal(
            name=f"CPU of {name} / CPU of one aggregation",
            actual=measured[name].cpu / measured[_ONE].cpu,
            at_most=_MAX_RATIO,
        )
        for name in (_ASSAY, _USER)
        if name in measured
    ]


def measure_wide(both: Sessions, options: argparse.Namespace, out: Console) -> list[Goal]:
    """Measure six statistics of each of many columns, and of 20 columns of the same types."""
    measured: dict[int, dict[str, Measured]] = {}
    for columns in (NARROW_COLUMNS, options.cols):
        path = generated.readings(both.assay, options.data, options.rows, columns, out)
        questions = basic([f"c{n}" for n in range(columns)])
        ways = [
            _spark_way(_ASSAY, by_assay, both.assay, path, questions),
            _spark_way(_USER, by_assay, both.user, path, questions),
            _duckdb_way(path, questions),
        ]
        if not options.quick or columns == NARROW_COLUMNS:
            # one aggregation of a wide table takes minutes
            rounds = 1 if columns > NARROW_COLUMNS else 99
            way = _spark_way(_ONE, by_one_aggregation, both.user, path, questions, rounds)
            ways.insert(2, way)
        title = f"six basic statistics of {options.rows:,} rows x {columns} columns"
        measured[columns] = _run_ways(both.assay, title, questions, ways, options, out)
    return [
        Goal(
            name=(f"CPU per column of {name}, {options.cols} columns / {NARROW_COLUMNS} columns"),
            actual=(
                measured[options.cols][name].cpu
                / options.cols
                / (measured[NARROW_COLUMNS][name].cpu / NARROW_COLUMNS)
            ),
            at_most=_MAX_WIDE_RATIO,
        )
        for name in (_ASSAY, _USER)
        if name in measured[NARROW_COLUMNS]
    ]


def _run_ways(
    spark: SparkSession,
    title: str,
    questions: Sequence[Question],
    ways: Sequence[Way],
    options: argparse.Namespace,
    out: Console,
) -> dict[str, Measured]:
    measured = alternate(spark, ways, options.rounds, out)
    baseline = measured.get(_ONE, measured[_ASSAY])
    print_costs(out, title, measured.values(), baseline, measured[_DUCKDB])
    wrong = differences(questions, {name: way.result for name, way in measured.items()})
    if wrong:
        raise SystemExit("the answers differ:\n" + "\n".join(wrong[:20]))
    out.print(f"All {len(questions)} answers of all ways agree.", highlight=False)
    return measured


def _spark_way(
    name: str,
    answer: Callable[[DataFrame, Sequence[Question]], list[Any]],
    spark: SparkSession,
    path: Path,
    questions: Sequence[Question],
    max_rounds: int = 99,
) -> Way:
    table = spark.read.parquet(str(path))
    return Way(name, lambda: answer(table, questions), max_rounds=max_rounds)


def _duckdb_way(path: Path, questions: Sequence[Question]) -> Way:
    return Way(_DUCKDB, lambda: by_duckdb(path, questions), on_spark=False)


if __name__ == "__main__":
    sys.exit(main())
