"""An analyzer knows how single rows change its metric, so that constraints find failing rows."""

from __future__ import annotations

import pytest

from assay.analyzers import (
    Analyzer,
    Completeness,
    IntegerCount,
    MaxLength,
    Mean,
    Minimum,
    NegativeCount,
    PatternMatch,
    Schema,
    TypeConsistency,
    Uniqueness,
)
from assay.analyzers.row_predicate import CountedRows, ExtremeRows, MatchingRows, RowPredicate

SCHEMA = Schema.of(code="string", amount="double")


@pytest.mark.parametrize(
    ("analyzer", "predicate"),
    [
        (Completeness("code"), MatchingRows("`code` IS NOT NULL")),
        (NegativeCount("amount"), CountedRows("`amount` < 0")),
        (Minimum("amount"), ExtremeRows(SCHEMA.column("amount"), "lowest")),
        (
            Uniqueness("code"),
            MatchingRows(
                "(count_if(true) OVER (PARTITION BY `code`) = 1)", among="(`code` IS NOT NULL)"
            ),
        ),
        (
            TypeConsistency("amount", type="integral"),
            MatchingRows("false", among="`amount` IS NOT NULL"),
        ),
        (IntegerCount("amount"), None),
        (Mean("amount"), None),
    ],
    ids=str,
)
def test_row_predicates(analyzer: Analyzer, predicate: RowPredicate | None) -> None:
    assert analyzer.row_predicate(SCHEMA) == predicate


def test_the_length_of_a_null_is_zero_if_nulls_are_empty() -> None:
    predicate = MaxLength("code", nulls="empty").row_predicate(SCHEMA)
    assert predicate.value.sql == "coalesce(length(`code`), 0)"
    assert predicate.end == "highest"


def test_a_skipped_null_matches_a_pattern() -> None:
    predicate = PatternMatch("code", "[0-9]+", nulls="skip").row_predicate(SCHEMA)
    assert "`code` IS NULL OR" in predicate.condition
