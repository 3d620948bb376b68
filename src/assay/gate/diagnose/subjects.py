"""The subject of a finding: its cause, its metric, and whether it is about the rows."""

from __future__ import annotations

from assay.gate.causes.cause import CauseCode
from assay.gate.finding import Finding
from assay.learn.fingerprint import metrics

__all__ = [
    "FOLLOW_FROM_ROWS",
    "LEARNERS",
    "ROW_CAUSES",
    "cause_code",
    "is_about_rows",
    "metric_name",
    "metric_of_check",
]

#: judges that compare metrics with earlier batches, or with an older table
LEARNERS = frozenset(("limits", "novelty", "comparison", "provisional"))
#: causes about the rows of the batch
ROW_CAUSES = frozenset(
    (
        CauseCode.NO_ROWS,
        CauseCode.SEGMENT_MISSING,
        CauseCode.ROWS_MISSING,
        CauseCode.ROWS_REPEATED,
        CauseCode.ROWS_DUPLICATED,
        CauseCode.ROW_COUNT,
    )
)
#: causes that a missing or repeated part of the rows explains as well
FOLLOW_FROM_ROWS = frozenset(
    (
        CauseCode.UNKNOWN,
        CauseCode.SHARES_MOVED,
        CauseCode.VALUES_SHIFTED,
        CauseCode.VALUES_GONE,
        CauseCode.OFFSET,
        CauseCode.NULLS_FELL,
        CauseCode.KEY_DUPLICATED,
        CauseCode.CONSTANT,
        CauseCode.FORMAT_CHANGED,
        CauseCode.ZEROS_ROSE,
        CauseCode.NEGATIVES_ROSE,
    )
)


def cause_code(finding: Finding) -> str:
    """Return the code of its cause. Alarms without a known cause have a code as well."""
    if finding.cause_code is not None:
        return finding.cause_code
    return CauseCode.CONSTRAINT_FAILED if finding.judge == "checks" else CauseCode.UNKNOWN


def metric_name(finding: Finding) -> str | None:
    """Return the name of its metric in the catalogue."""
    return None if finding.metric is None else metrics.canonical_name(finding.metric)


def is_about_rows(finding: Finding) -> bool:
    """Return whether it reports an unusual number of rows."""
    is_learned = finding.judge in LEARNERS or finding.judge == "empty"
    return is_learned and finding.column is None and metric_name(finding) == metrics.ROW_COUNT


def metric_of_check(finding: Finding) -> str | None:
    """Return the metric on which a failed constraint sets limits, or None.

    >>> from assay.store import Decision
    >>> metric_of_check(Finding("checks", Decision.HOLD, "", "id", "has_completeness(id)"))
    'complete_ratio'
    """
    method = (finding.metric or "").partition("(")[0]
    if method == "is_complete":
        return metrics.COMPLETENESS
    catalogue = metrics.all_metrics()
    return next((metric.name for metric in catalogue if metric.check_method == method), None)
