"""How many rows Spark read, what counts as a pass over the data, and in how many queries."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def read_rows(spark: SparkSession, run: Callable[[], Any]) -> tuple[int, int, Any]:
    """Rows read from files, Spark jobs, and what `run` gave."""
    context = spark.sparkContext
    group = str(uuid.uuid4())
    context.setJobGroup(group, "passes")
    try:
        outcome = run()
    finally:
        context.setLocalProperty("spark.jobGroup.id", None)  # type: ignore[arg-type]
    tracker, store = context.statusTracker(), context._jsc.sc().statusStore()
    jobs = tracker.getJobIdsForGroup(group)
    stages = {stage for job in jobs if (info := tracker.getJobInfo(job)) for stage in info.stageIds}
    read = sum(store.lastStageAttempt(stage).inputRecords() for stage in stages)
    return read, len(jobs), outcome


def queries_of(spark: SparkSession, run: Callable[[], Any]) -> tuple[int, Any]:
    """How many queries Spark ran, whatever their jobs, and what `run` gave."""
    before = _last_query(spark)
    outcome = run()
    return _last_query(spark) - before, outcome


def last_plan(spark: SparkSession) -> str:
    """How Spark carried out the last of them."""
    last = max(_executions(spark), key=lambda each: each.executionId())
    plan: str = last.physicalPlanDescription()
    return plan


def _last_query(spark: SparkSession) -> int:
    return max((each.executionId() for each in _executions(spark)), default=-1)


def _executions(spark: SparkSession) -> list[Any]:
    spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()
    found = spark._jsparkSession.sharedState().statusStore().executionsList()
    return [found.apply(at) for at in range(found.size())]
