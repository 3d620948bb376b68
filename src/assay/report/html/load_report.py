"""Load the report on a batch from its recorded verdict. No rows are read, nothing is judged again.

A verdict of version 0.1 recorded no evidence. Its report shows the findings, and the statistics of
the batch that are still stored.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from assay.errors import StoreError
from assay.gate.history import load_schema
from assay.gate.recorded import load_track_record, recorded_verdict
from assay.gate.table_schema import TableSchema
from assay.gate.verdict_evidence import fingerprint_of_json, schema_of_json
from assay.learn.fingerprint.column_stats import Fingerprint
from assay.learn.fingerprint.from_states import fingerprint_of
from assay.learn.limits.table_limits import TableLimits
from assay.learn.limits.table_limits import read as read_limits
from assay.report.html.findings import Metric
from assay.report.html.report import Report
from assay.report.html.sparkline import MetricSeries
from assay.store.batch import QUARANTINED, Batch, BatchStatus, Selection
from assay.store.protocol import Store
from assay.suite.settings import GateSettings

__all__ = ["report_of"]


def report_of(
    store: Store, dataset: str, batch: str, settings: GateSettings | None = None
) -> Report:
    """Load the report on a batch that was judged or only recorded, held batches included.

    Parameters
    ----------
    settings
        Settings of the gate, for the private columns of verdicts of version 0.1.

    Raises
    ------
    StoreError
        If the store knows no such batch.
    """
    with store.snapshot():
        records = store.verdicts(Selection.one(dataset, batch))
        stored = _stored_batch(store, dataset, batch)
        if not records and stored is None:
            raise StoreError(f"{dataset} has no batch {batch!r}, and none was judged.")
        marks = store.marks(Selection.one(dataset, batch))
        track_record = load_track_record(store, dataset, but=batch)
        verdict = recorded_verdict(store, records[-1]) if records else None
        evidence = {} if verdict is None else verdict.evidence
        fingerprint = _fingerprint(store, stored, evidence)
        schema = schema_of_json(evidence.get("schema"))
        if schema is None and stored is not None:
            schema = load_schema(store, stored) or _names_of(fingerprint)
    private = set(evidence.get("private", () if settings is None else settings.private))
    previous = evidence.get("previous_batch")
    return Report(
        Batch(dataset, batch) if verdict is None and stored is None else _batch(verdict, stored),
        None if verdict is None else verdict.decision,
        () if verdict is None else verdict.findings,
        records[-1].time if records else None,
        marks,
        track_record,
        verdict.budget if verdict is not None and verdict.budget else None,
        0 if verdict is None else verdict.n_history,
        fingerprint,
        fingerprint_of_json(evidence.get("columns_before")),
        None if previous is None else Batch(dataset, previous),
        schema,
        schema_of_json(evidence.get("schema_before")),
        _series(evidence),
        tuple(evidence.get("limits_kept", ())),
        tuple(evidence.get("limits_unknown", ())),
        _limits(dataset, evidence),
        frozenset(private),
        str(getattr(store, "name", type(store).__name__)),
    )


def _stored_batch(store: Store, dataset: str, key: str) -> Batch | None:
    for status in (BatchStatus.ACCEPTED, QUARANTINED):
        for batch in store.batches(Selection.one(dataset, key, status)):
            return batch
    return None


def _batch(verdict: Any, stored: Batch | None) -> Batch:
    if stored is not None:
        return Batch(stored.dataset, stored.key, stored.time)
    batch: Batch = verdict.batch
    return batch


def _fingerprint(
    store: Store, stored: Batch | None, evidence: Mapping[str, Any]
) -> Fingerprint | None:
    """Return the recorded statistics; those of the stored states if none are recorded."""
    if "columns" in evidence or stored is None:
        return fingerprint_of_json(evidence.get("columns"))
    selection = Selection.one(stored.dataset, stored.key, stored.status)
    states = next(iter(store.states(selection).values()), {})
    return fingerprint_of(states) if states else None


def _names_of(fingerprint: Fingerprint | None) -> TableSchema | None:
    """Return the measured columns, of unknown types."""
    if fingerprint is None:
        return None
    return TableSchema(tuple((name, "") for name in fingerprint.columns))


def _series(evidence: Mapping[str, Any]) -> dict[Metric, MetricSeries]:
    return {
        (series["judge"], series["column"], series["metric"]): MetricSeries(
            tuple(series["batches"]),
            tuple(math.nan if value is None else value for value in series["values"]),
        )
        for series in evidence.get("series", ())
    }


def _limits(dataset: str, evidence: Mapping[str, Any]) -> TableLimits | None:
    document = evidence.get("limits")
    if document is None or not document["columns"]:
        return None
    columns = [read_limits(column) for column in document["columns"]]
    by_column = {column.column: column for column in columns}
    return TableLimits(dataset, by_column, {}, document["batches"], document["approved_by"])
