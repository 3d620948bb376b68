"""`Backtest`: the verdicts on a replayed history."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from assay.checks.formatting import count_noun, counted_batches, visible
from assay.gate.backtest.alarm_runs import AlarmRun, alarm_runs
from assay.gate.verdict import Verdict
from assay.html.has_page import HasPage
from assay.html.page import HtmlPage
from assay.store.verdict import Decision

__all__ = ["Backtest"]


@dataclass(frozen=True, repr=False)
class Backtest(HasPage):
    """The verdicts on a history, oldest first, and the held batches that the review released."""

    verdicts: tuple[Verdict, ...]
    released: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Verdict]:
        return iter(self.verdicts)

    def __len__(self) -> int:
        return len(self.verdicts)

    @property
    def counts(self) -> Mapping[Decision, int]:
        """Number of batches by decision."""
        counter = Counter(verdict.decision for verdict in self.verdicts)
        return {decision: counter.get(decision, 0) for decision in Decision}

    @property
    def runs(self) -> tuple[AlarmRun, ...]:
        """Alarms: consecutive batches with the same leading problem are one."""
        return alarm_runs(self.verdicts)

    @property
    def review_effect(self) -> str:
        """The number of held batches, and of those that the review released."""
        n_held = self.counts[Decision.HOLD]
        if not n_held:
            return "No batch was held, so there was nothing to review."
        return (
            f"The review released {len(self.released):,} of"
            f" {count_noun(n_held, 'held batch', 'held batches')}. Released batches are part of"
            " the history of later batches."
        )

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return one row per batch."""
        return [
            {
                "batch": verdict.batch.key,
                "time": verdict.batch.time.isoformat(),
                "decision": verdict.decision.value,
                "problems": len(verdict.problems),
                "reason": str(verdict.problems[0]) if verdict.problems else "",
            }
            for verdict in self.verdicts
        ]

    def __repr__(self) -> str:
        return f"Backtest({self._summary})"

    @property
    def page(self) -> HtmlPage:
        """The page of the backtest as a value."""
        from assay.gate.backtest.page import backtest_page

        return backtest_page(self)

    @property
    def _summary(self) -> str:
        """The number of batches, and of each decision."""
        counts = ", ".join(
            f"{number:,} {decision.value}" for decision, number in self.counts.items()
        )
        return f"{counted_batches(len(self))}: {counts}"

    def __str__(self) -> str:
        lines = [f"{self._summary}."]
        lines += (f"  {run.name:<24} {run.decision.value:<6} {run.problem}" for run in self.runs)
        return "\n".join(map(visible, lines))
