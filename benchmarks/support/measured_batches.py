"""Keep measured batches in a file, so that a benchmark can judge them again without Spark."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from assay.analyzers.analyzer import parse_key
from assay.analyzers.metric import Problem
from assay.analyzers.state import State
from assay.engine.measurement import Measurement, Metric, metric_of
from assay.gate.measured_batch import MeasuredBatch
from assay.gate.segments.batch_segments import BatchSegments
from assay.gate.table_schema import TableSchema
from assay.learn.fingerprint.analyzers import FingerprintPlan
from assay.store.batch import Batch

__all__ = ["read_measured_batches", "write_measured_batches"]


def write_measured_batches(path: Path, batches: Iterable[MeasuredBatch]) -> None:
    """Write batches as compressed JSON lines. An interrupted write leaves no file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".part")
    with gzip.open(unfinished, "wt", encoding="utf-8", compresslevel=1) as file:
        for batch in batches:
            file.write(json.dumps(_to_json(batch)) + "\n")
    unfinished.replace(path)


def read_measured_batches(path: Path) -> Iterator[MeasuredBatch]:
    """Read what `write_measured_batches` wrote."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            yield _from_json(json.loads(line))


def _to_json(measured: MeasuredBatch) -> dict[str, Any]:
    batch, measurement = measured.batch, measured.measurement
    document: dict[str, Any] = {
        "dataset": batch.dataset,
        "key": batch.key,
        "time": batch.time.isoformat(),
        "unreadable": measured.unreadable,
        "code": measured.code,
        "schema": None if measured.schema is None else measured.schema.to_json(),
        "plan": None if measured.plan is None else measured.plan.to_json(),
        "segments": None if measured.segments is None else measured.segments.to_json(),
    }
    if measurement is not None:
        document["states"] = {
            analyzer.key: base64.b64encode(state.to_bytes()).decode()
            for analyzer, state in measurement.states.items()
        }
        document["problems"] = {
            analyzer.key: [metric.problem.code, metric.problem.reason]
            for analyzer, metric in measurement.metrics.items()
            if metric.problem is not None
        }
    return document


def _from_json(document: dict[str, Any]) -> MeasuredBatch:
    batch = Batch(document["dataset"], document["key"], datetime.fromisoformat(document["time"]))
    measurement = None
    if "states" in document:
        states = {
            parse_key(key): State.from_bytes(base64.b64decode(data))
            for key, data in document["states"].items()
        }
        metrics = {analyzer: metric_of(analyzer, state) for analyzer, state in states.items()}
        for key, (code, reason) in document["problems"].items():
            analyzer = parse_key(key)
            metrics[analyzer] = Metric(analyzer, problem=Problem(code, reason))
        measurement = Measurement(metrics, states)
    schema, plan, segments = document["schema"], document["plan"], document.get("segments")
    return MeasuredBatch(
        batch,
        measurement,
        None if schema is None else TableSchema.from_json(schema),
        document["unreadable"],
        document["code"],
        None if plan is None else FingerprintPlan.from_json(plan),
        segments=None if segments is None else BatchSegments.from_json(segments),
    )
