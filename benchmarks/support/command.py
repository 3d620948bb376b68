"""The command line that all benchmarks share."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

from rich.console import Console

from benchmarks.support.generated import CACHE
from benchmarks.support.goals import Goal, report_goals
from benchmarks.support.output import console
from tools.real_data import RealDataMissingError, real_data_folder

__all__ = [
    "add_cache_option",
    "add_real_data_option",
    "add_sketches_option",
    "add_table_options",
    "benchmark_parser",
    "run_benchmark",
]

Measure = Callable[[argparse.Namespace, Console], Sequence[Goal]]


def benchmark_parser(
    name: str, documentation: str | None, *, quick: str
) -> argparse.ArgumentParser:
    """Create a parser with the options ``--quick`` and ``--check``.

    Parameters
    ----------
    name
        Name of the module: the command is ``python -m benchmarks.NAME``.
    documentation
        Docstring of the module. ``--help`` shows its first line.
    quick
        Amount of work with ``--quick``.
    """
    summary = (documentation or "").partition("\n")[0]
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks.{name}", description=summary)
    parser.add_argument("--quick", action="store_true", help=f"finish in about a minute: {quick}")
    parser.add_argument("--check", action="store_true", help="exit 1 if a goal is missed")
    return parser


def add_table_options(
    parser: argparse.ArgumentParser, *, rows: str | None = None, rounds: bool = True
) -> None:
    """Add ``--data``, ``--rows`` and ``--rounds`` for benchmarks that read generated tables.

    Parameters
    ----------
    rows
        Default of ``--rows``, the size of the table. Without it, the size is fixed.
    rounds
        Whether to add ``--rounds``, the number of runs of each way after its first run.
    """
    parser.add_argument(
        "--data", type=Path, default=CACHE, help=f"folder of the generated tables ({CACHE})"
    )
    if rows is not None:
        parser.add_argument("--rows", type=int, help=f"rows of the table (default: {rows})")
    if rounds:
        parser.add_argument("--rounds", type=int, help="rounds after the first run (default: 3)")


def add_real_data_option(parser: argparse.ArgumentParser, content: str) -> None:
    """Add ``--data``, the folder of the real data sets."""
    parser.add_argument(
        "--data",
        type=Path,
        default=real_data_folder(),
        help=f"folder that contains {content} (default: $ASSAY_DATA)",
    )


def add_cache_option(parser: argparse.ArgumentParser) -> None:
    """Add ``--cache``, a folder of measured batches."""
    parser.add_argument(
        "--cache",
        type=Path,
        help="folder in which measured batches are kept, so that they are measured once;"
        " delete it after a change of what is measured",
    )


def add_sketches_option(parser: argparse.ArgumentParser) -> None:
    """Add ``--sketches``, which takes the statistics from Spark, and ``--cache``."""
    parser.add_argument(
        "--sketches",
        action="store_true",
        help="measure all batches with Spark, as states and sketches, instead of from rows",
    )
    add_cache_option(parser)


def run_benchmark(
    parser: argparse.ArgumentParser, arguments: Sequence[str] | None, measure: Measure
) -> int:
    """Read the command line, measure, print which goals are met, and return the exit status.

    Returns
    -------
    int
        1 if ``--check`` was given and a goal is missed, otherwise 0. Absent real data skip the
        benchmark: it prints why and returns 0.
    """
    options = parser.parse_args(arguments)
    out = console()
    try:
        goals = measure(options, out)
    except RealDataMissingError as error:
        out.print(f"skipped: {error}", highlight=False, soft_wrap=True)
        return 0
    return report_goals(out, goals, check=options.check)
