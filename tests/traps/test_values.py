"""Values at the edges of their types: calendars, clocks, doubles, histograms' labels."""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import UTC, datetime, time, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

from assay import measure
from assay.analyzers import (
    Analyzer,
    ApproxCountDistinct,
    CountDistinct,
    Freshness,
    Histogram,
    HistogramBinned,
    HistogramEqualWidth,
    Kurtosis,
    Maximum,
    Mean,
    Minimum,
    MostFrequentRatio,
    PatternMatch,
    QuantileBuckets,
    Range,
    RatioOfSums,
    Size,
    Skewness,
    Sum,
    TopK,
)
from tests.traps.reasons import badly_worded, problem_code

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture
def in_new_york(spark: SparkSession) -> Iterator[SparkSession]:
    before = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", "America/New_York")
    yield spark
    spark.conf.set("spark.sql.session.timeZone", before or "UTC")


@pytest.mark.connect
def test_a_wall_clock_time_that_no_zone_has_is_kept(in_new_york: SparkSession) -> None:
    """On 12 March 2023 clocks in New York went from 2:00 to 3:00."""
    frame = in_new_york.sql(
        "SELECT TIMESTAMP_NTZ'2023-03-12 01:30:00' AS t"
        " UNION ALL SELECT TIMESTAMP_NTZ'2023-03-12 02:30:00.000001'"
    )
    found = measure(frame, [Minimum("t"), Maximum("t"), Range("t"), Histogram("t")])
    assert found.value(Minimum("t")) == datetime(2023, 3, 12, 1, 30)
    assert found.value(Maximum("t")) == datetime(2023, 3, 12, 2, 30, 0, 1)
    assert found.value(Range("t")) == timedelta(hours=1, microseconds=1)


def test_an_hour_that_comes_twice_is_two_hours(in_new_york: SparkSession) -> None:
    frame = in_new_york.sql(
        "SELECT timestamp_micros(1699162200000000) AS t"
        " UNION ALL SELECT timestamp_micros(1699165800000000)"
    )
    as_of = datetime(2023, 11, 5, 7, 30, tzinfo=UTC)
    found = measure(frame, [Range("t"), CountDistinct("t"), TopK("t"), Freshness("t", as_of)])
    assert found.value(Range("t")) == timedelta(hours=1)
    assert found.value(CountDistinct("t")) == 2
    assert len(found.value(TopK("t")).counts) == 2  # type: ignore[union-attr]
    assert found.value(Freshness("t", as_of)) == timedelta(hours=1)


@pytest.mark.connect
def test_dates_that_python_does_not_know_are_named(spark: SparkSession) -> None:
    frame = spark.sql(
        "SELECT make_date(20000, 1, 1) AS d, make_timestamp(20000, 1, 1, 0, 0, 0) AS t,"
        " make_timestamp_ntz(-5, 1, 1, 0, 0, 0) AS w"
    )
    asked: list[Analyzer] = [Maximum("d"), Range("d"), Maximum("t"), Minimum("w")]
    found = measure(frame, [*asked, Size(), CountDistinct("d"), Histogram("t"), TopK("w")])
    assert {problem_code(found[each]) for each in asked} == {"not_computable"}
    assert badly_worded(found.values()) == []
    assert found.value(CountDistinct("d")) == found.value(Size()) == 1
    assert found[Histogram("t")].problem is None


@pytest.mark.connect
def test_times_of_day(spark: SparkSession) -> None:
    before = spark.conf.get("spark.sql.timeType.enabled", "false")
    spark.conf.set("spark.sql.timeType.enabled", "true")
    try:
        frame = spark.sql("SELECT TIME'10:11:12.5' AS t UNION ALL SELECT TIME'09:00:00'")
        found = measure(frame, [Minimum("t"), Maximum("t"), TopK("t"), ApproxCountDistinct("t")])
        counted = measure(frame, [CountDistinct("t")])
    finally:
        spark.conf.set("spark.sql.timeType.enabled", before or "false")
    assert found.value(Minimum("t")) == time(9)
    assert found.value(Maximum("t")) == time(10, 11, 12, 500000)
    assert found.value(ApproxCountDistinct("t")) == 2
    assert counted.value(CountDistinct("t")) == 2


