"""Build verdicts from findings, for tests that need no gate."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from assay.gate import Finding, Verdict
from assay.gate.diagnose import group_findings
from assay.store import Batch, Decision

__all__ = ["verdict_of"]


def verdict_of(
    batch: Batch, decision: Decision, findings: Iterable[Finding] = (), **values: Any
) -> Verdict:
    """Return a verdict whose problems are made of the alarms among the findings."""
    findings = tuple(findings)
    problems = group_findings(finding for finding in findings if finding.alarm)
    observations = tuple(finding for finding in findings if not finding.alarm)
    return Verdict(batch, decision, problems, observations, **values)
