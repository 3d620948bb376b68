"""The distribution of a column is compared with the batch before, or with another table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from assay import Check, Dataset, MemoryStore, Outcome
from assay.analyzers import Analyzer, ColumnDistribution, DistributionDistance, Schema, State
from assay.analyzers.distribution import DISTANCES, NUMERIC_DISTANCES
from assay.analyzers.moments import Moments
from assay.checks import evaluate
from assay.checks.assertions.distance import DistanceAssertion
from assay.engine import measure
from assay.engine.measurement import Measurement, Metric
from assay.errors import CheckError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SCHEMA = Schema.of(amount="double", code="string")
PATTERN_DISTANCES = {name for name in DISTANCES if name.startswith("pattern")}


@dataclass(frozen=True)
class Past:
    """A history with the states of one batch, or of none."""

    recorded: dict[Analyzer, State]
    time: datetime = datetime(2026, 1, 1, tzinfo=UTC)

    def states(self, analyzer: Analyzer, latest: int) -> Sequence[State]:
        assert latest == 1
        return [self.recorded[analyzer]] if analyzer in self.recorded else []

    def points(self, *_: Any) -> Sequence[Any]:
        return []


MOMENTS = ColumnDistribution("amount", "moments")
CLOSE = Check("c").has_distance("amount", "cohen_d", at_most=0.5)


def judge(check: Check, now: State, history: Past | None) -> Any:
    (constraint,) = check.constraints
    analyzer = constraint.analyzer
    measured = Measurement({analyzer: Metric(analyzer, 9)}, {analyzer: now})
    (result,) = evaluate(measured, check, history=history, schema=SCHEMA)
    return result


@pytest.mark.parametrize(
    ("mean", "outcome"), [(10.0, Outcome.PASSED), (11.0, Outcome.PASSED), (12.0, Outcome.FAILED)]
)
def test_the_distance_to_the_last_batch_is_judged(mean: float, outcome: Outcome) -> None:
    before = Past({MOMENTS: Moments.of(50, 10.0, 50 * 4.0)})  # the standard deviation is 2
    result = judge(CLOSE, Moments.of(50, mean, 50 * 4.0), before)
    assert result.outcome is outcome
    assert result.value == pytest.approx((mean - 10) / 2, rel=0.02)
    assert result.message.startswith("has_distance(amount, cohen_d) ")
    assert "expected at most 0.5, actual " in result.message


@pytest.mark.parametrize(
    ("history", "code"),
    [
        (None, "no_history"),
        (Past({}), "not_enough_history"),
        (Past({MOMENTS: Moments.identity()}), "undefined"),
        (Past({MOMENTS: ColumnDistribution("code").state([b""], SCHEMA)}), "not_computable"),
    ],
)
def test_a_distance_that_cannot_be_computed_has_a_code(history: Past | None, code: str) -> None:
    result = judge(CLOSE, Moments.of(5, 1.0, 2.0), history)
    assert result.outcome is Outcome.NOT_EVALUATED
    assert result.problem.code == code


def test_unknown_distances_and_scopes_are_refused() -> None:
    with pytest.raises(CheckError, match="no distance is called 'earth_movers'; did you mean"):
        Check("c").has_distance("a", "earth_movers", at_most=1)  # type: ignore[arg-type]
    with pytest.raises(
        CheckError,
        match=r"scope.*got 'whole'",
    ):
        Check("c").has_distance("a", "l1", at_most=1, on="whole")
    with pytest.raises(CheckError, match="a bound is missing"):
        Check("c").has_distance("a", "l1")
    problem = only(Check("c").has_distance("code", "earth_mover", at_most=1)).problem(SCHEMA)
    assert problem is not None
    assert problem.code == "wrong_type"


def only(check: Check) -> Any:
    (constraint,) = check.constraints
    return constraint


def test_the_call_decides_what_is_measured() -> None:
    previous = only(Check("c").has_distance("code", "pattern_l1", at_most=1, where="paid"))
    assert previous.analyzer == ColumnDistribution("code", "patterns", where="paid")
    assert isinstance(previous.assertion, DistanceAssertion)
    assert previous.scopes(gate=False) == {"batch"}
    table = only(Check("c").has_distance("code", "l1", to="old", at_most=1))
    assert table.analyzer == DistributionDistance("code", "l1", table="old")


@pytest.fixture(scope="module")
def days(spark: SparkSession) -> tuple[DataFrame, DataFrame]:
    """A day, and a day with other codes and amounts."""
    day = spark.range(100).selectExpr(
        "CASE WHEN id % 4 = 0 THEN 'DE' ELSE 'FR' END AS code", "cast(id AS double) AS amount"
    )
    return day, day.selectExpr("lower(code) AS code", "amount + 50 AS amount")


def test_every_distance_of_equal_tables_is_zero(days: tuple[DataFrame, DataFrame]) -> None:
    day, other = days
    names = [(name, c) for name in DISTANCES for c in ("code", "amount")]
    analyzers = [
        DistributionDistance(column, name, table=table)
        for name, column in names
        for table in ("same", "other")
        if name not in (NUMERIC_DISTANCES if column == "code" else PATTERN_DISTANCES)
    ]
    measured = measure(day, analyzers, reference_tables={"same": day, "other": other})
    for analyzer, metric in measured.items():
        assert isinstance(analyzer, DistributionDistance)
        assert metric.problem is None, metric
        assert (metric.value == 0) is (analyzer.table == "same"), metric
    assert measured.value(DistributionDistance("amount", "earth_mover", table="other")) == 50
    assert measured.value(DistributionDistance("code", "l1", table="other")) == 2


def test_a_dataset_compares_with_its_last_batch(days: tuple[DataFrame, DataFrame]) -> None:
    day, other = days
    check = (
        Check("c")
        .has_distance("code", "l_inf", at_most=0.1)
        .has_distance("amount", "kolmogorov_smirnov", at_most=0.1)
        .has_distance("code", "pattern_l1", at_most=0.1)
    )
    dataset = Dataset("orders", MemoryStore(), check)
    first = dataset.append(day, "2026-01-01").delta
    assert {result.problem.code for result in first if result.problem} == {"not_enough_history"}
    assert not any(result.serious for result in first)
    assert [r.outcome.value for r in dataset.append(day, "2026-01-02").delta] == ["passed"] * 3
    third = dataset.append(other, "2026-01-03").delta
    assert [(r.outcome.value, r.value) for r in third] == [
        ("failed", 0.75),
        ("failed", pytest.approx(0.5)),
        ("failed", 2.0),
    ]
    assert third.passed is False
