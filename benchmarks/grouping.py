"""Measure the CPU cost of frequencies, compared with hand-written queries and DuckDB.

    python -m benchmarks.grouping [--rows N] [--quick] [--check]

First, it measures metrics of six columns and of one pair of them: uniqueness, distinctness,
distinct values, entropy, a histogram and mutual information. The columns have few, some or many
distinct values. The ways are Assay, the four ways that Spark offers for hand-written queries, and
DuckDB as the limit of what the machine can do. All answers must agree.

Then it measures two columns and their pair. The frequencies of each column come from jobs of their
own, or from the frequencies of the pair.

Goals: Assay costs at most 1.15 times the CPU of the best exact hand-written way (2.0 with
``--quick``, where the fixed cost of a job dominates). Jobs of their own cost at most 1.15 times the
CPU of the derived frequencies.

Data: generated. Time on 2 cores: about 20 minutes; 1 minute with ``--quick``.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

from assay.analyzers import (
    Analyzer,
    CountDistinct,
    Distinctness,
    Entropy,
    Histogram,
    MutualInformation,
    Uniqueness,
)
from assay.engine.measure import measure
from benchmarks.support import generated
from benchmarks.support.command import add_table_options, benchmark_parser, run_benchmark
from benchmarks.support.frequencies import (
    INEXACT,
    TOP_VALUES,
    WAYS,
    Frequencies,
    Keys,
    by_duckdb,
)
from benchmarks.support.goals import Goal
from benchmarks.support.output import print_costs
from benchmarks.support.sessions import sessions
from benchmarks.support.timing import Measured, Way, alternate

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

#: prefix of the columns, and their number of distinct values in words
_SCALES = {"low": "few", "mid": "some", "high": "many"}
_ASSAY, _DUCKDB = "Assay", "DuckDB"
_OWN_JOBS, _DERIVED = "jobs of their own", "from the pair's"
#: CPU of Assay / CPU of the best hand-written way
_MAX_RATIO, _MAX_QUICK_RATIO = 1.15, 2.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    parser = benchmark_parser("grouping", __doc__, quick="100,000 rows, one kind of columns")
    add_table_options(parser, rows="1,250,000")
    return run_benchmark(parser, arguments, measure_groupings)


def measure_groupings(options: argparse.Namespace, out: Console) -> list[Goal]:
    """Measure the columns of all scales."""
    options.rows = options.rows or (100_000 if options.quick else 1_250_000)
    options.rounds = options.rounds or (2 if options.quick else 3)
    scales = ["mid"] if options.quick else list(_SCALES)
    with sessions() as both:
        path = generated.groups(both.assay, options.data, options.rows, out)
        df = both.assay.read.parquet(str(path))
        goals = [compare_ways(df, path, scale, options, out) for scale in scales]
        if not options.quick:
            goals += compare_margins(df, path, options.rounds, out)
    return goals


def groupings_by_analyzer(scale: str) -> dict[Analyzer, tuple[Keys, ...]]:
    """Return the analyzers, each with the groupings from which its answer can be computed."""
    a, b, c, d, e, f = (f"{scale}{n}" for n in range(6))
    return {
        Entropy((a,)): ((a,),),
        CountDistinct((b,)): ((b,),),
        Uniqueness((c,)): ((c,),),
        Distinctness((d,)): ((d,),),
        Entropy((e,)): ((e,),),
        Histogram(f, top=TOP_VALUES): ((f,),),
        MutualInformation((a, b)): ((a,), (b,), (a, b)),
    }


def compare_ways(
    df: DataFrame, path: Path, scale: str, options: argparse.Namespace, out: Console
) -> Goal:
    """Measure the columns of one scale in all ways."""
    columns = f"columns of {_SCALES[scale]} values, {options.rows:,} rows"
    analyzers = groupings_by_analyzer(scale)
    groupings = list(dict.fromkeys(keys for needed in analyzers.values() for keys in needed))
    top_column = f"{scale}5"
    ways = [
        Way(_ASSAY, lambda: _by_assay(df, analyzers)),
        *(Way(name, partial(run, df, groupings, top_column)) for name, run in WAYS.items()),
        Way(_DUCKDB, partial(by_duckdb, path, groupings, top_column), on_spark=False),
    ]
    measured = alternate(df.sparkSession, ways, options.rounds, out)
    exact = [measured[name] for name in WAYS if name not in INEXACT]
    best = min(exact, key=lambda way: way.cpu)
    title = f"six groupings and a mutual information, {columns}"
    print_costs(out, title, measured.values(), best, measured[_DUCKDB])
    _require_equal_answers(analyzers, measured)
    return Goal(
        name=f"CPU of Assay / CPU of the best exact hand-written way ({best.name}), {columns}",
        actual=measured[_ASSAY].cpu / best.cpu,
        at_most=_MAX_QUICK_RATIO if options.quick else _MAX_RATIO,
    )


def compare_margins(df: DataFrame, path: Path, rounds: int, out: Console) -> list[Goal]:
    """Measure both ways to count `a` and `b`, given that the pair is counted too.

    Mutual information needs all three. If reading again is cheap, Assay counts each on its own
    (`allow_multiple_reads=True`). Otherwise it derives the margins from the table of the pair.
    """
    goals = []
    for scale, values in _SCALES.items():
        a, b = f"{scale}0", f"{scale}1"
        groupings: list[Keys] = [(a,), (b,), (a, b)]
        analyzers = [MutualInformation((a, b)), Entropy((a,)), Entropy((b,))]
        ways = [
            Way(_OWN_JOBS, partial(measure, df, analyzers, allow_multiple_reads=True)),
            Way(_DERIVED, partial(measure, df, analyzers, allow_multiple_reads=False)),
            Way(_DUCKDB, partial(by_duckdb, path, groupings, a), on_spark=False),
        ]
        measured = alternate(df.sparkSession, ways, rounds, out)
        sums = measured[_DUCKDB].result.sums
        sizes = ", ".join(f"{sums[keys].groups:,}" for keys in groupings)
        title = f"a, b and (a, b): {sizes} distinct values"
        print_costs(out, title, measured.values(), measured[_DERIVED], measured[_DUCKDB])
        goals.append(
            Goal(
                name=f"CPU of jobs of their own / CPU of derived frequencies, {values} values",
                actual=measured[_OWN_JOBS].cpu / measured[_DERIVED].cpu,
                at_most=_MAX_RATIO,
            )
        )
    return goals


def _by_assay(df: DataFrame, analyzers: dict[Analyzer, tuple[Keys, ...]]) -> list[Any]:
    measured = measure(df, analyzers)
    return [measured.value(analyzer) for analyzer in analyzers]


def _require_equal_answers(
    analyzers: dict[Analyzer, tuple[Keys, ...]], measured: dict[str, Measured]
) -> None:
    for name, way in measured.items():
        if name == _ASSAY:
            continue
        answers = zip(analyzers.items(), measured[_ASSAY].result, strict=True)
        for (analyzer, groupings), answer in answers:
            expected = _compute_answer(analyzer, groupings, way.result)
            if isinstance(expected, list):
                actual = sorted(answer.counts.values(), reverse=True)
                same = actual == expected
            else:
                actual = answer
                same = math.isclose(actual, expected, rel_tol=1e-9, abs_tol=1e-9)
            if not same:
                raise SystemExit(f"{analyzer}: {actual} by Assay, {expected} by {name}")


def _compute_answer(
    analyzer: Analyzer, groupings: tuple[Keys, ...], frequencies: Frequencies
) -> Any:
    first, *others = (frequencies.sums[keys] for keys in groupings)
    match analyzer:
        case Entropy():
            return math.log(first.rows) - first.n_log_n / first.rows
        case CountDistinct():
            return first.groups
        case Uniqueness():
            return first.singles / first.rows
        case Distinctness():
            return first.groups / first.rows
        case MutualInformation():
            second, pair = others
            return math.log(pair.rows) + (pair.n_log_n - first.n_log_n - second.n_log_n) / pair.rows
        case _:
            return frequencies.top_counts


if __name__ == "__main__":
    sys.exit(main())
