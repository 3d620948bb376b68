"""What would tell a value of a private column, and is not told."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from assay.checks.formatting import visible
from assay.gate.finding import Finding

__all__ = ["reveals", "withheld"]

#: metrics that are a value of some row
_VALUES = frozenset({"min", "max", "range", "median", "q25", "q50", "q75"})


def reveals(metric: str | None) -> bool:
    """Whether a metric is itself a value of the column."""
    return metric is not None and metric.removeprefix("plain ") in _VALUES


def withheld(finding: Finding, private: Collection[str]) -> Finding:
    """The finding without values of private columns. Sentences of declared checks stay."""
    if finding.where is not None and finding.where.startswith(
        tuple(f"{visible(each)} = " for each in private)
    ):
        finding = replace(finding, where=None)
    if finding.column not in private or finding.judge not in (
        "limits",
        "novelty",
        "empty",
        "redelivery",
    ):
        return finding
    # a cause may name the one value that is left
    found = replace(finding, cause=None)
    if not reveals(finding.metric):
        return found
    reason = "a value left its limits; the column is private."
    return replace(found, reason=reason, observed=None, low=None, high=None)
