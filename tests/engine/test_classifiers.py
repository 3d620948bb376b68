"""Classifiers that the user supplies: of Spark ML, or with `fit` and `predict`."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from assay import measure
from assay.analyzers import Predictability, PredictabilityWith, Size
from assay.engine import plan_for

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class Nearest:
    """Predict the most frequent label of the training rows with the most common features."""

    def __init__(self) -> None:
        self.training: list[Any] = []

    def fit(self, features: Any, labels: Any) -> Nearest:
        self.training = list(zip(features, labels, strict=True))
        return self

    def predict(self, features: Any) -> list[str]:
        return [self._nearest(row) for row in features]

    def _nearest(self, row: Any) -> str:
        common = [(float(row @ known_row), str(label)) for known_row, label in self.training]
        best = max(common)[0]
        likely = Counter(label for count, label in common if count == best)
        return likely.most_common(1)[0][0]


class Broken:
    """A classifier that cannot be trained."""

    def fit(self, features: Any, labels: Any) -> None:
        raise RuntimeError(f"cannot learn from {len(labels)} rows")


@pytest.fixture(scope="module")
def rows(spark: SparkSession) -> DataFrame:
    """Return rows whose target follows from the words of a text, except for one row in ten."""
    return spark.range(0, 400, 1, 2).selectExpr(
        "id AS `row id`",
        "if(id % 40 = 7, NULL, if(id % 10 = 3, 'odd', concat('kind ', id % 3))) AS `kind.of`",
        "concat_ws(' ', 'The', array('red', 'green', 'blue')[id % 3], 'thing', id) AS text",
        "id % 2 AS bit",
    )


@pytest.mark.connect
def test_a_classifier_like_those_of_scikit_learn(rows: DataFrame) -> None:
    classifier = Nearest()
    analyzers = [
        PredictabilityWith("kind.of", ["text"], "nearest", score, classifier=classifier)
        for score in ("f1", "precision", "recall")
    ]
    measured = measure(rows, [*analyzers, Size()])
    assert [measured[analyzer].problem for analyzer in analyzers] == [None] * 3
    # nine of ten rows follow from the text; the value `odd` is never predicted
    assert 0.8 < measured.number(analyzers[2]) < 0.97
    assert measured.number(analyzers[0]) < measured.number(analyzers[2])
    assert not classifier.training  # the user's object is not changed
    assert measure(rows, analyzers).value(analyzers[0]) == measured.value(analyzers[0])
    assert len(plan_for(rows, analyzers).model_passes) == 1


def test_the_driver_gets_at_most_the_given_number_of_rows(rows: DataFrame) -> None:
    class Counting(Nearest):
        def predict(self, features: Any) -> list[str]:
            row_counts.append(len(self.training) + len(features))
            return super().predict(features)

    row_counts: list[int] = []
    measure(rows, [PredictabilityWith("kind.of", ["text"], rows=100, classifier=Counting())])
    assert row_counts == [100]


@pytest.mark.connect
def test_a_classifier_of_spark_ml(rows: DataFrame) -> None:
    from pyspark.ml.classification import LogisticRegression

    analyzer = PredictabilityWith(
        "kind.of", ["text", "bit"], "lr", "recall", classifier=LogisticRegression(maxIter=10)
    )
    measured = measure(rows, [analyzer, Predictability("kind.of", ["text", "bit"], "recall")])
    assert measured[analyzer].problem is None
    assert 0.7 < measured.number(analyzer) < 0.97


def test_a_classifier_that_fails_is_a_problem_of_its_own_metric(rows: DataFrame) -> None:
    broken = PredictabilityWith("kind.of", ["text"], classifier=Broken())
    measured = measure(rows, [broken, Size()])
    assert measured.value(Size()) == 400
    problem = measured[broken].problem
    assert problem is not None
    assert problem.code == "not_computable"
    assert problem.reason.startswith("Broken could not be fitted and tried: RuntimeError: cannot")


def test_its_states_cannot_be_merged_and_it_has_no_segments(rows: DataFrame) -> None:
    analyzer = PredictabilityWith("kind.of", ["text"], classifier=Nearest())
    part = measure(rows, [analyzer])
    problem = (part + part)[analyzer].problem
    assert problem is not None
    assert problem.code == "not_incremental"
    segments = measure(rows, [analyzer, Size()], by=["bit"])
    assert len(segments) == 2
    for segment in segments.values():
        assert "not computed per segment" in str(segment[analyzer].problem)


def test_too_few_rows_are_undefined(rows: DataFrame) -> None:
    analyzer = PredictabilityWith("kind.of", ["text"], classifier=Nearest())
    measured = measure(rows.where("`row id` < 1"), [analyzer])
    assert "too few rows" in str(measured[analyzer].problem)
