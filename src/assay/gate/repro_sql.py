"""The SQL that shows a finding again, on the batch itself, and which rows it is about.

>>> print(reproduction("e-mail", "complete_ratio"))
SELECT count(`e-mail`) / nullif(count(*), 0) FROM batch
>>> print(selection("e-mail", "complete_ratio", 0.5, 0.98, 1.0))
`e-mail` IS NULL
"""

from __future__ import annotations

from dataclasses import replace

from assay.analyzers.literal import read_names
from assay.analyzers.schema import quote
from assay.gate.causes.table_causes import risen_nulls
from assay.gate.finding import Finding
from assay.learn.fingerprint import metrics
from assay.learn.fingerprint.column_stats import Fingerprint

__all__ = ["null_rows", "reproduction", "selection", "with_repro_sql"]


def reproduction(column: str | None, metric: str | None, rows: str | None = None) -> str | None:
    """Return the query of the catalogue that shows a metric."""
    return metrics.sql(metric, column, rows)


def selection(
    column: str | None,
    metric: str | None,
    observed: float | None,
    low: float | None,
    high: float | None,
) -> str | None:
    """Return the catalogue's condition for the rows that push a metric out of its limits."""
    return metrics.rows(metric, column, actual=observed, low=low, high=high)


def null_rows(batch: Fingerprint, last: Fingerprint | None) -> str | None:
    """The condition of the rows whose combination of nulls became more frequent by the most.

    Of the other columns it names those that are null beside these in other rows. None where that
    cannot be said: no combination did, or its names are too many to be remembered.
    """
    most = None if last is None else risen_nulls(batch, last)
    if most is None:
        return None
    names = read_names(most)
    if not batch.columns.keys() >= set(names):
        return None
    seen = map(read_names, batch.nulls)
    more = {name for each in seen if set(each) > set(names) for name in each} - set(names)
    return " AND ".join(
        [
            *(f"{quote(name)} IS NULL" for name in names),
            *(f"{quote(name)} IS NOT NULL" for name in batch.columns if name in more),
        ]
    )


def with_repro_sql(finding: Finding, batch: Fingerprint, last: Fingerprint | None) -> Finding:
    """Return the finding with the query that shows it and the filter of its rows, if any."""
    column, metric = finding.column, finding.metric
    if column is not None and column not in batch.columns:
        return finding
    rows = selection(column, metric, finding.actual, finding.low, finding.high)
    if column is None and metrics.canonical_name(metric or "") in metrics.NULL_COMBINATIONS:
        rows = null_rows(batch, last)
    return replace(finding, sql=reproduction(column, metric, rows), row_filter=rows)
