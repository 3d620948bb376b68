"""A fingerprint is the same, whether its facts were counted or read off states."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from assay.analyzers import (
    Analyzer,
    Completeness,
    NullSignature,
    RowProfile,
    State,
    ValueProfile,
)
from assay.analyzers.counting import Ratio
from assay.analyzers.frequent import Frequent
from assay.engine import measure
from assay.engine.frame import schema_of
from assay.learn.fingerprint.analyzers import fingerprint_analyzers, plan_fingerprint
from assay.learn.fingerprint.column_stats import Fingerprint
from assay.learn.fingerprint.from_rows import Column, fingerprint, numbers, strings
from assay.learn.fingerprint.from_states import fingerprint_of
from tests.oracle.xxhash import xxhash64

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.connect

ROWS = 180
TEXTS = ["AB-12", "ab-1", "", "Ünï 7!", None, "日本 x"]


def columns() -> dict[str, Column]:
    rng = np.random.default_rng(7)
    amounts = [
        None if n % 9 == 0 else round(float(amount), 2)
        for n, amount in enumerate(rng.normal(0, 9, ROWS))
    ]
    return {
        "amount": numbers(amounts),
        "whole": numbers([float(n % 5) - 1 for n in range(ROWS)]),
        "a,b": strings([TEXTS[n % len(TEXTS)] for n in range(ROWS)]),
        "nothing": strings([None] * ROWS),
    }


@pytest.fixture(scope="module")
def frame(spark: SparkSession) -> DataFrame:
    values = columns()
    rows = [
        (
            None if math.isnan(values["amount"][n]) else float(values["amount"][n]),
            int(values["whole"][n]),
            values["a,b"][n],
            None,
        )
        for n in range(ROWS)
    ]
    return spark.createDataFrame(rows, "amount double, whole int, `a,b` string, nothing string")


@pytest.fixture(scope="module")
def remembered(frame: DataFrame) -> Fingerprint:
    analyzers = [
        *fingerprint_analyzers(schema_of(frame)),
        ValueProfile("a,b", hidden=True, where="1=1"),
    ]
    return fingerprint_of(measure(frame, analyzers).states)


def test_facts_of_states_are_those_of_rows(remembered: Fingerprint) -> None:
    wanted = fingerprint(columns())
    assert remembered.rows == wanted.rows == ROWS
    assert remembered.columns.keys() == wanted.columns.keys()
    for name, stats in wanted.columns.items():
        result = remembered.columns[name]
        assert result.kind == stats.kind
        assert {key: result[key] for key in stats.numbers} == pytest.approx(dict(stats.numbers))
        assert result.shape_counts == stats.shape_counts
        if stats.sample is None:
            assert result.value_counts == stats.value_counts
        else:
            assert result.sample is not None
            at = stats.sample.values
            assert result.sample.cumulative_share(at) == pytest.approx(
                stats.sample.cumulative_share(at)
            )


def test_a_sketch_that_forgot_its_values_does_not_say_that_there_are_none() -> None:
    states: dict[Analyzer, State] = {
        Completeness("x"): Ratio(3000, 3000),
        ValueProfile("x"): Frequent(b""),
    }
    assert "distinct" not in fingerprint_of(states).columns["x"].numbers
    none: dict[Analyzer, State] = {
        Completeness("x"): Ratio(0, 3000),
        ValueProfile("x"): Frequent(b""),
    }
    assert fingerprint_of(none).columns["x"]["distinct"] == 0


def test_nulls_together(remembered: Fingerprint) -> None:
    assert sum(remembered.nulls.values()) == ROWS
    assert remembered.nulls == fingerprint(columns()).nulls
    assert {"nothing", "`a,b`,nothing"} < remembered.nulls.keys()


def test_private_columns_are_remembered_as_hashes(frame: DataFrame) -> None:
    analyzers = fingerprint_analyzers(schema_of(frame), private=["a,b"])
    assert not [analyzer for analyzer in analyzers if analyzer.key.startswith("ShapeProfile")][1:]
    hidden = ValueProfile("a,b", hidden=True)
    assert hidden in analyzers
    result = measure(frame, [hidden]).value(hidden)
    hashes = {f"{xxhash64(text) & (2**64 - 1):X}" for text in TEXTS if text is not None}
    assert set(result.counts) == hashes  # type: ignore[union-attr]


def test_a_signature_of_many_columns_is_bounded(spark: SparkSession) -> None:
    wide = spark.range(3).selectExpr(
        *(f"if(id = {n % 3}, NULL, 1) AS a_rather_long_name_{n}" for n in range(60))
    )
    results = measure(wide, [NullSignature()]).value(NullSignature())
    assert len(results.counts) == 3  # type: ignore[union-attr]
    assert all(len(result) <= 220 for result in results.counts)  # type: ignore[union-attr]


def test_repeated_values_of_a_key_are_counted_exactly(spark: SparkSession) -> None:
    ids = spark.range(6000).selectExpr("concat('id-', id) AS id")
    repeated = ids.limit(60)
    plan = plan_fingerprint(schema_of(ids), (), {"id": 4}, {"id": 1})

    batch = fingerprint_of(measure(ids.unionAll(repeated), plan.analyzers).states, plan)

    stats = batch.columns["id"]
    assert (stats["sampled"], stats["sampled_distinct"]) == (6060, 6000)
    assert 1300 < len(stats.sampled_counts) < 1700


def test_values_and_rows_of_large_batches_are_sampled_by_hash(spark: SparkSession) -> None:
    ids = spark.range(6000).selectExpr("concat('id-', id) AS id", "id % 3 AS n")
    repeated = ids.limit(300)
    plan = replace(plan_fingerprint(schema_of(ids), ["n"], {"id": 4}), rows=RowProfile(one_in=4))

    batch = fingerprint_of(measure(ids.unionAll(repeated), plan.analyzers).states, plan)

    stats = batch.columns["id"]
    assert 1300 < stats["sampled_distinct"] < 1700
    assert 40 < stats["sampled"] - stats["sampled_distinct"] < 110
    assert all(value.startswith("id-") for value in stats.sampled_counts)
    assert set(stats.sampled_counts.values()) == {1, 2}
    assert all(int(row, 16) % 4 == 0 for row in batch.row_counts)
    assert 40 < sum(batch.row_counts.values()) - len(batch.row_counts) < 110
    assert batch.columns["n"].sampled_counts == {}
