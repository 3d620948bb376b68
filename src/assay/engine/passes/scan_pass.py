"""Scan: compute aggregates over all rows, in as few passes as Spark runs fast.

Sketches are imperative aggregates. In one aggregation with plain aggregates they would slow all of
them down. They are computed as an *observation* of the rows on their way to the plain aggregation.
An observation cannot be grouped, so the aggregations of segments are branches of a union.

Spark may count rows of an observation twice if it reruns a lost shuffle task. Therefore only
sketches are observed, which are estimates. Exact counts are observed only if the caller forbids
to read the data twice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal

from assay.analyzers.aggregate_expr import AggregateExpr
from assay.analyzers.schema import COMPARABLE, Column, Schema
from assay.engine.failure_isolation import isolate_failures
from assay.engine.frame import Segment, segment_of
from assay.engine.passes.query_pass import PassInput
from assay.text import count_noun

if TYPE_CHECKING:
    from pyspark.sql import Column as SparkColumn
    from pyspark.sql import DataFrame

__all__ = [
    "MAX_SKETCHES",
    "ScanPass",
    "Sharing",
    "Values",
    "count_scan_passes",
    "plan_scan_passes",
    "scan_jobs",
    "sharing_of",
    "spark_columns",
]

#: the result of each aggregate, or the problem that left none
Values = dict[AggregateExpr, Any]

#: sketches in one aggregation: the cost of each rises with their number
MAX_SKETCHES = 32
#: queries that are spent to find the aggregates that fail one aggregation
_MAX_RERUNS = 48
#: columns that a printed plan names
_SHOWN_COLUMNS = 6

#: how plain aggregates and sketches share the data:
#: *observed*: one pass for each scan, sketches as an observation;
#: *stacked*: one pass in all, every scan but the first as an observation;
#: *separate* (segments): two passes for each scan, all of them branches of one query;
#: *mixed* (segments): one pass in all, everything in one aggregation, which costs many times as
#: much for wide tables (``python -m benchmarks.segments``)
Sharing = Literal["observed", "stacked", "separate", "mixed"]


@dataclass(frozen=True, slots=True)
class ScanPass:
    """Compute aggregates over the same columns: plain ones and sketches."""

    plain: tuple[AggregateExpr, ...] = ()
    sketches: tuple[AggregateExpr, ...] = ()

    @property
    def exprs(self) -> tuple[AggregateExpr, ...]:
        """All aggregates."""
        return self.plain + self.sketches

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are read."""
        return tuple(dict.fromkeys(name for expr in self.exprs for name in expr.columns))

    @property
    def buffers(self) -> int:
        """Aggregation buffers of the plain aggregates."""
        return sum(expr.buffers for expr in self.plain)

    @property
    def aggregations(self) -> tuple[ScanPass, ...]:
        """The plain aggregation and the aggregation of sketches, without empty ones."""
        halves = (ScanPass(self.plain), ScanPass((), self.sketches))
        return tuple(half for half in halves if half.exprs)

    def with_exprs(self, exprs: Iterable[AggregateExpr]) -> ScanPass:
        """Add aggregates."""
        added = tuple(exprs)
        return ScanPass(
            self.plain + tuple(expr for expr in added if not expr.sketch),
            self.sketches + tuple(expr for expr in added if expr.sketch),
        )

    def only(self, exprs: Container[AggregateExpr]) -> ScanPass:
        """Return the scan of some of the aggregates."""
        return ScanPass().with_exprs(expr for expr in self.exprs if expr in exprs)

    def fits(self, max_buffers: int) -> bool:
        """Return whether Spark generates code for the aggregations."""
        return self.buffers <= max_buffers and len(self.sketches) <= MAX_SKETCHES

    def describe(self, position: int, sharing: Sharing, table: str | None = None) -> str:
        """Return the line of this scan in a printed plan, without its first word."""
        names = list(self.columns[:_SHOWN_COLUMNS])
        hidden = len(self.columns) - len(names)
        columns = (", ".join(names) or "no columns") + (f", … {hidden} more" if hidden else "")
        parts = []
        if self.plain:
            buffers = count_noun(self.buffers, "buffer")
            parts.append(f"{count_noun(len(self.plain), 'aggregate')} in {buffers}")
        if self.sketches:
            with_others = bool(self.plain) or position > 0
            owner = "its" if len(self.sketches) == 1 else "their"
            manner = {
                "observed": " observed in the same pass" if self.plain else "",
                "separate": f" in a pass of {owner} own" if self.plain else "",
                "stacked": " observed in the same pass" if with_others else "",
                "mixed": " in the same pass" if with_others else "",
            }[sharing]
            parts.append(count_noun(len(self.sketches), "sketch", "sketches") + manner)
        if sharing == "stacked" and position > 0:
            parts.append("all observed in the first scan's pass")
        if sharing == "mixed" and position > 0:
            parts.append("all in the first scan's pass")
        return f"{columns}{f' of {table}' if table else ''}: {', '.join(parts)}"


