"""Decide on a batch: which problems hold it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import replace
from itertools import islice

from assay.gate.context import BatchContext
from assay.gate.finding import Finding, worst_first
from assay.gate.measured_batch import MeasuredBatch
from assay.gate.problem import Problem
from assay.learn.fingerprint import metrics
from assay.store.verdict import Decision

__all__ = ["decide", "decision_of", "require_agreement"]

#: judges that are sometimes wrong about a good batch, but seldom both about one column
_LEARNERS = ("limits", "novelty")
#: metrics of the table that hold a batch although only novelty reports them
_HOLD_ALONE = frozenset((metrics.ROW_COUNT, metrics.UNSEEN_NULLS))


def decide(
    problems: Sequence[Problem], context: BatchContext, batch: MeasuredBatch
) -> tuple[Decision, tuple[Problem, ...]]:
    """Return the decision, and the problems with their final levels, the worst first.

    See `require_agreement` for the rule that lowers a hold to a warning.
    """
    fingerprint, history = batch.fingerprint, context.history
    if fingerprint.rows:
        findings = require_agreement(
            [finding for problem in problems for finding in problem.findings],
            is_small=fingerprint.rows < history.min_comparable_rows,
            labels=history.labels(fingerprint),
        )
        remaining = iter(findings)
        problems = [
            _with_findings(problem, list(islice(remaining, len(problem.findings))))
            for problem in problems
        ]
    ordered = tuple(sorted(problems, key=lambda problem: not problem.holds))
    return decision_of(problem.level for problem in ordered), ordered


def decision_of(levels: Iterable[Decision]) -> Decision:
    """Return the worst level; accept if there is none."""
    severity = [Decision.ACCEPT, Decision.WARN, Decision.HOLD]
    return max(levels, key=severity.index, default=Decision.ACCEPT)


def require_agreement(
    findings: Sequence[Finding], *, is_small: bool = False, labels: Set[str] = frozenset()
) -> list[Finding]:
    """Return the findings; those that one learner alone reports warn instead of hold.

    A learner is sometimes wrong about a good batch. Both are seldom wrong about the same column,
    so a column holds a batch only if limits and novelty both report it. Three rules differ:

    - Novelty alone holds a batch for its row count, or for an unseen combination of nulls.
    - If a batch `is_small` (it has far fewer rows than others), its columns differ in every way.
      Then only findings about the table hold it.
    - If a column has one value per batch (`labels`), a change of it warns. A null still holds.
    """
    columns = {
        judge: {finding.column for finding in findings if finding.judge == judge and finding.alarm}
        for judge in _LEARNERS
    }
    agreed = columns["limits"] & columns["novelty"]
    agreed = agreed & {None} if is_small else agreed

    def holds(finding: Finding) -> bool:
        if finding.judge not in columns:
            return True
        metric = metrics.canonical_name(finding.metric or "")
        if finding.judge == "novelty" and finding.column is None and metric in _HOLD_ALONE:
            return True
        is_label = finding.column in labels and metric not in metrics.OF_NULLS
        return finding.column in agreed and not is_label

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
