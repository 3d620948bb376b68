"""Detectors of wrong batches that learn from a column's history: Assay's and nine others.

All detectors except the two-sample tests get the same metrics, or the single metric that they
usually get. An outlier score raises an alarm if it exceeds 99 % of the scores of the history
(contamination 1 %).
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from assay.learn.fingerprint import metrics as catalogue
from assay.learn.fingerprint.column_stats import ColumnKind, Floats
from assay.learn.fingerprint.from_rows import Column, column_kind
from assay.learn.fingerprint.metrics import MetricValues
from assay.learn.limits.column_limits import ColumnHistory, Settings, learn
from assay.learn.limits.judge_limits import judge

__all__ = ["DETECTORS", "Alarm", "Batch", "Detector", "Window", "column_limits"]

#: quantile of the history's scores at which contamination is 1 %
_SCORE_QUANTILE = 0.99
#: p-value of the two-sample tests below which an alarm is raised
_MAX_P_VALUE = 0.001


@dataclass(frozen=True)
class Batch:
    """A batch of one column: its metrics and its values."""

    metrics: MetricValues
    column: Column


@dataclass(frozen=True)
class Window:
    """The history of a column, with injected faults, and the values of its last batch."""

    history: ColumnHistory
    last: Column

    def matrix(self, names: Sequence[str]) -> Floats:
        """Return the named metrics, one row per batch."""
        return np.array([_as_row(metrics, names) for metrics in self.history.metrics])


Alarm = Callable[[Batch], bool]
Detector = Callable[[Window], Alarm]


def column_limits(settings: Settings, *, delta: float | None = None) -> Detector:
    """Create a detector of Auto-Validate-by-History with these settings.

    The paper's settings do without the fault "missing", which the paper does not inject.
    """

    def detector(window: Window) -> Alarm:
        history = window.history
        if settings.paper:
            faults = [fault for fault in history.injected_faults if fault.fault.type != "missing"]
            history = replace(history, injected_faults=faults)
        limits = learn("", history, settings, delta=delta, rows=True)
        return lambda batch: any(
            outcome.broken for outcome in judge(limits, history.metrics, batch.metrics)
        )

    return detector


def mean_deviation(
    names: Callable[[ColumnKind], Sequence[str]], limit: float, window: Window
) -> Alarm:
    """Raise an alarm if a metric is more than `limit` standard deviations from its mean."""
    metric_names = names(window.history.kind)
    history = window.matrix(metric_names)
    with _ignore_empty_metrics():
        deviation = np.nanstd(history, axis=0, ddof=1)
        return _outside(metric_names, _mean(history), limit * deviation)


def median_deviation(
    names: Callable[[ColumnKind], Sequence[str]], limit: float, window: Window
) -> Alarm:
    """Raise an alarm beyond `limit` median absolute deviations of the median (Hampel's X84)."""
    metric_names = names(window.history.kind)
    history = window.matrix(metric_names)
    with _ignore_empty_metrics():
        median = np.nanmedian(history, axis=0)
        deviation = np.nanmedian(np.abs(history - median), axis=0)
        return _outside(metric_names, median, limit * deviation)


@contextmanager
def _ignore_empty_metrics() -> Iterator[None]:
    """Silence NumPy's warnings about metrics that no batch has: they raise no alarm."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        yield


def _outside(names: Sequence[str], centre: Floats, tolerance: Floats) -> Alarm:
    def alarm(batch: Batch) -> bool:
        distance = np.abs(_as_row(batch.metrics, names) - centre)
        return bool((distance > tolerance * (1 + 1e-9) + 1e-12).any())

    return alarm


def two_sample_test(window: Window) -> Alarm:
    """Compare with the last batch: Kolmogorov-Smirnov test of numbers, χ² test of strings."""
    stats: Any = import_module("scipy.stats")
    last = window.last

    def alarm(batch: Batch) -> bool:
        if column_kind(last) == "numeric":
            numbers, last_numbers = (column[~np.isnan(column)] for column in (batch.column, last))
            if not len(numbers) or not len(last_numbers):
                return False
            test = stats.ks_2samp(numbers, last_numbers, method="asymp")
            return bool(test.pvalue < _MAX_P_VALUE)
        counts = [_count_values(column) for column in (batch.column, last)]
        values = sorted(set(counts[0]) | set(counts[1]))
        table = np.array([[column.get(value, 0) for value in values] for column in counts])
        if len(values) < 2 or not table.sum(axis=1).all():
            return False
        return bool(stats.chi2_contingency(table).pvalue < _MAX_P_VALUE)

    return alarm


def _count_values(column: Column) -> Mapping[str, int]:
    present = [value for value in column if value is not None]
    values, counts = np.unique(present, return_counts=True)
    return dict(zip(values.tolist(), counts.tolist(), strict=True))


Score = Callable[[Floats], Floats]


def outlier_score(fit: Callable[[Floats], tuple[Floats, Score]], window: Window) -> Alarm:
    """Raise an alarm if the outlier score exceeds 99 % of the scores of the history.

    Metrics are scaled to 0 to 1 by the history. A missing metric counts as its mean.

    Parameters
    ----------
    fit
        Returns the scores of the history, and a function that scores other batches.
    """
    names = all_metrics(window.history.kind)
    history = window.matrix(names)
    mean = _mean(history)
    history = np.where(np.isnan(history), mean, history)
    low, spread = history.min(axis=0), np.ptp(history, axis=0)
    spread = np.where(spread > 0, spread, 1.0)
    history_scores, score = fit((history - low) / spread)
    limit = float(np.quantile(history_scores, _SCORE_QUANTILE))

    def alarm(batch: Batch) -> bool:
        row = _as_row(batch.metrics, names)
        scaled = (np.where(np.isnan(row), mean, row) - low) / spread
        batch_score = float(score(np.clip(scaled, -1e6, 1e6)[None, :])[0])
        return batch_score > limit + 1e-9 * abs(limit)

    return alarm


def _scikit_learn(create: Callable[[], Any], history: Floats) -> tuple[Floats, Score]:
    """Fit a model of scikit-learn. Its scores are negated: they are low for outliers."""
    model = create().fit(history)
    scores = getattr(model, "negative_outlier_factor_", None)
    if scores is None:
        scores = model.score_samples(history)
    return -scores, lambda rows: -model.score_samples(rows)


def _lof() -> Any:
    return import_module("sklearn.neighbors").LocalOutlierFactor(n_neighbors=10, novelty=True)


def _one_class_svm() -> Any:
    return import_module("sklearn.svm").OneClassSVM(nu=0.01, gamma="scale")


def _isolation_forest() -> Any:
    return import_module("sklearn.ensemble").IsolationForest(n_estimators=50, random_state=0)


def _average_knn(history: Floats, k: int = 5) -> tuple[Floats, Score]:
    """Score by the mean distance to the five nearest batches (novelty-edbt21)."""

    def sorted_distances(rows: Floats) -> Floats:
        distances: Floats = np.linalg.norm(rows[:, None, :] - history[None, :, :], axis=2)
        return np.sort(distances, axis=1)

    # a batch of the history is its own nearest neighbour
    history_scores: Floats = sorted_distances(history)[:, 1 : k + 1].mean(axis=1)
    return history_scores, lambda rows: sorted_distances(rows)[:, :k].mean(axis=1)


def _ecod(history: Floats) -> tuple[Floats, Score]:
    """Score by empirical cumulative distributions (Li et al. 2022).

    The score is the largest of three sums of -log tail probabilities. They add up the left tails,
    the right tails, and the tails on the side of each metric's skewness. A new batch counts as
    part of the history.
    """
    centred = history - history.mean(axis=0)
    skew = (centred**3).mean(axis=0)

    def score(rows: Floats) -> Floats:
        n = len(history) + 1
        left_tail = -np.log(((history[None] <= rows[:, None]).sum(axis=1) + 1) / n)
        right_tail = -np.log(((history[None] >= rows[:, None]).sum(axis=1) + 1) / n)
        skewed_tail = np.where(skew < 0, left_tail, right_tail)
        scores: Floats = np.max(
            [tail.sum(axis=1) for tail in (left_tail, right_tail, skewed_tail)], axis=0
        )
        return scores

    return score(history), score


def all_metrics(table: ColumnKind) -> list[str]:
    """Return the names of all metrics of the paper for this kind of column."""
    return [kind.name for kind in catalogue.with_limits(table, paper_only=True)]


def mean_metric(table: ColumnKind) -> list[str]:
    """Return the name of the mean, or of the mean length of strings."""
    return ["mean" if table == "numeric" else "str_len"]


def _as_row(metrics: MetricValues, names: Sequence[str]) -> Floats:
    row = np.array([metrics.get(name, math.nan) for name in names], dtype=np.float64)
    return np.where(np.isinf(row), np.sign(row) * 1e12, row)


def _mean(history: Floats) -> Floats:
    """Return the mean of the present values, 0 if there are none."""
    present = ~np.isnan(history)
    sums = np.where(present, history, 0.0).sum(axis=0)
    means: Floats = sums / np.maximum(1, present.sum(axis=0))
    return means


#: the detectors that Assay is compared with, by name
DETECTORS: Mapping[str, Detector] = {
    "3 sigma, all metrics": partial(mean_deviation, all_metrics, 3.0),
    "3 sigma, mean": partial(mean_deviation, mean_metric, 3.0),
    "KS or χ², p < .001": two_sample_test,
    "MAD, mean": partial(median_deviation, mean_metric, 5.2),
    "LOF": partial(outlier_score, partial(_scikit_learn, _lof)),
    "one-class SVM": partial(outlier_score, partial(_scikit_learn, _one_class_svm)),
    "isolation forest": partial(outlier_score, partial(_scikit_learn, _isolation_forest)),
    "ECOD": partial(outlier_score, _ecod),
    "average kNN": partial(outlier_score, _average_knn),
}
