"""Results as dictionaries, JSON and DataFrames."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

from assay import Check, Result, verify
from assay.analyzers import Maximum

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

COLUMNS = "id int, x double, y double, price decimal(10,2), day date, at timestamp, kind string"
NOON = datetime(2026, 1, 1, 12)
ROWS = [
    (1, float("nan"), float("inf"), Decimal("1.10"), date(2026, 1, 1), NOON, "a"),
    (2, 1.0, float("-inf"), Decimal("2.20"), date(2026, 1, 3), NOON, 'quote " and \\ ü'),
    (3, 2.0, 0.0, None, None, None, None),
]
CHECK = (
    Check("values")
    .has_max("x", at_most=5, hint="look at the sensor")
    .has_max("y", at_least=0)
    .has_min("y", at_least=0)
    .has_sum("price", equals=Decimal("3.30"))
    .has_max("day", at_most="2026-01-02")
    .has_max("at", at_most=datetime(2026, 1, 2, tzinfo=UTC))
    .has_range("at", at_most=timedelta(hours=1))
    .has_histogram("kind", satisfies=lambda h: h.nulls == 0, id="kinds")
    .has_histogram_bins("id", edges=(0, 2, 4), satisfies=lambda _: True)
    .has_approx_quantiles("id", (0.0, 1.0), satisfies=lambda q: q["1.0"] == 3)
    .has_max("kind", at_least="a")
    .has(Maximum("id", where="id < 3"), equals=2)
    .is_complete("nothing")
    .has_mean("id", where="id > 9", at_least=0)
    .has_custom_sql("named_struct('a', 1, 'b', array(1D, double('NaN')))", satisfies=lambda _: True)
)
VALUES: list[Any] = [
    "nan",
    "inf",
    "-inf",
    "3.3",
    "2026-01-03",
    "2026-01-01T12:00:00+00:00",
    0.0,
    {"counts": {"a": 1, 'quote " and \\ ü': 1}, "other": 0, "nulls": 1, "groups": 2},
    {
        "counts": {"< 0": 0, "[0, 2)": 1, "[2, 4]": 2, "> 4": 0},
        "other": 0,
        "nulls": 0,
        "groups": None,
        "edges": [0.0, 2.0, 4.0],
    },
    {"0.0": 1.0, "1.0": 3.0},
    'quote " and \\ ü',
    2,
    None,
    None,
    [1, [1.0, "nan"]],
]


@pytest.fixture(scope="module")
def result(spark: SparkSession) -> Result:
    return verify(spark.createDataFrame(ROWS, COLUMNS), CHECK)


def refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


@pytest.mark.connect
def test_json_is_valid_whatever_the_values(result: Result) -> None:
    text = result.to_json()
    read = json.loads(text, parse_constant=refuse)
    assert read == result.to_dict()
    assert json.loads(result.to_json(indent=None), parse_constant=refuse) == read
    assert "ü" in text
    assert [constraint_result["value"] for constraint_result in read["results"]] == VALUES


def test_to_dict_holds_every_field(result: Result) -> None:
    exported = result.to_dict()
    assert exported["version"] == 1
    assert exported["status"] == "failed"
    assert exported["passes"] == 2
    first, broken, kinds = (exported["results"][i] for i in (0, 12, 7))
    assert first == {
        "check": "values",
        "constraint": "has_max(x)",
        "id": "has_max(x)",
        "level": "error",
        "outcome": "failed",
        "metric": "Maximum(x)",
        "where": None,
        "assertion": "<= 5",
        "expected": None,
        "reason": None,
        "confidence": None,
        "value": "nan",
        "problem": None,
        "detail": "",
        "hint": "look at the sensor",
        "failing_rows": None,
        "judged_rows": None,
        "examples": None,
        "message": "has_max(x) failed: expected at most 5, actual nan. look at the sensor.",
    }
    assert kinds["id"] == "kinds"
    assert kinds["constraint"] == "has_histogram(kind)"
    assert broken["outcome"] == "not evaluated"
    assert broken["problem"]["code"] == "unknown_column"
    assert broken["problem"]["reason"].startswith("no column 'nothing'")
    assert exported["results"][13]["problem"] == {
        "code": "undefined",
        "reason": "undefined: it has no values",
    }


@pytest.mark.connect
def test_to_dataframe_has_a_row_a_constraint(result: Result, spark: SparkSession) -> None:
    for frame in (result.to_dataframe(), result.to_dataframe(spark)):
        assert frame.columns == [
            "check",
            "constraint",
            "id",
            "level",
            "outcome",
            "metric",
            "assertion",
            "value",
            "message",
        ]
    rows = frame.collect()
    assert [row["message"] for row in rows] == [
        constraint_result.message for constraint_result in result
    ]
    assert [row["value"] and json.loads(row["value"]) for row in rows] == VALUES
    assert frame.where("value IS NULL").count() == 2
    assert verify(spark.range(1), Check("empty")).to_dataframe().collect() == []
