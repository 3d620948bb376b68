"""Scans: aggregates over all rows, plain ones and sketches apart but in the same query.

Mixing sketches (imperative aggregates) into an aggregation drags all of it off the fast path.
They ride along as an *observation* of the rows on their way to the plain aggregation instead. An
observation cannot be grouped: the aggregations of segments are branches of a union.

Spark may count rows of an observation twice where it has to run a lost shuffle task again. Only
sketches, which are estimates anyway, are observed; exact counts are not, unless the caller forbids
reading twice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Sequence
from functools import partial
from itertools import chain
from math import isnan
from typing import TYPE_CHECKING, Any

from assay.analyzers.aggregate_expr import AggregateExpr
from assay.analyzers.metric import Problem
from assay.analyzers.schema import COMPARABLE, Column
from assay.engine.failure_isolation import isolate_failures
from assay.engine.plan import Plan, Scan

if TYPE_CHECKING:
    from pyspark.sql import Column as SparkColumn
    from pyspark.sql import DataFrame

__all__ = ["Segment", "Values", "columns_of", "first_problem", "scan_jobs", "segment_of"]

#: the values of the `by` columns; empty for the whole
Segment = tuple[Any, ...]
#: what a expr came to, or why it did not
Values = dict[AggregateExpr, Any]

#: how many more queries are spent on each aggregation of one that failed
_MOST_RERUNS = 48
_NAN = float("nan")


def scan_jobs(df: DataFrame, plan: Plan) -> list[Callable[[], dict[Segment, Values]]]:
    """The plan's queries for its scans, as calls that can run side by side."""
    if not plan.scans:
        return []
    queries: list[tuple[Scan, ...]]
    match plan.sharing:
        case "observed":
            queries = [(scan,) for scan in plan.scans]
        case "stacked":
            queries = [plan.scans]
        case "separate":
            halves = ((Scan(scan.plain), Scan((), scan.sketches)) for scan in plan.scans)
            queries = [tuple(half for both in halves for half in both if half.exprs)]
        case "mixed":
            queries = [(Scan(sum((scan.exprs for scan in plan.scans), ())),)]
    return [partial(_answered, df, scans, plan) for scans in queries]


def _answered(df: DataFrame, scans: tuple[Scan, ...], plan: Plan) -> dict[Segment, Values]:
    """What the aggregates of one query come to; those that fail it, with the reason."""
    from pyspark.sql import functions as F

    named = Counter(plan.schema.names)
    # those that are read as a whole or not at all, which a struct is not
    columns = {
        each.root: each.sql
        for each in plan.schema.columns
        if each.family in COMPARABLE and named[each.root] == 1
    }

    def ask(some: Sequence[AggregateExpr]) -> dict[Segment, Values]:
        kept = _among(scans, frozenset(some))
        whole = plan.sharing in ("observed", "stacked")
        return {(): _observed(df, kept)} if whole else _grouped(df, kept, plan.by)

    def probe(names: Sequence[str]) -> None:
        read = [*(each.sql for each in plan.by), *(columns[name] for name in names)]
        df.agg(*(F.expr(f"count({sql})") for sql in read or ["1"])).collect()

    exprs = [expr for scan in scans for expr in scan.exprs]
    most = _MOST_RERUNS * len(scans) + 2 * sum(expr.written for expr in exprs)
    return isolate_failures(ask, probe, exprs, columns, most)


def _among(scans: Iterable[Scan], exprs: Container[AggregateExpr]) -> tuple[Scan, ...]:
    """Scans of some of the aggregates."""
    kept = (
        Scan(
            tuple(expr for expr in scan.plain if expr in exprs),
            tuple(expr for expr in scan.sketches if expr in exprs),
        )
        for scan in scans
    )
    return tuple(scan for scan in kept if scan.exprs)


def _observed(df: DataFrame, scans: tuple[Scan, ...]) -> Values:
    """One aggregation; its sketches, and all that other scans ask, observed on the way to it."""
    from pyspark.sql import Observation

    main = scans[0].plain or scans[0].sketches
    beside = [scan.sketches for scan in scans[:1] if scan.plain and scan.sketches]
    beside += [scan.exprs for scan in scans[1:]]
    observations = []
    for exprs in beside:
        observation = Observation()
        df = df.observe(observation, *columns_of(exprs))
        observations.append((exprs, observation))
    row = df.agg(*columns_of(main)).collect()[0]
    values = dict(zip(main, row, strict=True))
    for exprs, observation in observations:
        found = observation.get
        values |= {expr: found[f"x{i}"] for i, expr in enumerate(exprs)}
    return values


def _grouped(
    df: DataFrame, scans: tuple[Scan, ...], by: tuple[Column, ...]
) -> dict[Segment, Values]:
    """One query: the aggregations of all scans, each of which reads its own columns, united.

    All rows of a union have the same columns: values are in arrays, one for each type that there
    is. With a column for each value, or a struct for each scan, most of the time would go into
    code that writes nulls.
    """
    from pyspark.sql import functions as F
    from pyspark.sql.types import ArrayType

    keys = [F.expr(column.sql).alias(f"b{i}") for i, column in enumerate(by)]
    branches = [df.groupBy(*keys).agg(*columns_of(scan.exprs)) for scan in scans]
    types = [[each.dataType for each in branch.schema.fields[len(by) :]] for branch in branches]
    kinds = dict.fromkeys(chain.from_iterable(types))
    alike, orders = [], []
    for i, branch in enumerate(branches):
        own = {kind: [at for at, each in enumerate(types[i]) if each == kind] for kind in kinds}
        arrays = [
            F.array(*(f"x{at}" for at in places)) if places else F.lit(None).cast(ArrayType(kind))
            for kind, places in own.items()
        ]
        alike.append(branch.select(*(f"b{at}" for at in range(len(by))), F.lit(i), *arrays))
        orders.append([scans[i].exprs[at] for places in own.values() for at in places])
    found: dict[Segment, Values] = {}
    for row in _united(alike).collect():
        segment, (at, *arrays) = segment_of(row[: len(by)]), row[len(by) :]
        values = chain.from_iterable(array or () for array in arrays)
        found.setdefault(segment, {}).update(zip(orders[at], values, strict=True))
    return found


def _united(frames: Sequence[DataFrame]) -> DataFrame:
    """The rows of all: of halves, for a frame is analysed anew with every other that is added."""
    half = len(frames) // 2
    return _united(frames[:half]).union(_united(frames[half:])) if half else frames[0]


def segment_of(values: Iterable[Any]) -> Segment:
    """The key of a segment; a NaN, which equals nothing, is always the same one."""
    return tuple(_NAN if isinstance(each, float) and isnan(each) else each for each in values)


def columns_of(exprs: Sequence[AggregateExpr]) -> list[SparkColumn]:
    """Leaves as columns ``x0, x1, …``."""
    from pyspark.sql import functions as F

    return [F.expr(expr.sql).alias(f"x{i}") for i, expr in enumerate(exprs)]


def first_problem(values: Iterable[Any]) -> Problem | None:
    """The first of these that is a reason instead of a value."""
    return next((value for value in values if isinstance(value, Problem)), None)
