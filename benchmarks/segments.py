"""Measure the CPU cost of fingerprints of many segments, in one Spark query and in several.

    python -m benchmarks.segments [--users] [--quick] [--check]

It measures the fingerprint of every segment of three Parquet tables. The fingerprint is everything
that a gate measures of a batch. One table is narrow, with a segment for each day of a year; the
others are wide and long. The ways are

- one query that unites all aggregations, as Assay does;
- a query for each aggregation, eight at the same time;
- a single aggregation of everything, as Assay does where reading again is expensive.

Goal: one query costs at most 1.15 times the CPU of a query for each aggregation. The limit is 1.5
with ``--quick``, where costs that do not grow with the rows dominate, and with ``--users``.

With ``--users``, the session has Spark's own settings. There, the name of a generated class
contains the number of its part of the query. Aggregations that differ only in their columns share
code if they are queries of their own, but not as parts of one query. One query of a wide table of
similar columns therefore compiles more code.

Data: generated. Time on 2 cores: about 20 minutes; 1 minute with ``--quick``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from assay.engine.frame import buffer_limit, schema_of
from assay.engine.passes.query_pass import PassInput
from assay.engine.passes.scan_pass import scan_jobs
from assay.engine.plan import Plan, plan
from assay.learn.fingerprint.analyzers import fingerprint_analyzers
from benchmarks.support import generated
from benchmarks.support.command import add_table_options, benchmark_parser, run_benchmark
from benchmarks.support.execution import by_plan, run_concurrently
from benchmarks.support.goals import Goal
from benchmarks.support.output import print_costs
from benchmarks.support.sessions import sessions
from benchmarks.support.timing import Way, alternate

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_ONE_QUERY, _MANY_QUERIES, _ONE_AGGREGATION = "one query", "a query each", "one aggregation"
#: CPU of one query / CPU of a query for each aggregation
_MAX_RATIO, _MAX_QUICK_RATIO = 1.15, 1.5


@dataclass(frozen=True)
class Case:
    """A table: its kind, rows, columns and segments."""

    name: str
    rows: int
    columns: int
    segments: int

    def __str__(self) -> str:
        return f"{self.name}: {self.rows:,} rows x {self.columns} columns, {self.segments} segments"

    def read(self, spark: SparkSession, folder: Path, out: Console) -> DataFrame:
        """Read the table. A hash of its first column, which is left out, is the segment."""
        if self.columns < 20:
            path = generated.orders(spark, folder, self.rows, out)
        else:
            path = generated.readings(spark, folder, self.rows, self.columns + 1, out)
        df = spark.read.parquet(str(path))
        first, *columns = df.columns
        return df.selectExpr(
            *columns[: self.columns], f"pmod(xxhash64({first}), {self.segments}) AS segment"
        )


_CASES = (
    Case("narrow", 300_000, 19, 365),
    Case("wide", 100_000, 100, 30),
    Case("long", 2_000_000, 10, 10),
)
_QUICK_CASES = (Case("narrow", 20_000, 19, 30), Case("wide", 10_000, 40, 10))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    parser = benchmark_parser("segments", __doc__, quick="two small tables, one round")
    add_table_options(parser)
    parser.add_argument("--users", action="store_true", help="use Spark's own settings")
    return run_benchmark(parser, arguments, measure)


def measure(options: argparse.Namespace, out: Console) -> list[Goal]:
    """Measure all tables."""
    with sessions() as both:
        spark = both.user if options.users else both.assay
        limit = _MAX_QUICK_RATIO if options.users or options.quick else _MAX_RATIO
        rounds = options.rounds or (1 if options.quick else 3)
        return [
            compare(case.read(spark, options.data, out), case, rounds, limit, out)
            for case in (_QUICK_CASES if options.quick else _CASES)
        ]


def compare(df: DataFrame, case: Case, rounds: int, limit: float, out: Console) -> Goal:
    """Measure one table in three ways."""
    schema = schema_of(df)
    without_segment = replace(schema, fields=schema.fields[:-1])
    analyzers = fingerprint_analyzers(without_segment)
    one_query = plan(analyzers, schema, by=["segment"], buffers=buffer_limit(df))
    one_aggregation = replace(one_query, sharing="mixed")
    # one aggregation of many columns takes minutes
    max_rounds = 1 if case.name == "wide" else 99
    ways = [
        Way(_ONE_QUERY, partial(by_plan, df, one_query)),
        Way(_MANY_QUERIES, partial(_run_separately, df, one_query)),
        Way(_ONE_AGGREGATION, partial(by_plan, df, one_aggregation), max_rounds=max_rounds),
    ]
    measured = alternate(df.sparkSession, ways, rounds, out)
    print_costs(out, str(case), measured.values(), measured[_MANY_QUERIES])
    return Goal(
        name=f"CPU of one query / CPU of a query for each aggregation, {case.name}",
        actual=measured[_ONE_QUERY].cpu / measured[_MANY_QUERIES].cpu,
        at_most=limit,
    )


def _run_separately(df: DataFrame, one_query: Plan) -> None:
    """Run every aggregation of a plan as a query of its own."""
    source = PassInput(df, one_query.schema, one_query.by)
    aggregations = [half for scan in one_query.scans for half in scan.aggregations]
    jobs = (scan_jobs(source, (half,), one_query.sharing) for half in aggregations)
    run_concurrently(df, [job for queries in jobs for job in queries])


if __name__ == "__main__":
    sys.exit(main())
