"""The registry of batch metrics: find, compute and label them by name.

`metrics` registers the built-in metrics. Other packages add metrics with `register` or with an
entry point.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np

from assay.analyzers.analyzer import Analyzer
from assay.analyzers.schema import quote
from assay.errors import CheckError, nearest
from assay.learn.fingerprint.batch_metric import BatchMetric
from assay.learn.fingerprint.column_stats import ColumnKind, ColumnStats, Pair
from assay.plugins import load_plugins

__all__ = [
    "MetricValues",
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

#: The metrics of one column of one batch by name; NaN if undefined.
MetricValues = Mapping[str, float]

#: Packages add metrics under this entry point: a `BatchMetric`, or a sequence of them.
ENTRY_POINT_GROUP = "assay.metrics"

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
