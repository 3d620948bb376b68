"""`has_predictability`: which bounds are meant, and what it is called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from assay import Check, Dataset, MemoryStore, verify
from assay.analyzers import Schema
from assay.errors import CheckError
from tests.oracle.predicted import Never

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def constraints(check: Check) -> dict[str, str]:
    return {c.name: f"{c.metric} {c.assertion}" for c in check.constraints}


@pytest.fixture(scope="module")
def addresses(spark: SparkSession) -> DataFrame:
    rows = [("de", "10115", "Berlin"), ("fr", "75001", "Paris"), ("it", "00118", "Roma")] * 5
    wrong = ("fr", "10115", "Berlin")
    return spark.createDataFrame([*rows, wrong], "country string, zip string, city string")


def test_each_score_has_its_bound() -> None:
    check = Check("c").has_predictability("country", ["zip", "city"], f1=0.9, precision=0.99)
    assert constraints(check.warn()) == {
        "has_predictability(country, zip, city)": "Predictability(country, zip, city) >= 0.9",
        "has_predictability(country, zip, city, precision)": (
            "Predictability(country, zip, city, score='precision') >= 0.99"
        ),
    }
    assert {constraint.level.value for constraint in check.warn().constraints} == {"warning"}


def test_other_bounds_are_bounds_on_f1() -> None:
    check = Check("c").has_predictability("country", "zip", between=(0.5, 0.9), recall=0.4)
    assert constraints(check) == {
        "has_predictability(country, zip)": "Predictability(country, zip) in [0.5, 0.9]",
        "has_predictability(country, zip, recall)": (
            "Predictability(country, zip, score='recall') >= 0.4"
        ),
    }


@pytest.mark.parametrize(
    ("arguments", "options", "complaint"),
    [
        (("country", "zip"), {}, "got none"),
        (("country", "zip"), {"f1": 0.9, "at_least": 0.8}, "f1 or at_least, got both"),
        (("country", []), {"f1": 0.9}, "at least one column, got none"),
        (("country", [1]), {"f1": 0.9}, "name of a column.*got 1"),
        (("country", "zip"), {"f1": "high", "at_most": None, "accuracy": 1}, "accuracy"),
    ],
)
def test_invalid_arguments_are_refused(
    arguments: tuple[Any, ...], options: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(CheckError, match=complaint):
        Check("c").has_predictability(*arguments, **options)


def test_a_column_that_predicts_itself_is_refused_without_data() -> None:
    applicability = (
        Check("c").has_predictability("a", ["a"], f1=1).applicable_to(Schema.of(a="int"))
    )
    assert "'a' cannot be predicted from 'a'" in str(applicability)


def test_a_wrong_country_is_found(addresses: DataFrame) -> None:
    """The wrong one of 16 rows is predicted as what it should be; all others are right."""
    check = Check("addresses").has_predictability(
        "country", ["zip", "city"], f1=0.99, precision=0.9, recall=0.9
    )
    result = verify(addresses, check)
    assert [constraint_result.outcome.value for constraint_result in result] == [
        "failed",
        "passed",
        "passed",
    ]
    assert [constraint_result.value for constraint_result in result] == [
        pytest.approx((5 * 10 / 11 + 6 * 10 / 11 + 5) / 16),
        pytest.approx((5 * 5 / 6 + 6 + 5) / 16),
        15 / 16,
    ]
    assert result.plan is not None
    assert result.plan.passes == 1


def test_a_dataset_remembers_it(addresses: DataFrame) -> None:
    check = Check("addresses").has_predictability("country", "zip", f1=0.99)
    dataset = Dataset("addresses", MemoryStore(), check)
    first = dataset.append(addresses.where("NOT (country = 'fr' AND zip = '10115')"), "day=1")
    assert first.delta.passed
    second = dataset.append(addresses.where("country = 'fr' AND zip = '10115'"), "day=2")
    assert [constraint_result.outcome.value for constraint_result in second.delta] == [
        "not evaluated"
    ]
    whole_values = [constraint_result.value for constraint_result in second.whole]
    assert whole_values == [
        constraint_result.value for constraint_result in verify(addresses, check)
    ]
    assert dataset.verify(keys=["day=1"]).passed


def test_a_classifier_takes_the_place_of_naive_bayes(addresses: DataFrame) -> None:
    check = Check("c").has_predictability("country", "zip", f1=0.5, recall=0.5, classifier=Never())
    assert constraints(check)["has_predictability(country, zip)"] == (
        "PredictabilityWith(country, zip, name='Never') >= 0.5"
    )
    result = verify(addresses, check)
    assert [constraint_result.value for constraint_result in result] == [0.0, 0.0]
    assert result.plan is not None
    assert len(result.plan.model_passes) == 1
