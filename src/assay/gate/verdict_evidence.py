"""The evidence that a verdict records, so that reports show it without judging again.

It has JSON values: the history of each metric with an alarm, the limits that were kept, and the
schema. It also has the statistics of columns in this batch and in the one before. A distribution is
shortened to some quantiles and the most frequent values. Values of private columns are left out.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from assay.gate.context import BatchContext
from assay.gate.finding import Finding
from assay.gate.history import GateHistory
from assay.gate.measured_batch import MeasuredBatch
from assay.gate.segments.summary import summarize_segments
from assay.gate.table_schema import TableSchema
from assay.learn.fingerprint import metrics
from assay.learn.fingerprint.column_stats import ColumnStats, Fingerprint, Stat, WeightedSample
from assay.learn.limits.approved_limits import written
from assay.learn.limits.judge_limits import LimitResult
from assay.learn.novelty.features import Feature

__all__ = ["collect_evidence", "fingerprint_of_json", "schema_of_json"]

#: columns whose statistics are recorded; those with alarms come first
MAX_COLUMNS = 150
#: batches of a trend: a month of days, which is as much as a small picture shows
N_TREND = 30
#: numbers that describe a distribution, and frequent values that are kept
N_QUANTILES, N_VALUES = 33, 12

_NULLS = frozenset((*metrics.OF_NULLS, *metrics.NULL_COMBINATIONS))


def collect_evidence(
    context: BatchContext, measured: MeasuredBatch, alarms: Sequence[Finding]
) -> dict[str, Any]:
    """Return the evidence about a judged batch that reports show."""
    history, batch = context.history, measured.fingerprint
    previous = history.metrics.last
    names = dict.fromkeys(f.column for f in alarms if f.column and f.column in batch.columns)
    shown = [*names, *(name for name in batch.columns if name not in names)][:MAX_COLUMNS]
    private = [name for name in context.settings.private if name in batch.columns]
    batches = history.metrics.batches
    kept, unknown = _limit_sentences(context, batch, private)
    limits = context.limits["strict"]
    return {
        "previous_batch": batches[-1].key if batches else None,
        "schema": _schema_to_json(measured.schema),
        "schema_before": _schema_to_json(history.schema),
        "columns": _fingerprint_to_json(batch, shown, private),
        "columns_before": _fingerprint_to_json(previous, shown, private),
        "series": _series(history, alarms, private),
        "trends": _trends(history, batch, shown, alarms, private),
        "limits_kept": kept,
        "limits_unknown": unknown,
        "limits": {
            "batches": limits.batches,
            "approved_by": limits.by,
            "columns": [written(column) for column in limits if column.column in {None, *shown}],
        },
        "private": private,
        "season": context.settings.season,
        "segments": None
        if measured.segments is None
        else summarize_segments([earlier for _, earlier in context.segments], measured.segments),
    }


def _limit_sentences(
    context: BatchContext, batch: Fingerprint, private: Collection[str]
) -> tuple[list[str], list[str]]:
    """Return the strict limits that the batch keeps, and those that could not be judged."""
    if not batch.rows:
        return [], []

    def may_show(result: LimitResult) -> bool:
        metric = metrics.find(result.metric)
        return result.column not in private or metric is None or not metric.is_value

    results = [r for r in context.limit_results(batch)["strict"] if may_show(r)]
    kept = [str(result) for result in results if result.status == "kept"]
    unknown = [str(result) for result in results if result.status == "unknown"]
    young = [result.reason for result in results if result.status == "not enough history"]
    return kept, [*unknown, *young]


def _series(
    history: GateHistory, alarms: Iterable[Finding], private: Collection[str]
) -> list[dict[str, Any]]:
    """Return the past values of each metric with an alarm."""
    subjects = dict.fromkeys((f.judge, f.column, f.metric) for f in alarms if f.metric is not None)
    keys = [batch.key for batch in history.metrics.batches]
    series = []
    for judge, column, metric in subjects:
        entry = metrics.find(metric)
        if column in private and entry is not None and entry.is_value:
            continue
        if judge == "novelty":
            values = _novelty_values(history, column, str(metric))[-len(keys) :]
        else:
            values = _metric_values(history, column, str(metric))
        if any(math.isfinite(value) for value in values):
            series.append(
                {
                    "judge": judge,
                    "column": column,
                    "metric": metric,
                    "batches": keys[-len(values) :],
                    "values": [value if math.isfinite(value) else None for value in values],
                }
            )
    return series


def _trends(
    history: GateHistory,
    batch: Fingerprint,
    columns: Sequence[str],
    alarms: Sequence[Finding],
    private: Collection[str],
) -> dict[str, Any]:
    """Return the past values of one plain metric of each column, and of the row count."""
    about_nulls = {f.column for f in alarms if metrics.canonical_name(f.metric or "") in _NULLS}
    chosen: list[tuple[str | None, str]] = [(None, metrics.ROW_COUNT)]
    for name in columns:
        if name in about_nulls or name in private:
            chosen.append((name, metrics.COMPLETENESS))
        else:
            is_numeric = batch.columns[name].kind == "numeric"
            chosen.append((name, metrics.MEAN if is_numeric else metrics.DISTINCT_COUNT))
    return {
        "batches": [batch.key for batch in history.metrics.batches[-N_TREND:]],
        "metrics": [
            {
                "column": name,
                "metric": metric,
                "values": [
                    _rounded(value) if math.isfinite(value) else None
                    for value in _metric_values(history, name, metric)[-N_TREND:]
                ],
            }
            for name, metric in chosen
        ],
    }


def _novelty_values(history: GateHistory, column: str | None, metric: str) -> list[float]:
    feature = Feature(column, metrics.canonical_name(metric))
    values = (features.get(feature, math.nan) for features in history.features)
    return [feature.from_scale(value) if math.isfinite(value) else math.nan for value in values]


def _metric_values(history: GateHistory, column: str | None, metric: str) -> list[float]:
    if column is not None:
        rows = history.metrics.metrics
        return [by_column.get(column, {}).get(metric, math.nan) for by_column in rows]
    # the row count is the same in all columns
    return [
        next((values[metric] for values in by_column.values() if metric in values), math.nan)
        for by_column in history.metrics.metrics
    ]


def _schema_to_json(schema: TableSchema | None) -> Any:
    return None if schema is None else schema.to_json()


def schema_of_json(document: Any) -> TableSchema | None:
    """Read the columns of a batch."""
    return None if document is None else TableSchema.from_json(document)


def _fingerprint_to_json(
    batch: Fingerprint | None, columns: Sequence[str], private: Collection[str]
) -> dict[str, Any] | None:
    if batch is None:
        return None
    return {
        "rows": batch.rows,
        "n_columns": len(batch.columns),
        "columns": {
            name: _stats_to_json(batch.columns[name], with_values=name not in private)
            for name in columns
            if name in batch.columns
        },
    }


def _stats_to_json(stats: ColumnStats, *, with_values: bool) -> dict[str, Any]:
    hidden = () if with_values else (Stat.MIN, Stat.MAX, Stat.MEDIAN)
    numbers = {
        name: _rounded(value)
        for name, value in stats.numbers.items()
        if math.isfinite(value) and name != Stat.CHECKSUM and name not in hidden
    }
    document: dict[str, Any] = {"kind": stats.kind, "numbers": numbers}
    if not with_values:
        return document
    if stats.sample is not None and stats.sample.total:
        document["sample"] = _sample_to_json(stats.sample)
    for name, counts in (("values", stats.value_counts), ("shapes", stats.shape_counts)):
        if counts:
            frequent = sorted(counts, key=lambda value: (-counts[value], value))[:N_VALUES]
            document[name] = {value: counts[value] for value in frequent}
    return document


def _sample_to_json(sample: WeightedSample) -> list[list[float]]:
    if len(sample.values) <= N_QUANTILES:
        values, weights = sample.values, sample.weights
    else:
        values = sample.quantiles(np.linspace(0, 1, N_QUANTILES))
        weights = np.full(N_QUANTILES, sample.total / N_QUANTILES)
    return [[_rounded(value) for value in numbers.tolist()] for numbers in (values, weights)]


def _rounded(value: float) -> float:
    """Return seven digits, which is more than a report shows."""
    return float(f"{value:.7g}")


def fingerprint_of_json(document: Mapping[str, Any] | None) -> Fingerprint | None:
    """Read the recorded statistics of a batch."""
    if document is None:
        return None
    columns = {name: _stats_of_json(column) for name, column in document["columns"].items()}
    return Fingerprint(document["rows"], columns)


def _stats_of_json(document: Mapping[str, Any]) -> ColumnStats:
    sample = None
    if "sample" in document:
        values, weights = (np.array(numbers, np.float64) for numbers in document["sample"])
        sample = WeightedSample(values, weights)
    return ColumnStats(
        document["kind"],
        document["numbers"],
        sample=sample,
        value_counts=document.get("values", {}),
        shape_counts=document.get("shapes", {}),
    )
