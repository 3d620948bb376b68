"""Measure how many suggested checks hold on unseen rows, and which errors they find.

    python -m benchmarks.suggest [--wide] [--quick] [--check]

1. A random tenth of each table suggests constraints, which are tried on the other nine tenths
   (Table 3 of deequ-vldb18). Goal: 98 % of the suggested errors hold.
2. Constraints that are suggested on a clean table run on the dirty version of the same table, in
   which every wrong cell is known. This part has no goal.

``--wide`` instead compares the profile of a table with 200 columns with one hand-written
aggregation of the same statistics. Goal: at most twice the CPU.

Data: eight recurring data sets and four pairs of clean and dirty tables, all of which were used
during development. The wide table is generated.
Time on 2 cores: about 20 minutes; 1 minute with ``--quick``.
"""

from __future__ import annotations

import argparse
import gzip
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from rich.console import Console

from assay import Level, Suggestion, profile, suggest, verify
from assay.learn.suggest.coverage import measure_coverage
from benchmarks.support import generated
from benchmarks.support.command import add_table_options, benchmark_parser, run_benchmark
from benchmarks.support.cpu import Meter
from benchmarks.support.goals import Goal
from benchmarks.support.output import create_table, percent, print_costs
from benchmarks.support.sessions import sessions
from benchmarks.support.timing import Way, alternate
from tools.real_data import batch_paths, real_data_path

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_MAX_BATCHES = 60
#: the text that stands for a null, where it is not empty
_NULLS = {"nycflights13_daily": "NA"}
#: the folder of each recurring data set's batches
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
#: data sets whose batches are new rows. The others deliver all rows each time: 60 batches suffice.
_APPENDED = frozenset({"nycflights13_daily", "online_retail_by_day"})
_PAIRS = ("beers", "flights", "hospital", "rayyan")
#: share of the suggested errors that unseen rows may break
_MAX_BROKEN = 0.02
#: CPU of the profile / CPU of one hand-written aggregation
_MAX_PROFILE_RATIO = 2.0
_PROFILE, _BY_HAND = "Assay's profile", "by hand"


class HeldOut(NamedTuple):
    """The suggestions of a table, tried on rows that did not suggest them."""

    rows: int
    suggestions: list[Suggestion]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    parser = benchmark_parser("suggest", __doc__, quick="two tables, or 20,000 rows with --wide")
    add_table_options(parser, rounds=False)
    parser.add_argument(
        "--wide", action="store_true", help="only profile 500,000 rows x 200 columns"
    )
    return run_benchmark(parser, arguments, measure)


def measure(options: argparse.Namespace, out: Console) -> list[Goal]:
    """Measure suggestions, or the profile of a wide table."""
    if options.wide:
        with sessions() as both:
            return [compare_profiles(both.assay, options.data, out, quick=options.quick)]
    real_data_path("recurring")
    tables = ["covid_tracking_states"] if options.quick else [*_RECURRING, *_PAIRS]
    with sessions() as both:
        goals = [try_on_unseen_rows(both.assay, tables, out)]
        find_errors(both.assay, ["hospital"] if options.quick else _PAIRS, out)
    return goals


def try_on_unseen_rows(spark: SparkSession, tables: Sequence[str], out: Console) -> Goal:
    """Suggest constraints from a tenth of each table and try them on the other rows."""
    output = create_table(
        "a random tenth of the rows suggests, the others try",
        "table",
        ("rows", "errors", "hold", "warnings", "hold", "mean coverage", "CPU s", "wall s"),
    )
    suggested_errors: list[Suggestion] = []
    broken: list[tuple[str, Suggestion]] = []
    for name in tables:
        df = read_recurring(spark, name) if name in _RECURRING else read_clean(spark, name)
        with Meter() as meter:
            held_out = _suggest_and_try(df)
        suggestions = held_out.suggestions
        errors = [suggestion for suggestion in suggestions if suggestion.level is Level.ERROR]
        warnings = [suggestion for suggestion in suggestions if suggestion.level is not Level.ERROR]
        suggested_errors += errors
        broken += [(name, suggestion) for suggestion in suggestions if not suggestion.holds]
        coverages = [suggestion.coverage or 0.0 for suggestion in suggestions]
        output.add_row(
            name,
            f"{held_out.rows:,}",
            *(f"{len(errors)}", f"{sum(suggestion.holds for suggestion in errors)}"),
            *(f"{len(warnings)}", f"{sum(suggestion.holds for suggestion in warnings)}"),
            percent(sum(coverages) / max(1, len(coverages)), 2),
            *(f"{meter.cpu:.0f}", f"{meter.wall:.0f}"),
        )
    out.print(output)
    for name, suggestion in broken:
        code = suggestion.constraint.python
        coverage = percent(suggestion.coverage or 0.0, 3)
        out.print(
            f"  {suggestion.level.value} does not hold: {name} {code[:80]}"
            f"{'…' if code[80:] else ''} ({coverage} of the rows)",
            highlight=False,
            markup=False,
        )
    broken_share = sum(not suggestion.holds for suggestion in suggested_errors) / max(
        1, len(suggested_errors)
    )
    out.print(
        f"{percent(1 - broken_share, 2)} of {len(suggested_errors)} suggested errors hold on"
        " unseen rows (the paper's Table 3: 19 of 21).",
        highlight=False,
    )
    return Goal(
        name="suggested errors that unseen rows break",
        actual=100 * broken_share,
        at_most=100 * _MAX_BROKEN,
        unit=" %",
    )


