"""Scans: aggregates over all rows, plain ones and sketches apart but in the same pass.

Mixing sketches (imperative aggregates) into an aggregation drags all of it off the fast path.
They ride along as an *observation* of the rows on their way to the plain aggregation instead.

Spark may count rows of an observation twice where it has to run a lost shuffle task again. Only
sketches, which are estimates anyway, are observed; exact counts are not, unless the caller forbids
reading twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import isnan
from typing import TYPE_CHECKING, Any

from assay.analyzers.leaf import Leaf
from assay.analyzers.metric import Problem
from assay.analyzers.schema import Column
from assay.engine.failure import problem_of, quiet
from assay.engine.plan import Plan, Scan

if TYPE_CHECKING:
    from pyspark.sql import Column as SparkColumn
    from pyspark.sql import DataFrame

__all__ = ["Segment", "Values", "columns_of", "first_problem", "scan_jobs", "segment_of"]

#: the values of the `by` columns; empty for the whole
Segment = tuple[Any, ...]
#: what a leaf came to, or why it did not
Values = dict[Leaf, Any]

#: how many more runs are spent on finding the aggregate that broke a scan
_MOST_RERUNS = 48
#: what no aggregate is to blame for: the session is gone, or a file is torn
_HOPELESS = frozenset({"session_closed", "failed_read_file.no_hint"})
_NAN = float("nan")


def scan_jobs(df: DataFrame, plan: Plan) -> list[Callable[[], dict[Segment, Values]]]:
    """The plan's passes over the data, as calls that can run side by side."""
    if not plan.scans:
        return []
    if plan.sharing in ("stacked", "mixed"):
        return [_job(df, plan.scans, plan.by)]
    if plan.sharing == "separate":
        halves = [
            half
            for scan in plan.scans
            for half in (Scan(plain=scan.plain), Scan(sketches=scan.sketches))
            if half.leaves
        ]
        return [_job(df, (half,), plan.by) for half in halves]
    return [_job(df, (scan,), plan.by) for scan in plan.scans]


def _job(
    df: DataFrame, scans: tuple[Scan, ...], by: tuple[Column, ...]
) -> Callable[[], dict[Segment, Values]]:
    def run() -> dict[Segment, Values]:
        written = sum(leaf.written for scan in scans for leaf in scan.leaves)
        return _attributed(df, scans, by, [_MOST_RERUNS + 2 * written])

    return run


def _attributed(
    df: DataFrame, scans: tuple[Scan, ...], by: tuple[Column, ...], reruns: list[int]
) -> dict[Segment, Values]:
    """Run; on failure run the halves, until what fails stands alone with its reason."""
    leaves = [leaf for scan in scans for leaf in scan.leaves]
    try:
        with quiet():
            return _run(df, scans, by)
    except Exception as error:  # an expression that fails on a row, or a broken session
        problem = problem_of(error)
        if problem.code in _HOPELESS or len(leaves) == 1 or reruns[0] <= 0:
            return {(): dict.fromkeys(leaves, problem)}
        reruns[0] -= 2
        # what the user wrote is what fails: the rest is computed at once
        written = [leaf for leaf in leaves if leaf.written]
        own = [leaf for leaf in leaves if not leaf.written]
        half = len(leaves) // 2
        parts = (own, written) if own and written else (leaves[:half], leaves[half:])
        found: dict[Segment, Values] = {}
        for part in parts:
            outcome = _attributed(df, (_split(part),), by, reruns)
            for segment, values in outcome.items():
                found.setdefault(segment, {}).update(values)
        return found


def _split(leaves: Sequence[Leaf]) -> Scan:
    plain = tuple(leaf for leaf in leaves if not leaf.sketch)
    return Scan(plain, tuple(leaf for leaf in leaves if leaf.sketch))


def _run(df: DataFrame, scans: tuple[Scan, ...], by: tuple[Column, ...]) -> dict[Segment, Values]:
    if by:
        return _grouped(df, [leaf for scan in scans for leaf in scan.leaves], by)
    main = scans[0].plain or scans[0].sketches
    observed = [scan.sketches for scan in scans[:1] if scan.plain and scan.sketches]
    observed += [scan.leaves for scan in scans[1:]]
    return {(): _global(df, main, observed)}


def _global(df: DataFrame, main: Sequence[Leaf], observed: Iterable[Sequence[Leaf]]) -> Values:
    from pyspark.sql import Observation

    observations = []
    for leaves in observed:
        observation = Observation()
        df = df.observe(observation, *columns_of(leaves))
        observations.append((leaves, observation))
    row = df.agg(*columns_of(main)).collect()[0]
    values = dict(zip(main, row, strict=True))
    for leaves, observation in observations:
        found = observation.get
        values |= {leaf: found[f"x{i}"] for i, leaf in enumerate(leaves)}
    return values


def _grouped(
    df: DataFrame, leaves: Sequence[Leaf], by: tuple[Column, ...]
) -> dict[Segment, Values]:
    from pyspark.sql import functions as F

    keys = [F.expr(column.sql).alias(f"b{i}") for i, column in enumerate(by)]
    rows = df.groupBy(*keys).agg(*columns_of(leaves)).collect()
    at = len(by)
    return {segment_of(row[:at]): dict(zip(leaves, row[at:], strict=True)) for row in rows}


def segment_of(values: Iterable[Any]) -> Segment:
    """The key of a segment; a NaN, which equals nothing, is always the same one."""
    return tuple(_NAN if isinstance(each, float) and isnan(each) else each for each in values)


def columns_of(leaves: Sequence[Leaf]) -> list[SparkColumn]:
    """Leaves as columns ``x0, x1, …``."""
    from pyspark.sql import functions as F

    return [F.expr(leaf.sql).alias(f"x{i}") for i, leaf in enumerate(leaves)]


def first_problem(values: Iterable[Any]) -> Problem | None:
    """The first of these that is a reason instead of a value."""
    return next((value for value in values if isinstance(value, Problem)), None)
