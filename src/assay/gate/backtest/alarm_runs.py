"""Runs of batches with the same leading problem. A lasting change is one run."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any

from assay.gate.problem import Problem
from assay.gate.verdict import Verdict
from assay.store.verdict import Decision

__all__ = ["AlarmRun", "alarm_runs"]


@dataclass(frozen=True, slots=True)
class AlarmRun:
    """Consecutive batches with the same decision and the same leading problem."""

    verdicts: tuple[Verdict, ...]

    def __len__(self) -> int:
        return len(self.verdicts)

    @property
    def decision(self) -> Decision:
        """Hold or warn."""
        return self.verdicts[0].decision

    @property
    def problem(self) -> Problem:
        """The leading problem of the first batch."""
        return self.verdicts[0].problems[0]

    @property
    def n_problems(self) -> int:
        """The largest number of problems of a batch."""
        return max(len(verdict.problems) for verdict in self.verdicts)

    @property
    def name(self) -> str:
        """The key of the batch, or the keys of the first and the last."""
        first, last = self.verdicts[0].batch.key, self.verdicts[-1].batch.key
        return first if first == last else f"{first} … {last}"

    def to_dict(self) -> dict[str, Any]:
        """Return the run as JSON can hold it."""
        return {
            "first": self.verdicts[0].batch.key,
            "last": self.verdicts[-1].batch.key,
            "batches": len(self),
            "decision": self.decision.value,
            "reason": str(self.problem),
        }


def alarm_runs(verdicts: Iterable[Verdict]) -> tuple[AlarmRun, ...]:
    """Group consecutive verdicts with alarms by their leading problem; leave out the others."""
    runs: list[tuple[Hashable, list[Verdict]]] = []
    previous: Hashable = None
    for verdict in verdicts:
        signature = _signature(verdict)
        if signature is not None and signature == previous:
            runs[-1][1].append(verdict)
        elif signature is not None:
            runs.append((signature, [verdict]))
        previous = signature
    return tuple(AlarmRun(tuple(members)) for _, members in runs)


def _signature(verdict: Verdict) -> Hashable:
    """Return the decision and the leading problem; None without a problem."""
    if not verdict.problems:
        return None
    problem = verdict.problems[0]
    judge = "" if problem.has_known_cause else problem.findings[0].judge
    return verdict.decision, problem.cause_code, problem.columns, judge
