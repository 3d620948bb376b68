"""Select the columns and metrics that the learning judges see.

The schema judge and the checks see all columns. A selected column that does not exist in the batch
or in the history is an error with a suggestion.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TypeVar

from assay.errors import CheckError, nearest
from assay.gate.finding import Finding
from assay.gate.history import GateHistory
from assay.learn.fingerprint import metrics
from assay.learn.fingerprint.column_stats import Fingerprint
from assay.learn.limits.metric_history import MetricHistory
from assay.suite.settings import GateSettings

__all__ = [
    "is_selected",
    "is_selected_column",
    "is_selected_metric",
    "only_selected_metrics",
    "require_columns",
    "select_columns",
]

V = TypeVar("V")

#: judges whose findings are about metrics that the setting `metrics` selects
_OF_METRICS = ("limits", "novelty", "drift")


def require_columns(settings: GateSettings, columns: Iterable[str]) -> None:
    """Raise an error if a selected or excluded column is in neither the batch nor the history.

    Raises
    ------
    CheckError
        If a name is unknown.
    """
    names = sorted(set(columns))
    folded = {name.lower() for name in names}
    for setting in ("columns", "exclude"):
        for name in getattr(settings, setting):
            if name.lower() in folded:
                continue
            likely = nearest(name, names)
            hint = (
                f"Did you mean {likely!r}?" if likely else f"The columns are: {', '.join(names)}."
            )
            raise CheckError(f"{setting}: column {name!r} does not exist. {hint}")


def select_columns(history: GateHistory, settings: GateSettings) -> GateHistory:
    """Return the history without the columns that are not selected."""
    if not settings.columns and not settings.exclude:
        return history
    metric_history = replace(
        history.metrics,
        metrics=tuple(_only(values, settings) for values in history.metrics.metrics),
        last=_only_columns(history.metrics.last, settings),
        before=_only_columns(history.metrics.before, settings),
        _by_column={},
        _metrics_of_next=[],
    )
    features = tuple(
        {
            feature: value
            for feature, value in values.items()
            if feature.column is None or is_selected_column(feature.column, settings)
        }
        for values in history.features
    )
    contents = tuple(
        replace(batch, digests=_only(batch.digests, settings), labels=_only(batch.labels, settings))
        for batch in history.contents
    )
    return replace(
        history,
        metrics=metric_history,
        features=features,
        contents=contents,
        _complete=None,
        _features_of_next=[],
    )


def only_selected_metrics(history: MetricHistory, settings: GateSettings) -> MetricHistory:
    """Return the history from which limits are learned. Metrics that are not selected are NaN."""
    if not settings.metrics:
        return history
    selected = tuple(
        {
            column: {
                metric: value if is_selected_metric(metric, settings) else math.nan
                for metric, value in values.items()
            }
            for column, values in by_column.items()
        }
        for by_column in history.metrics
    )
    return replace(history, metrics=selected, _by_column={}, _metrics_of_next=[])


def is_selected(finding: Finding, settings: GateSettings) -> bool:
    """Return whether a finding is about a selected metric, or not about a metric that can be."""
    if finding.judge not in _OF_METRICS or finding.metric is None:
        return True
    return is_selected_metric(finding.metric, settings)


def is_selected_metric(metric: str, settings: GateSettings) -> bool:
    """Return whether limits, novelty and drift compare a metric."""
    if not settings.metrics:
        return True
    name = metrics.canonical_name(metric)
    return name in {metrics.canonical_name(selected) for selected in settings.metrics}


def is_selected_column(name: str, settings: GateSettings) -> bool:
    """Return whether the learning judges see a column. Upper and lower case do not matter."""
    folded = name.lower()
    if folded in {excluded.lower() for excluded in settings.exclude}:
        return False
    return not settings.columns or folded in {column.lower() for column in settings.columns}


def _only(values: Mapping[str, V], settings: GateSettings) -> dict[str, V]:
    return {name: value for name, value in values.items() if is_selected_column(name, settings)}


def _only_columns(batch: Fingerprint | None, settings: GateSettings) -> Fingerprint | None:
    return None if batch is None else replace(batch, columns=_only(batch.columns, settings))
