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
def test_a_timestamp_without_a_zone_may_be_skipped_in_the_zone(in_new_york: SparkSession) -> None:
    """On 12 March 2023 clocks in New York went from 2:00 to 3:00."""
    frame = in_new_york.sql(
        "SELECT TIMESTAMP_NTZ'2023-03-12 01:30:00' AS t"
        " UNION ALL SELECT TIMESTAMP_NTZ'2023-03-12 02:30:00.000001'"
    )
    measured = measure(frame, [Minimum("t"), Maximum("t"), Range("t"), Histogram("t")])
    assert measured.value(Minimum("t")) == datetime(2023, 3, 12, 1, 30)
    assert measured.value(Maximum("t")) == datetime(2023, 3, 12, 2, 30, 0, 1)
    assert measured.value(Range("t")) == timedelta(hours=1, microseconds=1)


def test_a_repeated_hour_in_autumn_is_two_hours(in_new_york: SparkSession) -> None:
    frame = in_new_york.sql(
        "SELECT timestamp_micros(1699162200000000) AS t"
        " UNION ALL SELECT timestamp_micros(1699165800000000)"
    )
    as_of = datetime(2023, 11, 5, 7, 30, tzinfo=UTC)
    measured = measure(frame, [Range("t"), CountDistinct("t"), TopK("t"), Freshness("t", as_of)])
    assert measured.value(Range("t")) == timedelta(hours=1)
    assert measured.value(CountDistinct("t")) == 2
    assert len(measured.value(TopK("t")).counts) == 2  # type: ignore[union-attr]
    assert measured.value(Freshness("t", as_of)) == timedelta(hours=1)


@pytest.mark.connect
def test_dates_beyond_python_are_a_problem(spark: SparkSession) -> None:
    frame = spark.sql(
        "SELECT make_date(20000, 1, 1) AS d, make_timestamp(20000, 1, 1, 0, 0, 0) AS t,"
        " make_timestamp_ntz(-5, 1, 1, 0, 0, 0) AS w"
    )
    analyzers: list[Analyzer] = [Maximum("d"), Range("d"), Maximum("t"), Minimum("w")]
    measured = measure(frame, [*analyzers, Size(), CountDistinct("d"), Histogram("t"), TopK("w")])
    assert {problem_code(measured[analyzer]) for analyzer in analyzers} == {"not_computable"}
    assert badly_worded(measured.values()) == []
    assert measured.value(CountDistinct("d")) == measured.value(Size()) == 1
    assert measured[Histogram("t")].problem is None


@pytest.mark.connect
def test_times_of_day_are_supported(spark: SparkSession) -> None:
    before = spark.conf.get("spark.sql.timeType.enabled", "false")
    spark.conf.set("spark.sql.timeType.enabled", "true")
    try:
        frame = spark.sql("SELECT TIME'10:11:12.5' AS t UNION ALL SELECT TIME'09:00:00'")
        measured = measure(frame, [Minimum("t"), Maximum("t"), TopK("t"), ApproxCountDistinct("t")])
        counted = measure(frame, [CountDistinct("t")])
    finally:
        spark.conf.set("spark.sql.timeType.enabled", before or "false")
    assert measured.value(Minimum("t")) == time(9)
    assert measured.value(Maximum("t")) == time(10, 11, 12, 500000)
    assert measured.value(ApproxCountDistinct("t")) == 2
    assert counted.value(CountDistinct("t")) == 2


def test_the_range_of_wide_decimals_is_not_rounded(spark: SparkSession) -> None:
    high, low = Decimal("9" * 28 + "." + "9" * 10), Decimal("-0.0000000001")
    frame = spark.createDataFrame([(high,), (low,)], "d decimal(38,10)")
    assert measure(frame, [Range("d")]).value(Range("d")) == Decimal("1E28")


