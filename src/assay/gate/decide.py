"""Decide on a batch: which findings hold it, and what becomes of it."""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import replace

from assay.gate.context import BatchContext
from assay.gate.finding import Finding, worst_first
from assay.gate.measured_batch import MeasuredBatch
from assay.learn.novelty.metrics import Feature
from assay.store.verdict import Decision

__all__ = ["decide", "decision_of", "require_agreement"]

#: judges that are sometimes wrong about a good batch, but seldom both about one column
_LEARNERS = ("limits", "novelty")
#: table metrics that hold a batch although only one learner reports them
_ALONE = (Feature(None, "rows"), Feature(None, "unseen nulls"))
_NULLS = frozenset(("complete_ratio", "completeness", "filled"))


def decide(
    findings: Iterable[Finding], context: BatchContext, batch: MeasuredBatch
) -> tuple[Decision, tuple[Finding, ...]]:
    """Return the decision, and the findings with the level that remains, worst first."""
    fingerprint, history = batch.fingerprint, context.history
    if fingerprint.rows:
        findings = require_agreement(
            findings,
            few=fingerprint.rows < history.min_comparable_rows,
            labels=history.labels(fingerprint),
        )
    ordered = worst_first(list(findings))
    return decision_of(ordered), ordered


def decision_of(findings: Iterable[Finding]) -> Decision:
    """Return the worst level of the findings."""
    ordered = worst_first(list(findings))
    return ordered[0].level if ordered else Decision.ACCEPT


def require_agreement(
    findings: Iterable[Finding], *, few: bool = False, labels: Set[str] = frozenset()
) -> list[Finding]:
    """Return the findings; those that one learner alone reports no longer hold the batch.

    A learner is sometimes wrong about a good batch. Both are seldom wrong about the same column,
    so a column holds a batch only if both report it. Three rules differ:

    - The row count and a combination of nulls that never occurred hold a batch alone.
    - If a batch has far `few`er rows than others, its columns differ in every way. Then only
      findings about the table hold it.
    - If a column has one value per batch (`labels`), a change of it warns. A null still holds.
    """
    findings = list(findings)
    alarmed = {
        judge: {finding.column for finding in findings if finding.judge == judge and finding.alarm}
        for judge in _LEARNERS
    }
    agreed = alarmed["limits"] & alarmed["novelty"]
    agreed = agreed & {None} if few else agreed

    def holds(finding: Finding) -> bool:
        if finding.judge not in alarmed or (finding.column, finding.metric) in _ALONE:
            return True
        is_label = finding.column in labels and finding.metric not in _NULLS
        return finding.column in agreed and not is_label

    return [
        replace(finding, level=Decision.WARN)
        if finding.level is Decision.HOLD and not holds(finding)
        else finding
        for finding in findings
    ]
