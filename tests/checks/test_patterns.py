"""`matches_pattern` and `matches_learned_pattern`: what they say, count, refuse and remember."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pytest

from assay import Check, Dataset, Measurement, MemoryStore, Outcome, evaluate, verify
from assay.analyzers import PatternMatch, Sample
from assay.checks import ConstraintResult
from assay.checks.assertions.learned_pattern import LearnedPattern
from assay.checks.pattern import Pattern
from assay.engine.measurement import Metric
from assay.errors import CheckError
from assay.learn.patterns.learner import Patterns
from assay.learn.patterns.search import Search

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SKU = "<upper>{3}-<digit>+"


def skus(spark: SparkSession, good: int, *others: str | None) -> DataFrame:
    """Create a number of valid article numbers, and other values."""
    texts = [f"AB{chr(65 + i % 26)}-{i}" for i in range(good)]
    return spark.createDataFrame([(text,) for text in (*texts, *others)], "sku string")


def only(results: Any) -> ConstraintResult:
    (constraint_result,) = results
    assert isinstance(constraint_result, ConstraintResult)
    return constraint_result


@pytest.mark.connect
def test_as_many_as_the_test_lets_expect(spark: SparkSession) -> None:
    """After 48 matches, 5 misses in 100 values pass and 6 fail; nulls do not count."""
    check = Check("c").matches_pattern("sku", SKU, trained=(0, 48))
    nothing = [None] * 50
    fine = only(verify(skus(spark, 95, *["x"] * 5, *nothing), check))
    assert (fine.outcome, fine.value) == (Outcome.PASSED, 0.95)
    result = verify(skus(spark, 94, *["x"] * 5, "", *nothing), check)
    alarm = only(result)
    assert (alarm.outcome, alarm.value) == (Outcome.FAILED, 0.94)
    assert alarm.message == (
        "matches_pattern(sku, '<upper>{3}-<digit>+') failed: expected between 95 % and 100 % (0 of"
        " 48 values did not match when it was learned; up to 5 % of 100 may not (beta-binomial,"
        " 0.01)), actual 94 % (6 of 100 rows fail)."
    )
    assert result.plan is not None
    assert result.plan.passes == 1
    broken = sorted(row.sku for row in result.failing(alarm).collect())
    assert broken == ["", *["x"] * 5]
    good, bad = result.split()
    assert (good.count(), bad.count()) == (144, 6)


def test_all_values_or_as_many_as_bounds_say(spark: SparkSession) -> None:
    check = (
        Check("c")
        .matches_pattern("sku", SKU)
        .matches_pattern("sku", Pattern.parse(SKU), at_least=0.5)
        .matches_pattern("sku", SKU, nulls="fail", at_least=0.7)
        .matches_pattern("sku", SKU, trained=(0, 48), where="sku <> 'x'")
        .matches_pattern("sku", SKU, trained=(0, 48), nulls="fail", test="fisher")
    )
    result = verify(skus(spark, 6, "x", None, None, None), check)
    assert [
        (constraint_result.value, constraint_result.outcome.value) for constraint_result in result
    ] == [
        (0.9, "failed"),
        (0.9, "passed"),
        (0.6, "failed"),
        (1.0, "passed"),
        (0.6, "failed"),
    ]
    assert result.failing(result.results[0]).count() == 1
    assert result.failing(result.results[4]).count() == 4


@pytest.mark.parametrize(
    ("pattern", "options", "complaint"),
    [
        ("<diget>", {}, r"c: matches_pattern\(a, '<diget>'\): .*did you mean <digit>"),
        ("<", {}, r"c: matches_pattern\(a, '<'\): .*got '<'"),
        (7, {}, r"c: matches_pattern\(a, '7'\): .*got 7\.$"),
        ("x", {"trained": (0, 9), "at_least": 0.5}, "expected no bounds, got at_least"),
        ("x", {"trained": (9, 0)}, r"c: matches_pattern\(a, 'x'\): .*got \(9, 0\)"),
        ("x", {"trained": (0, 9), "test": "t"}, "got 't'"),
        ("x", {"trained": (0, 9), "significance": 1}, "significance.*got 1"),
        ("x", {"nulls": "drop"}, "got 'drop'"),
    ],
)
def test_invalid_arguments_are_refused(
    pattern: Any, options: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(CheckError, match=complaint) as raised:
        Check("c").matches_pattern("a", pattern, **options)
    assert "\n" not in str(raised.value)


def test_a_metric_without_its_state_is_not_evaluated() -> None:
    check = Check("c").matches_pattern("sku", SKU, trained=(0, 48))
    analyzer = check.constraints[0].analyzer
    assert analyzer == PatternMatch("sku", Pattern.parse(SKU).regex, "skip")
    measurement = Measurement({analyzer: Metric(analyzer, 0.5)}, {})
    constraint_result = only(evaluate(measurement, check))
    assert constraint_result.problem is not None
    assert constraint_result.problem.code == "no_state"


def test_a_dataset_judges_each_batch_and_the_whole(spark: SparkSession) -> None:
    check = Check("c").matches_pattern("sku", SKU, trained=(0, 48))
    dataset = Dataset("d", MemoryStore(), check)
    assert dataset.append(skus(spark, 400), "day=1").passed
    second = dataset.append(skus(spark, 90, *["x"] * 10), "day=2")
    assert only(second.delta).outcome is Outcome.FAILED
    assert only(second.whole).value == 490 / 500
    assert only(dataset.verify()).outcome is Outcome.PASSED
    assert only(dataset.verify(keys=["day=2"])).outcome is Outcome.FAILED


def test_a_pattern_from_a_sample_is_learned_at_once() -> None:
    sample = {"ABC-1": 3, "XYZ-22": 1, "KLM-333": 1}
    check = Check("c").matches_learned_pattern("sku", Patterns(), sample=sample, level="warning")
    assert check == Check("c").matches_pattern(
        "sku", "<upper>+-<digit>+", trained=(0, 3), level="warning"
    )
    again = Check("c").matches_learned_pattern(
        "sku", Patterns(), sample=["ABC-1", None, *["ABC-1"] * 2, "XYZ-22", "KLM-333"]
    )
    assert again.constraints[0].assertion == check.constraints[0].assertion
    with pytest.raises(CheckError, match=r"^c: matches_learned_pattern\(sku\): no pattern:"):
        Check("c").matches_learned_pattern("sku", Patterns(), sample=[])


@pytest.mark.parametrize(
    ("arguments", "options", "complaint"),
    [
        (("a", "b"), {}, "learner.*got 'b'"),
        (("a", Patterns()), {"at_least": 0.5}, "expected no bounds, got at_least"),
        (("a", Patterns()), {"latest": 0}, "latest.*got 0"),
        (("a", Patterns()), {"significance": 2}, "significance.*got 2"),
    ],
)
def test_invalid_learners_are_refused(
    arguments: Any, options: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(CheckError, match=complaint):
        Check("c").matches_learned_pattern(*arguments, **options)


def test_a_missing_history_is_reported(spark: SparkSession) -> None:
    constraint_result = only(
        verify(skus(spark, 3), Check("c").matches_learned_pattern("sku", Patterns()))
    )
    assert constraint_result.problem is not None
    assert constraint_result.problem.code == "no_history"


def test_empty_strings_count_as_mismatches_when_a_pattern_is_learned() -> None:
    values = {**{f"A-{i}": 1 for i in range(18)}, "": 2}
    learned = Patterns().learn(values)
    assert isinstance(learned, LearnedPattern)
    assert learned.trained == (2, 20)


def test_a_learner_reads_well_and_is_a_value() -> None:
    assert str(Patterns()) == "Patterns(without an index)"
    assert str(Patterns(search=Search("fmdv"))) == "Patterns(without an index, fmdv)"
    assert hash(Patterns()) == hash(Patterns())
    assert Check("c").matches_learned_pattern("a", Patterns()) == Check(
        "c"
    ).matches_learned_pattern("a", Patterns())


class Broken:
    """A learner that fails."""

    def learn(self, values: Mapping[str, int]) -> LearnedPattern | str:
        raise ZeroDivisionError(f"{len(values)} values\nare too many")

    def __str__(self) -> str:
        return "Broken"


def test_a_learner_that_fails_stops_nothing_else(spark: SparkSession) -> None:
    check = Check("c").matches_learned_pattern("sku", Broken()).is_complete("sku")
    dataset = Dataset("d", MemoryStore(), check)
    dataset.append(skus(spark, 3), "day=1")
    first, second = dataset.propose(skus(spark, 3), "day=2").delta
    assert first.problem is not None
    assert str(first.problem) == "Broken failed: ZeroDivisionError: 3 values are too many"
    assert second.outcome is Outcome.PASSED


def test_the_analyzer_is_a_sample() -> None:
    check = Check("c").matches_learned_pattern("sku", Patterns(), where="id > 1")
    assert check.constraints[0].analyzer == Sample("sku", where="id > 1")
    assert check.constraints[0].id == "matches_learned_pattern(sku) where id > 1"
