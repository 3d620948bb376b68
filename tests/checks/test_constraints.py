"""Every constraint method on good data, on bad data, and with a condition."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from assay import Check, Outcome, verify
from assay.checks import ConstraintResult
from assay.checks.constraint_method import constraint_methods
from assay.errors import CheckError
from tests.checks.constraint_examples import (
    ALL_EXAMPLES,
    BAD,
    EXAMPLES,
    GOOD,
    Example,
    describe,
    frame,
    reference_tables,
    same,
)

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Found = dict[str, ConstraintResult]
SELECTING = [example for example in EXAMPLES if example.selects]
IDS = [example.name for example in EXAMPLES]


def test_every_constraint_method_has_one_example() -> None:
    assert sorted(example.name for example in ALL_EXAMPLES) == sorted(constraint_methods())


def verified(df: DataFrame, examples: list[Example], where: str | None = None) -> Found:
    """Verify all examples at once, and return the result of each."""
    more = {} if where is None else {"where": where}
    checks = [example.add_to(Check(example.name), **more) for example in examples]
    return {
        constraint_result.check: constraint_result
        for constraint_result in verify(
            df, *checks, reference_tables=reference_tables(df.sparkSession)
        )
    }


@pytest.fixture(scope="module")
def good(spark: SparkSession) -> DataFrame:
    from pyspark.sql import functions as F

    return frame(spark, GOOD).withColumn("extra", F.lit("here"))


@pytest.fixture(scope="module")
def found_good(good: DataFrame) -> Found:
    return verified(good, EXAMPLES)


@pytest.fixture(scope="module")
def found_bad(spark: SparkSession) -> Found:
    return verified(frame(spark, BAD), EXAMPLES)


@pytest.fixture(scope="module")
def found_selected(spark: SparkSession) -> Found:
    from pyspark.sql import functions as F

    both = frame(spark, GOOD).withColumn("part", F.lit("good"))
    both = both.union(frame(spark, BAD).withColumn("part", F.lit("bad")))
    return verified(both, SELECTING, "part = 'bad'")


@pytest.mark.connect
@pytest.mark.parametrize("example", EXAMPLES, ids=IDS)
def test_passes_on_good_data(example: Example, found_good: Found) -> None:
    result = found_good[example.name]
    assert result.outcome is Outcome.PASSED, describe(result)
    assert same(result.value, example.good), describe(result)


@pytest.mark.parametrize("example", EXAMPLES, ids=IDS)
def test_fails_on_bad_data(example: Example, found_bad: Found) -> None:
    result = found_bad[example.name]
    assert result.outcome is Outcome.FAILED, describe(result)
    assert same(result.value, example.bad), describe(result)


@pytest.mark.parametrize("example", SELECTING, ids=[example.name for example in SELECTING])
def test_where_selects_the_rows(example: Example, found_selected: Found) -> None:
    result = found_selected[example.name]
    assert result.outcome is Outcome.FAILED, describe(result)
    assert same(result.value, example.bad), describe(result)
    assert result.constraint.id == f"{result.constraint.name} where part = 'bad'"


@pytest.mark.parametrize("example", EXAMPLES, ids=IDS)
def test_a_message_is_a_sentence_with_the_expected_and_the_actual_value(
    example: Example, found_good: Found, found_bad: Found
) -> None:
    for result, outcome in (
        (found_good[example.name], "passed"),
        (found_bad[example.name], "failed"),
    ):
        sentence = result.message
        expected = f"expected {result.constraint.expected_text}"
        assert sentence.startswith(f"{result.constraint.name} {outcome}: {expected}"), sentence
        assert f", actual {result.actual_text}." in sentence
        assert sentence.endswith(".")
        assert "\n" not in sentence


@pytest.mark.parametrize(
    "example", [example for example in EXAMPLES if not example.selects], ids=str
)
def test_constraints_without_rows_to_select_refuse_where(example: Example) -> None:
    with pytest.raises(CheckError, match=r"`where`"):
        example.add_to(Check("c"), where="id > 1")


@pytest.mark.parametrize("example", EXAMPLES, ids=IDS)
def test_a_method_does_not_change_the_check_it_is_called_on(example: Example) -> None:
    empty = Check("c")
    grown = example.add_to(empty)
    assert empty == Check("c")
    assert not empty.constraints
    assert grown == example.add_to(Check("c"))
    assert hash(grown) == hash(example.add_to(Check("c")))
    assert {constraint.name.partition("(")[0] for constraint in grown.constraints} <= set(
        constraint_methods()
    )


def test_is_primary_key_requires_completeness_and_uniqueness() -> None:
    key = Check("key").is_primary_key("id", "kind").warn()
    assert [f"{c.level}: {c.metric} {c.assertion}" for c in key.constraints] == [
        "warning: Completeness(id) == 1.0",
        "warning: Completeness(kind) == 1.0",
        "warning: Uniqueness(id, kind) == 1.0",
    ]


def test_columns_come_one_by_one_or_in_lists() -> None:
    for name in ("is_complete", "is_unique", "is_primary_key", "are_all_complete"):
        one_by_one = getattr(Check("c"), name)("id", "kind")
        assert getattr(Check("c"), name)(["id", "kind"]) == one_by_one
    pair = Check("c").has_uniqueness("id", "kind", at_least=0.5)
    assert Check("c").has_uniqueness(["id", "kind"], at_least=0.5) == pair
