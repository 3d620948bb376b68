"""The judge of learned limits: metrics outside of the limits from past batches (avh-kdd23)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from assay.gate.context import BatchContext
from assay.gate.finding import Finding
from assay.gate.history import GateHistory
from assay.gate.measured_batch import MeasuredBatch
from assay.gate.repro_sql import with_repro_sql
from assay.learn.fingerprint.column_stats import Fingerprint
from assay.learn.limits.column_limits import Mode
from assay.learn.limits.judge_limits import LimitResult as Limit
from assay.learn.limits.one_row import explained_by_one_row
from assay.learn.limits.table_limits import TableLimits, judge_batch
from assay.store.verdict import Decision

__all__ = ["LimitsJudge", "judge_limits"]


@dataclass(frozen=True)
class LimitsJudge:
    """Reports the metrics that leave the limits learned from past batches."""

    name: str = "limits"
    holds_alone: bool = False
    spends_budget: bool = True

    def judge(self, context: BatchContext, batch: MeasuredBatch) -> list[Finding]:
        """Return one finding for each broken limit."""
        if not batch.fingerprint.rows:
            return []
        return judge_limits(context.limits, context.history, batch.fingerprint)


def judge_limits(
    limits: Mapping[Mode, TableLimits], history: GateHistory, batch: Fingerprint
) -> list[Finding]:
    """Report broken limits. A limit that is broken in both modes is reported once.

    What had never changed costs more than its column's part of the budget, and only warns; where
    one row does it, nothing is said.
    """
    levels: dict[Mode, Decision] = {"strict": Decision.HOLD, "sensitive": Decision.WARN}
    found: dict[tuple[str | None, str | None], Finding] = {}
    for mode, table_limits in limits.items():
        for each in judge_batch(table_limits, history.metrics, batch):
            own = each.column, each.metric
            if not each.broken or own in found or each.metric is None:
                continue
            if not (each.constant and _by_one_row(each, history, batch)):
                found[own] = _of_limit(each, Decision.WARN if each.share > 1 else levels[mode])
    return [with_repro_sql(each, batch, history.metrics.last) for each in found.values()]


def _by_one_row(limit: Limit, history: GateHistory, batch: Fingerprint) -> bool:
    last = history.metrics.last
    if limit.column is None or last is None or limit.column not in last.columns:
        return False
    before, low, high, observed = last.columns[limit.column], limit.low, limit.high, limit.observed
    if limit.metric is None or low is None or high is None or observed is None:
        return False
    return explained_by_one_row(limit.metric, low / 2 + high / 2, observed, before, batch.rows)


def _of_limit(limit: Limit, level: Decision) -> Finding:
    return Finding(
        "limits",
        level,
        limit.reason,
        limit.column,
        limit.metric,
        limit.observed,
        limit.low,
        limit.high,
        limit.rate,
        _beyond(limit),
    )


def _beyond(limit: Limit) -> float:
    """How far outside, in widths of the band."""
    low, high, observed = limit.low, limit.high, limit.observed
    if low is None or high is None or observed is None or observed != observed:
        return 0.0
    width = high - low
    outside = max(low - observed, observed - high, 0.0)
    return outside / width if 0 < width < float("inf") else outside