def test_the_range_of_wide_decimals_is_not_rounded(spark: SparkSession) -> None:
    high, low = Decimal("9" * 28 + "." + "9" * 10), Decimal("-0.0000000001")
    frame = spark.createDataFrame([(high,), (low,)], "d decimal(38,10)")
    assert measure(frame, [Range("d")]).value(Range("d")) == Decimal("1E28")


def test_zeros_of_both_signs_are_one_value(spark: SparkSession) -> None:
    frame = spark.sql("SELECT double(x) AS x, float(x) AS y FROM VALUES ('-0.0'), ('0.0') AS t(x)")
    for column in ("x", "y"):
        asked = [CountDistinct(column), ApproxCountDistinct(column), MostFrequentRatio(column)]
        assert [measure(frame, asked).value(each) for each in asked] == [1, 1, 1.0]


@pytest.mark.parametrize("base", [0, 1234567, 10**12])
def test_bins_close_together_stay_apart(spark: SparkSession, base: int) -> None:
    """Ten rows in five bins: none may hide behind another's label."""
    frame = spark.range(base, base + 10, 1, 1)
    edges = tuple(float(base + i) for i in (0, 2, 4, 6, 8, 9))
    asked: list[Analyzer] = [
        HistogramEqualWidth("id", bins=5),
        QuantileBuckets("id", buckets=5),
        HistogramBinned("id", edges),
    ]
    found = measure(frame, asked)
    assert [len(found.value(each).counts) for each in asked] == [5, 5, 7]  # type: ignore[union-attr]
    assert [found.value(each).total for each in asked] == [10, 10, 10]  # type: ignore[union-attr]


def test_bins_without_ends(spark: SparkSession) -> None:
    open_ended = HistogramBinned("id", (-math.inf, 3.0, math.inf))
    found = measure(spark.range(0, 10, 1, 1), [open_ended])
    assert list(found.value(open_ended).counts.values()) == [0, 3, 7, 0]  # type: ignore[union-attr]


def test_bins_as_wide_as_doubles_go(spark: SparkSession) -> None:
    rows = [(-1.7e308,), (0.0,), (1.7e308,)]
    histogram = HistogramEqualWidth("x", bins=3)
    found = measure(spark.createDataFrame(rows, "x double"), [histogram]).value(histogram)
    assert list(found.counts.values()) == [1, 1, 1]  # type: ignore[union-attr]
    assert all(map(math.isfinite, found.edges))  # type: ignore[union-attr]


@pytest.mark.parametrize("size", [1e-120, 1e-60, 1.0, 1e60, 1e120])
def test_moments_beyond_doubles_are_right_or_not_a_number(spark: SparkSession, size: float) -> None:
    rows = [(x * size,) for x in (1.0, 2.0, 3.0, 10.0)]
    asked: list[Analyzer] = [Skewness("x"), Kurtosis("x"), Mean("x"), Sum("x")]
    found = measure(spark.createDataFrame(rows, "x double"), asked)
    for each, true in zip(
        asked, (45 / 12.5**1.5, 348.5 / 12.5**2 - 3, 4 * size, 16 * size), strict=True
    ):
        value = found.number(each)
        assert math.isnan(value) or value == pytest.approx(true)


def test_the_end_of_a_search_is_the_end_of_the_string(spark: SparkSession) -> None:
    frame = spark.createDataFrame([("a1",), ("a1\n",), ("1b",), ("a$",)], "s string")
    asked = [
        PatternMatch("s", "[0-9]$", search=True),
        PatternMatch("s", "^a", search=True),
        PatternMatch("s", r"\$", search=True),
        PatternMatch("s", "[$]", search=True),
        PatternMatch("s", "(1|x)$|^nothing", search=True),
        PatternMatch("s", "a1$"),
    ]
    found = measure(frame, asked)
    assert [found.value(each) for each in asked] == [0.25, 0.75, 0.25, 0.25, 0.25, 0.25]


def test_a_ratio_of_sums_adds_up_whichever_part_lacks_values(spark: SparkSession) -> None:
    ratio = RatioOfSums("a", "b")
    above = measure(spark.createDataFrame([(1.0, None)], "a double, b double"), [ratio])
    below = measure(spark.createDataFrame([(None, 2.0)], "a double, b double"), [ratio])
    assert (above + below).value(ratio) == 0.5