def plan_scan_passes(
    exprs: Iterable[AggregateExpr], schema: Schema, max_buffers: int
) -> tuple[ScanPass, ...]:
    """Split aggregates by columns into scans for which Spark generates code.

    Aggregates of one column stay together if they fit. Columnar files then read no column twice.
    """
    positions = {name: i for i, name in enumerate(schema.names)}

    def position(expr: AggregateExpr) -> int:
        return positions.get(expr.columns[0], -1) if expr.columns else -1

    by_column: dict[str, list[AggregateExpr]] = {}
    for expr in sorted(exprs, key=position):
        by_column.setdefault(expr.columns[0] if expr.columns else "", []).append(expr)
    scans: list[ScanPass] = []
    current = ScanPass()
    for group in by_column.values():
        candidate = current.with_exprs(group)
        if current.exprs and not candidate.fits(max_buffers):
            scans.append(current)
            candidate = ScanPass()
            for expr in group:  # the aggregates of one column may be too many for one scan
                wider = candidate.with_exprs([expr])
                if candidate.exprs and not wider.fits(max_buffers):
                    scans.append(candidate)
                    wider = ScanPass().with_exprs([expr])
                candidate = wider
        current = candidate
    return (*scans, current) if current.exprs else tuple(scans)


def sharing_of(
    scans: Sequence[ScanPass], *, segmented: bool, allow_multiple_reads: bool
) -> Sharing:
    """Decide how scans share the data."""
    if segmented:
        return "separate" if allow_multiple_reads else "mixed"
    return "observed" if allow_multiple_reads or len(scans) < 2 else "stacked"


def count_scan_passes(scans: Sequence[ScanPass], sharing: Sharing) -> int:
    """Return how often the data is read."""
    if sharing in ("stacked", "mixed"):
        return min(1, len(scans))
    if sharing == "separate":
        return sum(len(scan.aggregations) for scan in scans)
    return len(scans)


def scan_jobs(
    source: PassInput, scans: Sequence[ScanPass], sharing: Sharing
) -> list[Callable[[], dict[Segment, Values]]]:
    """Return the queries of the scans, as functions that can run concurrently."""
    if not scans:
        return []
    queries: list[tuple[ScanPass, ...]]
    match sharing:
        case "observed":
            queries = [(scan,) for scan in scans]
        case "stacked":
            queries = [tuple(scans)]
        case "separate":
            queries = [tuple(half for scan in scans for half in scan.aggregations)]
        case "mixed":
            queries = [(ScanPass(tuple(expr for scan in scans for expr in scan.exprs)),)]
    return [partial(_run_query, source, query, sharing) for query in queries]


