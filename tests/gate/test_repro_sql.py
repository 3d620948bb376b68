"""Queries that show findings again, run."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from assay.gate.budget import Budget
from assay.gate.finding import Finding
from assay.gate.history import GateHistory
from assay.gate.judges.novelty import judge_novelty
from assay.gate.repro_sql import null_rows
from assay.learn.fingerprint import metrics
from assay.learn.fingerprint.column_stats import Fingerprint
from assay.learn.fingerprint.from_rows import fingerprint, numbers
from assay.learn.limits.metric_history import MetricHistory
from assay.store.batch import Batch
from assay.suite.settings import GateSettings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: of an hour's flights: how many were cancelled, and how many landed elsewhere
Flights = list[tuple[float | None, float | None, float]]


def flights(cancelled: int, elsewhere: int, unknown: int = 0) -> Flights:
    return [
        *[(None, None, 1.0)] * cancelled,
        *[(1.0, None, 1.0)] * elsewhere,
        *[(None, 1.0, 1.0)] * unknown,
        *[(1.0, 1.0, 1.0)] * (100 - cancelled - elsewhere - unknown),
    ]


def batch(rows: Flights) -> Fingerprint:
    names = ("air,time", "arr_delay", "distance")
    return fingerprint(dict(zip(names, map(numbers, zip(*rows, strict=True)), strict=True)))


def test_rows_of_nulls_that_rose() -> None:
    last = batch(flights(3, 2))
    risen = null_rows(batch(flights(3, 2, 5)), last)
    assert risen == "`air,time` IS NULL AND `arr_delay` IS NOT NULL"
    both = "`air,time` IS NULL AND `arr_delay` IS NULL"
    assert null_rows(batch(flights(9, 2)), last) == both
    assert null_rows(last, last) is null_rows(last, None) is None


def judged(now: Fingerprint) -> list[Finding]:
    known = GateHistory(MetricHistory("flights"))
    rng = np.random.default_rng(4)
    for number in range(20):
        own = batch(flights(*(int(each) for each in rng.integers(2, 5, 2))))
        known = known.plus(Batch("flights", str(number)), own, None)
    return judge_novelty(known, now, Budget(Fraction(1, 200)), GateSettings())


def test_findings_are_shown_by_queries_that_run(spark: SparkSession) -> None:
    rows = flights(3, 2, 20)
    (found,) = (each for each in judged(batch(rows)) if each.metric == "unseen nulls")
    assert found.row_filter == "`air,time` IS NULL AND `arr_delay` IS NOT NULL"
    frame = spark.createDataFrame(rows, "`air,time` double, arr_delay double, distance double")
    assert found.sql is not None
    expression = found.sql.removeprefix("SELECT ").removesuffix(" FROM batch")
    (share,) = frame.selectExpr(expression).collect()[0]
    assert [share, found.actual] == pytest.approx([0.2, 0.2])
    assert frame.where(found.row_filter).count() == 20


def test_of_a_column_that_is_gone_there_is_no_query() -> None:
    whole = batch(flights(3, 2))
    left = {name: each for name, each in whole.columns.items() if name != "distance"}
    found = [each for each in judged(Fingerprint(whole.rows, left, whole.nulls)) if each.column]
    assert [(each.column, each.sql, each.row_filter) for each in found if each.alarm] == [
        ("distance", None, None)
    ] * len(found)
    assert found


@pytest.mark.parametrize("rows", [[(None, None)], []])
def test_queries_run_on_columns_without_values(
    spark: SparkSession, rows: list[tuple[Any, Any]]
) -> None:
    frame = spark.createDataFrame(rows, "n double, s string")
    queries = {
        metric.name: metrics.sql(metric.name, "n" if "numeric" in metric.columns else "s") or ""
        for metric in metrics.all_metrics()
        if metric.sql and not metric.per_batch
    }
    expressions = [
        each.removeprefix("SELECT ").removesuffix(" FROM batch") for each in queries.values()
    ]
    (found,) = frame.selectExpr(*expressions).collect()
    shown = dict(zip(queries, found, strict=True))
    empty: dict[str, float] = {metrics.DISTINCT_COUNT: 0, metrics.PLAIN_DISTINCT_COUNT: 0}
    if rows:
        empty[metrics.COMPLETENESS] = 0.0
    assert shown == {metric: empty.get(metric) for metric in queries}
