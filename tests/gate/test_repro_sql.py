"""Run the SQL that reproduces findings."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from assay.gate.budget import Budget
from assay.gate.finding import Finding
from assay.gate.judges.novelty import judge_novelty
from assay.gate.repro_sql import filter_of_nulls
from assay.learn.fingerprint import metrics
from assay.learn.fingerprint.column_stats import Fingerprint
from assay.learn.fingerprint.from_rows import fingerprint, numbers
from assay.suite.settings import GateSettings
from tests.gate.histories import history_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: rows of air time, arrival delay and distance
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


def test_the_row_filter_of_risen_nulls_names_all_columns() -> None:
    last = batch(flights(3, 2))
    risen = filter_of_nulls(batch(flights(3, 2, 5)), last)
    assert risen == "`air,time` IS NULL AND `arr_delay` IS NOT NULL"
    both = "`air,time` IS NULL AND `arr_delay` IS NULL"
    assert filter_of_nulls(batch(flights(9, 2)), last) == both
    assert filter_of_nulls(last, last) is filter_of_nulls(last, None) is None


def judge(now: Fingerprint) -> list[Finding]:
    rng = np.random.default_rng(4)
    counts = (rng.integers(2, 5, 2).tolist() for _ in range(20))
    history = history_of("flights", (batch(flights(*pair)) for pair in counts))
    return judge_novelty(history, now, Budget(Fraction(1, 200)), GateSettings())


def test_the_query_of_a_finding_returns_its_value(spark: SparkSession) -> None:
    rows = flights(3, 2, 20)
    (finding,) = (finding for finding in judge(batch(rows)) if finding.metric == "unseen_nulls")
    assert finding.row_filter == "`air,time` IS NULL AND `arr_delay` IS NOT NULL"
    frame = spark.createDataFrame(rows, "`air,time` double, arr_delay double, distance double")
    assert finding.sql is not None
    expression = finding.sql.removeprefix("SELECT ").removesuffix(" FROM batch")
    (share,) = frame.selectExpr(expression).collect()[0]
    assert [share, finding.actual] == pytest.approx([0.2, 0.2])
    assert frame.where(finding.row_filter).count() == 20


def test_a_missing_column_has_no_query() -> None:
    complete = batch(flights(3, 2))
    remaining = {name: stats for name, stats in complete.columns.items() if name != "distance"}
    findings = [
        finding
        for finding in judge(Fingerprint(complete.rows, remaining, complete.nulls))
        if finding.column
    ]
    assert [
        (finding.column, finding.sql, finding.row_filter) for finding in findings if finding.alarm
    ] == [("distance", None, None)] * len(findings)
    assert findings


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
        query.removeprefix("SELECT ").removesuffix(" FROM batch") for query in queries.values()
    ]
    (row,) = frame.selectExpr(*expressions).collect()
    values = dict(zip(queries, row, strict=True))
    empty: dict[str, float] = {metrics.DISTINCT_COUNT: 0, metrics.PLAIN_DISTINCT_COUNT: 0}
    if rows:
        empty[metrics.COMPLETENESS] = 0.0
    assert values == {metric: empty.get(metric) for metric in queries}
