"""Compare the verdicts on a recurring data set with its README: incidents, reasons, warnings.

`benchmarks.incidents` defines the terms.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from assay import Verdict
from assay.gate.backtest import Backtest
from assay.store.verdict import Decision
from benchmarks.support.expected_causes import expected_cause
from benchmarks.support.held_batches import HoldKind, kind_of
from benchmarks.support.recurring import Case

__all__ = ["FIRST_COUNTED", "Outcome", "classify_verdicts", "starts_with_any"]

#: alarms of the first batches are not counted: the history is too short
FIRST_COUNTED = 30


@dataclass
class Outcome:
    """The verdicts on one data set, and what they mean."""

    case: Case
    backtest: Backtest
    seconds: float
    caught: list[Verdict] = field(default_factory=list)
    #: keys of incidents without an alarm
    missed: list[str] = field(default_factory=list)
    #: holds that are not incidents, by kind
    held: dict[HoldKind, list[Verdict]] = field(
        default_factory=lambda: {"error": [], "change": [], "false": []}
    )
    #: warnings after the first batches
    useful_warnings: list[Verdict] = field(default_factory=list)
    other_warnings: list[Verdict] = field(default_factory=list)

    @property
    def n_counted(self) -> int:
        """The number of batches after the first ones."""
        return max(0, len(self.backtest) - FIRST_COUNTED)

    @property
    def n_incidents(self) -> int:
        """The number of incidents."""
        return len(self.caught) + len(self.missed)

    @property
    def with_right_reason(self) -> list[Verdict]:
        """The incidents whose first problem has an expected cause."""
        return [verdict for verdict in self.caught if _agree(self.case, verdict, first_only=True)]

    @property
    def with_right_problem(self) -> list[Verdict]:
        """The incidents of which any problem has an expected cause."""
        return [verdict for verdict in self.caught if _agree(self.case, verdict, first_only=False)]

    def hold_rate(self, *kinds: HoldKind) -> float:
        """Return the holds of some kinds per 100 batches after the first ones."""
        holds = sum(len(self.held[kind]) for kind in kinds)
        return 100 * holds / self.n_counted if self.n_counted else 0.0


def _agree(case: Case, verdict: Verdict, *, first_only: bool) -> bool:
    cause = expected_cause(case.name, verdict.batch.key)
    problems = verdict.problems[:1] if first_only else verdict.problems
    return cause is not None and any(map(cause.agrees_with, problems))


def classify_verdicts(case: Case, backtest: Backtest, seconds: float = 0.0) -> Outcome:
    """Compare verdicts with the README of the data set and with the explained holds."""
    outcome = Outcome(case, backtest, seconds)
    for place, verdict in enumerate(backtest):
        key, is_counted = verdict.batch.key, place >= FIRST_COUNTED
        is_incident = starts_with_any(key, case.incidents)
        if is_incident and verdict.decision is Decision.ACCEPT:
            outcome.missed.append(key)
        elif is_incident:
            outcome.caught.append(verdict)
        elif verdict.decision is Decision.HOLD and is_counted:
            outcome.held[kind_of(case.name, key)].append(verdict)
        if verdict.decision is Decision.WARN and is_counted:
            is_useful = _is_listed(case, key)
            (outcome.useful_warnings if is_useful else outcome.other_warnings).append(verdict)
    return outcome


def _is_listed(case: Case, key: str) -> bool:
    """Return whether the README or `benchmarks.support.held_batches` lists the day."""
    days = (*case.incidents, *case.disturbed, *case.changes)
    return starts_with_any(key, days) or kind_of(case.name, key) != "false"


def starts_with_any(key: str, beginnings: tuple[str, ...]) -> bool:
    """Return whether a batch key has one of the beginnings."""
    return any(key.startswith(beginning) for beginning in beginnings)
