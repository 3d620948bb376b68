"""Explain a verdict: find the segment of the batch that has most of the deviating rows.

It reads the batch again, in one job for each column that is explained.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from assay.analyzers.aggregate_expr import sql_string
from assay.analyzers.metric import Problem
from assay.analyzers.schema import Schema, quote
from assay.checks.formatting import percent, visible
from assay.engine.failure import capture_failure
from assay.engine.frame import schema_of, unambiguous
from assay.errors import CheckError
from assay.gate.context import BatchContext, load_context
from assay.gate.finding import Finding
from assay.gate.spec import GateSpec
from assay.gate.stored_verdicts import Explanation
from assay.gate.verdict import Verdict
from assay.learn.fingerprint import metrics
from assay.learn.fingerprint.column_stats import Fingerprint
from assay.learn.fingerprint.from_states import fingerprint_of
from assay.store.batch import BatchStatus, Selection

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row

__all__ = ["deviating_rows", "explain", "segment_of"]

#: columns that are explained, with one job each; the worst first
MAX_EXPLAINED_COLUMNS = 3
#: a column splits the batch into segments if it has at most this many distinct values
MAX_SEGMENTS = 30
#: columns by which a batch is split, those with the fewest values first
MAX_SPLIT_COLUMNS = 12
#: a segment is named if it has this share of the deviating rows ...
MIN_SHARE = 0.6
#: ... and this many times its share of all rows
MIN_RATIO = 1.5
#: known values that a SQL condition lists at most
MAX_LISTED_VALUES = 500


def explain(spec: GateSpec, df: DataFrame, verdict: Verdict) -> Verdict:
    """Return the verdict with the segments in which columns deviate, and record them.

    A stored verdict never changes: the segments are a record of their own.

    Raises
    ------
    CheckError
        If the verdict was recorded, and the store no longer has the batch.
    """
    store, batch = spec.store, verdict.batch
    schema = schema_of(df)
    context = load_context(store, batch, spec.settings, spec.budget, spec.load_index)
    fingerprint = _fingerprint_of(spec, schema, verdict, context)
    private = schema.top_level(spec.settings.private)
    segments: dict[str, str] = {}
    explained: set[str | None] = set()
    for finding in verdict.alarms:
        if finding.column in explained or len(explained) >= MAX_EXPLAINED_COLUMNS:
            continue
        if deviating_rows(finding, context.previous, private) is None:
            continue
        explained.add(finding.column)
        segment = segment_of(df, finding, fingerprint, context.previous, private=private)
        if segment is not None:
            segments[finding.column or ""] = segment
    records = store.verdicts(replace(Selection.one(batch.dataset, batch.key), latest=1))
    explanation = Explanation("", segments)
    # a later verdict is on another version of the batch, which this does not explain
    if records and list(records[-1].findings) == [f.to_dict() for f in verdict.findings]:
        status = BatchStatus.ACCEPTED if verdict.accepted else BatchStatus.HELD
        explanation = replace(explanation, verdict_time=records[-1].time.isoformat())
        store.save(batch.dataset, batch.key, explanation, status)
    return explanation.apply(verdict)


def _fingerprint_of(
    spec: GateSpec, schema: Schema, verdict: Verdict, context: BatchContext
) -> Fingerprint:
    """Return the fingerprint of the batch: as it was just measured, or from the store."""
    if verdict.proposal is not None:
        return fingerprint_of(verdict.proposal.measured.states, spec.plan_fingerprint(schema))
    earlier = context.earlier_delivery
    version = earlier.accepted if verdict.accepted else earlier.quarantined
    if version is None:
        raise CheckError(
            f"cannot explain batch {verdict.batch.key!r}: the store has no batch of this key."
            " Submit the batch again."
        )
    return version[1]


def deviating_rows(
    finding: Finding, last: Fingerprint | None, private: Collection[str] = ()
) -> str | None:
    """Return a SQL condition for the rows that deviate; None if there is none.

    The values of private columns are known as hashes only, so they cannot be compared.
    """
    if finding.column is None or finding.metric is None or finding.judge == "schema":
        return None
    column = quote(finding.column)
    name = metrics.canonical_name(finding.metric)
    if name == metrics.COMPLETENESS or name in metrics.NULL_COMBINATIONS:
        return f"{column} IS NULL"
    if name in (metrics.EMPTY_RATIO, metrics.ZERO_RATIO, metrics.NEGATIVE_RATIO):
        metric = metrics.get(name)
        return None if metric.rows_if_high is None else metric.rows_if_high.format(c=column)
    before = None if last is None else last.columns.get(finding.column)
    if before is None or finding.column in private:
        return None
    if before.kind == "numeric":
        return _outside(column, before.minimum, before.maximum)
    counts = before.value_counts
    if counts and not before.uncounted(counts) and len(counts) <= MAX_LISTED_VALUES:
        return f"{column} NOT IN ({', '.join(map(sql_string, counts))})"
    return None


def _outside(column: str, low: float, high: float) -> str | None:
    """Return a condition for values outside a range. An infinite or unknown end is left out."""
    bounds = [
        f"{column} {operator} {bound!r}"
        for operator, bound in (("<", low), (">", high))
        if math.isfinite(bound)
    ]
    return " OR ".join(bounds) or None


def segment_of(
    df: DataFrame,
    finding: Finding,
    batch: Fingerprint,
    last: Fingerprint | None,
    *,
    private: Collection[str] = (),
) -> str | None:
    """Return the segment with most of the deviating rows, in words; None if there is none.

    Private columns split nothing, since a segment shows a value.
    """
    condition, schema = deviating_rows(finding, last, private), schema_of(df)
    columns = _split_columns(batch, {finding.column, *private})
    column = finding.column or ""
    # words in a column of numbers, or a column that is gone, cannot be compared
    kinds = {b.columns[column].kind for b in (batch, last) if b and column in b.columns}
    if condition is None or not columns or not schema.has(column) or len(kinds) > 1:
        return None
    segments = capture_failure(lambda: _count_segments(df, columns, condition))()
    if isinstance(segments, Problem):  # values of another type do not compare
        return None
    n_bad = sum(segment["n_bad"] for segment in segments) / len(columns)
    if not n_bad:
        return None
    best = max(
        segments,
        key=lambda segment: segment["n_bad"] / n_bad - segment["n_rows"] / batch.rows,
    )
    share, share_of_rows = best["n_bad"] / n_bad, best["n_rows"] / max(1, batch.rows)
    if share < MIN_SHARE or share < MIN_RATIO * share_of_rows:
        return None
    value = "null" if best["value"] is None else repr(visible(best["value"]))
    return (
        f"{visible(best['name'])} = {value} has {percent(share)} of the deviating rows, and"
        f" {percent(share_of_rows)} of all rows."
    )


def _count_segments(df: DataFrame, columns: Sequence[str], condition: str) -> list[Row]:
    """Count the rows, and the deviating rows, by each value of each column."""
    from pyspark.sql import functions as F

    schema = schema_of(df)
    pairs = ", ".join(
        f"struct({sql_string(name)} AS name, cast({schema.column(name).sql} AS string) AS value)"
        for name in columns
    )
    rows = unambiguous(df, schema).selectExpr(
        f"coalesce({schema.resolved(condition)}, false) AS bad", f"explode(array({pairs})) AS s"
    )
    counts = rows.groupBy("s.name", "s.value").agg(
        F.count("*").alias("n_rows"), F.count_if("bad").alias("n_bad")
    )
    return counts.collect()


def _split_columns(batch: Fingerprint, excluded: Collection[str | None]) -> Sequence[str]:
    """Return the columns with few values, those with the fewest first."""
    names = [
        name
        for name, stats in batch.columns.items()
        if name not in excluded and stats.is_category(MAX_SEGMENTS)
    ]
    return sorted(names, key=lambda name: len(batch.columns[name].value_counts))[:MAX_SPLIT_COLUMNS]
