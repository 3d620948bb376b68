"""Demonstrate a gate on real data: two weeks of flights from New York with a snow storm."""

from __future__ import annotations

import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from assay.checks import Check, verify
from assay.checks.terminal import print_result
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
    """Verify a day, build a history, and submit two bad batches.

    The store and the HTML report remain in `folder`.
    """
    from pyspark.sql import functions as F

    df = df.withColumn("date", F.make_date("year", "month", "day")).drop("year", "month", "day")
    console.rule("[bold]Checks: the rules for one day")
    print_result(verify(df.where("date = '2013-02-07'"), departures), console)

    console.rule("[bold]A gate: record eleven days as history")
    store = EmbeddedStore(folder / "store")
    gate = Gate("flights", store, departures, budget="1/200")
    days = gate.backfill(df.where(f"date NOT IN ({_NOT_IN_HISTORY})"), ["date"])
    keys = sorted(day.key for day in days)
    console.print(
        f"{len(days)} batches from {keys[0]} to {keys[-1]} are recorded in {store.folder}."
        " The store keeps statistics, no rows."
    )

    console.rule("[bold]8 February: a snow storm")
    storm = df.where("date = '2013-02-08'").drop("date")
    _submit(console, gate, storm, 8)

    console.rule("[bold]14 February, with three silent changes upstream")
    day = df.where("date = '2013-02-14'").drop("date")
    bad = (
        day.withColumn("carrier", F.lower("carrier"))
        .withColumn("distance", F.expr("distance * 1.609"))
        .withColumn("dep_time", F.expr("IF(origin = 'JFK', NULL, dep_time)"))
    )
    verdict = _submit(console, gate, bad, 14)
    path = folder / "report.html"
    report_of(store, "flights", verdict.batch.key).write(path)
    console.print(f"The report is in {path}", style="bold", soft_wrap=True)

    console.rule("[bold]The batch is rejected, and delivered again without the changes")
    gate.reject(verdict.batch.key, author="you", reason="carriers, units and times are wrong")
    _submit(console, gate, day, 14)
    waiting = ", ".join(held.batch.key for held in gate.quarantine.waiting()) or "none"
    console.print(f"Batches that still need a decision: {waiting}.")


def _submit(console: Console, gate: Gate, df: DataFrame, day: int) -> Verdict:
    moment = datetime(2013, 2, day, tzinfo=UTC)
    verdict = gate.submit(df, f"date={moment:%Y-%m-%d}", time=moment)
    if not verdict.accepted:
        verdict = gate.explain(df, verdict)
    print_verdict(verdict, console)
    return verdict


#: days that are submitted, or left out
_NOT_IN_HISTORY = "'2013-02-08', '2013-02-09', '2013-02-14'"


if __name__ == "__main__":
    main()
