"""Diagnose a batch: find the cause of each alarm, and group alarms with one cause into a problem.

One event is one problem. If rows are missing, the sums and distances of all columns change as
well. These findings are evidence of the problem with the rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from assay.analyzers.literal import read_names
from assay.checks.formatting import visible
from assay.gate.causes.cause import Cause, CauseCode, priority
from assay.gate.causes.column_change import ColumnChange, Comparison, most_frequent_value
from assay.gate.causes.events import TableEvents
from assay.gate.causes.nulls import cause_of_nulls, filled_column, nulls_fell, risen_nulls
from assay.gate.causes.registry import ColumnCauses
from assay.gate.causes.rows import missing_segment, row_count
from assay.gate.finding import Finding, judge_of, worst_first
from assay.gate.problem import Problem
from assay.gate.repro_sql import with_rows
from assay.learn.fingerprint import metrics
from assay.learn.fingerprint.column_stats import Fingerprint
from assay.store.verdict import Decision, VerdictRecord

__all__ = ["Comparison", "diagnose", "find_causes", "group_findings", "since"]

#: judges that compare metrics with earlier batches, or with an older table
_LEARNERS = frozenset(("limits", "novelty", "comparison", "provisional"))

#: judges that compare whole rows, and the levels at which they explain all columns
_ROW_JUDGES: Mapping[str, tuple[Decision, ...]] = {
    "redelivery": (Decision.HOLD,),
    "repeated rows": (Decision.HOLD, Decision.WARN),
    "segments": (Decision.HOLD, Decision.WARN),
}
_ROW_CAUSES = frozenset(
    (
        CauseCode.NO_ROWS,
        CauseCode.SEGMENT_MISSING,
        CauseCode.ROWS_MISSING,
        CauseCode.ROWS_REPEATED,
        CauseCode.ROWS_DUPLICATED,
        CauseCode.ROW_COUNT,
    )
)
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
#: causes that a missing or repeated part of the rows explains as well
_FOLLOW_FROM_ROWS = frozenset(
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
#: several columns with one of these causes are one problem
_ACROSS_COLUMNS = frozenset(
    (
        CauseCode.KEY_DUPLICATED,
        CauseCode.COLUMNS_SHIFTED,
        CauseCode.COLUMN_GONE,
        CauseCode.COLUMN_NEW,
    )
)
#: the number of rows explains alarms in this many columns, and in this share of the columns
MIN_COLUMNS, MIN_SHARE_OF_COLUMNS = 3, 0.2
MAX_COLUMNS_NAMED = 5
#: nulls that rise in this many columns together are one event
MIN_COLUMNS_TOGETHER = 2


def diagnose(
    findings: Iterable[Finding], compared: Comparison, verdicts: Sequence[VerdictRecord] = ()
) -> tuple[Problem, ...]:
    """Group the alarms among findings into problems, the worst first.

    Parameters
    ----------
    findings
        The findings of all judges.
    compared
        The batch, and the last accepted batch with rows.
    verdicts
        Verdicts on earlier batches, oldest first. They tell since when there are alarms.
    """
    return group_findings(find_causes(findings, compared, verdicts), compared)


def group_findings(
    alarms: Iterable[Finding], compared: Comparison | None = None
) -> tuple[Problem, ...]:
    """Group alarms whose causes are known into problems, the worst first."""
    alarms = list(alarms)
    groups: dict[tuple[object, ...], list[Finding]] = {}
    keys = _group_keys(alarms, compared)
    for finding in worst_first(alarms):
        groups.setdefault(keys[id(finding)], []).append(finding)
    problems = [_to_problem(group) for group in groups.values()]
    return tuple(sorted(problems, key=_problem_order))


def find_causes(
    findings: Iterable[Finding], compared: Comparison, verdicts: Sequence[VerdictRecord] = ()
) -> list[Finding]:
    """Return the alarms among findings, with their most likely causes."""
    past = _subjects_of_alarms(verdicts)
    alarms = [
        replace(finding, since=finding.since or _start_of_run(past, finding))
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
    are_many = len(columns) >= max(MIN_COLUMNS, MIN_SHARE_OF_COLUMNS * len(compared.batch.columns))
    may_guess = are_many or any(map(_is_about_rows, alarms))
    events = TableEvents.find(compared, columns, may_guess=may_guess)
    events = replace(events, rows=_judged_rows(alarms) or events.rows)
    causes = ColumnCauses(compared)
    caused = [_with_cause(finding, compared, events, causes) for finding in alarms]
    return _with_nulls_together(caused, compared)


def _with_nulls_together(findings: list[Finding], compared: Comparison) -> list[Finding]:
    """Name the combination of nulls as the cause if the nulls of several of its columns rose."""
    batch, last = compared.batch, compared.last
    rose = {finding.column for finding in findings if _code(finding) == CauseCode.NULLS_ROSE}
    if last is None or len(rose) < MIN_COLUMNS_TOGETHER:
        return findings
    together = rose & set(read_names(risen_nulls(batch, last) or ""))
    if len(together) < MIN_COLUMNS_TOGETHER:
        return findings
    cause = cause_of_nulls(batch, last)
    return [
        _set_cause(finding, cause)
        if finding.column in together and _code(finding) == CauseCode.NULLS_ROSE
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
    batch, last, metric = compared.batch, compared.last, _metric(finding)
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
    cause = None if finding.column is None else causes.of(finding.column, metric)
    if cause is not None and finding.cause_code is not None:
        cause = cause if _is_more_exact(cause.code, finding.cause_code) else None
    if cause is None and finding.column is not None:
        cause = _type_changed(finding, causes.change(finding.column))
    code = finding.cause_code or CauseCode.UNKNOWN if cause is None else cause.code
    is_old = events.rows is not None and events.rows.code is CauseCode.REDELIVERED
    is_learned = finding.judge in (*_LEARNERS, "keys")
    follows = is_learned and (is_old or code in _FOLLOW_FROM_ROWS)
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
    explained = replace(finding, cause=cause.sentence, cause_code=cause.code.value)
    return with_rows(explained, cause.row_filter)


def _group_keys(
    findings: Sequence[Finding], compared: Comparison | None
) -> dict[int, tuple[object, ...]]:
    """Return the key of the problem to which each finding belongs, by the finding's identity."""
    is_redelivered = any(
        finding.judge == "redelivery" and finding.level is Decision.HOLD for finding in findings
    )
    has_row_problem = any(_is_about_rows(finding) for finding in findings)
    null_columns = _columns_of_nulls(findings, compared)
    last = None if compared is None else compared.last
    filled = None if compared is None or last is None else filled_column(compared.batch, last)
    gone = {f.column for f in findings if _code(f) == CauseCode.COLUMN_GONE}
    keys: dict[int, tuple[object, ...]] = {}
    for finding in findings:
        code, column = _code(finding), finding.column
        key: tuple[object, ...]
        if finding.judge == "gate":
            key = ("gate", column, finding.reason)
        elif code == CauseCode.COLUMNS_SWAPPED:
            key = ("swapped", finding.cause)
        elif column is not None and column in gone:
            key = ("columns", CauseCode.COLUMN_GONE)
        elif code in _ACROSS_COLUMNS:
            key = ("columns", code)
        elif code == CauseCode.REDELIVERED or (is_redelivered and finding.judge in _LEARNERS):
            key = ("redelivery",)
        elif (
            _is_about_rows(finding)
            or (has_row_problem and _follows_from_rows(finding, compared))
            or code in _ROW_CAUSES
        ):
            key = ("rows",)
        elif column is None and code == CauseCode.NULLS_FELL:
            key = ("column", filled)
        elif (_metric(finding) in metrics.NULL_COMBINATIONS and column is None) or (
            column in null_columns and code in (CauseCode.NULLS_ROSE, CauseCode.NULLS_TOGETHER)
        ):
            key = ("nulls",)
        elif column is None:
            key = (finding.judge, None if finding.judge == "dialect" else finding.metric)
        else:
            key = ("column", column)
        keys[id(finding)] = key
    return keys


