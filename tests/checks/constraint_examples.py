"""One legal example of every constraint method, with the metric on good and on bad data.

`EXAMPLES` covers the methods that `verify` evaluates on one DataFrame. `HISTORY_EXAMPLES` covers
those that need earlier batches. `ALL_EXAMPLES` is both: walk it to reach every method of `Check`.
`GOOD`, `BAD`, `frame` and `reference_tables` are the data that the examples are about.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from assay import Check
from assay.analyzers import Distribution, Maximum, Size
from assay.checks import ConstraintResult
from assay.learn.anomaly import OnlineNormal
from assay.learn.patterns import Patterns

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

AS_OF = datetime(2026, 1, 2, tzinfo=UTC)
SCHEMA = (
    "id int, x double, y double, z double, kind string, word string, number string, email string,"
    " url string, uuid string, ip string, card string, ssn string, at timestamp, land string"
)
_UUID = "123e4567-e89b-12d3-a456-426614174000"
_NOON, _LONG_AGO = datetime(2026, 1, 1, 12), datetime(2025, 12, 1)
_FORMATS = ("a.b+c@example.org", "https://example.org/a?b", _UUID, "10.0.0.1")
_NUMBERS = ("4111 1111 1111 1111", "078-05-1120")
_WRONG = (
    ("nope", "example.org", "123e4567", "10.0.0.256", "4111", "000-05-1120"),
    ("a@b", "http://", f"{_UUID}\n", "1.2.3", "9" * 16, "078-05-112"),
    ("a b@c.org", "file:///x", f" {_UUID}", "1::2::3", "4111-1111", "078 05 1120"),
)
_NONE = (None,) * 6

GOOD: list[tuple[Any, ...]] = [
    (1, 1.0, 2.0, 1.0, "hi", "a", "1", *_FORMATS, *_NUMBERS, _NOON, "DE"),
    (2, 2.0, 4.0, 2.0, "lo", "bb", "2", *_FORMATS[:3], "::1", *_NUMBERS, _LONG_AGO, "FR"),
    (
        3,
        3.0,
        6.0,
        3.0,
        "hi",
        "ccc",
        "3",
        *_FORMATS,
        "378282246310005",
        "078-05-1120",
        _LONG_AGO,
        "DE",
    ),
    (4, 4.0, 8.0, 4.0, "lo", "dd", "4", *_FORMATS, *_NUMBERS, _LONG_AGO, "GB"),
    (5, 5.0, 10.0, 5.0, "hi", "e", "5", *_FORMATS, *_NUMBERS, _LONG_AGO, "US"),
]
BAD: list[tuple[Any, ...]] = [
    (1, -1.0, 10.0, -1.0, "hi", "", "1", *_FORMATS, *_NUMBERS, _LONG_AGO, "DE"),
    (2, 0.0, 8.0, 0.0, "hi", "toolong", "2.5", *_WRONG[0], _LONG_AGO, "DE"),
    (2, 0.0, 6.0, 5.0, "hi", "toolong", "x", *_WRONG[1], None, "XX"),
    (4, 11.0, 4.0, 11.0, "mid", "x", "2026-01-01", *_WRONG[2], None, "de"),
    (5, None, 2.0, 7.0, None, None, None, *_NONE, None, None),
    (None, None, None, None, None, None, None, *_NONE, None, None),
]


@dataclass(frozen=True)
class Example:
    """A call of a constraint method, and its metric: on GOOD, which passes, and on BAD."""

    name: str
    arguments: tuple[Any, ...]
    options: Mapping[str, Any]
    good: Any
    bad: Any
    selects: bool = field(default=True, kw_only=True)

    def add_to(self, check: Check, **more: Any) -> Check:
        grown: Check = getattr(check, self.name)(*self.arguments, **self.options, **more)
        return grown


def _judges(kind: str) -> dict[str, Any]:
    tests = {
        "no mid": lambda h: "mid" not in h,
        "none below": lambda h: h.count("< 0") == 0,
        "few at the end": lambda q: q["0.9"] <= 5,
        "low half": lambda d: list(d.counts.values()) == [2, 3],
    }
    return {"satisfies": tests[kind]}


FIFTH = 5 / 6
EXAMPLES = [
    Example("has", (Maximum("x"),), {"at_most": 5}, 5.0, 11.0, selects=False),
    Example("has_size", (), {"at_most": 5}, 5, 6),
    Example("has_column", ("extra",), {}, 1, 0, selects=False),
    Example("has_column_count", (), {"equals": 16}, 16, 15, selects=False),
    Example("matches_schema", ({"id": "int", "extra": "string"},), {}, 1.0, 0.5, selects=False),
    Example("is_complete", ("id",), {}, 1.0, FIFTH),
    Example("has_completeness", ("kind",), {"at_least": 0.9}, 1.0, 4 / 6),
    Example("are_all_complete", ("x", "kind"), {}, 1.0, 4 / 6),
    Example("are_any_complete", ("x", "y"), {}, 1.0, FIFTH),
    Example("is_fresh", ("at", timedelta(days=1)), {"as_of": AS_OF}, timedelta(hours=12), None),
    Example("has_freshness", ("at",), {"as_of": AS_OF, "at_most": 86400.0}, None, timedelta(32)),
    Example("has_custom_sql", ("max(x) - min(x)",), {"at_most": 4}, 4.0, 12.0, selects=False),
    Example("is_unique", ("id",), {}, 1.0, 0.6),
    Example("is_primary_key", ("id",), {}, 1.0, 0.6),
    Example("has_uniqueness", ("id",), {"more_than": 0.9}, 1.0, 0.6),
    Example("has_distinctness", ("id",), {"more_than": 0.9}, 1.0, 0.8),
    Example("has_unique_value_ratio", ("id",), {"more_than": 0.9}, 1.0, 0.75),
    Example("has_count_distinct", ("id",), {"equals": 5}, 5, 4),
    Example("has_approx_count_distinct", ("id",), {"equals": 5}, 5, 4),
    Example("has_duplicate_rows", ("id",), {"equals": 0}, 0, 1),
    Example("has_entropy", ("kind",), {"between": (0.6, 0.7)}, 0.6730116670, 0.5623351446),
    Example("has_mutual_information", ("id", "kind"), {"at_most": 0.7}, 0.6730116670, 0.9502705392),
    Example("has_histogram", ("kind",), _judges("no mid"), {"hi": 3, "lo": 2}, {"hi": 3, "mid": 1}),
    Example(
        "has_histogram_bins",
        ("x",),
        {"edges": (0, 5, 10), **_judges("none below")},
        {"< 0": 0, "[0, 5)": 4, "[5, 10]": 1, "> 10": 0},
        {"< 0": 1, "[0, 5)": 2, "[5, 10]": 0, "> 10": 1},
    ),
    Example("has_min", ("x",), {"at_least": 1}, 1.0, -1.0),
    Example("has_max", ("x",), {"less_than": 6}, 5.0, 11.0),
    Example("has_range", ("x",), {"at_most": 4}, 4.0, 12.0),
    Example("has_mean", ("x",), {"between": (2.9, 3.1)}, 3.0, 2.5),
    Example("has_sum", ("x",), {"equals": 15}, 15.0, 10.0),
    Example("has_standard_deviation", ("x",), {"at_most": 2}, 1.4142135624, 4.9244289009),
    Example("has_variance", ("x",), {"at_most": 3}, 2.0, 24.25),
    Example("has_skewness", ("x",), {"at_most": 1}, 0.0, 1.1304885138),
    Example("has_kurtosis", ("x",), {"less_than": -1}, -1.3, -0.6838133702),
    Example("has_correlation", ("x", "y"), {"at_least": 0.9}, 1.0, -0.8173378965),
    Example("has_ratio_of_sums", ("x", "y"), {"equals": 0.5}, 0.5, 1 / 3),
    Example("has_median", ("x",), {"equals": 3}, 3.0, 0.0),
    Example("has_interquartile_range", ("x",), {"more_than": 1}, 2.0, 1.0),
    Example("has_approx_quantile", ("x", 0.9), {"at_most": 5}, 5.0, 11.0),
    Example(
        "has_approx_quantiles",
        ("x", [0.1, 0.9]),
        _judges("few at the end"),
        {"0.1": 1.0, "0.9": 5.0},
        {"0.1": -1.0, "0.9": 11.0},
    ),
    Example(
        "has_quantile_buckets",
        ("x",),
        {"buckets": 2, **_judges("low half")},
        {"[1, 3)": 2, "[3, 5]": 3},
        {"[-1, 5)": 3, "[5, 11]": 1},
    ),
    Example("has_exact_quantile", ("x", 0.5), {"equals": 3}, 3.0, 0.0),
    Example("has_min_length", ("word",), {"at_least": 1}, 1, 0),
    Example("has_max_length", ("word",), {"at_most": 3}, 3, 7),
    Example("has_mean_length", ("word",), {"at_most": 2}, 1.8, 3.75),
    Example("satisfies", ("x >= 1",), {}, 1.0, 1 / 6),
    Example("satisfies_if", ("kind = 'hi'", "x >= 1"), {}, 1.0, 0.5),
    Example("is_contained_in", ("kind", ["hi", "lo"]), {}, 1.0, FIFTH),
    Example("is_code", ("land", "ISO 3166-1 alpha-2"), {}, 1.0, 4 / 6),
    Example("is_in_range", ("x", 1, 5), {}, 1.0, 2 / 6),
    Example("is_non_negative", ("x",), {}, 1.0, FIFTH),
    Example("is_positive", ("x",), {}, 1.0, 0.5),
    Example("is_less_than", ("x", "y"), {}, 1.0, FIFTH),
    Example("is_at_most", ("x", "y"), {}, 1.0, FIFTH),
    Example("is_greater_than", ("y", "x"), {}, 1.0, FIFTH),
    Example("is_at_least", ("y", "x"), {}, 1.0, FIFTH),
    Example("is_equal_to", ("x", "z"), {}, 1.0, FIFTH),
    Example("matches", ("word", "[a-z]{1,3}"), {}, 1.0, 0.5),
    Example("matches_pattern", ("word", "<lower>+"), {}, 1.0, FIFTH),
    Example("is_email", ("email",), {}, 1.0, 0.5),
    Example("is_url", ("url",), {}, 1.0, 0.5),
    Example("is_uuid", ("uuid",), {}, 1.0, 0.5),
    Example("is_ip_address", ("ip",), {}, 1.0, 0.5),
    Example("is_credit_card", ("card",), {}, 1.0, 0.5),
    Example("is_social_security_number", ("ssn",), {}, 1.0, 0.5),
    Example("has_data_type", ("number", "integral"), {}, 1.0, 0.25),
    Example("has_consistent_type", ("number",), {}, 1.0, 0.5),
    Example("has_predictability", ("ssn", ["kind", "x"]), {"f1": 0.99}, 1.0, 0.0),
    Example("has_type_consistency", ("number",), {"more_than": 0.9}, 1.0, 0.5),
    Example("refers_to", ("kind", "kinds", "name"), {}, 1.0, 0.75),
    Example("agrees_with", ("copy", "id", ["y", "kind"]), {}, 1.0, 0.0),
    Example("has_distance", ("kind", "l1"), {"to": "copy", "at_most": 0.1}, 0.0, 0.8),
    Example("has_row_count_of", ("copy",), {}, 1.0, 1.2),
    Example("has_aggregate_of", ("sum(x)", "copy"), {}, 1.0, 2 / 3, selects=False),
    Example("has_schema_of", ("wider",), {}, 1.0, 15 / 16, selects=False),
]


HISTORY_EXAMPLES = [
    Example("has_no_anomalies", (Size(), OnlineNormal()), {}, None, None, selects=False),
    Example("matches_learned_pattern", ("word", Patterns()), {}, None, None),
]
ALL_EXAMPLES = [*EXAMPLES, *HISTORY_EXAMPLES]


def frame(spark: SparkSession, rows: list[tuple[Any, ...]]) -> DataFrame:
    return spark.createDataFrame(rows, SCHEMA)


def reference_tables(spark: SparkSession) -> dict[str, DataFrame]:
    """The tables that the examples compare with."""
    from pyspark.sql import functions as F

    copy = frame(spark, GOOD)
    kinds = spark.createDataFrame([("hi",), ("lo",), ("lo",), (None,)], "name string")
    return {"copy": copy, "kinds": kinds, "wider": copy.withColumn("extra", F.lit(""))}


def same(actual: Any, expected: Any) -> bool:
    """Compare a metric with the expected one, up to the last digits; None stands for any metric."""
    if isinstance(actual, Distribution):
        actual = dict(actual.counts)
    if expected is None:
        return actual is not None
    exact = isinstance(expected, int | timedelta)
    return bool(
        actual == expected if exact else actual == pytest.approx(expected, rel=1e-9, abs=1e-12)
    )


def describe(result: ConstraintResult) -> str:
    return f"{result.outcome}: {result.message}"
