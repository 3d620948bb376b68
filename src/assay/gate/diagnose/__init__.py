"""Diagnose a batch: find the cause of each alarm, and group alarms with one cause."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from assay.gate.causes.column_change import Comparison
from assay.gate.diagnose.find_causes import find_causes
from assay.gate.diagnose.group_findings import capitalized, group_findings
from assay.gate.finding import Finding
from assay.gate.problem import Problem
from assay.store.verdict import VerdictRecord

__all__ = ["Comparison", "capitalized", "diagnose", "find_causes", "group_findings"]


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