def _columns_of_nulls(findings: Sequence[Finding], compared: Comparison | None) -> frozenset[str]:
    """Return the columns of the combination of nulls that a finding is about."""
    if (
        compared is None
        or compared.last is None
        or not any(
            _metric(f) in metrics.NULL_COMBINATIONS or _code(f) == CauseCode.NULLS_TOGETHER
            for f in findings
        )
    ):
        return frozenset()
    combination = risen_nulls(compared.batch, compared.last)
    return frozenset() if combination is None else frozenset(read_names(combination))


def _is_about_rows(finding: Finding) -> bool:
    is_learned = finding.judge in _LEARNERS or finding.judge == "empty"
    return is_learned and finding.column is None and _metric(finding) == metrics.ROW_COUNT


def _follows_from_rows(finding: Finding, compared: Comparison | None) -> bool:
    """Return whether a change of the row count explains a finding about a column."""
    if finding.judge not in _LEARNERS or finding.column is None:
        return False
    if (compared is not None and compared.is_small) or _code(finding) in _ROW_CAUSES:
        return True
    metric = metrics.find(finding.metric)
    has_own_cause = _code(finding) not in _FOLLOW_FROM_ROWS
    return not has_own_cause and metric is not None and metric.grows_with_rows


def _to_problem(findings: Sequence[Finding]) -> Problem:
    lead = min(findings, key=_rank)
    ordered = (lead, *(finding for finding in findings if finding is not lead))
    code = _code(lead)
    columns = tuple(dict.fromkeys(f.column for f in ordered if f.column is not None))
    about_table = code in _ROW_CAUSES or code in (CauseCode.REDELIVERED, CauseCode.COLUMNS_SHIFTED)
    return Problem(
        cause_code=str(code),
        cause=_sentence(lead, code, columns),
        columns=() if about_table else columns,
        level=worst_first(findings)[0].level,
        findings=ordered,
    )


