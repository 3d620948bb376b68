"""What a store knows of a batch, gathered for its report. No rows are read, nothing is judged anew.

Rules that nobody approved are not kept: they are learned again, from the batches before it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace

from assay.analyzers import ValueProfile
from assay.analyzers.analyzer import Analyzer
from assay.analyzers.state import State
from assay.errors import StoreError
from assay.gate.budget import Budget
from assay.gate.finding import Finding
from assay.gate.history import GateHistory, columns_of, load_history
from assay.gate.quarantine import record_of
from assay.gate.stored_findings import findings_of
from assay.gate.table_schema import TableSchema
from assay.learn.fingerprint.column_stats import Fingerprint
from assay.learn.fingerprint.from_states import fingerprint_of
from assay.learn.limits.column_limits import Settings
from assay.learn.limits.judge_limits import LimitResult as Limit
from assay.learn.limits.table_limits import TableLimits, approved, judge_batch, learn_limits
from assay.learn.novelty.metrics import METRICS, Feature
from assay.report.html.findings import Metric, metric_of
from assay.report.html.privacy import is_value_metric
from assay.report.html.report import Report
from assay.report.html.sparkline import MetricSeries
from assay.store.batch import QUARANTINED, Batch, BatchStatus, Selection
from assay.store.protocol import Store
from assay.suite.settings import GateSettings

__all__ = ["report_of"]

#: rules of wider tables are not learned for a report
_WIDE = 100


def report_of(
    store: Store, dataset: str, batch: str, settings: GateSettings | None = None
) -> Report:
    """The report on a batch that was judged, held ones too.

    `settings` are those of its gate: the store does not know the budget, nor a season.
    """
    said = store.verdicts(Selection.one(dataset, batch))
    own, states = _remembered(store, dataset, batch)
    if own is None:
        if not said:
            raise StoreError(f"{dataset} has no batch {batch!r}, and none was judged.")
        own = Batch(dataset, batch, said[-1].time)
    verdict = said[-1] if said else None
    known = load_history(store, dataset, until=own.time, but=batch)
    findings = () if verdict is None else findings_of(store, verdict)
    fingerprint = fingerprint_of(states) if states else None
    limits = _load_limits(store, dataset, known, settings or GateSettings())
    private = _private(states, settings)
    kept, unknown = _kept(limits, known, fingerprint, findings, private)
    batches = known.metrics.batches
    return Report(
        own,
        None if verdict is None else verdict.decision,
        findings,
        None if verdict is None else verdict.time,
        store.marks(Selection.one(dataset, batch)),
        record_of(store, dataset, but=batch),
        None if settings is None else float(settings.budget),
        len(batches),
        fingerprint,
        known.metrics.last,
        batches[-1] if batches else None,
        _columns(store, dataset, batch, fingerprint),
        known.schema,
        {metric_of(each): _past(each, known) for each in findings if each.alarm},
        kept,
        unknown,
        limits,
        private,
        str(getattr(store, "name", type(store).__name__)),
    )


def _remembered(
    store: Store, dataset: str, key: str
) -> tuple[Batch | None, Mapping[Analyzer, State]]:
    """The batch and its states, as part of the dataset or held apart from it."""
    for status in (BatchStatus.ACCEPTED, QUARANTINED):
        for batch, states in store.states(Selection.one(dataset, key, status)).items():
            return replace(batch, status=BatchStatus.ACCEPTED), states
    return None, {}


def _columns(
    store: Store, dataset: str, key: str, fingerprint: Fingerprint | None
) -> TableSchema | None:
    """As noted down; else those of which something was measured, of types that are not known."""
    for status in (BatchStatus.ACCEPTED, BatchStatus.HELD):
        columns = columns_of(store, dataset, key, status)
        if columns is not None:
            return columns
    if fingerprint is None:
        return None
    return TableSchema(tuple((name, "") for name in fingerprint.columns))


def _private(states: Mapping[Analyzer, State], settings: GateSettings | None) -> frozenset[str]:
    hidden = {each.column for each in states if isinstance(each, ValueProfile) and each.hidden}
    return frozenset(hidden | set(() if settings is None else settings.private))


def _past(finding: Finding, known: GateHistory) -> MetricSeries:
    keys = tuple(each.key for each in known.metrics.batches)
    column, metric = finding.column, finding.metric or ""
    if finding.judge == "novelty":
        outward = METRICS[metric].outward if metric in METRICS else float
        values = [each.get(Feature(column, metric), math.nan) for each in known.features]
        return MetricSeries(
            keys[-len(values) :], tuple(outward(v) if v == v else v for v in values)
        )
    # the number of rows is the same for all columns
    values = [
        next((own[metric] for own in each.values() if metric in own), math.nan)
        if column is None
        else each.get(column, {}).get(metric, math.nan)
        for each in known.metrics.metrics
    ]
    return MetricSeries(keys, tuple(values))


def _load_limits(
    store: Store, dataset: str, known: GateHistory, settings: GateSettings
) -> TableLimits | str | None:
    fixed = approved(store, dataset)
    if fixed is not None:
        return fixed
    last = known.metrics.last
    if last is None:
        return None
    if len(last.columns) > _WIDE:
        return (
            f"The rules of {len(last.columns):,} columns are learned anew for each batch, and are"
            " not listed here."
        )
    strict = Settings(delta=Budget.from_settings(settings).hold, season=settings.season)
    return learn_limits(known.metrics, strict)


def _kept(
    limits: TableLimits | str | None,
    known: GateHistory,
    fingerprint: Fingerprint | None,
    findings: Iterable[Finding],
    private: frozenset[str],
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Limits that the batch keeps, and what could not be told."""
    if not isinstance(limits, TableLimits) or fingerprint is None:
        return (), ()
    broken: set[Metric] = {metric_of(each) for each in findings}

    def told(limit: Limit) -> bool:
        hidden = limit.column in private and is_value_metric(limit.metric)
        return not hidden and ("limits", limit.column, limit.metric) not in broken

    results = [each for each in judge_batch(limits, known.metrics, fingerprint) if told(each)]
    kept = tuple(str(each) for each in results if each.status == "kept")
    young = tuple(each.reason for each in results if each.status == "not enough history")
    return kept, tuple(str(each) for each in results if each.status == "unknown") + young
