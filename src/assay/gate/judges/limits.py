"""The judge of learned limits: metrics outside the limits of past batches (avh-kdd23)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assay.gate.context import BatchContext
from assay.gate.finding import Finding
from assay.gate.history import GateHistory
from assay.gate.measured_batch import MeasuredBatch
from assay.gate.practical_effect import rising_labels, with_practical_effect
from assay.gate.repro_sql import with_repro_sql
from assay.learn.fingerprint import metrics
from assay.learn.fingerprint.column_stats import Fingerprint
from assay.learn.limits.column_limits import Mode
from assay.learn.limits.judge_limits import LimitResult
from assay.learn.limits.one_row import explained_by_one_row
from assay.store.verdict import Decision

__all__ = ["LimitsJudge", "judge_limits"]

#: strict limits hold a batch, sensitive ones warn (section 4 of avh-kdd23)
_LEVELS: Mapping[Mode, Decision] = {"strict": Decision.HOLD, "sensitive": Decision.WARN}


@dataclass(frozen=True)
class LimitsJudge:
    """Reports the metrics that leave the limits learned from past batches."""

    name: str = "limits"
    holds_alone: bool = False

    def judge(self, context: BatchContext, batch: MeasuredBatch) -> list[Finding]:
        """Return one finding for each broken limit."""
        if not batch.fingerprint.rows:
            return []
        results = context.limit_results(batch.fingerprint)
        return judge_limits(results, context.history, batch.fingerprint)


def judge_limits(
    results: Mapping[Mode, Sequence[LimitResult]], history: GateHistory, batch: Fingerprint
) -> list[Finding]:
    """Return one finding for each metric that breaks a limit.

    A metric that breaks its strict and its sensitive limit is reported once. A distance that is
    smaller than usual is not reported: the batch is more similar to the one before. A metric that
    never changed before costs more than its column's share of the budget, so it only warns. It is
    not reported if a single row explains the change.
    """
    findings: dict[tuple[str | None, str | None], Finding] = {}
    for mode, of_mode in results.items():
        for result in of_mode:
            subject = result.column, result.metric
            if not result.broken or subject in findings or result.metric is None:
                continue
            if _compares_with_no_rows(result, history) or _is_more_similar(result):
                continue
            if result.constant and _is_explained_by_one_row(result, history, batch):
                continue
            level = Decision.WARN if result.share > 1 else _LEVELS[mode]
            findings[subject] = _to_finding(result, level)
    previous = history.metrics.last
    rising = rising_labels(batch, history)
    effective = with_practical_effect(findings.values(), batch, previous, rising)
    return [with_repro_sql(finding, batch, previous) for finding in effective]


def _compares_with_no_rows(result: LimitResult, history: GateHistory) -> bool:
    """Return whether a metric compares the batch with an empty one, which has no distribution."""
    metric, last = metrics.find(result.metric), history.metrics.last
    return metric is not None and metric.compares_batches and last is not None and not last.rows


def _is_more_similar(result: LimitResult) -> bool:
    """Return whether a distance to the batch before is below its limits."""
    metric, low, actual = metrics.find(result.metric), result.low, result.observed
    if metric is None or low is None or actual is None:
        return False
    return metric.kind == "distance" and actual < low


def _is_explained_by_one_row(result: LimitResult, history: GateHistory, batch: Fingerprint) -> bool:
    previous = history.metrics.last
    if result.column is None or previous is None or result.column not in previous.columns:
        return False
    low, high, actual = result.low, result.high, result.observed
    if result.metric is None or low is None or high is None or actual is None:
        return False
    constant = low / 2 + high / 2
    column = previous.columns[result.column]
    return explained_by_one_row(result.metric, constant, actual, column, batch.rows)


def _to_finding(result: LimitResult, level: Decision) -> Finding:
    return Finding(
        "limits",
        level,
        result.reason,
        result.column,
        result.metric,
        actual=result.observed,
        low=result.low,
        high=result.high,
        false_alarm_rate=result.rate,
        severity=_widths_outside(result),
    )


def _widths_outside(result: LimitResult) -> float:
    """Return how far the value lies outside its limits, in widths of the limits."""
    low, high, actual = result.low, result.high, result.observed
    if low is None or high is None or actual is None or actual != actual:
        return 0.0
    width = high - low
    distance = max(low - actual, actual - high, 0.0)
    return distance / width if 0 < width < float("inf") else distance