def _rank(finding: Finding) -> tuple[bool, int, bool]:
    """Order findings by cause. A harmless change of type, such as of whole numbers, is no cause.

    Of findings with one cause, that of segments comes first, since it names the segment.
    """
    code = _code(finding)
    is_harmless = code == CauseCode.TYPE_CHANGED and finding.level is Decision.WARN
    return is_harmless, priority(code), finding.judge != "segments"


def _sentence(lead: Finding, code: str, columns: Sequence[str]) -> str:
    if code in (CauseCode.COLUMN_GONE, CauseCode.COLUMN_NEW) and len(columns) > 1:
        state = "gone" if code == CauseCode.COLUMN_GONE else "new"
        n_more = len(columns) - MAX_COLUMNS_NAMED
        names = ", ".join(map(visible, columns[:MAX_COLUMNS_NAMED]))
        more = f" and {n_more:,} more" if n_more > 0 else ""
        return f"{len(columns):,} columns are {state}: {names}{more}."
    if lead.judge == "checks" and lead.cause is not None:
        return f"{capitalized(lead.reason)} {lead.cause}"
    return capitalized(lead.reason) if lead.cause is None else lead.cause


def capitalized(text: str) -> str:
    """Return a sentence with a capital; a first word that is code, such as ``f(x)``, stays."""
    first_word = text.partition(" ")[0]
    return text[:1].upper() + text[1:] if first_word.isalpha() else text


def _problem_order(problem: Problem) -> tuple[bool, int, float]:
    return not problem.holds, priority(problem.cause_code), -problem.severity


def _code(finding: Finding) -> str:
    if finding.cause_code is not None:
        return finding.cause_code
    return CauseCode.CONSTRAINT_FAILED if finding.judge == "checks" else CauseCode.UNKNOWN


def _metric(finding: Finding) -> str | None:
    return None if finding.metric is None else metrics.canonical_name(finding.metric)


def since(verdicts: Sequence[VerdictRecord], finding: Finding) -> str | None:
    """Return the first batch of an unbroken run of similar alarms up to the last verdict.

    Alarms about one column are similar, whatever the metric. Alarms about the table, or about the
    schema, are similar if judge and metric are the same.
    """
    return _start_of_run(_subjects_of_alarms(verdicts), finding)


#: The subject of an alarm. Alarms with the same subject are similar.
_Subject = tuple[str | None, ...]


def _subjects_of_alarms(
    verdicts: Sequence[VerdictRecord],
) -> list[tuple[str, frozenset[_Subject]]]:
    """Return the key of each batch and the subjects of its alarms, the latest batch first.

    They are found once for all findings of a batch, so that the cost is linear.
    """
    latest = {verdict.key: verdict for verdict in verdicts}
    return [
        (
            verdict.key,
            frozenset(
                subject
                for alarm in verdict.findings
                if alarm.get("level") != Decision.ACCEPT.value
                for subject in _subjects_of(alarm)
            ),
        )
        for verdict in reversed(list(latest.values()))
    ]


def _start_of_run(past: Iterable[tuple[str, frozenset[_Subject]]], finding: Finding) -> str | None:
    if finding.column is None or finding.judge == "schema":
        metric = finding.metric if finding.judge not in _LEARNERS else _metric(finding)
        subject: _Subject = (finding.column, finding.judge, metric)
    else:
        subject = (finding.column,)
    first = None
    for key, subjects in past:
        if subject not in subjects:
            break
        first = key
    return first


def _subjects_of(stored: Mapping[str, Any]) -> Iterator[_Subject]:
    judge, column, metric = judge_of(stored), stored.get("column"), stored.get("metric")
    if metric is not None and judge in _LEARNERS:
        metric = metrics.canonical_name(str(metric))
    yield (column, judge, metric)
    if column is not None and stored.get("judge") != "schema":
        yield (column,)
