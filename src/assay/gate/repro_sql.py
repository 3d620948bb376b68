"""SQL that shows a finding on the batch itself, and a filter for the rows that it is about."""

from __future__ import annotations

from dataclasses import replace

from assay.analyzers.literal import read_names
from assay.analyzers.schema import quote
from assay.gate.causes.nulls import risen_nulls
from assay.gate.finding import Finding
from assay.learn.fingerprint import metrics
from assay.learn.fingerprint.column_stats import Fingerprint

__all__ = ["filter_of_nulls", "with_repro_sql", "with_rows"]


def with_repro_sql(finding: Finding, batch: Fingerprint, last: Fingerprint | None) -> Finding:
    """Return the finding with the query that shows it, and the filter of its rows if any."""
    column, metric = finding.column, finding.metric
    if column is not None and column not in batch.columns:
        return finding
    if column is None and metrics.canonical_name(metric or "") in metrics.NULL_COMBINATIONS:
        row_filter = filter_of_nulls(batch, last)
    else:
        row_filter = metrics.rows(
            metric, column, actual=finding.actual, low=finding.low, high=finding.high
        )
    return replace(finding, sql=metrics.sql(metric, column, row_filter), row_filter=row_filter)


def with_rows(finding: Finding, row_filter: str | None) -> Finding:
    """Return the finding with the filter of its rows, and a query that counts their values.

    Without a column, the query counts the rows. Without a filter, the finding stays as it is.
    """
    if row_filter is None:
        return finding
    if finding.column is None:
        sql = f"SELECT count(*) FROM batch WHERE {row_filter}"  # noqa: S608
        return replace(finding, sql=sql, row_filter=row_filter)
    quoted = quote(finding.column)
    count = f"SELECT {quoted}, count(*) FROM batch"  # noqa: S608
    sql = f"{count} WHERE {row_filter} GROUP BY 1 ORDER BY 2 DESC"
    return replace(finding, sql=sql, row_filter=row_filter)


def filter_of_nulls(batch: Fingerprint, last: Fingerprint | None) -> str | None:
    """Return a filter for the rows with the combination of nulls whose share rose most.

    The filter also excludes the columns that are null together with these in other rows. It is
    None if no combination became more frequent, or if its columns are not known.
    """
    combination = None if last is None else risen_nulls(batch, last)
    if combination is None:
        return None
    names = read_names(combination)
    if not batch.columns.keys() >= set(names):
        return None
    wider = (set(other) for other in map(read_names, batch.nulls) if set(other) > set(names))
    excluded = {name for other in wider for name in other} - set(names)
    conditions = [f"{quote(name)} IS NULL" for name in names]
    conditions += [f"{quote(name)} IS NOT NULL" for name in batch.columns if name in excluded]
    return " AND ".join(conditions)
