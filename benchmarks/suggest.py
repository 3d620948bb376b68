"""What suggestions are worth: ``python -m benchmarks.suggest [--quick] [--check]``.

Table 3 of deequ-vldb18 on real data: a random tenth of a table suggests constraints, which are then
tried on the other nine tenths. Then suggestions made on clean tables are run on dirty versions of
the same tables, where every wrong cell is known. ``--wide`` measures the profiler on a table of 200
columns against one hand-written aggregation of the same statistics.
"""

from __future__ import annotations

import argparse
import gzip
import os
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from rich.console import Console
from rich.table import Table

from assay import Level, Suggestion, profile, suggest, verify
from assay.learn.suggest.suggest import measure_coverage
from benchmarks.support import generated
from benchmarks.support.cpu import Meter
from benchmarks.support.goals import Goal, conclude, console, show
from benchmarks.support.sessions import sessions
from benchmarks.support.timing import Way, alternate

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

DATA = Path(os.environ.get("ASSAY_DATA") or Path(__file__).parents[2] / "shared" / "data")
_MOST_BATCHES = 60
_NULLS = {"nycflights13_daily": "NA", "fbposts": ""}
_RECURRING = {
    "nycflights13_daily": "batches",
    "online_retail_by_day": "batches",
    "jhu_us_daily": "batches",
    "jhu_global_daily": "batches",
    "covid_tracking_states": "batches",
    "hhs_hospital_utilization": "batches",
    "ourairports_regions": "batches",
    "fbposts": "clean",
}
#: deliveries of new rows; of the others, which come whole each time, some are enough
_WHOLE = frozenset({"nycflights13_daily", "online_retail_by_day"})
_PAIRS = ("beers", "flights", "hospital", "rayyan")
_GOAL = 0.98


class Unseen(NamedTuple):
    """What became of a table's suggestions on the rows that they had not seen."""

    rows: int
    tried: list[Suggestion]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.suggest")
    add = parser.add_argument
    add("--data", type=Path, default=generated.CACHE, help="where generated tables are kept")
    add("--wide", action="store_true", help="only the profiler on 500,000 rows x 200 columns")
    add("--quick", action="store_true", help="a sample: under a minute")
    add("--check", action="store_true", help="exit 1 where a goal is missed")
    given = parser.parse_args(arguments)
    out = console()
    with sessions() as both:
        if given.wide:
            return conclude(
                out, [wide(both.own, given.data, out, quick=given.quick)], check=given.check
            )
        if not DATA.exists():
            out.print(f"no real data at {DATA} (set ASSAY_DATA to their folder)")
            return 0
        names = ["covid_tracking_states"] if given.quick else [*_RECURRING, *_PAIRS]
        goals = [unseen(both.own, names, out)]
        dirty(both.own, ["hospital"] if given.quick else _PAIRS, out)
    return conclude(out, goals, check=given.check)


def unseen(spark: SparkSession, names: Sequence[str], out: Console) -> Goal:
    """A tenth suggests, nine tenths judge."""
    table = _table("a random tenth suggests, the rest judges", "table")
    for heading in ("rows", "to demand", "held", "to warn of", "held", "coverage", "CPU s", "s"):
        table.add_column(heading, justify="right")
    errors: list[Suggestion] = []
    wrong: list[tuple[str, Suggestion]] = []
    for name in names:
        df = (
            recurring(spark, name)
            if name in _RECURRING
            else pair(spark, name, "clean").drop("__row")
        )
        with Meter() as meter:
            found = _unseen(df)
        firm = [each for each in found.tried if each.level is Level.ERROR]
        soft = [each for each in found.tried if each.level is not Level.ERROR]
        errors += firm
        wrong += [(name, each) for each in found.tried if not each.holds]
        mean = sum(each.coverage or 0.0 for each in found.tried) / max(1, len(found.tried))
        table.add_row(
            name,
            f"{found.rows:,}",
            *(f"{len(firm)}", f"{sum(each.holds for each in firm)}"),
            *(f"{len(soft)}", f"{sum(each.holds for each in soft)}"),
            f"{mean:.4f}",
            *(f"{meter.cpu:.0f}", f"{meter.wall:.0f}"),
        )
    out.print(table)
    for name, each in wrong:
        mark = "demanded" if each.level is Level.ERROR else "warned"
        code = each.constraint.python
        out.print(
            f"  false, {mark}: {name} {code[:90]}{'…' if code[90:] else ''} ({each.coverage:.5f})",
            highlight=False,
            markup=False,
        )
    broken = sum(not each.holds for each in errors) / max(1, len(errors))
    share = f"{1 - broken:.4f} of {len(errors)} demanded suggestions hold on unseen rows"
    out.print(f"{share} (paper's Table 3: 19 of 21)", highlight=False)
    return Goal("demanded suggestions broken by unseen rows, a share", broken, 1 - _GOAL)


def _unseen(df: DataFrame) -> Unseen:
    from pyspark.sql import functions as F

    numbered = df.withColumn("__tenth", F.rand(7) < 0.1)
    sample = numbered.where("__tenth").drop("__tenth")
    rest = numbered.where("NOT __tenth").drop("__tenth")
    found = suggest(sample)
    return Unseen(df.count(), measure_coverage(list(found), rest) if found else [])


