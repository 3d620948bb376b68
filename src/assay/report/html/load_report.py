"""Load the report on a batch from its recorded verdict. No rows are read, nothing is judged again.

Version 0.1 recorded no evidence. The report of such a verdict shows its findings, and the
statistics of the batch that the store still has.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from assay.errors import StoreError
from assay.gate.history import load_schema
from assay.gate.stored_verdicts import recorded_fingerprint, recorded_verdict
from assay.gate.table_schema import TableSchema
from assay.gate.verdict_evidence import fingerprint_of_json, schema_of_json
from assay.html.sparkline import MetricSeries
from assay.learn.fingerprint.column_stats import Fingerprint
from assay.learn.limits.approved_limits import read as read_limits
from assay.report.html.problems import MetricKey
from assay.report.html.report import LearnedLimits, Report, Trend
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
    store
        The store of the gate.
    dataset, batch
        Name of the dataset and key of the batch.
    settings
        Settings of the gate. Only verdicts of version 0.1 need them, for the private columns.

    Returns
    -------
    Report
        Its property `html` is the page; `write` saves it.

    Raises
    ------
    StoreError
        If the store has no such batch.
    """
    with store.snapshot():
        records = store.verdicts(Selection.one(dataset, batch))
        stored = _stored_batch(store, dataset, batch)
        verdict = recorded_verdict(store, records[-1]) if records else None
        if verdict is None and stored is None:
            raise StoreError(f"{dataset} has no batch {batch!r}, and none was judged.")
        marks = store.marks(Selection.one(dataset, batch))
        evidence = {} if verdict is None else verdict.evidence
        columns = _columns(store, stored, evidence)
        schema = schema_of_json(evidence.get("schema"))
        if schema is None and stored is not None:
            schema = load_schema(store, stored) or _names_of(columns)
    private = evidence.get("private", () if settings is None else settings.private)
    subject = stored or (Batch(dataset, batch) if verdict is None else verdict.batch)
    return Report(
        Batch(dataset, batch, subject.time),
        verdict,
        judged_at=records[-1].time if records else None,
        marks=marks,
        columns=columns,
        previous_columns=fingerprint_of_json(evidence.get("columns_before")),
        previous_batch=evidence.get("previous_batch"),
        schema=schema,
        previous_schema=schema_of_json(evidence.get("schema_before")),
        series=_series(evidence),
        trends=_trends(evidence),
        kept_limits=tuple(evidence.get("limits_kept", ())),
        open_limits=tuple(evidence.get("limits_unknown", ())),
        limits=_limits(evidence),
        private=frozenset(private),
        store=str(getattr(store, "name", type(store).__name__)),
    )


def _stored_batch(store: Store, dataset: str, key: str) -> Batch | None:
    for status in (BatchStatus.ACCEPTED, QUARANTINED):
        for batch in store.batches(Selection.one(dataset, key, status)):
            return batch
    return None


def _columns(store: Store, stored: Batch | None, evidence: Mapping[str, Any]) -> Fingerprint | None:
    """Return the recorded statistics; those of the stored states if none are recorded."""
    if "columns" in evidence or stored is None:
        return fingerprint_of_json(evidence.get("columns"))
    selection = Selection.one(stored.dataset, stored.key, stored.status)
    states = next(iter(store.states(selection).values()), {})
    return recorded_fingerprint(store, stored, states) if states else None


def _names_of(fingerprint: Fingerprint | None) -> TableSchema | None:
    """Return the measured columns, of unknown types."""
    if fingerprint is None:
        return None
    return TableSchema(tuple((name, "") for name in fingerprint.columns))


def _series(evidence: Mapping[str, Any]) -> dict[MetricKey, MetricSeries]:
    return {
        (series["judge"], series["column"], series["metric"]): MetricSeries(
            tuple(series["batches"]), _values(series["values"])
        )
        for series in evidence.get("series", ())
    }


def _trends(evidence: Mapping[str, Any]) -> dict[str | None, Trend]:
    """Return the recorded trends. Verdicts before version 0.2 have none."""
    document = evidence.get("trends")
    if document is None:
        return {}
    keys = tuple(document["batches"])
    return {
        entry["column"]: Trend(entry["metric"], MetricSeries(keys, _values(entry["values"])))
        for entry in document["metrics"]
    }


def _values(numbers: Iterable[float | None]) -> tuple[float, ...]:
    return tuple(math.nan if number is None else number for number in numbers)


def _limits(evidence: Mapping[str, Any]) -> LearnedLimits | None:
    document = evidence.get("limits")
    if document is None or not document["columns"]:
        return None
    columns = tuple(read_limits(column) for column in document["columns"])
    return LearnedLimits(columns, document["batches"], document["approved_by"])
