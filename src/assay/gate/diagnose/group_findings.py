"""Group alarms with one cause into a problem.

One event is one problem. If rows are missing, the sums and distances of all columns change as
well. These findings are evidence of the problem with the rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from assay.checks.formatting import visible
from assay.gate.causes.cause import CauseCode, priority
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
from assay.gate.finding import Finding, worst_first
from assay.gate.problem import Problem
from assay.learn.fingerprint import metrics
from assay.store.verdict import Decision

__all__ = ["capitalized", "group_findings"]

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
_BREAK_RELATIONS = frozenset(
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
#: columns that a sentence names
_MAX_COLUMNS_NAMED = 5

#: The problem of a finding: findings with an equal key have one cause.
_Key = tuple[object, ...]


def group_findings(
    alarms: Iterable[Finding], compared: Comparison | None = None
) -> tuple[Problem, ...]:
    """Group alarms whose causes are known into problems, the worst first."""
    alarms = list(alarms)
    events = _Events.of(alarms, compared)
    groups: dict[_Key, list[Finding]] = {}
    for finding in worst_first(alarms):
        groups.setdefault(events.key_of(finding), []).append(finding)
    problems = [_to_problem(group) for group in groups.values()]
    return tuple(sorted(problems, key=_problem_order))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Events:
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
    def of(alarms: Sequence[Finding], compared: Comparison | None) -> _Events:
        """Find the events."""
        last = None if compared is None else compared.last
        return _Events(
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
                and cause_code(alarm) in _BREAK_RELATIONS
            ),
            shared_columns=_shared_columns(alarms),
        )

    def key_of(self, finding: Finding) -> _Key:
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


def _to_problem(findings: Sequence[Finding]) -> Problem:
    follow = [finding for finding in findings if _follows(finding, findings)]
    direct = [finding for finding in findings if finding not in follow]
    lead = min(direct, key=_rank)
    ordered = (lead, *(finding for finding in direct if finding is not lead), *follow)
    code = cause_code(lead)
    columns = tuple(dict.fromkeys(name for finding in (lead, *direct) for name in finding.columns))
    about_table = code in ROW_CAUSES or code in (CauseCode.REDELIVERED, CauseCode.COLUMNS_SHIFTED)
    return Problem(
        cause_code=str(code),
        cause=_sentence(lead, code, columns, direct),
        columns=() if about_table else columns,
        level=worst_first(findings)[0].level,
        findings=ordered,
    )


def _follows(finding: Finding, findings: Sequence[Finding]) -> bool:
    """Return whether a broken relation follows from the changed values of a column."""
    return finding.judge == "relations" and any(
        other.judge != "relations" and cause_code(other) in _BREAK_RELATIONS for other in findings
    )


def _rank(finding: Finding) -> tuple[bool, int, bool, bool]:
    """Order findings by cause. A harmless change of type, such as of whole numbers, comes last.

    Findings of segments come before others with the same cause, since they name the segment.
    Findings about the table come before those about columns if the cause is about the rows.
    """
    code = cause_code(finding)
    is_harmless = code == CauseCode.TYPE_CHANGED and finding.level is Decision.WARN
    is_consequence = code in ROW_CAUSES and finding.column is not None
    return is_harmless, priority(code), finding.judge != "segments", is_consequence


def _sentence(lead: Finding, code: str, columns: Sequence[str], findings: Sequence[Finding]) -> str:
    """Return the cause in words, and the first check that fails for it."""
    if code in (CauseCode.COLUMN_GONE, CauseCode.COLUMN_NEW) and len(columns) > 1:
        state = "gone" if code == CauseCode.COLUMN_GONE else "new"
        n_more = len(columns) - _MAX_COLUMNS_NAMED
        names = ", ".join(map(visible, columns[:_MAX_COLUMNS_NAMED]))
        more = f" and {n_more:,} more" if n_more > 0 else ""
        return f"{len(columns):,} columns are {state}: {names}{more}."
    checks = [finding for finding in findings if finding.judge == "checks"]
    if not checks or (lead.judge == "checks" and lead.cause is None):
        return capitalized(lead.reason) if lead.cause is None else lead.cause
    cause = capitalized(lead.reason) if lead.cause is None else lead.cause
    return f"{cause} {capitalized(checks[0].reason)}"


def _problem_order(problem: Problem) -> tuple[bool, int, float]:
    return not problem.holds, priority(problem.cause_code), -problem.severity


def capitalized(text: str) -> str:
    """Return a sentence with a capital; a first word that is code, such as ``f(x)``, stays."""
    first_word = text.partition(" ")[0]
    return text[:1].upper() + text[1:] if first_word.isalpha() else text
