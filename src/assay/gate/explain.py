"""Where a deviation sits: the segment of a batch that holds most of the rows that deviate.

One job over the batch, whatever the number of columns that it is split by.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from assay.analyzers.aggregate_expr import sql_string
from assay.analyzers.schema import quote
from assay.checks.formatting import visible
from assay.engine.frame import schema_of, unambiguous
from assay.gate.finding import Finding
from assay.gate.resubmission import is_of
from assay.gate.stored_findings import Explanation
from assay.gate.verdict import Verdict
from assay.learn.fingerprint.column_stats import Fingerprint
from assay.learn.fingerprint.from_states import fingerprint_of
from assay.learn.limits.metric_history import load_metric_history
from assay.store.batch import BatchStatus, Selection
from assay.store.protocol import Store

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["deviating", "explain", "segment_of"]

#: one job each for this many columns, the worst first
MAX_EXPLAINED_COLUMNS = 3

#: columns with no more values than this split a batch
_FEW = 30
_SPLITS = 12
#: a segment is told of if it has so much of what deviates, and so much more than its share of rows
_MOST, _MORE = 0.6, 1.5
_LISTED = 500


def explain(
    store: Store, df: DataFrame, verdict: Verdict, *, private: Collection[str] = ()
) -> Verdict:
    """Return the verdict with the segments in which columns deviate, and remember them."""
    if verdict.proposal is None:
        return verdict
    batch = verdict.batch
    fingerprint = fingerprint_of(verdict.proposal.measured.states)
    last = load_metric_history(store, batch.dataset, until=batch.time, but=batch.key, latest=1).last
    segments: dict[str | None, str | None] = {}
    for finding in verdict.alarms:
        done = finding.column in segments or deviating(finding, last) is None
        if not done and len(segments) < MAX_EXPLAINED_COLUMNS:
            segments[finding.column] = segment_of(df, finding, fingerprint, last, but=private)
    findings = (
        replace(finding, where=finding.where or segments.get(finding.column))
        if finding.alarm
        else finding
        for finding in verdict.findings
    )
    explained = replace(verdict, findings=tuple(findings))
    stored = store.verdicts(Selection.one(batch.dataset, batch.key))
    if stored and is_of(stored[-1], verdict):  # and not on a later version of the batch
        explanation = Explanation(
            stored[-1].time.isoformat(), [finding.where for finding in explained.findings]
        )
        status = BatchStatus.ACCEPTED if verdict.accepted else BatchStatus.HELD
        store.save(batch.dataset, batch.key, explanation, status)
    return explained


def deviating(finding: Finding, last: Fingerprint | None) -> str | None:
    """A condition on the rows that deviate, where there is one."""
    if finding.column is None or finding.metric is None or finding.judge == "schema":
        return None
    column = quote(finding.column)
    before = None if last is None else last.columns.get(finding.column)
    match finding.metric:
        case "complete_ratio" | "completeness" | "unseen nulls" | "rare nulls":
            return f"{column} IS NULL"
        case "empty_ratio":
            return f"{column} = ''"
        case "zero_ratio" | "zeros":
            return f"{column} = 0"
        case "negative_ratio" | "negatives":
            return f"{column} < 0"
        case _:
            pass
    if before is None:
        return None
    if before.kind == "numeric":
        return _outside(column, before["min"], before["max"])
    if (
        before.value_counts
        and not before.uncounted(before.value_counts)
        and len(before.value_counts) <= _LISTED
    ):
        return f"{column} NOT IN ({', '.join(map(sql_string, before.value_counts))})"
    return None


def _outside(column: str, low: float, high: float) -> str | None:
    """Outside of what was before; what is infinite, or not known, bounds nothing."""
    bounds = [
        f"{column} {sign} {bound!r}"
        for sign, bound in (("<", low), (">", high))
        if math.isfinite(bound)
    ]
    return " OR ".join(bounds) or None


def segment_of(
    df: DataFrame,
    finding: Finding,
    batch: Fingerprint,
    last: Fingerprint | None,
    *,
    but: Collection[str] = (),
) -> str | None:
    """The segment with most of the rows that deviate, in words; None if they are everywhere.

    A column that the batch does not have, or has words in where numbers were, deviates in none.
    Columns in `but` split nothing: their
    values are nobody's to see.
    """
    condition, schema = deviating(finding, last), schema_of(df)
    splits = _splits(batch, {finding.column, *but})
    column = finding.column or ""
    tables = {e.columns[column].kind for e in (batch, last) if e and column in e.columns}
    if condition is None or not splits or not schema.has(column) or len(tables) > 1:
        return None
    from pyspark.sql import functions as F

    pairs = ", ".join(
        f"struct({sql_string(name)} AS name, cast({schema.column(name).sql} AS string) AS value)"
        for name in splits
    )
    rows = unambiguous(df, schema).selectExpr(
        f"coalesce({schema.resolved(condition)}, false) AS bad", f"explode(array({pairs})) AS s"
    )
    counted = (
        rows.groupBy("s.name", "s.value")
        .agg(F.count("*").alias("rows"), F.count_if("bad").alias("bad"))
        .collect()
    )
    bad = sum(each["bad"] for each in counted) / len(splits)
    if not bad:
        return None
    best = max(counted, key=lambda each: each["bad"] / bad - each["rows"] / batch.rows)
    share, of_rows = best["bad"] / bad, best["rows"] / max(1, batch.rows)
    if share < _MOST or share < _MORE * of_rows:
        return None
    value = "null" if best["value"] is None else repr(visible(best["value"]))
    return (
        f"{visible(best['name'])} = {value} has {share:.0%} of the rows that deviate, and"
        f" {of_rows:.0%} of all."
    )


def _splits(batch: Fingerprint, but: Collection[str | None]) -> Sequence[str]:
    """Columns with few values, those with the fewest first."""
    found = [
        name for name, stats in batch.columns.items() if name not in but and stats.is_category(_FEW)
    ]
    return sorted(found, key=lambda name: len(batch.columns[name].value_counts))[:_SPLITS]
