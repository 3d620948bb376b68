from datetime import UTC, datetime
from pathlib import Path

from assay.analyzers import Completeness, Mean, Size
from assay.analyzers.analyzer import Analyzer
from assay.analyzers.counting import Count, Ratio
from assay.analyzers.metric import Problem
from assay.analyzers.state import State
from assay.engine.measurement import Measurement, Metric
from assay.gate.measured_batch import MeasuredBatch
from assay.gate.table_schema import TableSchema
from assay.learn.fingerprint.analyzers import ColumnPlan, FingerprintPlan
from assay.store.batch import Batch
from benchmarks.support.measured_batches import read_measured_batches, write_measured_batches


def test_measured_batches_are_read_as_they_were_written(tmp_path: Path) -> None:
    states: dict[Analyzer, State] = {Size(): Count(4), Completeness("a"): Ratio(3, 4)}
    metrics: dict[Analyzer, Metric] = {
        Size(): Metric(Size(), 4),
        Completeness("a"): Metric(Completeness("a"), 0.75),
        Mean("a"): Metric(Mean("a"), problem=Problem("wrong_type", "it is text")),
    }
    day = datetime(2026, 11, 19, tzinfo=UTC)
    readable = MeasuredBatch(
        Batch("d", "2026-11-19", day),
        Measurement(metrics, states),
        TableSchema((("a", "string"),)),
        plan=FingerprintPlan((ColumnPlan(name="a", text=True),)),
    )
    unreadable = MeasuredBatch(Batch("d", "2026-11-20", day), None, None, "it is HTML", "html")
    path = tmp_path / "folder" / "batches.jsonl.gz"

    write_measured_batches(path, [readable, unreadable])

    assert list(read_measured_batches(path)) == [readable, unreadable]