def _run_query(
    source: PassInput, scans: tuple[ScanPass, ...], sharing: Sharing
) -> dict[Segment, Values]:
    """Return the values of all aggregates of one query; an aggregate that fails has a problem."""
    from pyspark.sql import functions as F

    names = Counter(source.schema.names)
    # columns that can be probed; a struct is not read as a whole
    columns = {
        column.root: column.sql
        for column in source.schema.columns
        if column.family in COMPARABLE and names[column.root] == 1
    }

    def compute(exprs: Sequence[AggregateExpr]) -> dict[Segment, Values]:
        wanted = frozenset(exprs)
        remaining = tuple(part for scan in scans if (part := scan.only(wanted)).exprs)
        if sharing in ("observed", "stacked"):
            return {(): _observe(source.df, remaining)}
        return _group(source.df, remaining, source.by)

    def probe(names: Sequence[str]) -> None:
        read = [*(column.sql for column in source.by), *(columns[name] for name in names)]
        source.df.agg(*(F.expr(f"count({sql})") for sql in read or ["1"])).collect()

    exprs = [expr for scan in scans for expr in scan.exprs]
    most = _MAX_RERUNS * len(scans) + 2 * sum(expr.has_user_sql for expr in exprs)
    return isolate_failures(compute, probe, exprs, columns, most)


def _observe(df: DataFrame, scans: tuple[ScanPass, ...]) -> Values:
    """Run one aggregation, and observe its sketches and all other scans on the way to it."""
    from pyspark.sql import Observation

    first = scans[0]
    aggregated = first.plain or first.sketches
    observed = [first.sketches] if first.plain and first.sketches else []
    observed += [scan.exprs for scan in scans[1:]]
    observations = []
    for exprs in observed:
        observation = Observation()
        df = df.observe(observation, *spark_columns(exprs))
        observations.append((exprs, observation))
    row = df.agg(*spark_columns(aggregated)).collect()[0]
    values = dict(zip(aggregated, row, strict=True))
    for exprs, observation in observations:
        results = observation.get
        values |= {expr: results[f"x{i}"] for i, expr in enumerate(exprs)}
    return values


def _group(
    df: DataFrame, scans: tuple[ScanPass, ...], by: tuple[Column, ...]
) -> dict[Segment, Values]:
    """Run one query: the union of the grouped aggregations, each of which reads its own columns.

    All rows of a union have the same columns. Values are therefore in arrays, one for each type.
    With a column for each value, or a struct for each scan, most of the time would be spent on
    writing nulls.
    """
    from pyspark.sql import functions as F
    from pyspark.sql.types import ArrayType

    keys = [F.expr(column.sql).alias(f"b{i}") for i, column in enumerate(by)]
    branches = [df.groupBy(*keys).agg(*spark_columns(scan.exprs)) for scan in scans]
    types = [[field.dataType for field in branch.schema.fields[len(by) :]] for branch in branches]
    all_types = dict.fromkeys(chain.from_iterable(types))
    rows, orders = [], []
    for number, (scan, branch) in enumerate(zip(scans, branches, strict=True)):
        positions: dict[Any, list[int]] = {data_type: [] for data_type in all_types}
        for i, data_type in enumerate(types[number]):
            positions[data_type].append(i)
        arrays = [
            F.array(*(f"x{i}" for i in places)) if places else F.lit(None).cast(ArrayType(kind))
            for kind, places in positions.items()
        ]
        segments = (f"b{i}" for i in range(len(by)))
        rows.append(branch.select(*segments, F.lit(number), *arrays))
        orders.append([scan.exprs[i] for places in positions.values() for i in places])
    by_segment: dict[Segment, Values] = {}
    for row in _union(rows).collect():
        segment, (number, *arrays) = segment_of(row[: len(by)]), row[len(by) :]
        values = chain.from_iterable(array or () for array in arrays)
        by_segment.setdefault(segment, {}).update(zip(orders[number], values, strict=True))
    return by_segment


def _union(frames: Sequence[DataFrame]) -> DataFrame:
    """Unite frames by halves: each union analyzes its inputs again."""
    half = len(frames) // 2
    return _union(frames[:half]).union(_union(frames[half:])) if half else frames[0]


def spark_columns(exprs: Sequence[AggregateExpr]) -> list[SparkColumn]:
    """Return aggregates as Spark columns ``x0, x1, …``."""
    from pyspark.sql import functions as F

    return [F.expr(expr.sql).alias(f"x{i}") for i, expr in enumerate(exprs)]
