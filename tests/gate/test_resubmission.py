"""Submitting the same data under the same key again returns the recorded verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pyspark.sql import functions as F

from assay import Gate
from assay.store import MemoryStore, Selection

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.mark.connect
def test_the_order_and_partitions_of_the_rows_do_not_matter(spark: SparkSession) -> None:
    """They change the last digits of sums of doubles, and the values that sketches keep."""
    df = spark.range(5000).selectExpr(
        "concat('A-', lpad(cast(id * 7919 % 100003 AS string), 6, '0')) AS code",
        "ln(id + 2) * 100 AS amount",
        "timestamp_seconds(id * 61) AS moment",
        "CASE WHEN id % 7 > 0 THEN id % 3 END AS kind",
    )
    gate = Gate("orders", MemoryStore())
    first = gate.submit(df.coalesce(1), "2026-11-16")
    again = gate.submit(df.repartition(3, "moment").sortWithinPartitions("code"), "2026-11-16")
    assert (first.again, again.again) == (False, True)
    assert len(gate.store.verdicts(Selection("orders"))) == 1
    # other codes of the same length
    changed_code = "CASE WHEN amount < 500 THEN replace(code, 'A', 'B') ELSE code END AS code"
    other_codes = df.selectExpr(changed_code, "amount", "moment", "kind")
    assert not gate.submit(other_codes, "2026-11-16").again
    other_kinds = df.replace(0, 1, ["kind"])
    assert not gate.submit(other_kinds, "2026-11-16").again


def test_one_cent_more_is_other_data_but_the_rounding_error_of_a_sum_is_not(
    spark: SparkSession,
) -> None:
    df = spark.range(3000).selectExpr(
        "id * 7919 % 1000003 * 100 AS cents",
        "if(id % 2 = 0, 1, -1) * ln(id div 2 + 2) * 100.1 AS balanced",
        "map('n', id) AS tags",
        "CASE WHEN id = 7 THEN double('NaN') WHEN id = 8 THEN double('-Infinity') ELSE id END AS x",
    )
    gate = Gate("orders", MemoryStore())
    gate.submit(df.coalesce(1), "k")
    assert gate.submit(df.repartition(3, "balanced"), "k").again
    for column, changed_value in {
        "cents": "if(cents = 791900, cents + 1, cents)",
        "tags": "map('n', id + 1)",
        "x": "if(x = 9, 10, x)",
    }.items():
        with_id = df.withColumn("id", F.expr("tags['n']"))
        changed = with_id.withColumn(column, F.expr(changed_value)).drop("id")
        assert not gate.submit(changed, "k").again, column
