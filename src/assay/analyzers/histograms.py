"""Histograms of exact values, of bins of equal width, and between given edges."""

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
from assay.errors import InvalidValueError

__all__ = ["Histogram", "HistogramBinned", "HistogramEqualWidth"]


@dataclass(frozen=True)
class Histogram(GroupingAnalyzer):
    """Count how often each value occurs.

    Parameters
    ----------
    column
        Name of a column; nested fields as ``address.zip``.
    top
        The number of values that are counted by name. The others are counted together.
    binning
        An SQL expression whose values are counted instead, such as ``"floor(amount / 10) * 10"``.

    Notes
    -----
    Counts are exact. Nulls are counted separately.

    Examples
    --------
    >>> Histogram("city", top=5).key
    'Histogram(city, top=5)'
    """

    column: str = field(metadata=COLUMN)
    top: int = 1000
    binning: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positive("top", self.top)

    @property
    def expressions(self) -> tuple[str, ...]:
        """The binning, if any."""
        return () if self.binning is None else (self.binning,)

    def keys(self, schema: Schema) -> tuple[GroupKey, ...]:
        """Return the column, or the binning expression."""
        column = schema.column(self.column)
        if self.binning is None:
            return (GroupKey.of(column, "Histogram"),)
        binned = condition(schema.resolved(self.binning))
        text = Column(column.name, f"cast({binned} AS string)", "string", column.root)
        return (GroupKey.of(text, "Histogram"),)

    def needs(self) -> Needs:
        """Return the need for the most frequent keys."""
        return Needs(top=self.top)

    def present(self, summary: Summary) -> Value | Undefined:
        """Return the most frequent values by name, and the sum of the others."""
        head = dict(summary.top[: self.top])
        return Distribution(
            head,
            other=summary.rows - sum(head.values()),
            nulls=summary.nulls,
            groups=summary.groups,
        )


@dataclass(frozen=True)
class HistogramEqualWidth(GroupingAnalyzer):
    """Count numbers in bins of equal width.

    Parameters
    ----------
    column
        Name of a numeric column; nested fields as ``address.zip``.
    bins
        The number of bins between the lowest and the highest value.

    Notes
    -----
    NaN and infinities are left out, and nulls are counted separately. Undefined
    without values.

    Examples
    --------
    >>> HistogramEqualWidth("amount", 5).key
    'HistogramEqualWidth(amount, bins=5)'
    """

    column: str = field(metadata=COLUMN)
    bins: int = 10

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positive("bins", self.bins)

    def keys(self, schema: Schema) -> tuple[GroupKey, ...]:
        """Return the column."""
        column = schema.column(self.column).require(NUMERIC, "HistogramEqualWidth")
        return (GroupKey.of(column, "HistogramEqualWidth"),)

    def needs(self) -> Needs:
        """Return the need for counts in bins."""
        return Needs(bins=(self.bins,))

    def present(self, summary: Summary) -> Value | Undefined:
        """Return the bins in order."""
        low, high, counts = summary.bins.get(self.bins, (0.0, 0.0, ()))
        if not counts:
            return Undefined("it has no values")
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
    """Count numbers between given edges.

    Parameters
    ----------
    column
        Name of a numeric column; nested fields as ``address.zip``.
    edges
        Two or more numbers in ascending order. A bin includes its lower edge, and the last bin
        both.

    Notes
    -----
    Values below the first edge and above the last one are counted separately (``< 0``, ``> 100``),
    and so are nulls. NaN is above.

    Examples
    --------
    >>> HistogramBinned("amount", (0, 10, 100)).key
    'HistogramBinned(amount, [0, 10, 100])'
    """

    exposes_values: ClassVar[bool] = False

    column: str = field(metadata=COLUMN)
    edges: tuple[float, ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.edges) < 2 or list(self.edges) != sorted(set(self.edges)):
            raise InvalidValueError.unexpected(
                "invalid edges", "two or more ascending numbers", self.edges
            )

    def aggregate_exprs(self, schema: Schema) -> tuple[AggregateExpr, ...]:
        """Return one count for each bin."""
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
        """Create the state from the counts."""
        bins = list(zip(self.edges, self.edges[1:], strict=False))
        labels = [interval(*ends, last=i == len(bins) - 1) for i, ends in enumerate(bins)]
        first, final = f"< {brief(self.edges[0])}", f"> {brief(self.edges[-1])}"
        return Tally(tuple(zip((first, *labels, final, "null"), values, strict=True)))

    def metric(self, state: Tally) -> Value | Undefined:
        """Return the bins in order, including empty ones."""
        bins = {label: count for label, count in state.counts if label != "null"}
        return Distribution(
            bins, nulls=state.count("null"), edges=tuple(float(edge) for edge in self.edges)
        )


def _double(number: float) -> str:
    """Return a double literal of Spark SQL."""
    return f"{float(number)!r}D" if math.isfinite(number) else f"double('{float(number)}')"
