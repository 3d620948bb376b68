"""Patterns that are learned from earlier batches, and the values that they report."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import datasketches
import pytest

from assay import Check, Dataset, EmbeddedStore, MemoryStore, Outcome, Proposal, measure
from assay.analyzers import Sample
from assay.analyzers.frequent import Frequent
from assay.analyzers.sample import Hashed, Sampled
from assay.checks import ConstraintResult
from assay.checks.assertions.learned_pattern import combine_counts
from assay.learn.patterns.learner import Patterns
from tests.dataset.held import hold
from tests.oracle.xxhash import xxhash64

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

START = datetime(2026, 1, 1, tzinfo=UTC)
CHECK = Check("articles").matches_learned_pattern("sku", Patterns())


def batch(spark: SparkSession, day: int, *more: str | None) -> DataFrame:
    texts = [f"AB{chr(65 + i % 26)}-{day}{i}" for i in range(60)]
    return spark.createDataFrame([(text,) for text in (*texts, *more)], "sku string")


def put(dataset: Dataset, df: DataFrame, day: int) -> Proposal:
    return dataset.append(df, f"day={day}", time=START + timedelta(days=day))


def only(proposal: Proposal) -> ConstraintResult:
    (result,) = proposal.delta
    assert not proposal.whole.results
    return result


@pytest.mark.connect
def test_values_of_another_pattern_fail(spark: SparkSession) -> None:
    dataset = Dataset("articles", MemoryStore(), CHECK)
    first = put(dataset, batch(spark, 1, None), 1)
    assert only(first).problem is not None
    assert only(first).problem.code == "not_enough_history"  # type: ignore[union-attr]
    assert first.passed
    second = put(dataset, batch(spark, 2, None), 2)
    assert (only(second).outcome, only(second).value) == (Outcome.PASSED, 1.0)
    third = put(dataset, batch(spark, 3, *["ab-1"] * 5, None), 3)
    result = only(third)
    assert (result.outcome, result.value) == (Outcome.FAILED, 60 / 65)
    assert result.expected is not None
    assert "<upper>+-<digit>+, learned from 2 batches; 0 of 120 values" in result.message
    assert [row.sku for row in third.delta.failing(result).collect()] == ["ab-1"] * 5
    good, bad = third.delta.split()
    assert (good.count(), bad.count()) == (61, 5)
    assert bad.first()["errors"] == ["matches_learned_pattern(sku)"]  # type: ignore[index]


def test_a_repeated_value_is_counted_as_often_as_it_occurs(spark: SparkSession) -> None:
    """A sample of distinct values contains it only by chance, but rows are judged."""
    dataset = Dataset("articles", MemoryStore(), CHECK)

    def frame(day: int, garbage: int) -> DataFrame:
        good = spark.range(3000).selectExpr(f"concat('AB-', {day}00000 + id) sku")
        return good.unionAll(spark.range(garbage).selectExpr("'#REF!' sku"))

    put(dataset, frame(1, 0), 1)
    proposal = put(dataset, frame(2, 2000), 2)
    result = only(proposal)
    assert (result.outcome, result.value) == (Outcome.FAILED, 0.6)
    assert proposal.delta.failing(result).count() == 2000
    assert "of 5,000 may not" in result.message
    assert set(proposal.measured) == set(dataset.analyzers)
    # earlier batches with the same share of such values do not make it fail
    other = Dataset("errors", MemoryStore(), CHECK)
    put(other, frame(1, 2000), 1)
    assert only(put(other, frame(2, 2000), 2)).outcome is Outcome.PASSED


def test_frequent_values_are_combined_with_a_sample_in_proportion() -> None:
    rare = {Hashed(n, f"AB-{n}"): 1 for n in range(100)}
    sketch = datasketches.frequent_strings_sketch(8)
    for n in range(150):
        sketch.update(f"AB-{n}")
    sketch.update("#REF!", 50)
    frequent = Frequent(bytes(sketch.serialize()))
    counts = combine_counts(Sampled(rare, 100), frequent)
    assert counts["#REF!"] == 33
    assert sum(counts.values()) == 133
    assert combine_counts(Sampled(rare, 101), frequent) == dict.fromkeys(
        (hashed.value for hashed in rare), 1
    )


def test_held_batches_are_not_learned_from(spark: SparkSession, tmp_path: Path) -> None:
    dataset = Dataset("articles", EmbeddedStore(tmp_path), CHECK)
    put(dataset, batch(spark, 1), 1)
    put(dataset, batch(spark, 2, *["ab-1"] * 40), 2)
    strange = batch(spark, 3, *["ab-1"] * 40)
    when = START + timedelta(days=3)
    result = only(dataset.propose(strange, "day=3", time=when))
    assert "learned from 2 batches" in result.message
    hold(dataset.store, "articles", "day=2")
    strict = only(dataset.propose(strange, "day=3", time=when))
    assert "learned from 1 batch;" in strict.message
    assert strict.outcome is Outcome.FAILED


def test_only_the_latest_batches_are_learned_from(spark: SparkSession) -> None:
    check = Check("articles").matches_learned_pattern("sku", Patterns(), latest=2)
    dataset = Dataset("articles", MemoryStore(), check)
    for day in range(3):
        put(dataset, batch(spark, day), day)
    assert (
        "learned from 2 batches; 0 of 120 values" in only(put(dataset, batch(spark, 4), 4)).message
    )


def test_text_without_a_pattern_passes(spark: SparkSession) -> None:
    dataset = Dataset("articles", MemoryStore(), CHECK)
    words = ["a", "b c", "d, e.", "f-g/h", "i (j)", "k: l; m", "n'o!", "p&q=r", "(s) t u", "v_w#x"]
    text = spark.createDataFrame([(word,) for word in words], "sku string")
    put(dataset, text, 1)
    second = put(dataset, text, 2)
    assert only(second).problem is not None
    assert only(second).problem.code == "no_pattern"  # type: ignore[union-attr]
    assert "no pattern: its values are of" in only(second).message
    assert second.passed


def test_a_sample_contains_the_values_with_the_smallest_hashes(spark: SparkSession) -> None:
    """Long values are cut. Samples of two parts merge to the sample of all rows."""
    texts = [*(f"v{i % 90}" for i in range(300)), "x" * 501 + "a", "x" * 501 + "b", "", None]
    df = spark.createDataFrame([(i, text) for i, text in enumerate(texts)], "i int, s string")
    analyzers = [Sample("s"), Sample("s", 20)]
    direct = measure(df, analyzers)
    parts = measure(df.where("i % 3 = 0"), analyzers) + measure(df.where("i % 3 <> 0"), analyzers)
    assert parts.states == direct.states
    large, small = (direct.states[analyzer] for analyzer in analyzers)
    assert isinstance(large, Sampled)
    assert isinstance(small, Sampled)
    assert large.complete
    assert not small.complete
    assert large.values["x" * 501] == 2
    assert large.values[""] == 1
    assert sum(large.values.values()) == 303
    assert {hashed.value: hashed.hash for hashed in large.counts} == {
        value: xxhash64(value) for value in large.values
    }
    assert list(small.values) == sorted(large.values, key=xxhash64)[:20]
    assert all(small.values[value] == large.values[value] for value in small.values)
