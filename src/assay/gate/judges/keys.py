"""The judge of keys: values that repeat in a column whose values never repeated before.

All values of a column are counted. If there are many, only a sample of them is counted, which is
chosen by hash. Columns of fractions are never keys.

The false-alarm rate says how often chance repeats this number of values or more, although no
value was repeated in any earlier batch (`assay.learn.limits.repetition_rate`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from assay.checks.formatting import counted_batches, percent, visible
from assay.gate.budget import Budget
from assay.gate.causes.cause import CauseCode
from assay.gate.context import BatchContext
from assay.gate.finding import Finding
from assay.gate.measured_batch import MeasuredBatch
from assay.learn.fingerprint import metrics
from assay.learn.fingerprint.column_stats import ColumnStats, Fingerprint
from assay.learn.fingerprint.metrics import MetricValues
from assay.learn.limits.metric_history import MetricHistory
from assay.learn.limits.repetition_rate import repetition_rate
from assay.store.verdict import Decision

__all__ = ["KeysJudge", "judge_keys"]

#: a column is a key if its values never repeated in this number of batches or more, ...
MIN_BATCHES = 3
#: ... which had this number of counted values or more, together
MIN_ROWS = 30


@dataclass(frozen=True)
class KeysJudge:
    """Reports repeated values in columns that had none before."""

    name: str = "keys"
    holds_alone: bool = True

    def judge(self, context: BatchContext, batch: MeasuredBatch) -> list[Finding]:
        """Return one finding for each key with repeated values."""
        return list(
            judge_keys(
                context.history.metrics, batch.fingerprint, context.budget.of_judge(self.name)
            )
        )


def judge_keys(history: MetricHistory, batch: Fingerprint, budget: Budget) -> Iterator[Finding]:
    """Hold a batch if more values of a key repeat than chance explains.

    Warn if chance explains the number only rarely.
    """
    for name, stats in batch.columns.items():
        repeated = stats["sampled"] - stats["sampled_distinct"]
        if not repeated > 0 or not _can_be_key(stats):
            continue
        earlier = [values for values in history.of(name) if _pairs(values) >= 0]
        if len(earlier) < MIN_BATCHES or any(v[metrics.REPEATED_VALUES] for v in earlier):
            continue
        if sum(v[metrics.SAMPLED_VALUES] for v in earlier) < MIN_ROWS:
            continue
        pairs = stats["sampled"] * stats["values"] / 2
        earlier_pairs = sum(map(_pairs, earlier))
        # Each column is tested, and each test can be wrong by chance: multiply the rate by the
        # number of columns.
        n_columns = len(batch.columns)
        rate = repetition_rate(int(repeated), pairs=pairs, earlier_pairs=earlier_pairs) * n_columns
        if rate <= budget.warn:
            yield _to_finding(name, stats, len(earlier), rate, holds=rate <= budget.hold)


def _can_be_key(stats: ColumnStats) -> bool:
    return stats.kind == "categorical" or stats["integers"] == stats["values"]


def _pairs(values: MetricValues) -> float:
    """Return the number of pairs of rows that were compared; NaN if values were not counted."""
    n_values = values.get(metrics.ROW_COUNT, math.nan) * values.get(metrics.COMPLETENESS, math.nan)
    return values.get(metrics.SAMPLED_VALUES, math.nan) * n_values / 2


def _to_finding(
    name: str, stats: ColumnStats, n_batches: int, rate: float, *, holds: bool
) -> Finding:
    sampled, repeated = stats["sampled"], stats["sampled"] - stats["sampled_distinct"]
    share = repeated / sampled
    if sampled == stats["values"]:
        count = f"{repeated:,.0f} of {sampled:,.0f} values repeat another value ({percent(share)})"
    else:
        count = (
            f"about {percent(share)} of the values repeat another value"
            f" ({repeated:,.0f} of {sampled:,.0f} sampled values)"
        )
    return Finding(
        "keys",
        Decision.HOLD if holds else Decision.WARN,
        f"{count}; in {counted_batches(n_batches)} before, all values were different.",
        name,
        metrics.REPEATED_VALUES,
        actual=repeated,
        low=0.0,
        high=0.0,
        false_alarm_rate=rate,
        severity=share,
        cause=f"{visible(name)}: {count}. No value was repeated before.",
        cause_code=CauseCode.KEY_DUPLICATED,
    )
