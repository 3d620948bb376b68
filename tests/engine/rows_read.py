"""Count the rows that Spark reads, which shows the passes over the data, and its queries."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def read_rows(spark: SparkSession, run: Callable[[], Any]) -> tuple[int, int, Any]:
    """Return the rows read from files, the number of Spark jobs, and the result of `run`."""
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
    """Return the number of queries, whatever their jobs, and the result of `run`."""
    before = _last_query(spark)
    outcome = run()
    return _last_query(spark) - before, outcome


def last_plan(spark: SparkSession) -> str:
    """Return the physical plan of the last query."""
    last = max(_executions(spark), key=lambda execution: execution.executionId())
    plan: str = last.physicalPlanDescription()
    return plan


def _last_query(spark: SparkSession) -> int:
    return max((execution.executionId() for execution in _executions(spark)), default=-1)


def _executions(spark: SparkSession) -> list[Any]:
    spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()
    executions = spark._jsparkSession.sharedState().statusStore().executionsList()
    return [executions.apply(at) for at in range(executions.size())]
