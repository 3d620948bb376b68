"""The seven outlier methods of novelty-edbt21 (section 4, Table 1).

Each method learns from the points of the history, and then scores points. Unusual points have a
higher score. Methods based on neighbours score a point of the history by the other points. The
parameters are those of each method's paper, or the defaults of pyod.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from assay.learn.dependency import import_optional
from assay.learn.fingerprint.column_stats import Floats
from assay.learn.novelty.method_names import Aggregation, Distance
from assay.learn.novelty.novelty_result import Method

__all__ = ["METHODS", "NEIGHBOURS", "Scorer", "scorer_of"]

#: A function of the points of the history. It returns their scores, and a function that scores
#: other points.
Scorer = Callable[[Floats], tuple[Floats, Callable[[Floats], Floats]]]

#: the number of neighbours that the paper uses
NEIGHBOURS = 5
_ANGLE_NEIGHBOURS = 10
_FACTOR_NEIGHBOURS = 20
_BAGS = 10
_BINS = 10
_SEED = 0


def _knn(
    history: Floats,
    *,
    over: Callable[..., Any],
    neighbours: int = NEIGHBOURS,
    distance: Distance = "euclidean",
) -> tuple[Floats, Callable[[Floats], Floats]]:
    """Score by the mean or largest distance to the nearest neighbours (Ramaswamy 2000)."""
    tree = import_optional("sklearn.neighbors").BallTree(history, metric=distance)
    k = min(neighbours, len(history) - 1)
    scores: Floats = over(tree.query(history, k + 1)[0][:, 1:], axis=1)

    def scored(points: Floats) -> Floats:
        result: Floats = over(tree.query(points, k)[0], axis=1)
        return result

    return scores, scored


def _one_class_svm(history: Floats) -> tuple[Floats, Callable[[Floats], Floats]]:
    """Score by the distance outside of the support of the distribution (Schölkopf 2000)."""
    model = import_optional("sklearn.svm").OneClassSVM(gamma="auto").fit(history)
    return _negated(model, history)


def _isolation_forest(history: Floats) -> tuple[Floats, Callable[[Floats], Floats]]:
    """Score by the number of random cuts that isolate a point: fewer are higher (Liu 2008)."""
    model = import_optional("sklearn.ensemble").IsolationForest(random_state=_SEED).fit(history)
    return _negated(model, history)


def _negated(model: Any, history: Floats) -> tuple[Floats, Callable[[Floats], Floats]]:
    def scored(points: Floats) -> Floats:
        result: Floats = -model.decision_function(points)
        return result

    return scored(history), scored


def _feature_bagging(history: Floats) -> tuple[Floats, Callable[[Floats], Floats]]:
    """Score by local outlier factors, averaged over random sets of features (Lazarevic 2005)."""
    neighbours = import_optional("sklearn.neighbors")
    rng = np.random.default_rng(_SEED)
    width = history.shape[1]
    k = min(_FACTOR_NEIGHBOURS, len(history) - 1)
    bags: list[tuple[Any, Any]] = []
    for _ in range(_BAGS):
        size = int(rng.integers(max(1, width // 2), max(2, width)))
        chosen = rng.choice(width, size, replace=False)
        model = neighbours.LocalOutlierFactor(n_neighbors=k, algorithm="ball_tree", novelty=True)
        bags.append((chosen, model.fit(history[:, chosen])))
    scores = np.mean([-model.negative_outlier_factor_ for _, model in bags], axis=0)

    def scored(points: Floats) -> Floats:
        factors = [-model.score_samples(points[:, chosen]) for chosen, model in bags]
        result: Floats = np.mean(factors, axis=0)
        return result

    return scores, scored


def _hbos(history: Floats) -> tuple[Floats, Callable[[Floats], Floats]]:
    """Score by ``Σ log(1 / height)`` over the features' histograms (Goldstein and Dengel 2012).

    The highest bar has height 1. An empty bar, or a value outside of all bars, counts as a tenth of
    a point.
    """
    low, high = history.min(axis=0), history.max(axis=0)
    step = np.where(high > low, (high - low) / _BINS, 1.0)
    features = np.arange(history.shape[1])

    def bins(points: Floats) -> Any:
        at = np.clip(np.floor((points - low) / step).astype(np.int64), 0, _BINS - 1)
        # Values up to half a bin beyond the ends belong to the outer bins.
        beyond = (points < low - step / 2) | (points > high + step / 2)
        return np.where(beyond, _BINS, at)

    heights = np.zeros((_BINS + 1, len(features)))
    np.add.at(heights, (bins(history), features[None, :]), 1.0)
    tops = heights[:_BINS].max(axis=0)
    heights = np.maximum(heights, 0.1) / tops

    def scored(points: Floats) -> Floats:
        result: Floats = -np.log(heights[bins(points), features[None, :]]).sum(axis=1)
        return result

    return scored(history), scored


def _abod(history: Floats) -> tuple[Floats, Callable[[Floats], Floats]]:
    """Score by the variance of angles to the 10 nearest neighbours (FastABOD, Kriegel 2008).

    ``- log VAR(<a, b> / (|a|² |b|²))`` over differences a, b to neighbours, weighted by 1 / |a||b|.
    """
    tree = import_optional("sklearn.neighbors").BallTree(history)
    k = min(_ANGLE_NEIGHBOURS, len(history) - 1)

    def of(points: Floats, neighbours: Any) -> Floats:
        return np.array(
            [_angles(history[at] - point) for point, at in zip(points, neighbours, strict=True)]
        )

    scores = of(history, tree.query(history, k + 1)[1][:, 1:])
    return scores, lambda points: of(points, tree.query(points, k)[1])


def _angles(differences: Floats) -> float:
    norms = np.sqrt((differences * differences).sum(axis=1))
    differences, norms = differences[norms > 0], norms[norms > 0]
    first, second = np.triu_indices(len(norms), 1)
    if len(first) < 2:
        return -math.inf  # nearly all neighbours equal the point
    both = norms[first] * norms[second]
    angles = (differences[first] * differences[second]).sum(axis=1) / both**2
    weights = 1 / both / (1 / both).sum()
    mean = float(weights @ angles)
    variance = float(weights @ (angles - mean) ** 2)
    return -math.log(variance) if variance > 0 else math.inf


METHODS: Mapping[Method, Scorer] = {
    "average knn": partial(_knn, over=np.mean),
    "knn": partial(_knn, over=np.max),
    "one-class svm": _one_class_svm,
    "abod": _abod,
    "feature bagging": _feature_bagging,
    "hbos": _hbos,
    "isolation forest": _isolation_forest,
}

_AGGREGATIONS: Mapping[Aggregation, Callable[..., Any]] = {
    "mean": np.mean,
    "median": np.median,
    "max": np.max,
}
_DEFAULT_AGGREGATION: Mapping[Method, Aggregation] = {"average knn": "mean", "knn": "max"}


def scorer_of(
    method: Method,
    *,
    neighbours: int = NEIGHBOURS,
    distance: Distance = "euclidean",
    aggregation: Aggregation | None = None,
) -> Scorer:
    """Return a method with its parameters. Only methods of neighbours use them.

    Parameters
    ----------
    method
        The method.
    neighbours
        The number of nearest neighbours (k).
    distance
        The distance of two points (dist).
    aggregation
        How the distances to the neighbours are combined (agg).
    """
    default = _DEFAULT_AGGREGATION.get(method)
    if default is None:
        return METHODS[method]
    over = _AGGREGATIONS[aggregation or default]
    return partial(_knn, over=over, neighbours=neighbours, distance=distance)
