"""Decide on a batch: which problems hold it, and which are worth a warning."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import replace
from itertools import islice

from assay.gate.context import BatchContext
from assay.gate.decide.lasting import lasting_changes, propose_new_normal
from assay.gate.decide.weak_warnings import without_weak_warnings
from assay.gate.finding import Finding, worst_first
from assay.gate.judges.registry import Judge, all_judges, selected_judges
from assay.gate.measured_batch import MeasuredBatch
from assay.gate.problem import Problem
from assay.learn.fingerprint import metrics
from assay.store.verdict import Decision

__all__ = ["decide", "decision_of", "require_agreement"]

#: judges whose alarm about a column confirms a finding of another judge
_LEARNERS = ("limits", "novelty")
#: metrics of the table that hold a batch although only novelty reports them
_HOLD_ALONE = frozenset((metrics.ROW_COUNT, metrics.UNSEEN_NULLS))


def decide(
    problems: Sequence[Problem], context: BatchContext, batch: MeasuredBatch
) -> tuple[Decision, tuple[Problem, ...], tuple[Finding, ...]]:
    """Return the decision, the problems with their final levels, and observations.

    The worst problem is first. `require_agreement` lowers some holds to warnings.
    `weak_warnings` lowers some warnings to observations. A change that lasts is proposed
    as the new normal.
    """
    observations: list[Finding] = []
    fingerprint, history = batch.fingerprint, context.history
    if fingerprint.rows:
        findings = require_agreement(
            [finding for problem in problems for finding in problem.findings],
            judges=selected_judges(context.settings),
            is_small=fingerprint.rows < history.min_comparable_rows,
            labels=history.labels(fingerprint),
            released=history.released_last,
        )
        remaining = iter(findings)
        problems = [
            _with_findings(problem, list(islice(remaining, len(problem.findings))))
            for problem in problems
        ]
        changes = lasting_changes(context.verdicts, history.keys[-1] if history.keys else None)
        last = history.metrics.last
        problems, observations = without_weak_warnings(problems, fingerprint, last, changes)
    ordered = tuple(sorted(problems, key=lambda problem: not problem.holds))
    findings = [finding for problem in ordered for finding in problem.findings] + observations
    proposal = propose_new_normal(batch.batch.dataset, findings, context.verdicts)
    observations += () if proposal is None else (proposal,)
    return decision_of(problem.level for problem in ordered), ordered, tuple(observations)


def decision_of(levels: Iterable[Decision]) -> Decision:
    """Return the worst level; accept if there is none."""
    severity = [Decision.ACCEPT, Decision.WARN, Decision.HOLD]
    return max(levels, key=severity.index, default=Decision.ACCEPT)


def require_agreement(
    findings: Sequence[Finding],
    *,
    judges: Iterable[Judge] | None = None,
    is_small: bool = False,
    labels: Set[str] = frozenset(),
    released: Set[str | None] = frozenset(),
) -> list[Finding]:
    """Return the findings; those that need agreement and have none warn instead of hold.

    A learner is sometimes wrong about a good batch. Both are seldom wrong about the same column.
    A judge with ``holds_alone = False`` therefore holds a batch only for a column that limits or
    novelty report as well, other than itself. If the other learners are not selected, it holds a
    batch alone. Four rules differ:

    - Novelty alone holds a batch for its row count, or for an unseen combination of nulls.
    - If a batch `is_small` (it has far fewer rows than others), its columns differ in every way.
      Then only findings about the table hold it.
    - If a column has one value per batch (`labels`), a change of it warns. A null still holds.
    - If the batch before was held for a column and `released`, the column warns: a lasting change
      is held once.

    Parameters
    ----------
    findings
        The findings of all judges.
    judges
        The judges that say whether they hold a batch alone. By default all that are registered.
        A finding of another judge holds alone.
    is_small
        True if the batch has far fewer rows than others.
    labels
        The columns with one value per batch.
    released
        The columns for which the batch before was held, if it was released; None is the table.
    """
    judges = all_judges() if judges is None else judges
    judges = tuple(judges)
    need_agreement = {judge.name for judge in judges if not judge.holds_alone}
    learners = {judge.name for judge in judges if judge.name in _LEARNERS}
    reported_by: dict[str | None, set[str]] = {}
    for finding in findings:
        if finding.alarm and finding.judge in _LEARNERS:
            reported_by.setdefault(finding.column, set()).add(finding.judge)

    def holds(finding: Finding) -> bool:
        if finding.judge not in need_agreement:
            return True
        metric = metrics.canonical_name(finding.metric or "")
        if finding.judge == "novelty" and finding.column is None and metric in _HOLD_ALONE:
            return True
        if finding.column in released:
            return False
        if finding.column in labels and metric not in metrics.OF_NULLS:
            return False
        if is_small and finding.column is not None:
            return False
        others = learners - {finding.judge}
        columns = (finding.column, *finding.related)
        return not others or any(reported_by.get(name, set()) & others for name in columns)

    return [
        replace(finding, level=Decision.WARN)
        if finding.level is Decision.HOLD and not holds(finding)
        else finding
        for finding in findings
    ]


def _with_findings(problem: Problem, findings: Sequence[Finding]) -> Problem:
    lead, *others = findings
    level = decision_of(finding.level for finding in findings)
    return replace(problem, level=level, findings=(lead, *worst_first(others)))
