"""Read the findings of a stored verdict, with the segments that were found out later."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from assay.gate.finding import Finding
from assay.store.batch import BatchStatus
from assay.store.protocol import Store
from assay.store.verdict import VerdictRecord

__all__ = ["Explanation", "findings_of"]


@dataclass(frozen=True)
class Explanation:
    """The segment in which each finding of a verdict deviates, in the order of the findings.

    A stored verdict never changes, so this is a separate record. `verdict_time` names the verdict.
    """

    kind: ClassVar[str] = "explanation"
    version: ClassVar[int] = 1

    verdict_time: str
    segments: Sequence[str | None]

    def to_json(self) -> Any:
        """Return the record as JSON can hold it."""
        return {"verdict_time": self.verdict_time, "segments": list(self.segments)}

    @classmethod
    def from_json(cls, document: Any) -> Explanation:
        """Return the record that `to_json` made this document of."""
        return cls(document["verdict_time"], document["segments"])


def findings_of(store: Store, verdict: VerdictRecord) -> tuple[Finding, ...]:
    """Return the findings of a stored verdict; with their segments if they were explained."""
    findings = tuple(map(Finding.read, verdict.findings))
    for status in (BatchStatus.ACCEPTED, BatchStatus.HELD):
        records = store.derived(Explanation, verdict.dataset, [verdict.key], status)
        explanation = records.get(verdict.key)
        if explanation is not None and explanation.verdict_time == verdict.time.isoformat():
            return tuple(
                replace(finding, where=finding.where or segment)
                for finding, segment in zip(findings, explanation.segments, strict=True)
            )
    return findings
