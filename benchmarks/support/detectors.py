"""Ways to tell a batch that is wrong from its column's past: Assay's, and what others do.

All but the tests of two samples are given the same metrics, or the one that they are usually given.
Scores of outliers are held against those of the history itself, of which one in a hundred may be
exceeded (contamination 1 %).
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

from assay.learn.fingerprint.column_stats import ColumnKind, Floats
from assay.learn.fingerprint.from_rows import Column, column_kind
from assay.learn.limits.column_limits import ColumnHistory, Settings, learn
from assay.learn.limits.judge_limits import judge
from assay.learn.limits.kinds import Measured, kinds

__all__ = ["DETECTORS", "Alarm", "Batch", "Detector", "Window", "programmed"]

#: what contamination 1 % leaves
_ACCEPTED = 0.99
_P = 0.001


@dataclass(frozen=True)
class Batch:
    """One that arrives: its metrics, and its values."""

    metrics: Measured
    column: Column


@dataclass(frozen=True)
class Window:
    """The batches that there are, and what issues would have done to the last one."""

    past: ColumnHistory
    last: Column

    def matrix(self, names: Sequence[str]) -> Floats:
        """A row for each batch."""
        return np.array([_row(each, names) for each in self.past.metrics])


Alarm = Callable[[Batch], bool]
Detector = Callable[[Window], Alarm]


def programmed(settings: Settings, *, delta: float | None = None) -> Detector:
    """Auto-Validate-by-History with these settings; the paper rehearses no real nulls."""

    def detector(window: Window) -> Alarm:
        past = window.past
        if settings.paper:
            paper = [each for each in past.rehearsed if each.issue.type != "missing"]
            past = replace(past, rehearsed=paper)
        program = learn("", past, settings, delta=delta, rows=True)
        return lambda batch: any(
            each.broken for each in judge(program, past.metrics, batch.metrics)
        )

    return detector


def sigmas(names: Callable[[ColumnKind], Sequence[str]], limit: float, window: Window) -> Alarm:
    """So many deviations from the mean, of any of the metrics."""
    chosen = names(window.past.table)
    past = window.matrix(chosen)
    with _unheard():
        return _beyond(chosen, _mean(past), limit * np.nanstd(past, axis=0, ddof=1))


def mad(names: Callable[[ColumnKind], Sequence[str]], limit: float, window: Window) -> Alarm:
    """Hampel's X84: so many median absolute deviations from the median."""
    chosen = names(window.past.table)
    past = window.matrix(chosen)
    with _unheard():
        middle = np.nanmedian(past, axis=0)
        return _beyond(chosen, middle, limit * np.nanmedian(np.abs(past - middle), axis=0))


@contextmanager
def _unheard() -> Iterator[None]:
    """NumPy warns of metrics that no batch has; nothing is beyond their limits."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        yield


def _beyond(names: Sequence[str], middle: Floats, room: Floats) -> Alarm:
    def alarm(batch: Batch) -> bool:
        apart = np.abs(_row(batch.metrics, names) - middle)
        return bool((apart > room * (1 + 1e-9) + 1e-12).any())

    return alarm


def two_samples(window: Window) -> Alarm:
    """Kolmogorov and Smirnov's test of numbers, χ² of strings, against the batch before."""
    stats: Any = import_module("scipy.stats")
    before = window.last

    def alarm(batch: Batch) -> bool:
        if column_kind(before) == "numeric":
            this, that = (each[~np.isnan(each)] for each in (batch.column, before))
            if not len(this) or not len(that):
                return False
            return bool(stats.ks_2samp(this, that, method="asymp").pvalue < _P)
        counted = [_counted(each) for each in (batch.column, before)]
        every = sorted(set(counted[0]) | set(counted[1]))
        table = np.array([[each.get(value, 0) for value in every] for each in counted])
        if len(every) < 2 or not table.sum(axis=1).all():
            return False
        return bool(stats.chi2_contingency(table).pvalue < _P)

    return alarm


def _counted(column: Column) -> Mapping[str, int]:
    values, counts = np.unique([each for each in column if each is not None], return_counts=True)
    return dict(zip(values.tolist(), counts.tolist(), strict=True))


Score = Callable[[Floats], Floats]


