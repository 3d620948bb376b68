"""Demonstrate a gate on real data: two weeks of flights from New York with a snow storm."""

from __future__ import annotations

import shutil
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from assay.checks import Check
from assay.data import flights_path
from assay.engine import local_session
from assay.gate import Gate, Verdict
from assay.report.html import report_of
from assay.report.terminal import print_verdict
from assay.store import EmbeddedStore

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["departures", "flights", "main", "tell"]

_SCHEMA = """
    year int, month int, day int, dep_time int, sched_dep_time int, dep_delay double, arr_time int,
    sched_arr_time int, arr_delay double, carrier string, flight int, tailnum string,
    origin string, dest string, air_time double, distance double, hour int, minute int,
    time_hour timestamp
"""

departures = (
    Check("departures")
    .has_size(at_least=500)
    .is_complete("carrier", "flight", "origin", "dest", "time_hour")
    .is_unique("time_hour", "carrier", "flight", "origin")
    .is_contained_in("origin", ["EWR", "JFK", "LGA"])
    .is_positive("distance")
    .is_in_range("hour", 0, 23)
    .matches("tailnum", "[A-Z0-9]{5,6}", at_least=0.99)
    .warn()
    .has_completeness("dep_time", at_least=0.9)
    .hint("A flight without a departure time was cancelled.")
    .has_mean("dep_delay", at_most=60)
    .warn()
    .has_approx_quantile("dep_delay", 0.5, between=(-15, 15))
    .has_correlation("distance", "air_time", at_least=0.95)
)


def flights(spark: SparkSession) -> DataFrame:
    """Return the flights that Assay contains: 1 to 14 February 2013, one row per flight."""
    path = str(flights_path())
    return spark.read.csv(path, schema=_SCHEMA, header=True, nullValue="NA")


def main() -> None:
    """Run the demonstration in a new local session."""
    console = Console(highlight=False)
    console.print("Starting a local Spark …", style="dim")
    spark = local_session("assay-demo")
    try:
        tell(console, flights(spark), Path(tempfile.mkdtemp(prefix="assay-demo-")))
    finally:
        spark.stop()


def tell(console: Console, df: DataFrame, folder: Path) -> None:
    """Build a history, submit a day of a snow storm and a damaged day, and print the verdicts.

    The store and the HTML report remain in `folder`.
    """
    from pyspark.sql import functions as F

    df = df.withColumn("date", F.make_date("year", "month", "day")).drop("year", "month", "day")
    store = EmbeddedStore(folder / "store")
    gate = Gate("flights", store, departures, budget="1/200")
    days = gate.backfill(df.where("date < '2013-02-08'"), ["date"])
    console.print(f"Flights from New York arrive once a day. {len(days)} days are the history.")

    _title(console, "8 February arrives: a snow storm")
    _submit(console, gate, df.where("date = '2013-02-08'").drop("date"), 8)

    gate.backfill(df.where("date BETWEEN '2013-02-10' AND '2013-02-13'"), ["date"])
    _title(console, "14 February arrives: three columns were changed on the way")
    day = df.where("date = '2013-02-14'").drop("date")
    damaged = (
        day.withColumn("carrier", F.lower("carrier"))
        .withColumn("distance", F.expr("distance * 1.609"))
        .withColumn("dep_time", F.expr("IF(origin = 'JFK', NULL, dep_time)"))
    )
    verdict = _submit(console, gate, damaged, 14)
    report = folder / "report.html"
    report_of(store, "flights", verdict.batch.key).write(report)

    _title(console, "It is rejected, corrected and delivered again")
    gate.reject(verdict.batch.key, author="you", reason="carriers, units and times are wrong")
    _submit(console, gate, day, 14)
    _print_what_next(console, report, store.folder)


def _title(console: Console, text: str) -> None:
    console.print(f"\n{text}", style="bold")


def _submit(console: Console, gate: Gate, df: DataFrame, day: int) -> Verdict:
    moment = datetime(2013, 2, day, tzinfo=UTC)
    verdict = gate.submit(df, f"date={moment:%Y-%m-%d}", time=moment)
    if not verdict.accepted:
        verdict = gate.explain(df, verdict)
    print_verdict(verdict, console, max_problems=_MAX_PROBLEMS)
    return verdict


def _print_what_next(console: Console, report: Path, store: Path) -> None:
    """Print where the report is, and how to try the same on one's own files."""
    installed = Path(sys.executable).with_name("assay")
    command = "assay" if shutil.which("assay") or not installed.exists() else str(installed)
    steps = (
        ("The report on the held day", str(report)),
        ("The statistics of all days", f"{command} history flights --store {store}"),
        ("Look at your own file", f"{command} check FILE.csv"),
        ("Compare two of your files", f"{command} compare YESTERDAY.csv TODAY.csv"),
        ("Guard your own dataset", f"{command} gate NAME FILE.csv --store .assay"),
    )
    console.print()
    for label, text in steps:
        console.print(f"{label + ':':<28}{text}", soft_wrap=True, markup=False)


#: problems of a batch that are printed, so that the story fits on one screen
_MAX_PROBLEMS = 3


if __name__ == "__main__":
    main()
