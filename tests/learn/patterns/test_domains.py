"""Listing the domains of a lake, and tagging columns by example."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from assay.checks.pattern import Pattern
from assay.learn.patterns import InferredPattern, NoPattern, domains, find_columns, tag
from tests.learn.patterns.lakes import LAKE, dates, index

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_tagging_finds_the_most_restrictive_pattern() -> None:
    inferred = tag(["SKU-00017", "SKU-04711"], LAKE, misses=0.05, coverage=5)
    assert isinstance(inferred, InferredPattern)
    assert str(inferred.pattern) == "SKU-<digit>{5}"
    # the index has no pattern for whole values: segments are combined
    both = tag([f"SKU-0001{n} 2020-01-0{n}" for n in range(1, 9)], LAKE)
    assert isinstance(both, InferredPattern)
    assert str(both.pattern) == "SKU-<digit>{5} <digit>{4}-<digit>{2}-<digit>{2}"


def test_a_tag_misses_at_most_the_share_that_is_allowed() -> None:
    good = [f"{1000 + n}/{10 + n % 80}" for n in range(985)]
    bad = [f"{1000 + n}/{chr(97 + n)}x" for n in range(15)]
    lake = index(*[good + bad] * 10)
    # the rates of segments add up: five segments that miss .015 each exceed .05
    rows = [";".join(good[n : n + 5]) for n in range(30)]
    inferred = tag(rows, lake, misses=0.05)
    assert isinstance(inferred, InferredPattern)
    assert inferred.rate is not None
    assert inferred.rate <= 0.05
    # the limit applies to the examples, too
    codes = [f"SKU-{n:05}" for n in range(95)]
    assert isinstance(tag([*codes, "a!", "b!", "c!"], LAKE, misses=0.01), NoPattern)
    # the rate of a pattern that the index does not know has no bound
    assert isinstance(tag([f"{n}#x{n}" for n in range(30)], LAKE, misses=0.01), NoPattern)
    assert isinstance(tag(iter(codes), LAKE), InferredPattern)


def test_domains_are_listed_by_coverage() -> None:
    listed = domains(LAKE, coverage=5)
    assert [(str(domain.pattern), domain.coverage) for domain in listed] == [
        ("<digit>{4}-<digit>{2}-<digit>{2}", 12),
        ("SKU-<digit>{5}", 7),
        ("<num>", 6),
    ]
    assert all(domain.rate == 0 for domain in listed)
    assert domains(LAKE, coverage=13) == []


@pytest.mark.connect
def test_columns_of_a_domain_are_found(spark: SparkSession) -> None:
    rows = [
        ("orders", "day", dates(2020)),
        ("orders", "item", ["SKU-00017", "", "SKU-00018"]),
        ("orders", "note", ["SKU-1", "no"]),
        ("orders", "empty", [""]),
        ("orders", "none", None),
    ]
    columns = spark.createDataFrame(rows, "table string, column string, values array<string>")
    all_values = find_columns(columns, Pattern.parse("SKU-<digit>{5}"))
    assert [tuple(row) for row in all_values.collect()] == [("orders", "item", 1.0)]
    half = find_columns(columns, Pattern.parse("SKU-<digit>+"), at_least=0.5)
    assert [row["column"] for row in half.collect()] == ["item", "note"]
