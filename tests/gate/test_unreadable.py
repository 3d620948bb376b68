"""A batch that cannot be read is held. It counts neither as empty nor as null."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from assay import Gate, MemoryStore
from assay.engine.frame import schema_of
from assay.gate.context import load_context
from assay.gate.measured_batch import MeasuredBatch
from assay.gate.submit import judge_measured
from assay.gate.table_schema import TableSchema
from assay.store import Decision, Selection

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def codes(spark: SparkSession, unreadable: bool = False) -> DataFrame:
    text = "if(id > 3, 'N/A', string(id))" if unreadable else "string(id)"
    return spark.range(9).selectExpr("id", f"double({text}) AS amount")


@pytest.mark.connect
def test_a_batch_that_cannot_be_read_is_held(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "batch"
    codes(spark).coalesce(1).write.parquet(str(path))
    deleted = spark.read.parquet(str(path))
    shutil.rmtree(path)
    gate = Gate("codes", MemoryStore())
    verdict = gate.submit(deleted, "1")
    assert verdict.decision is Decision.HOLD
    assert [alarm.reason[:19] for alarm in verdict.alarms] == ["it cannot be read: "]
    assert gate.store.batches(Selection("codes")) == ()
    assert [held.batch.key for held in gate.quarantine.waiting()] == ["1"]
    gate.submit(codes(spark), "1")
    assert [batch.key for batch in gate.store.batches(Selection("codes"))] == ["1"]


def test_a_column_that_cannot_be_read_is_named(spark: SparkSession) -> None:
    gate = Gate("codes", MemoryStore())
    gate.submit(codes(spark), "1")
    frame = codes(spark, unreadable=True)
    verdict = gate.submit(frame, "2")
    assert verdict.decision is Decision.HOLD
    assert [(alarm.judge, alarm.column) for alarm in verdict.alarms] == [("gate", "amount")]
    assert "'N/A'" in verdict.alarms[0].reason
    assert verdict.proposal is not None
    lenient = Gate("codes", gate.store, on_error="warn")
    context = load_context(
        gate.store, verdict.batch, lenient.settings, lenient.spec.budget, lenient.spec.load_index
    )
    columns = TableSchema.of(schema_of(frame))
    batch = MeasuredBatch(
        verdict.batch, verdict.proposal.measured, columns, proposal=verdict.proposal
    )
    assert judge_measured(context, batch).decision is Decision.WARN


def test_a_backtest_holds_only_the_unreadable_batch(spark: SparkSession) -> None:
    frames = {"1": codes(spark), "2": codes(spark, unreadable=True)}
    backtest = Gate("codes", MemoryStore()).backtest(frames)
    assert [verdict.accepted for verdict in backtest] == [True, False]
    assert "the column cannot be read" in backtest.verdicts[1].alarms[0].reason
