"""Measure the rows of a write while the user's own query runs.

The aggregates of the plan are added to the query as observations. The query runs once, and the
states are available afterwards. This costs less than a separate verification if the query is
expensive, such as one with joins or aggregations (``benchmarks.watch``).
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from assay.analyzers.aggregate_expr import AggregateExpr
from assay.analyzers.analyzer import Analyzer
from assay.analyzers.metric import Problem
from assay.analyzers.other_table import ComparisonAnalyzer
from assay.engine.frame import require_analyzers, unambiguous
from assay.engine.measure import measurement_of_scans
from assay.engine.measurement import Measurement
from assay.engine.passes.scan_pass import Values, spark_columns
from assay.engine.plan import Plan, plan_for
from assay.errors import WatchError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Observation

__all__ = ["Watched", "watch"]

_NEEDS_QUERY = Problem(
    "needs_own_pass",
    "frequency tables, samples and models cannot be computed during a write: use measure().",
)
_NEEDS_OTHER_TABLE = Problem(
    "needs_own_pass", "a write of one table cannot be compared with another: use verify()."
)


@dataclass(frozen=True)
class Watched:
    """A DataFrame to be written or collected once, and its measurement afterwards.

    `watch` creates it.

    Attributes
    ----------
    df : DataFrame
        The DataFrame to use instead of the original one.
    plan : Plan
        The plan of the measurement.

    Examples
    --------
    >>> from assay.analyzers import Size
    >>> watched = watch(spark.range(3), [Size()])
    >>> len(watched.df.collect())
    3
    >>> watched.measurement().value(Size())
    3
    """

    df: DataFrame
    plan: Plan
    observations: tuple[tuple[tuple[AggregateExpr, ...], Observation], ...] = field(repr=False)

    def measurement(self, timeout: float = 60) -> Measurement:
        """Return the states and metrics of the rows that the query processed.

        Parameters
        ----------
        timeout
            Seconds to wait for the query.

        Raises
        ------
        WatchError
            If no query ran, or if it failed.
        """
        values: Values = {}
        for exprs, observation in self.observations:
            results = _wait_for(observation, timeout)
            values |= {expr: results[f"x{i}"] for i, expr in enumerate(exprs)}
        return measurement_of_scans(self.plan, values, _NEEDS_QUERY)


def watch(df: DataFrame, analyzers: Iterable[Analyzer]) -> Watched:
    """Measure a DataFrame while it is written: use ``.df`` once, then call ``.measurement()``.

    Parameters
    ----------
    df
        The DataFrame that will be written or collected.
    analyzers
        The analyzers to measure. Those that need a query of their own, such as uniqueness, have a
        problem in the measurement.

    Notes
    -----
    Only the rows that Spark reads are measured: for a query with a `limit`, these are the rows
    that it pulls. If SQL of yours fails on a row, such as a division by zero, your query fails.

    Raises
    ------
    CheckError
        If an argument is not a DataFrame or a list of analyzers.

    Examples
    --------
    >>> from assay.analyzers import Maximum
    >>> watched = watch(spark.range(3), [Maximum("id")])
    >>> _ = watched.df.collect()
    >>> watched.measurement()[Maximum("id")].value
    2
    """
    from pyspark.sql import Observation

    distinct = require_analyzers(analyzers)
    comparisons = [analyzer for analyzer in distinct if isinstance(analyzer, ComparisonAnalyzer)]
    plan = plan_for(df, [analyzer for analyzer in distinct if analyzer not in comparisons])
    plan = replace(plan, refused={**plan.refused, **dict.fromkeys(comparisons, _NEEDS_OTHER_TABLE)})
    observed = unambiguous(df, plan.schema)
    is_renamed = observed is not df
    observations = []
    for scan in plan.scans:
        for exprs in (scan.plain, scan.sketches):
            if exprs:
                observation = Observation()
                observed = observed.observe(observation, *spark_columns(exprs))
                observations.append((exprs, observation))
    original_names = observed.toDF(*df.columns) if is_renamed else observed
    return Watched(original_names, plan, tuple(observations))


def _wait_for(observation: Observation, timeout: float) -> dict[str, Any]:
    """Return the observed values. Spark would wait forever if no query ran."""
    results: list[dict[str, Any]] = []
    errors: list[Exception] = []

    def get() -> None:
        try:
            results.append(observation.get)
        except Exception as error:  # Spark raises anything; the waiting thread reports it
            errors.append(error)

    waiting = threading.Thread(target=get, daemon=True)
    waiting.start()
    waiting.join(timeout)
    if not results or not results[0]:  # Spark Connect returns an empty result if nothing ran
        raise WatchError.unseen(timeout) from (errors[0] if errors else None)
    return results[0]
