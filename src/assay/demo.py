"""The main job on real data: two weeks of departures from New York, a snow storm among them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from assay.analyzers import Analyzer, ApproxCountDistinct, ApproxQuantile, Completeness, Mean, Size
from assay.checks import Check, verify
from assay.checks.terminal import print_result
from assay.data import flights_path
from assay.engine import Measurement, local_session, measure

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["departures", "flights", "main"]

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
    """Check two days, look at the bad rows, measure every day in one go."""
    console = Console(highlight=False)
    console.print("Starting a local Spark …", style="dim")
    spark = local_session("assay-demo")
    try:
        _tell(console, flights(spark))
    finally:
        spark.stop()


def _tell(console: Console, df: DataFrame) -> None:
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

    console.rule("[bold]Fourteen days at once")
    size, present, delay = Size(), Completeness("dep_time"), Mean("dep_delay")
    median, planes = ApproxQuantile("dep_delay", 0.5), ApproxCountDistinct("tailnum")
    asked: list[Analyzer] = [size, present, delay, median, planes]
    days = measure(df, asked, by=["month", "day"])
    table = Table(box=None, pad_edge=False, header_style="dim")
    for title in ("day", "flights", "departed", "", "mean delay", "median", "planes"):
        table.add_column(title, justify="left" if title in {"day", ""} else "right")
    for (month, day), metrics in sorted(days.items()):
        share = metrics.number(present)
        table.add_row(
            f"2013-{month:02}-{day:02}",
            f"{metrics.number(size):,.0f}",
            f"{share:.1%}",
            "█" * round(share * 20),
            f"{metrics.number(delay):.1f} min",
            f"{metrics.number(median):.0f} min",
            f"{metrics.number(planes):,.0f}",
        )
    console.print(table)

    total: Measurement | None = None
    for each in days.values():
        total = each if total is None else total + each
    assert total is not None
    console.print(
        "\nThe days' states add up to the whole, without reading a row again: "
        f"{total.number(size):,.0f} flights, {total.number(present):.2%} departed, "
        f"mean delay {total.number(delay):.2f} min, some {total.number(planes):,.0f} planes."
    )


def _rows(df: DataFrame) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in df.columns:
        table.add_column(name, overflow="fold")
    for row in df.collect():
        table.add_row(*(", ".join(cell) if isinstance(cell, list) else str(cell) for cell in row))
    return table


if __name__ == "__main__":
    main()
