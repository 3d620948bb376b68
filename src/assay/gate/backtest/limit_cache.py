"""`LimitCache`: the learned limits while a history is replayed."""

from __future__ import annotations

from dataclasses import dataclass, field

from assay.gate.context import Limits, learn_limits
from assay.gate.history import WINDOW, GateHistory
from assay.gate.spec import GateSpec
from assay.gate.verdict import Verdict

__all__ = ["LimitCache"]

#: all limits are learned again once the history has grown by this part
RELEARN_PART = 5


@dataclass
class LimitCache:
    """Limits during a replay.

    Learning all limits for each batch is expensive. They are learned again once the history has
    grown by a fifth. A column that raised an alarm in an accepted batch is learned again at once,
    so that a lasting change raises one alarm.
    """

    spec: GateSpec
    limits: Limits | None = None
    n_learned: int = 0
    n_accepted: int = 0
    changed_columns: set[str | None] = field(default_factory=set)

    def learn(self, history: GateHistory) -> Limits:
        """Return the limits for the next batch."""
        spec, growth = self.spec, self.n_accepted - self.n_learned
        if self.limits is None or growth >= max(1, min(self.n_accepted, WINDOW) // RELEARN_PART):
            self.limits = learn_limits(history, spec.budget, spec.settings)
            self.n_learned = self.n_accepted
        elif self.changed_columns:
            later = learn_limits(history, spec.budget, spec.settings, self.changed_columns)
            self.limits = {
                mode: limits.renewed(later[mode]) for mode, limits in self.limits.items()
            }
        self.changed_columns = set()
        return self.limits

    def add_accepted(self, verdict: Verdict) -> None:
        """Note an accepted batch."""
        self.n_accepted += 1
        self.changed_columns |= {
            finding.column for finding in verdict.findings if finding.judge in ("limits", "empty")
        }
