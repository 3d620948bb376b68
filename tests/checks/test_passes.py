"""A verification costs the passes that its plan says, and no more jobs than these need."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from assay import Check, Plan, verify
from tests.checks.constraint_examples import EXAMPLES, GOOD, frame

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TYPICAL = (
    Check("typical")
    .has_size(at_least=1)
    .is_complete("id", "kind", "email")
    .is_primary_key("id")
    .has_uniqueness("id", at_least=0.9)
    .has_completeness("email", at_least=0.9)
    .is_contained_in("kind", ["hi", "lo"])
    .is_in_range("x", 0, 10)
    .is_less_than("x", "y")
    .is_email("email")
    .has_mean("x", between=(0, 10))
    .has_standard_deviation("x", at_most=5)
    .has_median("x", at_most=5)
    .has_approx_count_distinct("word", at_least=2)
    .has_count_distinct("kind", equals=2)
    .has_entropy("kind", at_least=0.1)
    .has_histogram("kind", satisfies=lambda h: h.ratio("hi") < 0.9)
    .has_column("email")
)


@contextmanager
def jobs_of(spark: SparkSession, group: str) -> Iterator[list[int]]:
    """The jobs that are run inside, once it is over."""
    context = spark.sparkContext
    job_ids: list[int] = []
    context.setJobGroup(group, "")
    try:
        yield job_ids
    finally:
        context.setLocalProperty("spark.jobGroup.id", None)  # type: ignore[arg-type]
        job_ids += context.statusTracker().getJobIdsForGroup(group)


def most_jobs(plan: Plan) -> int:
    """Adaptive execution runs a job a shuffle and one for the result.

    A scan has one shuffle, a grouping one, and each branch of its summary another one or, for bins,
    two and a broadcast. A model has one, its counts two more, its sample one.
    """
    branches = 6 * len(plan.model_passes)
    for frequency_pass in plan.frequency_passes:
        margins = len(frequency_pass.grouping.keys) if frequency_pass.needs.marginals else 0
        branches += (
            3 + bool(frequency_pass.needs.top) + 2 * margins + 4 * len(frequency_pass.needs.bins)
        )
    return 2 * plan.scan_passes + branches


def test_a_typical_check_takes_one_scan_and_a_pass_for_each_grouping(spark: SparkSession) -> None:
    df = frame(spark, GOOD)
    with jobs_of(spark, "typical") as jobs:
        result = verify(df, TYPICAL)
    assert result.status == "passed"
    plan = result.plan
    assert plan is not None
    assert (plan.passes, plan.scan_passes) == (3, 1)
    assert [str(frequency_pass.grouping) for frequency_pass in plan.frequency_passes] == [
        "id",
        "kind",
    ]
    assert 0 < len(jobs) <= most_jobs(plan)


def test_two_checks_share_their_metrics(spark: SparkSession) -> None:
    df = frame(spark, GOOD)
    with jobs_of(spark, "once") as once:
        alone = verify(df, TYPICAL)
    with jobs_of(spark, "twice") as twice:
        shared = verify(df, TYPICAL, Check("again").is_complete("id").is_unique("id"))
    assert alone.plan is not None
    assert shared.plan is not None
    assert shared.plan.passes == alone.plan.passes
    assert len(twice) == len(once)


def test_all_constraints_together_run_no_more_jobs_than_planned(spark: SparkSession) -> None:
    checks = [example.add_to(Check(example.name)) for example in EXAMPLES]
    with jobs_of(spark, "all") as jobs:
        result = verify(frame(spark, GOOD), *checks)
    plan = result.plan
    assert plan is not None
    assert plan.scan_passes <= 2
    # id, kind, and the pair of them, whose margins serve the others; and a model
    assert plan.passes <= plan.scan_passes + 3 + 1
    assert 0 < len(jobs) <= most_jobs(plan)


def test_constraints_on_the_schema_run_no_job(spark: SparkSession) -> None:
    check = (
        Check("schema")
        .has_column("id")
        .has_column_count(equals=15)
        .matches_schema({"id": "int"})
        .is_complete("nothing")
        .has_mean("kind", at_least=0)
        .satisfies("id >")
    )
    with jobs_of(spark, "none") as jobs:
        result = verify(frame(spark, GOOD), check)
    assert jobs == []
    assert result.plan is not None
    assert result.plan.passes == 0
    assert [constraint_result.outcome.value for constraint_result in result] == ["passed"] * 3 + [
        "not evaluated"
    ] * 3
