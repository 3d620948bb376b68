"""Classifiers of the user's own: Spark ML's, and what has `fit` and `predict`."""

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
    """Of the rows seen, the label that those with most features in common mostly have."""

    def __init__(self) -> None:
        self.seen: list[Any] = []

    def fit(self, features: Any, labels: Any) -> Nearest:
        self.seen = list(zip(features, labels, strict=True))
        return self

    def predict(self, features: Any) -> list[str]:
        return [self._nearest(row) for row in features]

    def _nearest(self, row: Any) -> str:
        common = [(float(row @ seen), str(label)) for seen, label in self.seen]
        best = max(common)[0]
        likely = Counter(label for each, label in common if each == best)
        return likely.most_common(1)[0][0]


class Broken:
    """Raises."""

    def fit(self, features: Any, labels: Any) -> None:
        raise RuntimeError(f"cannot learn from {len(labels)} rows")


@pytest.fixture(scope="module")
def rows(spark: SparkSession) -> DataFrame:
    """A target that follows from the words of a text, but for one row in ten."""
    return spark.range(0, 400, 1, 2).selectExpr(
        "id AS `row id`",
        "if(id % 40 = 7, NULL, if(id % 10 = 3, 'odd', concat('kind ', id % 3))) AS `kind.of`",
        "concat_ws(' ', 'The', array('red', 'green', 'blue')[id % 3], 'thing', id) AS text",
        "id % 2 AS bit",
    )


@pytest.mark.connect
def test_one_of_scikit_learns_kind(rows: DataFrame) -> None:
    classifier = Nearest()
    asked = [
        PredictabilityWith("kind.of", ["text"], "nearest", score, classifier=classifier)
        for score in ("f1", "precision", "recall")
    ]
    found = measure(rows, [*asked, Size()])
    assert [found[each].problem for each in asked] == [None] * 3
    # nine of ten rows are as the text tells; those of `odd` are never guessed
    assert 0.8 < found.number(asked[2]) < 0.97
    assert found.number(asked[0]) < found.number(asked[2])
    assert not classifier.seen  # the user's own is left as it was
    assert measure(rows, asked).value(asked[0]) == found.value(asked[0])
    assert len(plan_for(rows, asked).model_passes) == 1


def test_only_so_many_rows_are_brought(rows: DataFrame) -> None:
    class Counting(Nearest):
        def predict(self, features: Any) -> list[str]:
            brought.append(len(self.seen) + len(features))
            return super().predict(features)

    brought: list[int] = []
    measure(rows, [PredictabilityWith("kind.of", ["text"], rows=100, classifier=Counting())])
    assert brought == [100]


@pytest.mark.connect
def test_one_of_spark_ml(rows: DataFrame) -> None:
    from pyspark.ml.classification import LogisticRegression

    asked = PredictabilityWith(
        "kind.of", ["text", "bit"], "lr", "recall", classifier=LogisticRegression(maxIter=10)
    )
    found = measure(rows, [asked, Predictability("kind.of", ["text", "bit"], "recall")])
    assert found[asked].problem is None
    assert 0.7 < found.number(asked) < 0.97


def test_one_that_fails_says_why_and_stops_nothing(rows: DataFrame) -> None:
    broken = PredictabilityWith("kind.of", ["text"], classifier=Broken())
    found = measure(rows, [broken, Size()])
    assert found.value(Size()) == 400
    problem = found[broken].problem
    assert problem is not None
    assert problem.code == "not_computable"
    assert problem.reason.startswith("Broken could not be fitted and tried: RuntimeError: cannot")


def test_it_neither_adds_up_nor_has_segments(rows: DataFrame) -> None:
    asked = PredictabilityWith("kind.of", ["text"], classifier=Nearest())
    part = measure(rows, [asked])
    problem = (part + part)[asked].problem
    assert problem is not None
    assert problem.code == "not_incremental"
    parts = measure(rows, [asked, Size()], by=["bit"])
    assert len(parts) == 2
    for each in parts.values():
        assert "not computed per segment" in str(each[asked].problem)


def test_too_few_rows_are_undefined(rows: DataFrame) -> None:
    asked = PredictabilityWith("kind.of", ["text"], classifier=Nearest())
    found = measure(rows.where("`row id` < 1"), [asked])
    assert "too few rows" in str(found[asked].problem)
