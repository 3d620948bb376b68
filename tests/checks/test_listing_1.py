"""Deequ's Listing 1 and Listing 2 (deequ-vldb18, section 3.1) as far as this release goes.

Its constraint on anomalies is in tests/learn/anomaly; that on predictability is still to come.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from assay import Check, Result, Status, verify
from assay.checks.formatting import format_value

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

NUMBER_OF_TITLES = 40
LARGEST_PHONE_RATIO = 0.5


def video_log(spark: SparkSession) -> DataFrame:
    """600 impressions: two of them are the same viewing, and a sixth has an odd priority."""
    return spark.range(600).selectExpr(
        "cast(if(id = 599, 598, id) AS string) AS customerId",
        "concat('title ', if(id = 599, 598, id) % 40) AS title",
        "TIMESTAMP'2018-08-27 20:00:00Z' + make_dt_interval(0, 0, id) AS impressionStart",
        "TIMESTAMP'2018-08-27 20:30:00Z' + make_dt_interval(0, 0, id) AS impressionEnd",
        "if(if(id = 599, 598, id) % 5 < 2, 'phone', 'tv') AS deviceType",
        "CASE id % 6 WHEN 0 THEN 'urgent' WHEN 1 THEN 'lo' ELSE 'hi' END AS priority",
        "'DE' AS countryResidence",
        "cast(id % 7 AS int) AS count",
    )


CHECKS = (
    Check("completeness and keys")
    .is_complete(
        "customerId", "title", "impressionStart", "impressionEnd", "deviceType", "priority"
    )
    .is_unique("customerId", "countryResidence", "deviceType", "title")
    .has_count_distinct("title", at_most=NUMBER_OF_TITLES)
    .has_histogram("deviceType", satisfies=lambda h: h.ratio("phone") <= LARGEST_PHONE_RATIO),
    Check("values")
    .is_non_negative("count")
    .is_less_than("impressionStart", "impressionEnd")
    .is_contained_in("priority", ("hi", "lo")),
)

#: as the paper prints them: outcome, constraint, predicate on the metric, value where it failed
LISTING_2 = """\
passed  is_complete(title)  Completeness(title) == 1.0
passed  is_non_negative(count)  Compliance('`count` >= 0', nulls='ignore') == 1.0
failed  is_unique(customerId, countryResidence, deviceType, title)  \
Uniqueness(customerId, countryResidence, deviceType, title) == 1.0  0.9967
failed  is_contained_in(priority, ['hi', 'lo'])  \
Compliance('`priority` IN (''hi'', ''lo'')', nulls='ignore') == 1.0  0.8333
"""


@pytest.fixture(scope="module")
def result(spark: SparkSession) -> Result:
    return verify(video_log(spark), *CHECKS)


def test_listing_1_runs_and_prints_listing_2(result: Result) -> None:
    printed = {}
    for constraint_result in result:
        failing_value = (
            [format_value(constraint_result.value)] if constraint_result.outcome == "failed" else []
        )
        parts = [
            constraint_result.outcome.value,
            constraint_result.constraint.name,
            f"{constraint_result.constraint.analyzer.key} {constraint_result.constraint.assertion}",
            *failing_value,
        ]
        printed[constraint_result.constraint.name] = "  ".join(parts)
    for line in LISTING_2.splitlines():
        assert line in printed.values(), printed
    assert result.status is Status.FAILED
    assert len(result) == 12
    assert [
        constraint_result.constraint.name.partition("(")[0]
        for constraint_result in result.failures()
    ] == [
        "is_unique",
        "is_contained_in",
    ]


def test_listing_2_shows_the_actual_values(result: Result) -> None:
    by_name = {constraint_result.constraint.name: constraint_result for constraint_result in result}
    assert by_name["is_unique(customerId, countryResidence, deviceType, title)"].value == 598 / 600
    assert by_name["is_contained_in(priority, ['hi', 'lo'])"].value == 500 / 600
    assert by_name["has_histogram(deviceType)"].message == (
        "has_histogram(deviceType) passed: expected a value that satisfies the given function,"
        " actual {tv: 360, phone: 240}."
    )
    assert by_name["has_count_distinct(title)"].message == (
        "has_count_distinct(title) passed: expected at most 40, actual 40."
    )
    # one scan, one grouping each for the key, the titles and the devices
    assert result.plan is not None
    assert result.plan.passes == 4