def dirty(spark: SparkSession, names: Sequence[str], out: Console) -> None:
    """Suggestions made on a clean table, run on the dirty one: which wrong cells they find."""
    table = _table("suggested on the clean table, run on the dirty one", "table")
    for heading in ("suggested", "broken", "wrong rows", "found", "rows flagged", "precision"):
        table.add_column(heading, justify="right")
    for name in names:
        clean, bad = pair(spark, name, "clean"), pair(spark, name, "dirty")
        found = suggest(clean, clean.columns[1:])
        result = verify(bad, found.check())
        broken = sum(each.outcome.value == "failed" for each in result)
        wrong = _wrong_rows(clean, bad)
        _, refused = result.split()
        flagged = {row[0] for row in refused.select("__row").collect()}
        table.add_row(
            name,
            *(f"{len(found)}", f"{broken}", f"{len(wrong):,}"),
            *(f"{len(wrong & flagged):,}", f"{len(flagged):,}"),
            f"{len(wrong & flagged) / max(1, len(flagged)):.2f}",
        )
    out.print(table)


def _wrong_rows(clean: DataFrame, bad: DataFrame) -> set[int]:
    rows: list[dict[int, tuple[Any, ...]]] = []
    for df in (clean, bad):
        rows.append({row["__row"]: tuple(row)[1:] for row in df.collect()})
    return {at for at, cells in rows[0].items() if rows[1].get(at) != cells}


def recurring(spark: SparkSession, name: str) -> DataFrame:
    """All batches of a recurring table that have its most common header, evenly picked."""
    files = sorted((DATA / "recurring" / name / _RECURRING[name]).iterdir())
    headers = {path: _header(path) for path in files}
    common = Counter(headers.values()).most_common(1)[0][0]
    same = [path for path, header in headers.items() if header == common]
    step = (
        1
        if name in {"nycflights13_daily", "online_retail_by_day"}
        else -(-len(same) // _MOST_BATCHES)
    )
    read = spark.read.option("header", True).option("inferSchema", True)
    read = read.option("sep", "\t" if ".tsv" in files[0].name else ",").option("multiLine", True)
    df = read.option("escape", '"').option("nullValue", _NULLS.get(name, ""))
    return df.csv([str(path) for path in same[::step]])


def pair(spark: SparkSession, name: str, version: str) -> DataFrame:
    """A table of the clean and dirty pairs, all strings, its columns named as in the clean one."""
    folder = DATA / "errors" / name
    read = spark.read.option("header", True).option("multiLine", True).option("escape", '"')
    names = read.csv(str(folder / "clean.csv.gz")).columns
    df = read.csv(str(folder / f"{version}.csv.gz")).toDF(*names)
    return df.selectExpr("monotonically_increasing_id() AS __row", "*")


def clean_of(spark: SparkSession, name: str) -> DataFrame:
    """The clean table alone."""
    return pair(spark, name, "clean").drop("__row")


def wide(spark: SparkSession, cache: Path, out: Console, *, quick: bool) -> Goal:
    """The profiler on many columns, against one aggregation by hand of the same statistics."""
    rows = 20_000 if quick else 500_000
    path = generated.readings(spark, cache, rows, 200, out)
    df = spark.read.parquet(str(path))
    ways = [
        Way("Assay's profile", lambda: profile(df)),
        Way("by hand", lambda: _by_hand(df)),
    ]
    found = alternate(spark, ways, 1, out)
    ours, hand = found["Assay's profile"], found["by hand"]
    show(out, f"a profile of {rows:,} rows x 200 columns", found.values(), hand, hand)
    return Goal("CPU of the profile to one aggregation by hand", ours.cpu / hand.cpu, 2.0)


def _by_hand(df: DataFrame) -> list[Any]:
    from pyspark.sql import functions as F

    parts = []
    for name, kind in df.dtypes:
        column = F.col(f"`{name}`")
        parts += [F.count(column), F.hll_sketch_agg(F.xxhash64(column), F.lit(12))]
        parts.append(F.expr(f"approx_top_k(cast(`{name}` AS string), 10, 1000)"))
        if kind == "string":
            parts += [F.min(F.length(column)), F.max(F.length(column)), F.avg(F.length(column))]
        else:
            parts += [F.min(column), F.max(column), F.avg(column), F.stddev(column)]
            parts += [F.count_if(column == 0), F.count_if(column < 0)]
            parts.append(F.expr(f"kll_sketch_agg_double(cast(`{name}` AS double), 200)"))
    return df.agg(*(part.alias(f"x{i}") for i, part in enumerate(parts))).collect()


def _header(path: Path) -> str:
    with gzip.open(path, "rt", errors="replace") as lines:
        return lines.readline().strip().lstrip("\ufeff")


def _table(title: str, first: str) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold", expand=False)
    table.add_column(first)
    return table


if __name__ == "__main__":
    sys.exit(main())
