"""`LeadingEvents`: the events among the alarms of a batch that explain other alarms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assay.gate.causes.cause import CauseCode
from assay.gate.causes.column_change import Comparison
from assay.gate.causes.nulls import columns_null_together, filled_column
from assay.gate.diagnose.subjects import (
    FOLLOW_FROM_ROWS,
    LEARNERS,
    ROW_CAUSES,
    cause_code,
    is_about_rows,
    metric_name,
)
from assay.gate.finding import Finding
from assay.learn.fingerprint import metrics
from assay.store.verdict import Decision

__all__ = ["BREAK_RELATIONS", "LeadingEvents", "ProblemKey"]

#: several columns with one of these causes are one problem
_ACROSS_COLUMNS = frozenset(
    (
        CauseCode.KEY_DUPLICATED,
        CauseCode.COLUMNS_SHIFTED,
        CauseCode.COLUMN_GONE,
        CauseCode.COLUMN_NEW,
    )
)
_OF_NULLS = frozenset((CauseCode.NULLS_ROSE, CauseCode.NULLS_TOGETHER))
#: causes that nulls in other rows than before explain as well
_FOLLOW_FROM_NULLS = frozenset(
    (
        CauseCode.UNKNOWN,
        CauseCode.VALUES_SHIFTED,
        CauseCode.VALUES_GONE,
        CauseCode.SHARES_MOVED,
    )
)
#: Causes in one column that break its relations to other columns. If most values changed, the two
#: columns may look swapped.
BREAK_RELATIONS = frozenset(
    (
        CauseCode.DECIMAL_COMMA,
        CauseCode.TYPE_CHANGED,
        CauseCode.CONSTANT,
        CauseCode.CASE_CHANGED,
        CauseCode.SPACES_CHANGED,
        CauseCode.TEXT_CUT,
        CauseCode.EMPTY_STRINGS_ROSE,
        CauseCode.DEFAULT_ROSE,
        CauseCode.SEQUENCE_RESTARTED,
        CauseCode.UNIT_CHANGED,
        CauseCode.SIGN_CHANGED,
        CauseCode.OFFSET,
        CauseCode.TIME_SHIFTED,
        CauseCode.VALUE_RENAMED,
        CauseCode.ZEROS_ROSE,
        CauseCode.NEGATIVES_ROSE,
        CauseCode.FORMAT_CHANGED,
        CauseCode.VALUES_NEW,
        CauseCode.PATTERN_BROKEN,
    )
)
#: The problem of a finding: findings with an equal key have one cause.
ProblemKey = tuple[object, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LeadingEvents:
    """The events among the alarms of a batch that explain other alarms.

    Parameters
    ----------
    is_redelivered : bool
        Whether the batch is held as a repeated one.
    has_row_problem : bool
        Whether the number of rows is unusual.
    is_small : bool
        Whether the batch has too few rows to compare its columns.
    columns_gone : frozenset of str
        The columns that the batch lacks.
    columns_of_nulls : frozenset of str
        The columns that are null together.
    filled_column : str, optional
        The column that has values where it used to be null.
    changed_columns : frozenset of str
        Columns whose own values changed, which breaks their relations to other columns.
    shared_columns : mapping
        By broken relation, the column that it shares with other broken relations.
    """

    is_redelivered: bool
    has_row_problem: bool
    is_small: bool
    columns_gone: frozenset[str]
    columns_of_nulls: frozenset[str]
    filled_column: str | None
    changed_columns: frozenset[str]
    shared_columns: Mapping[Finding, str]

    @staticmethod
    def of(alarms: Sequence[Finding], compared: Comparison | None) -> LeadingEvents:
        """Find the events."""
        last = None if compared is None else compared.last
        return LeadingEvents(
            is_redelivered=any(
                alarm.judge == "redelivery" and alarm.level is Decision.HOLD for alarm in alarms
            ),
            has_row_problem=any(map(is_about_rows, alarms)),
            is_small=compared is not None and compared.is_small,
            columns_gone=frozenset(
                alarm.column
                for alarm in alarms
                if alarm.column is not None and cause_code(alarm) == CauseCode.COLUMN_GONE
            ),
            columns_of_nulls=_columns_of_nulls(alarms, compared),
            filled_column=None
            if compared is None or last is None
            else filled_column(compared.batch, last),
            changed_columns=frozenset(
                alarm.column
                for alarm in alarms
                if alarm.judge != "relations"
                and alarm.column is not None
                and cause_code(alarm) in BREAK_RELATIONS
            ),
            shared_columns=_shared_columns(alarms),
        )

    def key_of(self, finding: Finding) -> ProblemKey:
        """Return the key of the problem to which a finding belongs."""
        code, column = cause_code(finding), finding.column
        if finding.judge == "gate":
            return "gate", column, finding.reason
        if (changed := self._changed_column(finding)) is not None:
            return "column", changed
        if code == CauseCode.COLUMNS_SWAPPED:
            return "swapped", finding.cause
        if column in self.columns_gone:
            return "columns", CauseCode.COLUMN_GONE
        if code in _ACROSS_COLUMNS:
            return "columns", code
        if code == CauseCode.REDELIVERED or (self.is_redelivered and finding.judge in LEARNERS):
            return ("redelivery",)
        if self._is_explained_by_rows(finding):
            return ("rows",)
        if column is None and code == CauseCode.NULLS_FELL:
            return "column", self.filled_column
        if self._is_about_nulls(finding):
            return ("nulls",)
        if finding in self.shared_columns:
            return "column", self.shared_columns[finding]
        if column is None:
            return finding.judge, None if finding.judge == "dialect" else finding.metric
        return "column", column

    def _is_explained_by_rows(self, finding: Finding) -> bool:
        """Return whether it is about the row count, or a change of the row count explains it."""
        code = cause_code(finding)
        if is_about_rows(finding) or code in ROW_CAUSES:
            return True
        is_learned = finding.judge in LEARNERS and finding.column is not None
        if not self.has_row_problem or not is_learned:
            return False
        if self.is_small:
            return True
        metric = metrics.find(finding.metric)
        return code in FOLLOW_FROM_ROWS and metric is not None and metric.grows_with_rows

    def _changed_column(self, finding: Finding) -> str | None:
        """Return the changed column that explains a broken relation.

        If both columns of a pair changed, they may be swapped indeed.
        """
        if finding.judge != "relations":
            return None
        changed = [name for name in finding.columns if name in self.changed_columns]
        is_swap = cause_code(finding) == CauseCode.COLUMNS_SWAPPED
        if not changed or (is_swap and len(changed) > 1):
            return None
        return changed[0]

    def _is_about_nulls(self, finding: Finding) -> bool:
        """Return whether it is about the columns that are null together, or follows from that."""
        if finding.column is None:
            return metric_name(finding) in metrics.NULL_COMBINATIONS
        if finding.column not in self.columns_of_nulls:
            return False
        code = cause_code(finding)
        return code in _OF_NULLS or (finding.judge in LEARNERS and code in _FOLLOW_FROM_NULLS)


def _shared_columns(alarms: Sequence[Finding]) -> dict[Finding, str]:
    """Return the column that several broken relations share: its values are most likely wrong."""
    relations = [alarm for alarm in alarms if alarm.judge == "relations"]
    shared: dict[Finding, str] = {}
    while relations:
        counts = Counter(name for relation in relations for name in relation.columns)
        column, n_relations = counts.most_common(1)[0]
        if n_relations < 2:
            break
        shared |= {relation: column for relation in relations if column in relation.columns}
        relations = [relation for relation in relations if relation not in shared]
    return shared


def _columns_of_nulls(alarms: Sequence[Finding], compared: Comparison | None) -> frozenset[str]:
    """Return the columns of the combination of nulls that an alarm is about."""
    if compared is None or compared.last is None:
        return frozenset()
    is_reported = any(
        metric_name(alarm) in metrics.NULL_COMBINATIONS
        or cause_code(alarm) == CauseCode.NULLS_TOGETHER
        for alarm in alarms
    )
    return columns_null_together(compared.batch, compared.last) if is_reported else frozenset()
