"""`TeamBudget`: the share of the holds of a team that are false, bounded over all its datasets.

Each gate has a budget of its own. A team with many datasets still gets many false holds, however
few incidents there are. With `share_false`, the gates of a store test their held batches one after
another by `assay.learn.false_discovery.OnlineFdr`. A hold stays if the p-value of the batch is at
most the level of the team at that moment. Otherwise the batch is accepted with a warning.

A batch that is held for a reason without a budget, such as a failed check, is not tested. The
store keeps three values for all gates with `share_false`. They are read and written in the
transaction that records the verdict.

>>> budget = TeamBudget()
>>> is_held, after = budget.test(1e-9, share_false=0.1, n_datasets=50, day="2026-11-14")
>>> is_held, after.pending
(True, 1.0)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar, Self

from assay.checks.formatting import percent
from assay.gate.context import BatchContext
from assay.gate.decide.batch_p_value import p_value
from assay.gate.finding import Finding
from assay.gate.problem import Problem
from assay.gate.verdict import Verdict
from assay.learn.false_discovery import OnlineFdr
from assay.learn.limits.tail_bounds import false_alarms
from assay.store.protocol import Store
from assay.store.verdict import Decision

__all__ = ["JUDGE", "TeamBudget", "apply_team_budget", "load_team_budget", "save_team_budget"]

#: the judge of the observation that explains the decision
JUDGE = "team budget"
#: number of batches of each dataset that are remembered: about a month of daily batches
_MEMORY_BATCHES = 30
#: the store keeps the record of a team under this name, which no dataset can have
_TEAM = ""


@dataclass(frozen=True, kw_only=True)
class TeamBudget:
    """The state of a team's test: what later batches may spend, counted in alarms.

    Parameters
    ----------
    credit : float
        Credit that the next batch may spend.
    pending : float
        Credit of the holds of this day. It can be spent from the next day on, so that batches of
        one day may depend on each other.
    day : str
        The day of the last test.
    """

    kind: ClassVar[str] = "team budget"
    version: ClassVar[int] = 1

    credit: float = 1.0
    pending: float = 0.0
    day: str = ""

    def level(self, *, share_false: float, n_datasets: int, day: str) -> float:
        """Return the level of the next test."""
        return self._stream(share_false, n_datasets, day).level

    def test(
        self, p: float, *, share_false: float, n_datasets: int, day: str
    ) -> tuple[bool, TeamBudget]:
        """Test the p-value of a batch. Return whether it is held, and the state after the test."""
        rejected, stream = self._stream(share_false, n_datasets, day).after(p)
        return rejected, TeamBudget(credit=stream.credit, pending=stream.pending, day=day)

    def _stream(self, share_false: float, n_datasets: int, day: str) -> OnlineFdr:
        decay = 1 - 1 / (_MEMORY_BATCHES * max(1, n_datasets))
        stream = OnlineFdr(share_false, decay, self.credit, self.pending)
        return stream if day == self.day else stream.settle()

    def to_json(self) -> Any:
        """Return the record as JSON values."""
        return asdict(self)

    @classmethod
    def from_json(cls, document: Any) -> Self:
        """Convert a document of `to_json` back."""
        return cls(**document)


def apply_team_budget(
    verdict: Verdict, context: BatchContext, team: TeamBudget, *, n_datasets: int, day: str
) -> tuple[Verdict, TeamBudget]:
    """Return the verdict within the budget of the team, and the state of the team after it.

    Parameters
    ----------
    verdict
        The verdict by the budget of the dataset.
    context
        What was known before the batch.
    team
        The state before the batch.
    n_datasets
        The number of datasets of the store.
    day
        The day of the test, as ISO text.
    """
    share_false = context.settings.share_false
    if share_false is None or verdict.row_count is None:
        return verdict, team
    p = p_value(verdict.alarms, context)
    if p is None:
        return verdict, team
    level = team.level(share_false=share_false, n_datasets=n_datasets, day=day)
    is_held, after = team.test(p, share_false=share_false, n_datasets=n_datasets, day=day)
    if verdict.decision is not Decision.HOLD:
        return verdict, after
    outcome = "it is held" if is_held else "it is accepted with a warning"
    reason = (
        f"so that at most {percent(share_false)} of the holds of the team are false, a batch must"
        f" now be so unusual that there is {false_alarms(level)}. This batch is so unusual that"
        f" there is {false_alarms(p)}: {outcome}."
    )
    explained = Finding(
        JUDGE, Decision.ACCEPT, reason, actual=p, high=level, false_alarm_rate=level
    )
    observations = (*verdict.observations, explained)
    if is_held:
        return replace(verdict, observations=observations), after
    problems = tuple(map(_without_hold, verdict.problems))
    return (
        replace(verdict, decision=Decision.WARN, problems=problems, observations=observations),
        after,
    )


def _without_hold(problem: Problem) -> Problem:
    return replace(problem, level=_lowered(problem.level), findings=tuple(_lower(problem.findings)))


def _lower(findings: Iterable[Finding]) -> Iterable[Finding]:
    return (replace(finding, level=_lowered(finding.level)) for finding in findings)


def _lowered(level: Decision) -> Decision:
    return Decision.WARN if level is Decision.HOLD else level


def load_team_budget(store: Store) -> TeamBudget:
    """Return the state of the team of a store."""
    return store.derived(TeamBudget, _TEAM, [""]).get("", TeamBudget())


def save_team_budget(store: Store, team: TeamBudget) -> None:
    """Save the state of the team of a store."""
    store.save(_TEAM, "", team)
