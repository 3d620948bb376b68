"""The judge of empty batches."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from assay.checks.formatting import counted_batches
from assay.gate.context import BatchContext
from assay.gate.finding import Finding
from assay.gate.history import GateHistory
from assay.gate.measured_batch import MeasuredBatch
from assay.gate.repro_sql import reproduction
from assay.learn.limits.metric_limit import MIN_BATCHES
from assay.learn.limits.tail_bounds import constant_rate
from assay.store.verdict import Decision

__all__ = ["EmptyJudge", "judge_empty"]

#: an empty batch is usual once this many batches, and this share of them, were empty
MIN_EMPTY_BATCHES, MIN_EMPTY_SHARE = 3, 0.01


@dataclass(frozen=True)
class EmptyJudge:
    """Holds a batch without rows if every earlier batch had some."""

    name: str = "empty"
    holds_alone: bool = True
    spends_budget: bool = True

    def judge(self, context: BatchContext, batch: MeasuredBatch) -> list[Finding]:
        """Return a finding if the batch has no rows."""
        return [] if batch.fingerprint.rows else judge_empty(context.history)


def judge_empty(history: GateHistory) -> list[Finding]:
    """A batch without rows is held if none before it was: of its columns there is nothing to say.

    After too few batches to learn from it is a warning, and so it is until several, and more than
    one in a hundred, were empty.
    """
    before, empty = history.seen_values.batches, history.seen_values.empty
    found = Finding("empty", Decision.WARN, "", None, "row_count", 0.0)
    if not before:
        reason = "there are no rows, and no batch before to compare with."
        return [replace(found, reason=reason)]
    if empty:
        reason = f"there are no rows, as in {empty} of the {counted_batches(before)} before."
        usual = empty >= MIN_EMPTY_BATCHES and empty > MIN_EMPTY_SHARE * before
        return [replace(found, reason=reason, level=Decision.ACCEPT if usual else Decision.WARN)]
    alarm = replace(
        found,
        level=Decision.HOLD if before >= MIN_BATCHES else Decision.WARN,
        reason=f"there are no rows; each of the {counted_batches(before)} before had some.",
        low=1.0,
        high=math.inf,
        risk=constant_rate(before),
        strength=math.inf,
        reproduce=reproduction(None, "row_count"),
    )
    return [alarm]
