"""Tables and figures as people read them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.table import Table

from benchmarks.support.timing import Measured

__all__ = ["console", "count", "create_table", "percent", "print_costs"]

#: columns of the output where it is not a terminal: the widest table fits
_WIDTH = 120


def console() -> Console:
    """Create a console that is wide enough for the tables if the output is not a terminal."""
    detected = Console()
    return detected if detected.is_terminal else Console(width=_WIDTH)


def create_table(title: str, first: str = "", headings: Sequence[str] = ()) -> Table:
    """Create a table: text in the first column, figures in the others."""
    table = Table(title=title, title_justify="left", title_style="bold", expand=False)
    table.add_column(first)
    for heading in headings:
        table.add_column(heading, justify="right")
    return table


def percent(share: float, decimals: int = 1) -> str:
    """Format a share as a percentage; "-" if there is none."""
    return "-" if math.isnan(share) else f"{100 * share:.{decimals}f} %"


def count(number: int, noun: str, plural: str = "") -> str:
    """Format a number of things: ``1 batch``, ``2,000 rows``."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def print_costs(
    out: Console,
    title: str,
    measured: Iterable[Measured],
    baseline: Measured,
    limit: Measured | None = None,
) -> None:
    """Print what each way costs, compared with a baseline and with the limit of the machine.

    Parameters
    ----------
    baseline
        The way whose CPU seconds are 1.
    limit
        DuckDB's run of the same work, where it was measured.
    """
    ratios = [f"CPU / {baseline.name}", *(["CPU / DuckDB"] if limit else [])]
    headings = ("CPU s", "wall s", "Spark jobs", *ratios, "first run, CPU s")
    table = create_table(title, "way", headings)
    for way in measured:
        table.add_row(
            way.name,
            f"{way.cpu:.2f}",
            f"{way.wall:.2f}",
            "" if way.jobs is None else f"{way.jobs}",
            f"{way.cpu / baseline.cpu:.2f}",
            *([f"{way.cpu / limit.cpu:.1f}"] if limit else []),
            f"{way.first:.1f}",
        )
    out.print(table)
