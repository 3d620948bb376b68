"""What groupings cost: ``python -m benchmarks.grouping [--rows N] [--quick] [--check]``.

It prints what the frequencies of six columns and of one pair of them cost (uniqueness, entropy,
distinctness, distinct values, a histogram, mutual information), for columns of few, of some and of
many different values: by Assay, by hand in the four ways that Spark offers, and by DuckDB as the
limit of what the machine can do. Then, for two columns and their pair, whether it is cheaper to
take the frequencies of each column from those of the pair than to count them in jobs of their own.
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
from benchmarks.support.frequencies import INEXACT, TOP, WAYS, Keys, Tables, by_duckdb
from benchmarks.support.goals import Goal, conclude, console, show
from benchmarks.support.sessions import sessions
from benchmarks.support.timing import Measured, Way, alternate

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_SCALES = {"low": "few", "mid": "some", "high": "many"}
_OURS = "Assay"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.grouping")
    add = parser.add_argument
    add("--rows", type=int, help="1,250,000")
    add("--rounds", type=int, help="rounds after the first run (3)")
    add("--data", type=Path, default=generated.CACHE, help="where the table is kept")
    add("--quick", action="store_true", help="a sample: under a minute")
    add("--check", action="store_true", help="exit 1 where the goal is missed")
    given = parser.parse_args(arguments)
    rows = given.rows or (100_000 if given.quick else 1_250_000)
    rounds = given.rounds or (2 if given.quick else 3)
    # of a sample, what a job costs at least is the most of it
    limit = 2.0 if given.quick else 1.15
    scales = ["mid"] if given.quick else list(_SCALES)
    out = console()
    with sessions() as both:
        path = generated.groups(both.own, given.data, rows, out)
        frame = both.own.read.parquet(str(path))
        goals = [compare(frame, path, scale, rows, rounds, limit, out) for scale in scales]
        if not given.quick:
            goals += margins(frame, path, rounds, out)
    return conclude(out, goals, check=given.check)


def asked_of(scale: str) -> dict[Analyzer, tuple[Keys, ...]]:
    """The analyzers, each with the groupings that its answer is computed from by hand."""
    a, b, c, d, e, f = (f"{scale}{n}" for n in range(6))
    return {
        Entropy((a,)): ((a,),),
        CountDistinct((b,)): ((b,),),
        Uniqueness((c,)): ((c,),),
        Distinctness((d,)): ((d,),),
        Entropy((e,)): ((e,),),
        Histogram(f, top=TOP): ((f,),),
        MutualInformation((a, b)): ((a,), (b,), (a, b)),
    }


def compare(
    df: DataFrame, path: Path, scale: str, rows: int, rounds: int, limit: float, out: Console
) -> Goal:
    """All ways on the columns of one scale."""
    words = f"columns of {_SCALES[scale]} values, {rows:,} rows"
    asked = asked_of(scale)
    groupings = list(dict.fromkeys(keys for each in asked.values() for keys in each))
    column = f"{scale}5"
    ways = [
        Way(_OURS, lambda: _ours(df, asked)),
        *(Way(name, partial(run, df, groupings, column)) for name, run in WAYS.items()),
        Way("DuckDB", partial(by_duckdb, path, groupings, column), on_spark=False),
    ]
    found = alternate(df.sparkSession, ways, rounds, out)
    exact = [found[name] for name in WAYS if name not in INEXACT]
    best = min(exact, key=lambda each: each.cpu)
    show(
        out,
        f"six groupings and a mutual information, {words}",
        found.values(),
        best,
        found["DuckDB"],
    )
    _agree(asked, found)
    return Goal(
        f"CPU of Assay to the best exact way by hand ({best.name}), {words}",
        found[_OURS].cpu / best.cpu,
        limit,
    )


def margins(df: DataFrame, path: Path, rounds: int, out: Console) -> list[Goal]:
    """The frequencies of `a` and `b`, from those of the pair or in jobs of their own.

    Mutual information needs all three. If reading again is cheap, Assay counts each on its own
    (`allow_multiple_reads=True`). Otherwise it derives the margins from the table of the pair.
    """
    goals = []
    for scale, words in _SCALES.items():
        a, b = f"{scale}0", f"{scale}1"
        keys: list[Keys] = [(a,), (b,), (a, b)]
        asked = [MutualInformation((a, b)), Entropy((a,)), Entropy((b,))]
        ways = [
            Way("jobs of their own", partial(measure, df, asked, allow_multiple_reads=True)),
            Way("from the pair's", partial(measure, df, asked, allow_multiple_reads=False)),
            Way("DuckDB", partial(by_duckdb, path, keys, a), on_spark=False),
        ]
        found = alternate(df.sparkSession, ways, rounds, out)
        groups = found["DuckDB"].result.found
        sizes = ", ".join(f"{groups[key].groups:,}" for key in keys)
        title = f"a, b and (a, b): {sizes} different values"
        own, pair = found["jobs of their own"], found["from the pair's"]
        show(out, title, found.values(), pair, found["DuckDB"])
        text = f"CPU of jobs of their own to margins of the pair, {words} values"
        goals.append(Goal(text, own.cpu / pair.cpu, 1.15))
    return goals


def _ours(df: DataFrame, asked: dict[Analyzer, tuple[Keys, ...]]) -> list[Any]:
    measured = measure(df, asked)
    return [measured.value(analyzer) for analyzer in asked]


def _agree(asked: dict[Analyzer, tuple[Keys, ...]], found: dict[str, Measured]) -> None:
    for name, each in found.items():
        if name == _OURS:
            continue
        for (analyzer, keys), ours in zip(asked.items(), found[_OURS].result, strict=True):
            theirs = _value(analyzer, keys, each.result)
            mine = sorted(ours.counts.values(), reverse=True) if isinstance(theirs, list) else ours
            same = mine == theirs or (
                not isinstance(mine, list)
                and math.isclose(mine, theirs, rel_tol=1e-9, abs_tol=1e-9)
            )
            if not same:
                raise SystemExit(f"{analyzer}: {mine}, but {theirs} by {name}")


def _value(analyzer: Analyzer, keys: tuple[Keys, ...], tables: Tables) -> Any:
    one, *rest = (tables.found[each] for each in keys)
    match analyzer:
        case Entropy():
            return math.log(one.rows) - one.n_log_n / one.rows
        case CountDistinct():
            return one.groups
        case Uniqueness():
            return one.singles / one.rows
        case Distinctness():
            return one.groups / one.rows
        case MutualInformation():
            other, both = rest
            return math.log(both.rows) + (both.n_log_n - one.n_log_n - other.n_log_n) / both.rows
        case _:
            return tables.head


if __name__ == "__main__":
    sys.exit(main())