def _suggest_and_try(df: DataFrame) -> HeldOut:
    from pyspark.sql import functions as F

    drawn = df.withColumn("__tenth", F.rand(7) < 0.1)
    sample = drawn.where("__tenth").drop("__tenth")
    unseen = drawn.where("NOT __tenth").drop("__tenth")
    suggestions = suggest(sample)
    tried = measure_coverage(list(suggestions), unseen) if suggestions else []
    return HeldOut(df.count(), tried)


def find_errors(spark: SparkSession, tables: Sequence[str], out: Console) -> None:
    """Count the wrong rows of dirty tables that suggestions from the clean tables find."""
    output = create_table(
        "suggested on the clean table, run on the dirty one",
        "table",
        ("suggested", "failed", "wrong rows", "found", "failing rows", "precision"),
    )
    for name in tables:
        clean, dirty = read_pair(spark, name, "clean"), read_pair(spark, name, "dirty")
        suggestions = suggest(clean, clean.columns[1:])
        result = verify(dirty, suggestions.check())
        failed = sum(outcome.outcome.value == "failed" for outcome in result)
        wrong_rows = _differing_rows(clean, dirty)
        _, failing = result.split()
        failing_rows = {row[0] for row in failing.select("__row").collect()}
        found_rows = wrong_rows & failing_rows
        output.add_row(
            name,
            *(f"{len(suggestions)}", f"{failed}", f"{len(wrong_rows):,}"),
            *(f"{len(found_rows):,}", f"{len(failing_rows):,}"),
            percent(len(found_rows) / max(1, len(failing_rows)), 0),
        )
    out.print(output)


def _differing_rows(clean: DataFrame, dirty: DataFrame) -> set[int]:
    clean_rows, dirty_rows = (
        {row["__row"]: tuple(row)[1:] for row in df.collect()} for df in (clean, dirty)
    )
    return {number for number, cells in clean_rows.items() if dirty_rows.get(number) != cells}


def read_recurring(spark: SparkSession, name: str) -> DataFrame:
    """Read the batches of a recurring data set that have its most common header.

    At most 60 batches are read, evenly spaced, unless the batches hold new rows.
    """
    files = batch_paths(name, _RECURRING[name])
    headers = {path: _header(path) for path in files}
    common = Counter(headers.values()).most_common(1)[0][0]
    paths = [str(path) for path, header in headers.items() if header == common]
    step = 1 if name in _APPENDED else -(-len(paths) // _MAX_BATCHES)
    reader = spark.read.option("header", True).option("inferSchema", True)
    reader = reader.option("sep", "\t" if ".tsv" in files[0].name else ",")
    reader = reader.option("multiLine", True).option("escape", '"')
    return reader.option("nullValue", _NULLS.get(name, "")).csv(paths[::step])


def read_pair(spark: SparkSession, name: str, version: str) -> DataFrame:
    """Read one version of a pair as strings, its columns named as in the clean version."""
    reader = spark.read.option("header", True).option("multiLine", True).option("escape", '"')
    names = reader.csv(str(real_data_path("errors", name, "clean.csv.gz"))).columns
    df = reader.csv(str(real_data_path("errors", name, f"{version}.csv.gz"))).toDF(*names)
    return df.selectExpr("monotonically_increasing_id() AS __row", "*")


def read_clean(spark: SparkSession, name: str) -> DataFrame:
    """Read the clean version of a pair, without row numbers."""
    return read_pair(spark, name, "clean").drop("__row")


def compare_profiles(spark: SparkSession, cache: Path, out: Console, *, quick: bool) -> Goal:
    """Compare the profile of many columns with one aggregation of the same statistics."""
    rows = 20_000 if quick else 500_000
    path = generated.readings(spark, cache, rows, 200, out)
    df = spark.read.parquet(str(path))
    ways = [Way(_PROFILE, lambda: profile(df)), Way(_BY_HAND, lambda: _aggregate_by_hand(df))]
    measured = alternate(spark, ways, 1, out)
    title = f"a profile of {rows:,} rows x 200 columns"
    print_costs(out, title, measured.values(), measured[_BY_HAND])
    return Goal(
        name="CPU of the profile / CPU of one hand-written aggregation",
        actual=measured[_PROFILE].cpu / measured[_BY_HAND].cpu,
        at_most=_MAX_PROFILE_RATIO,
    )


def _aggregate_by_hand(df: DataFrame) -> list[Any]:
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


if __name__ == "__main__":
    sys.exit(main())
