"""What segments cost: ``python -m benchmarks.segments [--users] [--quick] [--check]``.

It prints what the fingerprints of many segments of Parquet files cost (all that a gate asks of a
batch): of a narrow table with a segment for each day of a year, of a wide one, and of a long one.
By one query that unites the aggregations, as Assay does; by a query for each aggregation, eight at
a time; and by a single aggregation of everything, as Assay does where reading again is dear.

In a session with Spark's own settings (``--users``) generated classes have the number of their part
of the query in their name: aggregations that do the same with other columns are the same code as
queries, but not as parts of one. One query of a wide table of alike columns then compiles more.
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
from assay.engine.plan import Plan, Scan, plan
from assay.engine.scan import scan_jobs
from assay.learn.fingerprint.analyzers import fingerprint_analyzers
from benchmarks.support import generated
from benchmarks.support.execution import by_plan, together
from benchmarks.support.goals import Goal, conclude, console, show
from benchmarks.support.sessions import sessions
from benchmarks.support.timing import Way, alternate

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_UNITED, _APART, _MIXED = "one query", "a query each", "one aggregation"


@dataclass(frozen=True)
class Case:
    """A table: which kind, how many rows, columns and segments."""

    name: str
    rows: int
    columns: int
    segments: int

    def __str__(self) -> str:
        return f"{self.name}: {self.rows:,} rows x {self.columns} columns, {self.segments} segments"

    def frame(self, spark: SparkSession, folder: Path, out: Console) -> DataFrame:
        """The table; a hash of its first column, which is left out, tells the segments."""
        if self.columns < 20:
            path = generated.orders(spark, folder, self.rows, out)
        else:
            path = generated.readings(spark, folder, self.rows, self.columns + 1, out)
        df = spark.read.parquet(str(path))
        first, *rest = df.columns
        return df.selectExpr(
            *rest[: self.columns], f"pmod(xxhash64({first}), {self.segments}) AS segment"
        )


_CASES = (
    Case("narrow", 300_000, 19, 365),
    Case("wide", 100_000, 100, 30),
    Case("long", 2_000_000, 10, 10),
)
_SAMPLES = (Case("narrow", 20_000, 19, 30), Case("wide", 10_000, 40, 10))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.segments")
    add = parser.add_argument
    add("--rounds", type=int, default=3, help="rounds after the first run (3)")
    add("--data", type=Path, default=generated.CACHE, help="where the tables are kept")
    add("--users", action="store_true", help="with Spark's own settings")
    add("--quick", action="store_true", help="a sample: some two minutes")
    add("--check", action="store_true", help="exit 1 where a goal is missed")
    given = parser.parse_args(arguments)
    out = console()
    with sessions() as both:
        spark = both.users if given.users else both.own
        # of a sample, what does not grow with the rows is the most of it
        limit = 1.5 if given.users or given.quick else 1.15
        goals = [
            compare(case.frame(spark, given.data, out), case, given.rounds, limit, out)
            for case in (_SAMPLES if given.quick else _CASES)
        ]
    return conclude(out, goals, check=given.check)


def compare(df: DataFrame, case: Case, rounds: int, limit: float, out: Console) -> Goal:
    """The three ways on one table."""
    schema = schema_of(df)
    measured = replace(schema, fields=schema.fields[:-1])
    asked = fingerprint_analyzers(measured)
    united = plan(asked, schema, by=["segment"], buffers=buffer_limit(df))
    most = 1 if case.name == "wide" else 99  # of many columns it takes minutes
    ways = [
        Way(_UNITED, partial(by_plan, df, united)),
        Way(_APART, partial(_apart, df, united)),
        Way(_MIXED, partial(by_plan, df, replace(united, sharing="mixed")), most=most),
    ]
    found = alternate(df.sparkSession, ways, rounds, out)
    show(out, str(case), found.values(), found[_APART])
    text = f"CPU of one query to a query for each aggregation, {case.name}"
    return Goal(text, found[_UNITED].cpu / found[_APART].cpu, limit)


def _apart(df: DataFrame, united: Plan) -> None:
    """Every aggregation as a plan of its own."""
    halves = [
        half
        for scan in united.scans
        for half in (Scan(plain=scan.plain), Scan(sketches=scan.sketches))
        if half.exprs
    ]
    together(df, [job for half in halves for job in scan_jobs(df, replace(united, scans=(half,)))])


if __name__ == "__main__":
    sys.exit(main())
