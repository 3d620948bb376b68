"""The judge of redeliveries: does a batch repeat the batch before it?

Let k of n past batches be as similar to the batch before them. Then a good batch is so similar by
chance in ``(k + 1) / (n + 1)`` of all cases. If k is 0, the rate is that of a metric that never
changed before.
"""

from __future__ import annotations

from dataclasses import dataclass

from assay.checks.formatting import counted_batches, percent
from assay.gate.budget import Budget
from assay.gate.causes.cause import CauseCode
from assay.gate.context import BatchContext
from assay.gate.finding import Finding
from assay.gate.history import GateHistory
from assay.gate.measured_batch import MeasuredBatch
from assay.learn.fingerprint.column_stats import Fingerprint
from assay.learn.limits.tail_bounds import constant_rate
from assay.learn.novelty.features import UNCHANGED
from assay.learn.novelty.repetition import find_repetition, identical
from assay.store.verdict import Decision

__all__ = ["RedeliveryJudge", "judge_redelivery"]

#: columns of fewer rows are often equal by chance
MIN_ROWS = 3
#: columns of fewer rows are sometimes equal by chance, so they only warn
MIN_ROWS_TO_HOLD = 20


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
    """Hold a batch whose columns all equal those of the batch before.

    It only warns if most columns are equal but not all, if earlier batches were nearly as
    similar, or if the batch has few rows.
    """
    repetition = find_repetition(history.features, history.features_of(batch))
    if repetition is None or batch.rows < MIN_ROWS:
        return []
    n_similar, n_batches = repetition.like, repetition.batches
    rate = (n_similar + 1) / (n_batches + 1) if n_similar else constant_rate(n_batches)
    if rate > budget.warn:
        return []
    all_equal = identical(batch, history.seen_values.last)
    holds = (
        all_equal and not repetition.near and rate <= budget.hold and batch.rows >= MIN_ROWS_TO_HOLD
    )
    columns = (
        "all columns are" if all_equal else f"{percent(repetition.observed)} of the columns are"
    )
    usual = f"usually {percent(repetition.usual)} are ({counted_batches(n_batches)})"
    cause = "The batch before was delivered again"
    return [
        Finding(
            "redelivery",
            Decision.HOLD if holds else Decision.WARN,
            f"{columns} exactly as in the batch before; {usual}.",
            *UNCHANGED,
            actual=repetition.observed,
            low=0.0,
            high=repetition.limit,
            false_alarm_rate=rate,
            severity=repetition.observed / repetition.limit,
            cause=f"{cause}." if all_equal else f"{cause}, with changes.",
            cause_code=CauseCode.REDELIVERED,
        )
    ]
