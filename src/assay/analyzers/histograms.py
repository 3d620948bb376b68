"""Histograms: of exact values, of bins of equal width, between given edges."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from assay.analyzers.aggregate_expr import AggregateExpr, check_positive, condition, count_of
from assay.analyzers.analyzer import COLUMN, ScanAnalyzer
from assay.analyzers.bins import brief, edges_between, interval
from assay.analyzers.frequencies import GroupingAnalyzer, GroupKey, Needs, Summary
from assay.analyzers.metric import Distribution, Undefined, Value
from assay.analyzers.schema import NUMERIC, Column, Schema
from assay.analyzers.tally import Tally

__all__ = ["Histogram", "HistogramBinned", "HistogramEqualWidth"]


@dataclass(frozen=True)
class Histogram(GroupingAnalyzer):
    """How often each value occurs: the `top` most frequent by name, the others in sum.

    With `binning`, an SQL expression, it counts the expression's values instead, for example
    ``Histogram("amount", binning="floor(amount / 10) * 10")``. Nulls are counted apart.
    """

    column: str = field(metadata=COLUMN)
    top: int = 1000
    binning: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positive("top", self.top)

    @property
    def expressions(self) -> tuple[str, ...]:
        """The binning, if there is one."""
        return () if self.binning is None else (self.binning,)

    def keys(self, schema: Schema) -> tuple[GroupKey, ...]:
        """The column, or the bin's expression."""
        column = schema.column(self.column)
        if self.binning is None:
            return (GroupKey.of(column, "Histogram"),)
        binned = condition(schema.resolved(self.binning))
        text = Column(column.name, f"cast({binned} AS string)", "string", column.root)
        return (GroupKey.of(text, "Histogram"),)

    def needs(self) -> Needs:
        """The head of the frequencies."""
        return Needs(top=self.top)

    def present(self, summary: Summary) -> Value | Undefined:
        """The head by name, the rest in sum."""
        head = dict(summary.top[: self.top])
        return Distribution(
            head,
            other=summary.rows - sum(head.values()),
            nulls=summary.nulls,
            groups=summary.groups,
        )


@dataclass(frozen=True)
class HistogramEqualWidth(GroupingAnalyzer):
    """Counts in `bins` of equal width from the least to the greatest number; NaN is left out."""

    column: str = field(metadata=COLUMN)
    bins: int = 10

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positive("bins", self.bins)

    def keys(self, schema: Schema) -> tuple[GroupKey, ...]:
        """The column."""
        column = schema.column(self.column).require(NUMERIC, "HistogramEqualWidth")
        return (GroupKey.of(column, "HistogramEqualWidth"),)

    def needs(self) -> Needs:
        """The values' bins."""
        return Needs(bins=(self.bins,))

    def present(self, summary: Summary) -> Value | Undefined:
        """The bins in order."""
        low, high, counts = summary.bins.get(self.bins, (0.0, 0.0, ()))
        if not counts:
            return Undefined("there are no values")
        if low == high:
            return Distribution(
                {interval(low, high, last=True): sum(counts)},
                nulls=summary.nulls,
                edges=(low, high),
            )
        edges = edges_between(low, high, self.bins)
        labels = (
            interval(edges[i], edges[i + 1], last=i == self.bins - 1) for i in range(self.bins)
        )
        return Distribution(
            dict(zip(labels, counts, strict=True)), nulls=summary.nulls, edges=edges
        )


@dataclass(frozen=True)
class HistogramBinned(ScanAnalyzer[Tally]):
    """Counts between given edges, closed on the left, the last bin on both sides.

    What lies below the first or above the last edge is counted apart (``< 0``, ``> 100``; NaN is
    above), and so are nulls.
    """

    exposes_values: ClassVar[bool] = False

    column: str = field(metadata=COLUMN)
    edges: tuple[float, ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.edges) < 2 or list(self.edges) != sorted(set(self.edges)):
            raise ValueError(f"edges are two or more numbers that rise, not {self.edges!r}")

    def aggregate_exprs(self, schema: Schema) -> tuple[AggregateExpr, ...]:
        """One count a bin."""
        column = schema.column(self.column).require(NUMERIC, "HistogramBinned")
        x = f"cast({column.sql} AS double)"
        bins = list(zip(self.edges, self.edges[1:], strict=False))
        last = len(bins) - 1
        tests = [
            f"{x} < {_double(self.edges[0])}",
            *(
                f"{x} >= {_double(low)} AND {x} {'<=' if i == last else '<'} {_double(high)}"
                for i, (low, high) in enumerate(bins)
            ),
            f"{x} > {_double(self.edges[-1])}",
            f"{column.sql} IS NULL",
        ]
        return tuple(count_of(schema, f"({test})", self.where, column) for test in tests)

    def state(self, values: Sequence[Any], schema: Schema) -> Tally:
        """The counts."""
        bins = list(zip(self.edges, self.edges[1:], strict=False))
        labels = [interval(*ends, last=i == len(bins) - 1) for i, ends in enumerate(bins)]
        first, final = f"< {brief(self.edges[0])}", f"> {brief(self.edges[-1])}"
        return Tally(tuple(zip((first, *labels, final, "null"), values, strict=True)))

    def metric(self, state: Tally) -> Value | Undefined:
        """The bins in order, those without a row included."""
        bins = {label: count for label, count in state.counts if label != "null"}
        return Distribution(
            bins, nulls=state.count("null"), edges=tuple(float(edge) for edge in self.edges)
        )


def _double(number: float) -> str:
    """A double as a literal of Spark SQL."""
    return f"{float(number)!r}D" if math.isfinite(number) else f"double('{float(number)}')"
