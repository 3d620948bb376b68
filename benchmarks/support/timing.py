"""Ways to do the same work, measured in turn so that all see the same neighbours on the machine."""

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

_RUNS = itertools.count()

__all__ = ["Measured", "Way", "alternate"]


@dataclass(frozen=True)
class Way:
    """One way to do the work; `most` limits the rounds of one that is very slow."""

    name: str
    run: Callable[[], Any]
    on_spark: bool = True
    most: int = 99


@dataclass
class Measured:
    """What a way cost: the first run, cold, and the least of the rounds after it."""

    name: str
    first: float = 0.0
    cpus: list[float] = field(default_factory=list)
    walls: list[float] = field(default_factory=list)
    jobs: int | None = None
    result: Any = None

    @property
    def cpu(self) -> float:
        """CPU seconds, the least of the rounds."""
        return min(self.cpus)

    @property
    def wall(self) -> float:
        """Seconds, the least of the rounds."""
        return min(self.walls)


def alternate(
    spark: SparkSession, ways: Sequence[Way], rounds: int, console: Console
) -> dict[str, Measured]:
    """Each once to warm up, then all in turn, so many rounds."""
    measured = {way.name: Measured(way.name) for way in ways}
    for number in range(rounds + 1):
        turn = ways if number % 2 else ways[::-1]  # nobody always comes after the same one
        for way in turn:
            if number > way.most:
                continue
            with console.status(f"{way.name}: {f'round {number}' if number else 'warming up'}"):
                spent = _once(spark, way, measured[way.name], warm=number > 0)
            if not console.is_terminal:  # a log of a long run
                print(f"round {number}, {way.name}: {spent.cpu:.2f}", file=sys.stderr, flush=True)
    return measured


def _once(spark: SparkSession, way: Way, into: Measured, *, warm: bool) -> Meter:
    context = spark.sparkContext
    group = f"run {next(_RUNS)}"
    spark._jvm.System.gc()  # type: ignore[union-attr]  # nobody pays for another's garbage
    context.setJobGroup(group, way.name)
    with Meter() as meter:
        result = way.run()
    if warm:
        into.cpus.append(meter.cpu)
        into.walls.append(meter.wall)
    else:
        into.first = meter.cpu
        into.result = result
    if way.on_spark:
        into.jobs = len(context.statusTracker().getJobIdsForGroup(group))
    return meter
