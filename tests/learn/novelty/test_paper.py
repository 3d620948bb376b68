"""The definitions of novelty-edbt21 by their numbers, against slow and plain oracles."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import neighbors

from assay.analyzers.trigrams import peculiarity
from assay.checks.assertions.expectation import NotEnough
from assay.errors import CheckError
from assay.learn.fingerprint.column_stats import Floats
from assay.learn.fingerprint.from_rows import fingerprint, numbers, strings
from assay.learn.novelty.features import Feature
from assay.learn.novelty.novelty_result import Method
from assay.learn.novelty.outlier_detector import LearnedOutliers, OutlierDetector
from assay.learn.novelty.outlier_methods import METHODS
from assay.learn.novelty.paper_features import compute_paper_features

METHOD_NAMES: tuple[Method, ...] = get_args(Method)


def index_by_hand(values: list[str]) -> float:
    """Compute the index by equation 1."""
    two = Counter(value[i : i + 2] for value in values for i in range(len(value) - 1))
    three = Counter(value[i : i + 3] for value in values for i in range(len(value) - 2))
    result = []
    for value in values:
        surprises = [
            (math.log(two[t[:2]]) + math.log(two[t[1:]])) / 2 - math.log(three[t])
            for t in (value[i : i + 3] for i in range(len(value) - 2))
        ]
        if surprises:
            result.append(math.sqrt(sum(i * i for i in surprises) / len(surprises)))
    return sum(result) / len(result) if result else math.nan


@given(st.lists(st.text("abcß€", max_size=6), max_size=12))
def test_equation_1(values: list[str]) -> None:
    expected = index_by_hand(values)
    assert peculiarity(Counter(values)) == pytest.approx(expected, nan_ok=True, abs=1e-12)


def test_a_typo_is_peculiar() -> None:
    words = ["article", "article", "article", "video", "video"]
    assert peculiarity(Counter([*words, "artocle"])) > peculiarity(Counter([*words, "article"]))


def test_section_4_statistics_of_figure_1() -> None:
    batch = fingerprint(
        {"A": strings(["x", None, "x", "yz"]), "B": numbers([1.0, 2.0, 3.0, 1000.0])}
    )
    results = compute_paper_features(batch)
    assert results[Feature("A", "complete_ratio")] == 0.75
    assert results[Feature("A", "plain_distinct_count")] == 2
    assert results[Feature("A", "top_share")] == 0.5  # of the batch, nulls and all
    assert {result.metric for result in results if result.column == "A"} == {
        "complete_ratio", "plain_distinct_count", "top_share", "peculiarity"
    }  # fmt: skip
    assert results[Feature("B", "plain_max")] == 1000
    assert results[Feature("B", "plain_mean")] == 251.5
    assert results[Feature("B", "plain_min")] == 1
    assert results[Feature("B", "plain_sd")] == pytest.approx(np.std([1, 2, 3, 1000]))


def vectors(points: Floats) -> list[dict[Feature, float]]:
    return [
        {Feature("x", str(j)): float(value) for j, value in enumerate(point)} for point in points
    ]


def learned(points: Floats, method: Method, contamination: float = 0.01) -> LearnedOutliers:
    model = OutlierDetector(method, contamination).learn(vectors(points))
    assert isinstance(model, LearnedOutliers)
    return model


@pytest.mark.parametrize("largest", [False, True])
def test_algorithm_1_is_a_threshold_on_the_distances_to_5_neighbours(largest: bool) -> None:
    rng = np.random.default_rng(1)
    points = rng.normal(size=(40, 3)) * [1, 10, 100]
    low, high = points.min(axis=0), points.max(axis=0)
    scaled = (points - low) / (high - low)

    def distance(point: Floats, others: Floats) -> float:
        nearest = np.sort(np.sqrt(((others - point) ** 2).sum(axis=1)))[:5]
        return float(nearest.max() if largest else nearest.mean())

    distances = [distance(scaled[i], np.delete(scaled, i, axis=0)) for i in range(40)]
    model = learned(points, "knn" if largest else "average knn", 0.05)
    assert model.limit == pytest.approx(np.percentile(distances, 95))
    new = rng.normal(size=3) * [1, 10, 300]
    judged = model.judge(vectors(new[None, :])[0])
    assert judged.score == pytest.approx(distance((new - low) / (high - low), scaled))
    assert judged.alarm == (judged.score > judged.limit)


def test_abod_is_the_variance_of_angles_weighted_by_distance() -> None:
    rng = np.random.default_rng(2)
    history, new = rng.normal(size=(11, 4)), rng.normal(size=4)
    order = np.argsort(((history - new) ** 2).sum(axis=1))[:10]
    weights, angles = [], []
    for i, one in enumerate(history[order] - new):
        for other in (history[order] - new)[i + 1 :]:
            both = np.linalg.norm(one) * np.linalg.norm(other)
            weights.append(1 / both)
            angles.append(one @ other / both**2)
    mean = np.average(angles, weights=weights)
    variance = np.average((np.array(angles) - mean) ** 2, weights=weights)
    _, score = METHODS["abod"](history)
    assert score(new[None, :])[0] == pytest.approx(-math.log(variance))


def test_hbos_sums_the_logarithms_of_the_heights_of_bars() -> None:
    history = np.array([[0.0, 5.0], [0.1, 5.0], [0.05, 5.0], [1.0, 5.0]])
    scores, score = METHODS["hbos"](history)
    # three of four in the first of ten bars, one in the last; the other feature is constant
    assert scores == pytest.approx([math.log(2 / 2), math.log(2 / 1), 0.0, math.log(2 / 1)])
    beyond = score(np.array([[0.5, 5.0], [2.0, 5.0], [0.0, 9.0]]))
    assert beyond == pytest.approx([math.log(20), math.log(20), math.log(40)])


def test_feature_bagging_of_one_feature_is_the_local_outlier_factor() -> None:
    rng = np.random.default_rng(3)
    history, new = rng.normal(size=(30, 1)), np.array([[0.1], [4.0]])
    plain: Any = neighbors.LocalOutlierFactor(n_neighbors=20, novelty=True).fit(history)
    scores, score = METHODS["feature bagging"](history)
    assert scores == pytest.approx(-plain.negative_outlier_factor_)
    assert score(new) == pytest.approx(-plain.score_samples(new))


@pytest.mark.parametrize("method", METHOD_NAMES)
def test_every_method_holds_a_distant_batch_and_accepts_a_central_one(method: Method) -> None:
    rng = np.random.default_rng(4)
    points = rng.normal(size=(60, 3))
    model = learned(points, method)
    far, middle = vectors(np.array([[0.0, 30.0, 0.0], [0.0, 0.0, 0.0]]))
    # of features taken one by one, only the histograms' last bar says that one is far
    assert model.judge(middle).level == "accept"
    scores = model.judge(far).score, model.judge(middle).score
    assert scores[0] > scores[1]
    assert model.judge(far).reasons[0].feature == Feature("x", "1")
    if method not in {"hbos", "isolation forest"}:
        assert model.judge(far).level == "hold"


@pytest.mark.parametrize("method", METHOD_NAMES)
def test_the_order_of_batches_and_of_features_is_none(method: Method) -> None:
    rng = np.random.default_rng(5)
    points, new = rng.normal(size=(20, 3)), rng.normal(size=(1, 3))
    history = vectors(points)
    mixed = [dict(reversed(batch.items())) for batch in history]
    expected = learned(points, method).judge(vectors(new)[0])
    turned = OutlierDetector(method).learn(mixed)
    assert not isinstance(turned, NotEnough)
    assert turned.judge(vectors(new)[0]) == expected
    if method not in {"isolation forest", "one-class svm"}:  # a sample, an iteration
        shuffled = learned(points[rng.permutation(20)], method).judge(vectors(new)[0])
        assert shuffled.score == pytest.approx(expected.score)


@pytest.mark.parametrize("method", METHOD_NAMES)
def test_history_of_one_and_the_same_batch(method: Method) -> None:
    same = vectors(np.ones((9, 3)))
    model = OutlierDetector(method).learn(same)
    assert not isinstance(model, NotEnough)
    assert model.judge(same[0]).level == "accept"
    for odd in (math.nan, math.inf, 1e308):
        model.judge({**same[0], Feature("x", "1"): odd})


def test_a_method_of_another_name() -> None:
    with pytest.raises(CheckError, match="Did you mean 'average knn'"):
        OutlierDetector("averageknn")  # type: ignore[arg-type]


def test_fewer_than_8_batches_are_not_enough() -> None:
    assert OutlierDetector().learn(vectors(np.ones((7, 1)))) == NotEnough(7, 8)
