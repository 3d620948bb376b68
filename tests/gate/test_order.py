"""The judge of orders: one time that was always before another."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import pytest

from assay.analyzers.schema import Schema
from assay.engine.measure import measure
from assay.gate.budget import Budget
from assay.gate.causes.cause import CauseCode
from assay.gate.judges.order import judge_orders
from assay.learn.fingerprint.column_stats import Fingerprint
from assay.learn.fingerprint.orders import Order, order_analyzers, orders_of
from assay.store import Decision
from tests.realdata import batches

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

BUDGET = Budget(Fraction(1, 200))
ORDER: Order = ("ordered", "shipped")


def batch(n_wrong: int, rows: int = 100) -> Fingerprint:
    return Fingerprint(rows, {}, orders={ORDER: n_wrong, ("shipped", "ordered"): rows - n_wrong})


def test_rows_in_the_wrong_order_are_a_warning_that_names_them() -> None:
    (finding,) = judge_orders(batch(30), batch(0), BUDGET)

    assert finding.level is Decision.WARN
    assert (finding.column, finding.cause_code) == ("ordered", CauseCode.ORDER_BROKEN)
    assert finding.row_filter == "`ordered` > `shipped`"
    assert finding.actual == 0.3


@pytest.mark.parametrize(
    ("now", "last"),
    [
        (batch(0), batch(0)),
        (batch(1), batch(0)),  # one row is chance
        (batch(30), batch(2)),  # the order was never strict
        (batch(9, rows=10), batch(0, rows=10)),  # too few rows
        (batch(30), Fingerprint(100, {})),  # an older state without orders
    ],
)
def test_an_order_that_may_be_chance_is_no_alarm(now: Fingerprint, last: Fingerprint) -> None:
    assert judge_orders(now, last, BUDGET) == []


def test_only_columns_of_one_temporal_type_are_compared() -> None:
    schema = Schema.of(a="timestamp", b="timestamp", c="date", d="string", e="timestamp")

    compared = {analyzer.predicate for analyzer in order_analyzers(schema, private=["e"])}

    assert compared == {"`a` <= `b`", "`b` <= `a`"}
    assert order_analyzers(Schema.of(a="date", b="timestamp")) == ()


def test_times_of_real_data_in_the_wrong_order_are_counted(spark: SparkSession) -> None:
    """Data of a state are checked at the time of their modification or later."""
    path = next(b.path for b in batches("covid_tracking_states") if b.key >= "2020-07-01")
    df = spark.read.csv(str(path), header=True)
    times = df.selectExpr(
        "to_timestamp(dateModified) `x.mod``ified`", "to_timestamp(dateChecked) c"
    )
    late = times.selectExpr("`x.mod``ified`", "`x.mod``ified` - interval 1 hour AS c")
    analyzers = order_analyzers(Schema.of(**{"x.mod`ified": "timestamp", "c": "timestamp"}))

    order = ("x.mod`ified", "c")
    orders, broken = (orders_of(measure(rows, analyzers).states) for rows in (times, late))

    assert orders[order] == 0
    assert broken[order] > 50
