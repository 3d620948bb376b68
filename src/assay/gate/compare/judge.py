"""Judge a new table by older ones: the problems, the worst first.

With `MIN_BATCHES` older tables or more, the judges of the gate learn their limits from them. With
fewer, practical effects decide: a change counts if the new table differs from each older one.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from assay.gate.budget import Budget
from assay.gate.causes.cause import CauseCode
from assay.gate.compare.changes import (
    JUDGE,
    continued_columns,
    find_changes,
    has_same_rows,
    same_rows_finding,
)
from assay.gate.compare.compared_table import ComparedTable
from assay.gate.context import BatchContext
from assay.gate.diagnose import Comparison, find_causes, group_findings
from assay.gate.finding import Finding
from assay.gate.history import GateHistory
from assay.gate.measured_batch import MeasuredBatch
from assay.gate.problem import Problem
from assay.gate.submit import judge_measured
from assay.learn.fingerprint import metrics
from assay.learn.limits.metric_history import MetricHistory
from assay.learn.limits.metric_limit import MIN_BATCHES
from assay.store.verdict import Decision
from assay.suite.settings import GateSettings
from assay.text import count_noun, visible

__all__ = ["Judgement", "judge_by_effects", "judge_by_history", "judge_tables"]

#: The causes for which a gate with enough history would hold the table. Numbers that drift and rare
#: new values are usual in recurring tables. A gate learns how usual; two tables do not show it.
_HOLDING = frozenset(
    (
        CauseCode.NO_ROWS,
        CauseCode.ROWS_MISSING,
        CauseCode.SEGMENT_MISSING,
        CauseCode.ROWS_REPEATED,
        CauseCode.ROWS_DUPLICATED,
        CauseCode.KEY_DUPLICATED,
        CauseCode.COLUMNS_SHIFTED,
        CauseCode.COLUMNS_SWAPPED,
        CauseCode.DECIMAL_COMMA,
        CauseCode.NULLS_ROSE,
        CauseCode.NULLS_TOGETHER,
        CauseCode.CONSTANT,
        CauseCode.CASE_CHANGED,
        CauseCode.SPACES_CHANGED,
        CauseCode.TEXT_CUT,
        CauseCode.DEFAULT_ROSE,
        CauseCode.VALUE_RENAMED,
        CauseCode.UNIT_CHANGED,
        CauseCode.SIGN_CHANGED,
        CauseCode.EMPTY_STRINGS_ROSE,
        CauseCode.ZEROS_ROSE,
        CauseCode.NEGATIVES_ROSE,
        CauseCode.FORMAT_CHANGED,
        CauseCode.VALUES_NEW,
    )
)
#: the metrics that may hold a table for such a cause; by default all
_HOLDING_METRICS: Mapping[str, frozenset[str]] = {
    CauseCode.NULLS_ROSE: metrics.OF_NULLS | metrics.NULL_COMBINATIONS,
    CauseCode.NULLS_TOGETHER: metrics.OF_NULLS | metrics.NULL_COMBINATIONS,
    CauseCode.EMPTY_STRINGS_ROSE: frozenset((metrics.EMPTY_RATIO,)),
    CauseCode.ZEROS_ROSE: frozenset((metrics.ZERO_RATIO,)),
    CauseCode.NEGATIVES_ROSE: frozenset((metrics.NEGATIVE_RATIO,)),
    CauseCode.VALUES_NEW: frozenset((metrics.UNSEEN_VALUES, metrics.UNSEEN_SHAPES)),
    CauseCode.FORMAT_CHANGED: frozenset((metrics.UNSEEN_VALUES, metrics.UNSEEN_SHAPES)),
}
_MAX_NAMED = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """The problems of a table, the worst first, and facts without a problem."""

    problems: tuple[Problem, ...] = ()
    observations: tuple[Finding, ...] = ()


def judge_tables(
    new: MeasuredBatch,
    old: Sequence[MeasuredBatch],
    settings: GateSettings,
    *,
    may_repeat: bool = False,
) -> Judgement:
    """Compare a table with older ones, oldest first.

    Parameters
    ----------
    new, old
        The measured tables.
    settings
        The private columns and the budget.
    may_repeat
        True if the table may have the same rows as an older one.
    """
    if len(old) >= MIN_BATCHES:
        judgement = judge_by_history(new, old, settings)
        if not may_repeat:
            return judgement
        problems = (p for p in judgement.problems if p.cause_code != CauseCode.REDELIVERED)
        return replace(judgement, problems=tuple(problems))
    return judge_by_effects(
        ComparedTable.of(new),
        [ComparedTable.of(table) for table in old],
        private=settings.private,
        may_repeat=may_repeat,
    )


def judge_by_history(
    new: MeasuredBatch, old: Sequence[MeasuredBatch], settings: GateSettings
) -> Judgement:
    """Judge a table as a gate whose history are the older tables."""
    history = GateHistory(MetricHistory(new.batch.dataset))
    for table in old:
        history = history.plus(table.batch, table.fingerprint, table.schema).latest()
    context = BatchContext(
        settings=settings, budget=Budget.from_settings(settings), history=history
    )
    verdict = judge_measured(context, new)
    return Judgement(problems=verdict.problems, observations=verdict.observations)


def judge_by_effects(
    new: ComparedTable,
    old: Sequence[ComparedTable],
    *,
    private: Collection[str] = (),
    may_repeat: bool = False,
) -> Judgement:
    """Judge a table by practical effects; with several older tables, it must differ from each."""
    last = old[-1]
    same = next((table for table in reversed(old) if has_same_rows(new, table)), None)
    findings = _common_findings(
        [find_changes(new, table, private=private) for table in old]
        if same is None
        else [find_changes(new, same, private=private)]
    )
    observations: list[Finding] = []
    if same is not None and may_repeat:
        observations.append(_observation("all columns have the same values as before."))
    elif same is not None:
        findings.append(same_rows_finding(new, same))
    compared = Comparison(new.stats, last.stats, private=frozenset(private))
    alarms = [_with_level(finding) for finding in find_causes(findings, compared)]
    problems = group_findings(alarms, compared)
    observations += _continued(new, last)
    if not last.stats.rows:
        observations.append(_observation("the older table is empty."))
    return Judgement(problems=problems, observations=tuple(observations))


def _common_findings(by_table: Sequence[Sequence[Finding]]) -> list[Finding]:
    """Return the findings about the last table that all other older tables share."""
    *others, last = by_table
    common = [{_subject(finding) for finding in findings} for findings in others]
    return [finding for finding in last if all(_subject(finding) in keys for keys in common)]


def _subject(finding: Finding) -> tuple[str, str | None, str | None]:
    return finding.judge, finding.column, finding.metric


def _with_level(finding: Finding) -> Finding:
    """Return the finding with the level that a gate with enough history would give it."""
    code = finding.cause_code or CauseCode.UNKNOWN
    if finding.judge == "schema":
        # nearly all values have lost their format
        holds = finding.level is Decision.HOLD or code == CauseCode.FORMAT_CHANGED
    elif finding.judge == JUDGE:
        by_metric = _HOLDING_METRICS.get(code)
        is_of_metric = by_metric is None or finding.metric in by_metric
        holds = finding.level is Decision.HOLD and code in _HOLDING and is_of_metric
    else:
        return finding
    return replace(finding, level=Decision.HOLD if holds else Decision.WARN)


def _continued(new: ComparedTable, old: ComparedTable) -> list[Finding]:
    names = continued_columns(new, old)
    if not names:
        return []
    n_more = len(names) - _MAX_NAMED
    listed = ", ".join(map(visible, names[:_MAX_NAMED])) + (f" and {n_more} more" * (n_more > 0))
    verb = "has" if len(names) == 1 else "have"
    return [_observation(f"{count_noun(len(names), 'column')} {verb} only new values: {listed}.")]


def _observation(reason: str) -> Finding:
    return Finding(JUDGE, Decision.ACCEPT, reason)