def test_zeros_of_both_signs_are_one_value(spark: SparkSession) -> None:
    frame = spark.sql("SELECT double(x) AS x, float(x) AS y FROM VALUES ('-0.0'), ('0.0') AS t(x)")
    for column in ("x", "y"):
        analyzers = [CountDistinct(column), ApproxCountDistinct(column), MostFrequentRatio(column)]
        assert [measure(frame, analyzers).value(analyzer) for analyzer in analyzers] == [1, 1, 1.0]


@pytest.mark.parametrize("base", [0, 1234567, 10**12])
def test_narrow_bins_have_different_labels(spark: SparkSession, base: int) -> None:
    """Ten rows are in five bins, each with its own label."""
    frame = spark.range(base, base + 10, 1, 1)
    edges = tuple(float(base + i) for i in (0, 2, 4, 6, 8, 9))
    analyzers: list[Analyzer] = [
        HistogramEqualWidth("id", bins=5),
        QuantileBuckets("id", buckets=5),
        HistogramBinned("id", edges),
    ]
    measured = measure(frame, analyzers)
    assert [len(measured.value(analyzer).counts) for analyzer in analyzers] == [5, 5, 7]  # type: ignore[union-attr]
    assert [measured.value(analyzer).total for analyzer in analyzers] == [10, 10, 10]  # type: ignore[union-attr]


def test_bins_may_have_infinite_edges(spark: SparkSession) -> None:
    open_ended = HistogramBinned("id", (-math.inf, 3.0, math.inf))
    measured = measure(spark.range(0, 10, 1, 1), [open_ended])
    assert list(measured.value(open_ended).counts.values()) == [0, 3, 7, 0]  # type: ignore[union-attr]


def test_bins_may_span_the_range_of_doubles(spark: SparkSession) -> None:
    rows = [(-1.7e308,), (0.0,), (1.7e308,)]
    histogram = HistogramEqualWidth("x", bins=3)
    distribution = measure(spark.createDataFrame(rows, "x double"), [histogram]).value(histogram)
    assert list(distribution.counts.values()) == [1, 1, 1]  # type: ignore[union-attr]
    assert all(map(math.isfinite, distribution.edges))  # type: ignore[union-attr]


@pytest.mark.parametrize("size", [1e-120, 1e-60, 1.0, 1e60, 1e120])
def test_moments_out_of_range_are_nan(spark: SparkSession, size: float) -> None:
    rows = [(x * size,) for x in (1.0, 2.0, 3.0, 10.0)]
    analyzers: list[Analyzer] = [Skewness("x"), Kurtosis("x"), Mean("x"), Sum("x")]
    measured = measure(spark.createDataFrame(rows, "x double"), analyzers)
    for analyzer, expected in zip(
        analyzers, (45 / 12.5**1.5, 348.5 / 12.5**2 - 3, 4 * size, 16 * size), strict=True
    ):
        value = measured.number(analyzer)
        assert math.isnan(value) or value == pytest.approx(expected)


def test_a_dollar_in_a_search_matches_only_the_end_of_the_string(spark: SparkSession) -> None:
    frame = spark.createDataFrame([("a1",), ("a1\n",), ("1b",), ("a$",)], "s string")
    analyzers = [
        PatternMatch("s", "[0-9]$", search=True),
        PatternMatch("s", "^a", search=True),
        PatternMatch("s", r"\$", search=True),
        PatternMatch("s", "[$]", search=True),
        PatternMatch("s", "(1|x)$|^nothing", search=True),
        PatternMatch("s", "a1$"),
    ]
    measured = measure(frame, analyzers)
    assert [measured.value(analyzer) for analyzer in analyzers] == [
        0.25,
        0.75,
        0.25,
        0.25,
        0.25,
        0.25,
    ]


def test_a_ratio_of_sums_merges_if_one_part_lacks_values(spark: SparkSession) -> None:
    ratio = RatioOfSums("a", "b")
    above = measure(spark.createDataFrame([(1.0, None)], "a double, b double"), [ratio])
    below = measure(spark.createDataFrame([(None, 2.0)], "a double, b double"), [ratio])
    assert (above + below).value(ratio) == 0.5
