"""Measure the CPU cost of watching a write, compared with verifying its result afterwards.

    python -m benchmarks.watch [--rows N] [--quick] [--check]

For a cheap query (a copy) and an expensive one (a join and an aggregation), the ways are

- the write alone;
- the write, watched: 25 scan constraints are measured during the write;
- the write, then a verification of the written files;
- the write, then a verification of the query, which runs the query again.

Goal: for the expensive query, watching costs no more CPU than verifying the query afterwards.

Data: generated. Time on 2 cores: about 5 minutes; 1 minute with ``--quick``.
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

from assay.analyzers import Analyzer
from assay.engine import measure, watch
from benchmarks.support import generated
from benchmarks.support.command import add_table_options, benchmark_parser, run_benchmark
from benchmarks.support.goals import Goal
from benchmarks.support.output import print_costs
from benchmarks.support.questions import QUESTIONS
from benchmarks.support.sessions import sessions
from benchmarks.support.timing import Measured, Way, alternate

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_ALONE, _WATCHED = "write alone", "write, watched"
_FILES, _QUERY = "write, then verify the files", "write, then verify the query"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    parser = benchmark_parser("watch", __doc__, quick="100,000 rows, one round")
    add_table_options(parser, rows="2,000,000")
    return run_benchmark(parser, arguments, measure_queries)


def measure_queries(options: argparse.Namespace, out: Console) -> list[Goal]:
    """Measure a cheap and an expensive query."""
    rows = options.rows or (100_000 if options.quick else 2_000_000)
    rounds = options.rounds or (1 if options.quick else 3)
    with sessions() as both:
        path = generated.orders(both.assay, options.data, rows, out)
        orders = both.assay.read.parquet(str(path))
        compare(orders, f"a copy of {rows:,} rows x 20 columns", rounds, out)
        title = f"a join and an aggregation of {rows:,} rows"
        measured = compare(expensive_query(orders), title, rounds, out)
    return [
        Goal(
            name=f"CPU of '{_WATCHED}' / CPU of '{_QUERY}', {title}",
            actual=measured[_WATCHED].cpu / measured[_QUERY].cpu,
            at_most=1.0,
        )
    ]


def expensive_query(orders: DataFrame) -> DataFrame:
    """Join the orders with what their customers spent: the same columns at a higher cost."""
    from pyspark.sql import functions as F

    ordered = orders.groupBy("customer_id", "sku").agg(F.sum("amount").alias("spent"))
    totals = ordered.groupBy("customer_id").agg(F.max("spent").alias("spent"))
    joined = orders.join(totals.hint("merge"), "customer_id")
    return joined.withColumn("amount", F.expr("least(amount, spent)")).drop("spent")


def compare(query: DataFrame, title: str, rounds: int, out: Console) -> dict[str, Measured]:
    """Measure all ways to write and verify the result of a query."""
    analyzers = [question.analyzer for question in QUESTIONS]
    folder = Path(tempfile.mkdtemp(prefix="assay-watch-"))
    try:
        ways: dict[str, Callable[[], object]] = {
            _ALONE: partial(_write, query, folder / "a"),
            _WATCHED: partial(_write_watched, query, folder / "b", analyzers),
            _FILES: partial(_write_then_verify_files, query, folder / "c", analyzers),
            _QUERY: partial(_write_then_verify_query, query, folder / "d", analyzers),
        }
        spark_ways = [Way(name, run) for name, run in ways.items()]
        measured = alternate(query.sparkSession, spark_ways, rounds, out)
    finally:
        shutil.rmtree(folder)
    print_costs(out, title, measured.values(), measured[_ALONE])
    return measured


def _write(query: DataFrame, path: Path) -> None:
    query.write.mode("overwrite").parquet(str(path))


def _write_watched(query: DataFrame, path: Path, analyzers: Sequence[Analyzer]) -> object:
    watched = watch(query, analyzers)
    _write(watched.df, path)
    return watched.measurement()


def _write_then_verify_files(query: DataFrame, path: Path, analyzers: Sequence[Analyzer]) -> object:
    _write(query, path)
    return measure(query.sparkSession.read.parquet(str(path)), analyzers)


def _write_then_verify_query(query: DataFrame, path: Path, analyzers: Sequence[Analyzer]) -> object:
    _write(query, path)
    return measure(query, analyzers)


if __name__ == "__main__":
    sys.exit(main())
