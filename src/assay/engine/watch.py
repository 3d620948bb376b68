"""Watch a write: the plan's aggregates ride on the user's own query as observations.

The query runs once, by whoever runs it; the states are there afterwards. It is cheaper than a
verification of its own where the query is dear (joins, aggregations), see ``benchmarks.watch``.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from assay.analyzers.aggregate_expr import AggregateExpr
from assay.analyzers.analyzer import Analyzer
from assay.analyzers.comparison import ComparisonAnalyzer
from assay.analyzers.metric import Problem
from assay.engine.frame import unambiguous
from assay.engine.measure import measurement_of_scans
from assay.engine.measurement import Measurement
from assay.engine.passes.scan import Values, spark_columns
from assay.engine.plan import Plan, plan_for
from assay.errors import WatchError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Observation

__all__ = ["Watched", "watch"]

_OWN_PASS = Problem(
    "needs_own_pass",
    "a table of frequencies or a model cannot ride on a write; measure it on its own",
)


_TWO_TABLES = Problem(
    "needs_own_pass", "two tables are not compared by a write of one; verify it on its own"
)


@dataclass(frozen=True)
class Watched:
    """A DataFrame to be written or collected once, and what it came to afterwards."""

    #: to be used in place of the one that was given
    df: DataFrame
    plan: Plan
    observations: tuple[tuple[tuple[AggregateExpr, ...], Observation], ...] = field(repr=False)

    def measurement(self, timeout: float = 60) -> Measurement:
        """The states and metrics of the rows that went by.

        Waits so many seconds for the query to be done; if nothing ran, or it failed, says so.
        """
        values: Values = {}
        for exprs, observation in self.observations:
            found = _gotten(observation, timeout)
            values |= {expr: found[f"x{i}"] for i, expr in enumerate(exprs)}
        return measurement_of_scans(self.plan, values, _OWN_PASS)


def watch(df: DataFrame, analyzers: Iterable[Analyzer]) -> Watched:
    """The same rows, watched: use ``.df`` once, then ask for ``.measurement()``.

    Only what a scan can tell is told; uniqueness and its like need a pass of their own. What is
    read is what is watched: of a query with a `limit`, Spark sees only the rows that it pulled. An
    expression of yours that fails on a row (a division by zero) fails the query, as it would there.
    """
    from pyspark.sql import Observation

    asked = list(dict.fromkeys(analyzers))
    of_two = [each for each in asked if isinstance(each, ComparisonAnalyzer)]
    plan = plan_for(df, [each for each in asked if each not in of_two])
    plan = replace(plan, refused={**plan.refused, **dict.fromkeys(of_two, _TWO_TABLES)})
    names = df.columns
    watched = unambiguous(df, plan.schema)
    renamed = watched is not df
    observations = []
    for scan in plan.scans:
        for exprs in (scan.plain, scan.sketches):
            if exprs:
                observation = Observation()
                watched = watched.observe(observation, *spark_columns(exprs))
                observations.append((exprs, observation))
    return Watched(watched.toDF(*names) if renamed else watched, plan, tuple(observations))


def _gotten(observation: Observation, timeout: float) -> dict[str, Any]:
    """What was observed. Spark waits without end where nothing ran; we do not."""
    found: list[dict[str, Any]] = []
    failed: list[Exception] = []

    def get() -> None:
        try:
            found.append(observation.get)
        except Exception as error:  # told by who waits: a thread has nobody to raise it to
            failed.append(error)

    waiting = threading.Thread(target=get, daemon=True)
    waiting.start()
    waiting.join(timeout)
    if not found or not found[0]:  # Spark Connect gives nothing where nothing ran
        raise WatchError.unseen(timeout) from (failed[0] if failed else None)
    return found[0]
