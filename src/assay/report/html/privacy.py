"""Withhold findings that would show values of private columns."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from assay.checks.formatting import visible
from assay.gate.finding import Finding
from assay.gate.problem import Problem
from assay.learn.fingerprint import metrics

__all__ = ["is_value_metric", "withhold_from_problem", "withhold_values"]

#: judges whose findings may quote values; declared checks quote only what their author wrote
_QUOTING_JUDGES = ("provisional", "limits", "novelty", "empty", "redelivery")


def is_value_metric(metric: str | None) -> bool:
    """Return whether a metric is itself a value of the column."""
    entry = metrics.find(metric)
    return entry is not None and entry.is_value


def withhold_from_problem(problem: Problem, private: Collection[str]) -> Problem:
    """Return the problem without values of private columns."""
    findings = tuple(withhold_values(finding, private) for finding in problem.findings)
    if not set(problem.columns) & set(private):
        return replace(problem, findings=findings)
    # the cause may quote a value
    return replace(problem, findings=findings, cause=findings[0].reason)


def withhold_values(finding: Finding, private: Collection[str]) -> Finding:
    """Return the finding without values of private columns."""
    if finding.where is not None and finding.where.startswith(
        tuple(f"{visible(column)} = " for column in private)
    ):
        finding = replace(finding, where=None)
    if finding.column not in private or finding.judge not in _QUOTING_JUDGES:
        return finding
    # the cause may quote a value
    withheld = replace(finding, cause=None)
    if not is_value_metric(finding.metric):
        return withheld
    reason = "a value is outside its limits; the column is private."
    return replace(withheld, reason=reason, actual=None, low=None, high=None)