def scored(fit: Callable[[Floats], tuple[Floats, Score]], window: Window) -> Alarm:
    """An outlier's score of all metrics, above that of all but 1 % of the history."""
    names = every(window.past.table)
    past = window.matrix(names)
    middle = _mean(past)
    past = np.where(np.isnan(past), middle, past)
    low, wide = past.min(axis=0), np.ptp(past, axis=0)
    wide = np.where(wide > 0, wide, 1.0)
    own, score = fit((past - low) / wide)
    limit = float(np.quantile(own, _ACCEPTED))

    def alarm(batch: Batch) -> bool:
        row = _row(batch.metrics, names)
        inside = (np.where(np.isnan(row), middle, row) - low) / wide
        found = float(score(np.clip(inside, -1e6, 1e6)[None, :])[0])
        return found > limit + 1e-9 * abs(limit)

    return alarm


def _learned(make: Callable[[], Any], past: Floats) -> tuple[Floats, Score]:
    """One of scikit-learn's, whose scores are the lower the stranger."""
    model = make().fit(past)
    own = getattr(model, "negative_outlier_factor_", None)
    return -(model.score_samples(past) if own is None else own), lambda x: -model.score_samples(x)


def _lof() -> Any:
    return import_module("sklearn.neighbors").LocalOutlierFactor(n_neighbors=10, novelty=True)


def _one_class_svm() -> Any:
    return import_module("sklearn.svm").OneClassSVM(nu=0.01, gamma="scale")


def _isolation_forest() -> Any:
    return import_module("sklearn.ensemble").IsolationForest(n_estimators=50, random_state=0)


def _average_knn(past: Floats, k: int = 5) -> tuple[Floats, Score]:
    """The mean distance to the five nearest (novelty-edbt21)."""

    def distances(rows: Floats) -> Floats:
        found: Floats = np.linalg.norm(rows[:, None, :] - past[None, :, :], axis=2)
        return np.sort(found, axis=1)

    # the nearest of the history's own is itself
    own: Floats = distances(past)[:, 1 : k + 1].mean(axis=1)
    return own, lambda rows: distances(rows)[:, :k].mean(axis=1)


def _ecod(past: Floats) -> tuple[Floats, Score]:
    """Empirical cumulative distributions: -log of tail probabilities, summed up (Li et al. 2022).

    The largest of three sums: of left tails, of right tails, and of the tail that each dimension's
    skewness points to. One that arrives is counted as part of the history.
    """
    centred = past - past.mean(axis=0)
    skew = (centred**3).mean(axis=0)

    def score(rows: Floats) -> Floats:
        n = len(past) + 1
        left = -np.log(((past[None] <= rows[:, None]).sum(axis=1) + 1) / n)
        right = -np.log(((past[None] >= rows[:, None]).sum(axis=1) + 1) / n)
        sums = [each.sum(axis=1) for each in (left, right, np.where(skew < 0, left, right))]
        found: Floats = np.max(sums, axis=0)
        return found

    return score(past), score


def every(table: ColumnKind) -> list[str]:
    """All metrics of the paper's table."""
    return [kind.name for kind in kinds(table, paper=True)]


def usual(table: ColumnKind) -> list[str]:
    """The mean, or the mean length."""
    return ["mean" if table == "numeric" else "str_len"]


def _row(metrics: Measured, names: Sequence[str]) -> Floats:
    found = np.array([metrics.get(name, math.nan) for name in names], dtype=np.float64)
    return np.where(np.isinf(found), np.sign(found) * 1e12, found)


def _mean(past: Floats) -> Floats:
    """Of what is there; 0 where nothing is."""
    there = ~np.isnan(past)
    found: Floats = np.where(there, past, 0.0).sum(axis=0) / np.maximum(1, there.sum(axis=0))
    return found


#: the baselines by name
DETECTORS: Mapping[str, Detector] = {
    "3 sigma, all metrics": partial(sigmas, every, 3.0),
    "3 sigma, mean": partial(sigmas, usual, 3.0),
    "KS or χ², p < .001": two_samples,
    "MAD, mean": partial(mad, usual, 5.2),
    "LOF": partial(scored, partial(_learned, _lof)),
    "one-class SVM": partial(scored, partial(_learned, _one_class_svm)),
    "isolation forest": partial(scored, partial(_learned, _isolation_forest)),
    "ECOD": partial(scored, _ecod),
    "average kNN": partial(scored, _average_knn),
}
