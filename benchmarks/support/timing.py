"""Run several ways of doing the same work in turn and measure their CPU seconds.

The ways alternate, so that other load on the machine affects all of them alike.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rich.console import Console

from benchmarks.support.cpu import Meter

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_RUN_NUMBERS = itertools.count()

__all__ = ["Measured", "Way", "alternate"]


@dataclass(frozen=True)
class Way:
    """One way to do the work. `max_rounds` limits the rounds of a very slow one."""

    name: str
    run: Callable[[], Any]
    on_spark: bool = True
    max_rounds: int = 99


@dataclass
class Measured:
    """The cost of a way: CPU seconds of the cold first run, then of every round."""

    name: str
    first: float = 0.0
    cpus: list[float] = field(default_factory=list)
    walls: list[float] = field(default_factory=list)
    jobs: int | None = None
    result: Any = None

    @property
    def cpu(self) -> float:
        """CPU seconds of the cheapest round."""
        return min(self.cpus)

    @property
    def wall(self) -> float:
        """Wall seconds of the fastest round."""
        return min(self.walls)


def alternate(
    spark: SparkSession, ways: Sequence[Way], rounds: int, console: Console
) -> dict[str, Measured]:
    """Run every way once to warm up, then all of them in turn, `rounds` times."""
    measured = {way.name: Measured(way.name) for way in ways}
    for number in range(rounds + 1):
        # reverse every second round, so that no way always runs after the same one
        for way in ways if number % 2 else ways[::-1]:
            if number > way.max_rounds:
                continue
            with console.status(f"{way.name}: {f'round {number}' if number else 'warming up'}"):
                meter = _run_once(spark, way, measured[way.name], warm=number > 0)
            if not console.is_terminal:  # a log shows how far a long run is
                print(
                    f"round {number}, {way.name}: {meter.cpu:.2f} CPU s",
                    file=sys.stderr,
                    flush=True,
                )
    return measured


def _run_once(spark: SparkSession, way: Way, measured: Measured, *, warm: bool) -> Meter:
    context = spark.sparkContext
    group = f"run {next(_RUN_NUMBERS)}"
    spark._jvm.System.gc()  # type: ignore[union-attr]  # the next way must not pay for this garbage
    context.setJobGroup(group, way.name)
    with Meter() as meter:
        result = way.run()
    if warm:
        measured.cpus.append(meter.cpu)
        measured.walls.append(meter.wall)
    else:
        measured.first = meter.cpu
        measured.result = result
    if way.on_spark:
        measured.jobs = len(context.statusTracker().getJobIdsForGroup(group))
    return meter
