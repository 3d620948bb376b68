"""The main job on real data: two weeks of departures from New York, a snow storm among them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from assay.analyzers import Analyzer, ApproxCountDistinct, ApproxQuantile, Completeness, Mean, Size
from assay.checks import Check, verify
from assay.checks.anomalies import Expectation, Point
from assay.checks.terminal import print_result
from assay.checks.unremarkable import number
from assay.data import flights_path
from assay.dataset import Dataset
from assay.engine import local_session
from assay.learn.anomaly import OnlineNormal, ranges
from assay.store import MemoryStore, Recorded

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
    .hint("No departure time is a cancelled flight.")
    .has_mean("dep_delay", at_most=60)
    .warn()
    .has_approx_quantile("dep_delay", 0.5, between=(-15, 15))
    .has_correlation("distance", "air_time", at_least=0.95)
)


def flights(spark: SparkSession) -> DataFrame:
    """The flights that ship with Assay: 1 to 14 February 2013."""
    path = str(flights_path())
    return spark.read.csv(path, schema=_SCHEMA, header=True, nullValue="NA")


def main() -> None:
    """Check two days, look at the bad rows, remember every day and what it lets expect."""
    console = Console(highlight=False)
    console.print("Starting a local Spark …", style="dim")
    spark = local_session("assay-demo")
    try:
        tell(console, flights(spark))
    finally:
        spark.stop()


def tell(console: Console, df: DataFrame) -> None:
    """Check two days, look at the bad rows, and at all days beside each other."""
    console.rule("[bold]An ordinary Thursday: 7 February 2013")
    print_result(verify(df.where("day = 7"), departures), console)

    console.rule("[bold]The day after")
    storm = verify(df.where("day = 8"), departures)
    print_result(storm, console)
    console.print("\nHow it was computed:", style="bold")
    console.print(str(storm.plan), markup=False)

    good, bad = storm.split()
    console.print(
        f"\n{good.count():,} rows are good, {bad.count():,} are bad. Three of the bad ones:",
        style="bold",
    )
    bad = bad.select("time_hour", "carrier", "flight", "origin", "dest", "dep_time", "broken")
    console.print(_rows(bad.orderBy("time_hour", "flight").limit(3)))

    _tell_of_all_days(console, df)


def _tell_of_all_days(console: Console, df: DataFrame) -> None:
    from pyspark.sql.functions import make_date

    console.rule("[bold]Fourteen days at once, and what each had let expect of the next")
    size, present, delay = Size(), Completeness("dep_time"), Mean("dep_delay")
    median, planes = ApproxQuantile("dep_delay", 0.5), ApproxCountDistinct("tailnum")
    asked: list[Analyzer] = [size, present, delay, median, planes]
    dataset = Dataset("flights", MemoryStore(), analyzers=asked)
    days = df.withColumn("date", make_date(df["year"], df["month"], df["day"]))
    dataset.load(days, by=["date"])
    found = {each: list(dataset.history([each])) for each in asked}
    shares = [Point(each.batch.time, _number(each)) for each in found[present]]
    table = Table(box=None, pad_edge=False, header_style="dim")
    for title in ("day", "flights", "departed", "", "expected", "mean delay", "median", "planes"):
        table.add_column(title, justify="left" if title in {"day", "", "expected"} else "right")
    for at, expected in enumerate(ranges(OnlineNormal(), shares, hold=True)):
        share = shares[at].value
        odd = isinstance(expected, Expectation) and not expected.holds(share)
        told = f"≥ {expected.low:.0%}" if isinstance(expected, Expectation) else "…"
        table.add_row(
            f"{shares[at].time:%Y-%m-%d}",
            f"{_number(found[size][at]):,.0f}",
            f"{share:.1%}",
            "█" * round(share * 10),
            f"{told}{'  ✗' if odd else ''}",
            f"{_number(found[delay][at]):.1f} min",
            f"{_number(found[median][at]):.0f} min",
            f"{_number(found[planes][at]):,.0f}",
            style="red" if odd else "",
        )
    console.print(table)
    whole = dataset.verify().measurement
    console.print(
        "\nThe days' states add up to the whole, without reading a row again: "
        f"{whole.number(size):,.0f} flights, {whole.number(present):.2%} departed, "
        f"mean delay {whole.number(delay):.2f} min, some {whole.number(planes):,.0f} planes."
    )


def _number(recorded: Recorded) -> float:
    return number(recorded.metric.value)


def _rows(df: DataFrame) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in df.columns:
        table.add_column(name, overflow="fold")
    for row in df.collect():
        table.add_row(*(", ".join(cell) if isinstance(cell, list) else str(cell) for cell in row))
    return table


if __name__ == "__main__":
    main()
