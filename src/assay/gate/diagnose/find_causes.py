"""Find the most likely cause of each alarm."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from assay.analyzers.literal import read_names
from assay.checks.formatting import visible
from assay.gate.causes.cause import Cause, CauseCode, priority
from assay.gate.causes.column_change import ColumnChange, Comparison, most_frequent_value
from assay.gate.causes.events import TableEvents
from assay.gate.causes.nulls import cause_of_nulls, filled_column, nulls_fell, risen_nulls
from assay.gate.causes.registry import ColumnCauses
from assay.gate.causes.rows import missing_segment, row_count
from assay.gate.diagnose.alarm_history import AlarmHistory
from assay.gate.diagnose.group_findings import capitalized
from assay.gate.diagnose.subjects import (
    FOLLOW_FROM_ROWS,
    LEARNERS,
    cause_code,
    is_about_rows,
    metric_name,
    metric_of_check,
)
from assay.gate.finding import Finding
from assay.gate.repro_sql import with_rows
from assay.learn.fingerprint import metrics
from assay.learn.fingerprint.column_stats import Fingerprint
from assay.store.verdict import Decision, VerdictRecord

__all__ = ["find_causes"]

#: judges that compare whole rows, and the levels at which they explain all columns
_ROW_JUDGES: Mapping[str, tuple[Decision, ...]] = {
    "redelivery": (Decision.HOLD,),
    "repeated rows": (Decision.HOLD, Decision.WARN),
    "segments": (Decision.HOLD, Decision.WARN),
}
#: causes named by a judge for which the values may show a more exact one
_REFINABLE = frozenset(
    (
        CauseCode.FORMAT_CHANGED,
        CauseCode.PATTERN_BROKEN,
        CauseCode.TYPE_CHANGED,
        CauseCode.KEY_DUPLICATED,
    )
)
#: causes by which the values of a key repeat
_REPEAT_VALUES = frozenset(
    (
        CauseCode.CONSTANT,
        CauseCode.EMPTY_STRINGS_ROSE,
        CauseCode.DEFAULT_ROSE,
        CauseCode.ZEROS_ROSE,
        CauseCode.TEXT_CUT,
    )
)
#: the number of rows explains alarms in this many columns, and in this share of the columns
_MIN_COLUMNS, _MIN_SHARE_OF_COLUMNS = 3, 0.2
#: nulls that rise in this many columns together are one event
_MIN_COLUMNS_TOGETHER = 2


def find_causes(
    findings: Iterable[Finding], compared: Comparison, verdicts: Sequence[VerdictRecord] = ()
) -> list[Finding]:
    """Return the alarms among findings, with their most likely causes."""
    history = AlarmHistory.of(verdicts)
    alarms = [
        replace(finding, since=finding.since or history.start_of_run(finding))
        for finding in findings
        if finding.alarm
    ]
    if compared.last is None or not alarms:
        return alarms
    columns = {
        finding.column
        for finding in alarms
        if finding.column is not None and finding.cause_code != CauseCode.SLOW_DRIFT
    }
    min_columns = max(_MIN_COLUMNS, _MIN_SHARE_OF_COLUMNS * len(compared.batch.columns))
    may_guess = len(columns) >= min_columns or any(map(is_about_rows, alarms))
    events = TableEvents.find(compared, columns, may_guess=may_guess)
    events = replace(events, rows=_judged_rows(alarms) or events.rows)
    causes = ColumnCauses(compared)
    caused = [_with_cause(finding, compared, events, causes) for finding in alarms]
    return _with_nulls_together(caused, compared)


def _with_nulls_together(findings: list[Finding], compared: Comparison) -> list[Finding]:
    """Name the combination of nulls as the cause if the nulls of several of its columns rose."""
    batch, last = compared.batch, compared.last
    rose = {finding.column for finding in findings if cause_code(finding) == CauseCode.NULLS_ROSE}
    if last is None or len(rose) < _MIN_COLUMNS_TOGETHER:
        return findings
    together = rose & set(read_names(risen_nulls(batch, last) or ""))
    if len(together) < _MIN_COLUMNS_TOGETHER:
        return findings
    cause = cause_of_nulls(batch, last)
    return [
        _set_cause(finding, cause)
        if finding.column in together and cause_code(finding) == CauseCode.NULLS_ROSE
        else finding
        for finding in findings
    ]


def _judged_rows(alarms: Sequence[Finding]) -> Cause | None:
    """Return the cause of a judge that compared whole rows, which needs no guess."""
    for judge, levels in _ROW_JUDGES.items():
        for finding in alarms:
            is_certain = finding.judge == judge and finding.level in levels
            if judge == "segments" and finding.cause_code != CauseCode.SEGMENT_MISSING:
                continue
            if is_certain and finding.cause is not None and finding.cause_code in set(CauseCode):
                return Cause(CauseCode(finding.cause_code), finding.cause)
    return None


def _with_cause(
    finding: Finding, compared: Comparison, events: TableEvents, causes: ColumnCauses
) -> Finding:
    batch, last, metric = compared.batch, compared.last, metric_name(finding)
    if last is None or finding.cause_code == CauseCode.SLOW_DRIFT or finding.judge == "segments":
        return finding
    if finding.column is None:
        if metric in metrics.NULL_COMBINATIONS:
            swapped = _swapped_with_nulls(batch, last, events)
            of_nulls = swapped or cause_of_nulls(batch, last) or _nulls_filled(compared)
            return _set_cause(finding, of_nulls)
        if metric != metrics.ROW_COUNT:
            return finding
        of_rows = events.rows or row_count(batch, last, compared.usual_rows)
        return replace(
            _set_cause(finding, of_rows), where=missing_segment(batch, last, compared.private)
        )
    if events.shifted is not None:
        return _set_cause(finding, events.shifted)
    if finding.cause_code is not None and finding.cause_code not in _REFINABLE:
        return finding
    swapped = events.swapped.get(finding.column)
    return _set_cause(finding, swapped or _cause_in_column(finding, events, causes))


def _swapped_with_nulls(batch: Fingerprint, last: Fingerprint, events: TableEvents) -> Cause | None:
    """Return the swap of columns that brought new combinations of nulls with it."""
    names = read_names(risen_nulls(batch, last) or "") if events.swapped else ()
    return next((events.swapped[name] for name in names if name in events.swapped), None)


def _nulls_filled(compared: Comparison) -> Cause | None:
    name = None if compared.last is None else filled_column(compared.batch, compared.last)
    change = None if name is None else compared.column(name)
    return None if change is None else nulls_fell(change)


def _cause_in_column(finding: Finding, events: TableEvents, causes: ColumnCauses) -> Cause | None:
    metric = None if finding.judge == "schema" and finding.cause_code is None else finding.metric
    if finding.judge == "checks":
        metric = metric_of_check(finding)
    cause = None if finding.column is None else causes.of(finding.column, metric)
    if cause is not None and finding.cause_code is not None:
        cause = cause if _is_more_exact(cause.code, finding.cause_code) else None
    if cause is None and finding.column is not None:
        cause = _type_changed(finding, causes.change(finding.column))
    code = finding.cause_code or CauseCode.UNKNOWN if cause is None else cause.code
    is_old = events.rows is not None and events.rows.code is CauseCode.REDELIVERED
    is_learned = finding.judge in (*LEARNERS, "keys")
    follows = is_learned and (is_old or code in FOLLOW_FROM_ROWS)
    return events.rows if follows and events.rows is not None else cause


def _type_changed(finding: Finding, change: ColumnChange | None) -> Cause | None:
    """Return a changed type with a value of now and of before, which show why it changed."""
    if finding.cause_code != CauseCode.TYPE_CHANGED or change is None or not change.may_quote:
        return None
    now, before = most_frequent_value(change.now), most_frequent_value(change.before)
    # only strings have shapes: other types say enough
    if not change.now.shape_counts or now is None:
        return None
    like_before = "" if before is None else f"; before, like {visible(before)!r}"
    sentence = f"{capitalized(finding.reason)} Values look like {visible(now)!r}{like_before}."
    return Cause(CauseCode.TYPE_CHANGED, sentence)


def _is_more_exact(code: CauseCode, of_judge: str) -> bool:
    """Return whether the cause in the values says more than the cause that a judge named."""
    if of_judge == CauseCode.KEY_DUPLICATED:
        return code in _REPEAT_VALUES
    return code is not CauseCode.NULLS_ROSE and priority(code) < priority(of_judge)


def _set_cause(finding: Finding, cause: Cause | None) -> Finding:
    if cause is None:
        return finding
    explained = replace(
        finding,
        cause=cause.sentence,
        cause_code=cause.code.value,
        related=cause.columns or finding.related,
    )
    return with_rows(explained, cause.row_filter)
