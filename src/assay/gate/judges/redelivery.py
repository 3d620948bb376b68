"""The judge of deliveries that came before: is a batch the last one once more?

Where k of n past batches were as much like the one before them, a batch that is fine is so in
``(k + 1) / (n + 1)`` of all cases; where none was, as seldom as anything changes that never did.
"""

from __future__ import annotations

from dataclasses import dataclass

from assay.gate.budget import Budget
from assay.gate.context import BatchContext
from assay.gate.finding import Finding
from assay.gate.history import GateHistory
from assay.gate.measured_batch import MeasuredBatch
from assay.learn.fingerprint.column_stats import Fingerprint
from assay.learn.limits.tail_bounds import constant_rate
from assay.learn.novelty.metrics import UNCHANGED
from assay.learn.novelty.repetition import find_repetition, identical
from assay.store.verdict import Decision

__all__ = ["RedeliveryJudge", "judge_redelivery"]

#: of fewer rows, columns are the same by chance; of fewer than the second, now and then
_FEW, _SEVERAL = 3, 20


@dataclass(frozen=True)
class RedeliveryJudge:
    """Detects a batch that repeats the one before it."""

    name: str = "redelivery"
    holds_alone: bool = True
    spends_budget: bool = True

    def judge(self, context: BatchContext, batch: MeasuredBatch) -> list[Finding]:
        """Return a finding if most columns are exactly as in the batch before."""
        return judge_redelivery(context.history, batch.fingerprint, context.budget)


def judge_redelivery(history: GateHistory, batch: Fingerprint, budget: Budget) -> list[Finding]:
    """A batch that is the last one in every value, where none ever was nearly so, is held.

    Where it is in most columns, or a few batches were before, or has few rows, it is a warning.
    """
    found = find_repetition(history.features, history.features_of(batch))
    if found is None or batch.rows < _FEW:
        return []
    like, batches = found.like, found.batches
    risk = (like + 1) / (batches + 1) if like else constant_rate(batches)
    if risk > budget.warn:
        return []
    all_of_it = identical(batch, history.seen_values.last)
    held = all_of_it and not found.near and risk <= budget.hold and batch.rows >= _SEVERAL
    which = "all columns are" if all_of_it else f"{found.observed:.0%} of the columns are"
    usual = f"usually {found.usual:.0%} of them are ({batches} batches)"
    reason = f"{which} exactly as in the batch before; {usual}."
    cause = "the batch before was delivered again" + ("." if all_of_it else ", with changes.")
    return [
        Finding(
            "redelivery",
            Decision.HOLD if held else Decision.WARN,
            reason,
            *UNCHANGED,
            found.observed,
            0.0,
            found.limit,
            risk,
            found.observed / found.limit,
            cause,
        )
    ]
