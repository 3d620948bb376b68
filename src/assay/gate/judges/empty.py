"""The judge of empty batches."""

from __future__ import annotations

import math
from dataclasses import dataclass

from assay.checks.formatting import counted_batches
from assay.gate.causes.cause import CauseCode
from assay.gate.context import BatchContext
from assay.gate.finding import Finding
from assay.gate.history import GateHistory
from assay.gate.measured_batch import MeasuredBatch
from assay.learn.fingerprint import metrics
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

    def judge(self, context: BatchContext, batch: MeasuredBatch) -> list[Finding]:
        """Return a finding if the batch has no rows."""
        return [] if batch.fingerprint.rows else judge_empty(context.history)


def judge_empty(history: GateHistory) -> list[Finding]:
    """Return one finding about a batch without rows.

    It holds the batch if every earlier batch had rows. It warns if there are too few earlier
    batches to learn from, or if some of them were empty. It does not warn once `MIN_EMPTY_BATCHES`
    and more than `MIN_EMPTY_SHARE` of them were empty.
    """
    n_batches, n_empty = history.seen_values.batches, history.seen_values.empty
    if not n_batches:
        reason = "the batch is empty, and there is nothing to compare it with."
        return [_finding(Decision.WARN, reason)]
    earlier = counted_batches(n_batches)
    if n_empty:
        is_usual = n_empty >= MIN_EMPTY_BATCHES and n_empty > MIN_EMPTY_SHARE * n_batches
        level = Decision.ACCEPT if is_usual else Decision.WARN
        return [_finding(level, f"the batch is empty, as were {n_empty:,} of {earlier} before.")]
    return [
        Finding(
            "empty",
            Decision.HOLD if n_batches >= MIN_BATCHES else Decision.WARN,
            f"the batch is empty; all {earlier} before had rows."
            if n_batches > 1
            else "the batch is empty; the batch before had rows.",
            metric=metrics.ROW_COUNT,
            actual=0.0,
            low=1.0,
            high=math.inf,
            false_alarm_rate=constant_rate(n_batches),
            severity=math.inf,
            cause="The batch is empty.",
            cause_code=CauseCode.NO_ROWS,
            sql=metrics.sql(metrics.ROW_COUNT, None),
        )
    ]


def _finding(level: Decision, reason: str) -> Finding:
    return Finding(
        "empty",
        level,
        reason,
        metric=metrics.ROW_COUNT,
        actual=0.0,
        cause="The batch is empty.",
        cause_code=CauseCode.NO_ROWS,
    )
