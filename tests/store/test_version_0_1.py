"""A store folder that version 0.1 wrote stays readable, and a gate goes on from it."""

from __future__ import annotations

import shutil
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from assay import Gate
from assay.gate.table_schema import TableSchema
from assay.store import BatchStatus, DatasetVersion, Decision, EmbeddedStore, MarkKind, Selection
from assay.suite import Suite
from tests.store.version_0_1.make import FIELDS, HERE, START, rows

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_a_store_of_version_0_1_is_read_and_continued(spark: SparkSession, tmp_path: Path) -> None:
    shutil.copytree(HERE / "store", tmp_path / "store")
    store = EmbeddedStore(tmp_path / "store")
    everything = Selection("orders")
    days = [f"day=2026-11-0{day}" for day in range(1, 7)]

    assert [batch.key for batch in store.batches(everything)] == days[:5]
    verdicts = {verdict.key: verdict.decision for verdict in store.verdicts(everything)}
    assert list(verdicts) == days
    assert verdicts[days[5]] is Decision.HOLD
    assert [(mark.key, mark.kind) for mark in store.marks(everything)] == [
        (days[4], MarkKind.EXPECTED)
    ]
    assert store.metrics(everything)
    assert store.derived(TableSchema, "orders", days).keys() == set(days[:5])
    held = Selection("orders", status=BatchStatus.HELD)
    assert [batch.key for batch in store.batches(held)] == days[5:]
    assert store.derived(TableSchema, "orders", status=BatchStatus.HELD).keys() == {days[5]}
    assert store.datasets() == ("orders",)
    assert store.changes("orders") == DatasetVersion(5, 0)

    gate = Gate("orders", store, Suite.read(HERE / "orders.yaml"))
    assert [held.batch.key for held in gate.quarantine.waiting()] == [days[5]]
    df = spark.createDataFrame(rows(6), FIELDS)
    verdict = gate.submit(df, "day=2026-11-07", time=START + timedelta(days=6))
    assert verdict.accepted
    assert verdict.n_history == 5
