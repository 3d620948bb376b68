"""The registry of batch metrics, and the description of one metric.

`metrics` registers the built-in metrics. Other packages add metrics with `register` or with an
entry point.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from assay.analyzers.analyzer import Analyzer
from assay.analyzers.schema import quote
from assay.errors import CheckError, nearest
from assay.learn.fingerprint.column_stats import ColumnKind, ColumnStats, Pair
from assay.plugins import load_plugins

__all__ = [
    "BatchMetric",
    "MetricKind",
    "MetricValues",
    "Scale",
    "all_metrics",
    "canonical_name",
    "compute",
    "find",
    "for_novelty",
    "get",
    "label",
    "measured_apart",
    "register",
    "rows",
    "sql",
    "unregister",
    "with_limits",
]

#: How the false-alarm rate of a limit is bounded (Propositions 1 to 3 of avh-kdd23).
#: ``distance``: only large values are suspicious (Cantelli). ``mean``: a mean or sum over rows,
#: nearly normal (central limit theorem). ``any``: any distribution (Chebyshev).
MetricKind = Literal["any", "distance", "mean"]
#: The scale on which novelty compares batches. ``asinh`` is linear near 0 and logarithmic
#: far from 0. It suits columns of millions as well as columns of fractions.
Scale = Literal["linear", "asinh", "log"]

#: The metrics of one column of one batch by name; NaN if undefined.
MetricValues = Mapping[str, float]

#: Packages add metrics under this entry point: a `BatchMetric`, or a sequence of them.
ENTRY_POINT_GROUP = "assay.metrics"

_LARGEST_DOUBLE = 1.7e308


@dataclass(frozen=True, kw_only=True)
class BatchMetric:
    """A number that describes a column of a batch, or the whole batch.

    Parameters
    ----------
    name
        The name in verdicts, stored metrics and exports.
    label
        The name that people read, as the subject of a sentence: ``"the number of rows"``.
    formula
        How it is computed, in mathematical notation.
    columns
        The kinds of column that have it. Empty for a metric of the whole batch.
    kind
        How the false-alarm rate of a limit on it is bounded.
    low, high
        The smallest and largest possible value.
    of_batch
        Computes it from the statistics of one column (Definition 1 of avh-kdd23).
    of_pair
        Computes it from a column in this batch and the batch before (Definition 2).
    analyzer
        Makes the analyzer that measures it, from the name of a column. It runs in the scan of each
        batch, on the columns that it can measure. Then `of_batch` is not needed.
    limits_on
        The kinds of column on which limits are learned. By default all `columns`
        if `of_batch` or `of_pair` is given, else none.
    per_batch
        True if all columns of a batch have the same value. It is judged once per batch.
    grows_with_rows
        True if the value is about twice as large in twice as many rows.
    in_paper
        Whether Tables 3 and 4 of avh-kdd23 list it.
    share_of
        The base of a share: all ``rows``, or the non-null ``values``. None for other metrics.
    scale
        The scale on which novelty compares it.
    is_value
        True if it equals a value of a row, as a minimum does. Reports hide it for private columns.
    is_remembered
        True if it is stored with every batch although no limits are learned on it.
    in_novelty
        True if novelty compares it, if it has `of_batch`. `of_pair` metrics are for limits only.
    sql
        A SQL expression that computes it; ``{c}`` stands for the quoted column.
    rows_if_low, rows_if_high
        A SQL condition for the rows that push it below or above its limits.
        ``{low}`` and ``{high}`` stand for the limits.
    check_method
        The method of `Check` that sets limits on it.
    aliases
        Earlier names that stored verdicts and metrics may have.
    """

    name: str
    label: str
    formula: str = ""
    columns: frozenset[ColumnKind] = frozenset()
    kind: MetricKind = "any"
    low: float = -math.inf
    high: float = math.inf
    of_batch: Callable[[ColumnStats], float] | None = None
    of_pair: Callable[[Pair], float] | None = None
    analyzer: Callable[[str], Analyzer] | None = None
    limits_on: frozenset[ColumnKind] | None = None
    per_batch: bool = False
    grows_with_rows: bool = False
    in_paper: bool = False
    share_of: Literal["rows", "values"] | None = None
    scale: Scale = "linear"
    is_value: bool = False
    is_remembered: bool = False
    in_novelty: bool = True
    sql: str | None = None
    rows_if_low: str | None = None
    rows_if_high: str | None = None
    check_method: str | None = None
    aliases: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.analyzer is not None:
            if self.of_batch is not None or self.of_pair is not None or not self.columns:
                raise CheckError(
                    f"metric {self.name!r} has an analyzer: expected the kinds of columns, and"
                    " neither of_batch nor of_pair."
                )
            object.__setattr__(self, "of_batch", lambda stats: stats[self.name])
        if self.of_batch is not None and self.of_pair is not None:
            raise CheckError(
                f"metric {self.name!r} has of_batch and of_pair: expected at most one."
            )
        if not self.low < self.high:
            raise CheckError(
                f"metric {self.name!r} has an empty range:"
                f" expected low < high, got {self.low!r} and {self.high!r}."
            )
        if self.kind == "distance" and self.low != 0:
            raise CheckError(
                f"metric {self.name!r} is a distance: expected low=0, got {self.low!r}."
            )

    @property
    def compares_batches(self) -> bool:
        """True if it is computed from two batches."""
        return self.of_pair is not None

    @property
    def is_share(self) -> bool:
        """True if it is a share of rows or of values."""
        return self.share_of is not None

    def has_limits_on(self, column: ColumnKind) -> bool:
        """Return whether limits on it are learned for this kind of column."""
        if self.of_batch is None and self.of_pair is None:
            return False
        return column in (self.columns if self.limits_on is None else self.limits_on)

    def to_scale(self, value: float) -> float:
        """Convert a value to the scale on which novelty compares it.

        Infinite values become the largest double, so that they can be compared.
        """
        if math.isnan(value):
            return math.nan
        value = min(max(value, -_LARGEST_DOUBLE), _LARGEST_DOUBLE)
        match self.scale:
            case "asinh":
                return math.asinh(value)
            case "log":
                return math.log1p(value)
            case _:
                return value

    def from_scale(self, value: float) -> float:
        """Convert a value back from the scale of novelty, within the metric's range.

        >>> mean = BatchMetric(name="mean", label="the mean", scale="asinh")
        >>> round(mean.to_scale(1000.0), 3), mean.from_scale(mean.to_scale(1000.0))
        (7.601, 1000.0)
        """
        match self.scale:
            case "asinh":
                value = math.copysign(math.sinh(min(abs(value), 710.0)), value)
            case "log":
                value = math.expm1(min(value, 700.0))
            case _:
                pass
        # The conversion back and forth changes the last digits.
        return float(f"{min(max(value, self.low), self.high):.12g}")


_METRICS: dict[str, BatchMetric] = {}
_ALIASES: dict[str, str] = {}
_loaded_entry_points: list[str] = []


def register(metric: BatchMetric) -> BatchMetric:
    """Add a metric to the catalogue, so that limits on it are learned.

    Raises
    ------
    CheckError
        If the name or an alias is taken.
    """
    for name in (metric.name, *metric.aliases):
        if name in _METRICS or name in _ALIASES:
            raise CheckError(f"metric name {name!r} is taken. Choose another name.")
    _METRICS[metric.name] = metric
    _ALIASES.update(dict.fromkeys(metric.aliases, metric.name))
    return metric


def unregister(name: str) -> None:
    """Remove a metric from the catalogue."""
    metric = _METRICS.pop(name)
    for alias in metric.aliases:
        del _ALIASES[alias]


def all_metrics() -> Iterator[BatchMetric]:
    """Iterate over all metrics, in the order of registration."""
    _load_entry_points()
    return iter(tuple(_METRICS.values()))


def find(name: str | None) -> BatchMetric | None:
    """Return the metric with this name or alias, or None."""
    if name is None:
        return None
    metric = _METRICS.get(_ALIASES.get(name, name))
    if metric is None and _load_entry_points():
        metric = _METRICS.get(_ALIASES.get(name, name))
    return metric


def get(name: str) -> BatchMetric:
    """Return the metric with this name or alias.

    Raises
    ------
    CheckError
        If the catalogue has no such metric.
    """
    metric = find(name)
    if metric is None:
        likely = nearest(name, _METRICS)
        hint = f"Did you mean {likely!r}?" if likely else f"The metrics are: {', '.join(_METRICS)}."
        raise CheckError(f"unknown metric {name!r}. {hint}")
    return metric


def with_limits(column: ColumnKind, *, paper_only: bool = False) -> tuple[BatchMetric, ...]:
    """Return the metrics on which limits are learned for this kind of column.

    Parameters
    ----------
    column
        The kind of column.
    paper_only
        True to leave out metrics that Tables 3 and 4 of avh-kdd23 do not list.

    Examples
    --------
    >>> from assay.learn.fingerprint import metrics
    >>> [metric.name for metric in with_limits("categorical") if metric.kind == "mean"][:2]
    ['str_len', 'char_len']
    """
    return tuple(
        metric
        for metric in all_metrics()
        if metric.has_limits_on(column) and (metric.in_paper or not paper_only)
    )


def measured_apart(column: str, kind: ColumnKind) -> Iterator[tuple[BatchMetric, Analyzer]]:
    """Iterate over the metrics that have an analyzer of their own, for one column."""
    for metric in all_metrics():
        if metric.analyzer is not None and kind in metric.columns:
            yield metric, metric.analyzer(column)


def for_novelty(column: ColumnKind) -> tuple[BatchMetric, ...]:
    """Return the metrics with `of_batch` that novelty compares for this kind of column."""
    return tuple(
        metric
        for metric in all_metrics()
        if metric.in_novelty
        and metric.of_batch is not None
        and not metric.per_batch
        and column in metric.columns
    )


def compute(
    stats: ColumnStats, before: ColumnStats | None = None, *, remembered: bool = True
) -> dict[str, float]:
    """Compute all metrics of a column that are stored, most of them to learn limits.

    They come from its statistics in this batch and in the batch before. If `remembered` is false,
    metrics without limits are left out.

    A metric that compares batches is NaN if `before` is None. For a private column of numbers, the
    metrics that need its values, such as the minimum, are absent.
    """
    pair = None if before is None else Pair(stats, before)
    # Numbers that overflow become infinite and are judged as such.
    with np.errstate(over="ignore", invalid="ignore"):
        values = {
            metric.name: _value(metric, stats, pair)
            for metric in all_metrics()
            if metric.has_limits_on(stats.kind)
            or (remembered and metric.is_remembered and stats.kind in metric.columns)
        }
    if stats.kind == "numeric" and stats.sample is None and stats.n_values:
        return {name: value for name, value in values.items() if not _needs_sample(name, value)}
    return values


def _needs_sample(name: str, value: float) -> bool:
    metric = get(name)
    return math.isnan(value) and (metric.is_value or metric.compares_batches)


def _value(metric: BatchMetric, stats: ColumnStats, pair: Pair | None) -> float:
    if metric.of_batch is not None:
        return float(metric.of_batch(stats))
    if metric.of_pair is None or pair is None:
        return math.nan
    return float(metric.of_pair(pair))


def canonical_name(name: str) -> str:
    """Return the current name of a metric that was stored under this or an earlier name."""
    metric = find(name)
    return name if metric is None else metric.name


def label(name: str) -> str:
    """Return the label of a metric for people, or the name if the catalogue lacks it."""
    metric = find(name)
    return name if metric is None else metric.label


def sql(name: str | None, column: str | None, row_filter: str | None = None) -> str | None:
    """Return a query over a table ``batch`` that shows a metric.

    Parameters
    ----------
    name
        The metric.
    column
        The column, or None for a metric of the whole batch.
    row_filter
        A SQL condition for the rows that a metric of the whole batch counts.

    Returns
    -------
    str or None
        For a metric without an expression, a query that counts each value of the column.
        None if no query shows the metric.
    """
    metric = find(name)
    expression = None if metric is None else metric.sql
    if column is None:
        if row_filter is not None:
            expression = f"count_if({row_filter}) / nullif(count(*), 0)"
        elif metric is None or not metric.per_batch:
            return None
        return None if expression is None else f"SELECT {expression} FROM batch"  # noqa: S608
    quoted = quote(column)
    if expression is None:
        return f"SELECT {quoted}, count(*) FROM batch GROUP BY 1 ORDER BY 2 DESC"  # noqa: S608
    return f"SELECT {expression.format(c=quoted)} FROM batch"  # noqa: S608


def rows(
    name: str | None,
    column: str | None,
    *,
    actual: float | None,
    low: float | None,
    high: float | None,
) -> str | None:
    """Return a SQL condition for the rows that push a metric out of its limits.

    Returns
    -------
    str or None
        None if `actual` is within the limits, or if all rows contribute to the metric.
    """
    metric = find(name)
    if metric is None or column is None or actual is None:
        return None
    condition = None
    if low is not None and actual < low:
        condition = metric.rows_if_low
    elif high is not None and actual > high:
        condition = metric.rows_if_high
    return None if condition is None else condition.format(c=quote(column), low=low, high=high)


def _load_entry_points() -> bool:
    """Register the metrics of installed packages, once. Return whether any were added."""
    if _loaded_entry_points:
        return False
    _loaded_entry_points.append(ENTRY_POINT_GROUP)
    plugins = load_plugins(ENTRY_POINT_GROUP)
    for _, plugin in plugins:
        for metric in (plugin,) if isinstance(plugin, BatchMetric) else plugin:
            register(metric)
    return bool(plugins)
