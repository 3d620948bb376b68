"""Verdicts: accept, warn or hold a batch, with the reasons, and what the alarm may have cost."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from assay.checks.formatting import visible
from assay.errors import CheckError
from assay.gate.finding import Finding
from assay.store.batch import Batch
from assay.store.verdict import Decision, VerdictRecord

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from assay.dataset.proposal import Proposal

__all__ = ["Record", "Verdict"]


@dataclass(frozen=True)
class Record:
    """How a dataset's gate has done so far: batches judged, alarms, and those that were false.

    An alarm is false where somebody released the batch, or said that it was expected.
    """

    judged: int = 0
    held: int = 0
    warned: int = 0
    false: int = 0

    @property
    def rate(self) -> float | None:
        """The share of batches that were a false alarm."""
        return self.false / self.judged if self.judged else None

    def __str__(self) -> str:
        if self.rate is None:
            return "No batch was judged before"
        batches = "1 batch" if self.judged == 1 else f"{self.judged} batches"
        return (
            f"{batches} judged before: {self.held} held, {self.warned} warned,"
            f" {self.false} false alarms ({self.rate:.1%})"
        )


@dataclass(frozen=True)
class Verdict:
    """What becomes of a batch; findings with the worst first.

    `again` says that this very batch was judged before, and nothing was done.
    """

    batch: Batch
    decision: Decision
    findings: tuple[Finding, ...] = ()
    record: Record = field(default_factory=Record)
    budget: float = 0.0
    history: int = 0
    again: bool = False
    proposal: Proposal | None = field(default=None, repr=False, compare=False)

    @property
    def accepted(self) -> bool:
        """Whether the batch may go on, with or without a warning."""
        return self.decision is not Decision.HOLD

    @property
    def alarms(self) -> tuple[Finding, ...]:
        """The findings that are more than remarks."""
        return tuple(each for each in self.findings if each.alarm)

    @property
    def spent(self) -> float:
        """How often alarms such as these are expected of a batch that is fine.

        Limits from history have a rate each; novelty has one for all of its features.
        """
        decisive = [each for each in self.alarms if each.level is self.decision]
        limits = sum(each.risk for each in decisive if each.judge != "novelty")
        return limits + max((e.risk for e in decisive if e.judge == "novelty"), default=0.0)

    @property
    def headline(self) -> str:
        """One sentence."""
        name = f"{visible(self.batch.dataset)} {visible(self.batch.key)}"
        match self.decision:
            case Decision.ACCEPT:
                before = "batch" if self.history == 1 else f"{self.history} batches"
                known = f"like the {before} before" if self.history else "the first"
                return f"{name} is accepted: {'as it was before' if self.again else known}."
            case Decision.WARN:
                return f"{name} is accepted with a warning: {self.alarms[0]}"
            case _:
                return f"{name} is held: {self.alarms[0]}"

    def failing(self, finding: Finding) -> DataFrame:
        """The rows of the batch that a finding is about: all of them, lazily.

        Those that break a declared check, that do not match a pattern, that are null, below or
        beyond a limit. A finding about the batch as a whole has none.
        """
        if self.proposal is None:
            raise CheckError("this was read from what is remembered, and rows are not.")
        told = self.proposal.delta
        if finding.judge == "checks" and finding.metric is not None:
            return told.failing(finding.metric)
        if finding.rows is None:
            raise CheckError(f"no row alone is to blame for this: {finding}")
        return told.frame.where(finding.rows)

    def remembered(self) -> VerdictRecord:
        """The form that a store keeps."""
        findings = tuple(each.to_dict() for each in self.findings)
        return VerdictRecord(self.batch.dataset, self.batch.key, self.decision, findings)

    def to_dict(self) -> dict[str, Any]:
        """As JSON can hold it."""
        return {
            "version": 1,
            "dataset": self.batch.dataset,
            "batch": self.batch.key,
            "time": self.batch.time.isoformat(),
            "decision": self.decision.value,
            "headline": self.headline,
            "findings": [each.to_dict() for each in self.findings],
            "budget": self.budget,
            "spent": self.spent,
            "history": self.history,
            "false_alarm_rate": self.record.rate,
            "again": self.again,
        }

    def to_json(self, *, indent: int | None = 2) -> str:
        """As JSON."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False)

    def __str__(self) -> str:
        lines = [self.headline]
        for each in self.findings:
            lines.append(f"  {each.level.value:<6} {each.judge:<8} {each}")
            lines += (
                f"{'':18}{word}: {text}"
                for word, text in (
                    ("likely", each.cause),
                    ("since", each.since and visible(each.since)),
                    ("where", each.where),
                    ("see", each.reproduce if each.alarm else None),
                    ("spends", each.spends),
                )
                if text
            )
        spent = f"; these findings spend {self.spent:.2g}" if self.alarms else ""
        lines.append(f"  budget {self.budget:.2g} false alarms a batch{spent}. {self.record}.")
        return "\n".join(lines)
