"""The judge of novelty: features unlike those of the accepted batches (novelty-edbt21)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from assay.checks.assertions.expectation import NotEnough
from assay.checks.formatting import counted_batches, format_number
from assay.gate.budget import Budget
from assay.gate.context import BatchContext
from assay.gate.finding import Finding
from assay.gate.history import GateHistory, calendar_time
from assay.gate.measured_batch import MeasuredBatch
from assay.gate.practical_effect import rising_labels, with_practical_effect
from assay.gate.repro_sql import with_repro_sql
from assay.gate.selection import is_selected_metric
from assay.learn.fingerprint import metrics
from assay.learn.fingerprint.column_stats import Fingerprint
from assay.learn.novelty.bands import Bands, judge
from assay.learn.novelty.features import ROW_COUNT, Feature, Features
from assay.learn.novelty.novelty_result import Method, Novelty, Reason
from assay.learn.novelty.outlier_detector import OutlierDetector
from assay.learn.novelty.outlier_methods import NEIGHBOURS
from assay.learn.novelty.paper_features import compute_paper_features, convert_to_paper
from assay.learn.novelty.sampling_error import sampling_errors
from assay.store.verdict import Decision
from assay.suite.settings import GateSettings

__all__ = ["NoveltyJudge", "judge_novelty"]

_UNSEEN_NULLS = Feature(None, metrics.UNSEEN_NULLS)
_RARE_NULLS = Feature(None, metrics.RARE_NULLS)
#: a row count this many times farther outside its band occurs by chance a tenth as often
TENTH_AS_LIKELY = 1.6


@dataclass(frozen=True)
class NoveltyJudge:
    """Compares the features of a batch with those of the accepted batches."""

    name: str = "novelty"
    holds_alone: bool = False

    def judge(self, context: BatchContext, batch: MeasuredBatch) -> list[Finding]:
        """Return the features that are outside their bands, or far from other batches."""
        if not batch.fingerprint.rows:
            return []
        time = calendar_time(batch.batch)
        return judge_novelty(
            context.history, batch.fingerprint, context.budget, context.settings, time=time
        )


def judge_novelty(
    history: GateHistory,
    batch: Fingerprint,
    budget: Budget,
    settings: GateSettings,
    *,
    time: datetime | None = None,
) -> list[Finding]:
    """Return the features that are outside their bands, or far from those of other batches.

    Calendars are considered if the `time` of the batch is given.
    """
    times: tuple[datetime, ...] = ()
    if time is not None and len(history.times) == len(history.features):
        times = (*history.times, time)
    detector = settings.novelty
    if detector.method == "bands":
        findings = _outside_bands(history, batch, budget, settings, times)
    else:
        findings = _far_from_others(history, batch, budget, settings, detector.method)
    last = history.metrics.last
    effective = with_practical_effect(findings, batch, last, rising_labels(batch, history))
    return [with_repro_sql(finding, batch, last) for finding in effective]


def _outside_bands(
    history: GateHistory,
    batch: Fingerprint,
    budget: Budget,
    settings: GateSettings,
    times: Sequence[datetime],
) -> list[Finding]:
    bands = Bands(alpha=budget.warn, season=settings.season)
    learned = bands.learn([_selected(features, settings) for features in history.features], times)
    if isinstance(learned, NotEnough):
        return []
    novelty = learned.judge(
        history.features_of(batch), sampling_errors(batch, history.metrics.last)
    )
    if not novelty.alarm:
        return []
    outside = [reason for reason in novelty.reasons if reason.ratio > novelty.limit]
    findings = []
    for reason in _without_implied_nulls(outside):
        limit = TENTH_AS_LIKELY if reason.feature == ROW_COUNT else bands.hold
        holds = reason.ratio > limit
        rate = budget.hold if holds else budget.warn
        findings.append(_to_finding(reason, holds=holds, false_alarm_rate=rate))
    return findings


def _without_implied_nulls(reasons: list[Reason]) -> list[Reason]:
    """Drop rare combinations of nulls if there are unseen ones: unseen ones are rare as well."""
    has_unseen = any(reason.feature == _UNSEEN_NULLS for reason in reasons)
    return [reason for reason in reasons if not (has_unseen and reason.feature == _RARE_NULLS)]


def _far_from_others(
    history: GateHistory,
    batch: Fingerprint,
    budget: Budget,
    settings: GateSettings,
    method: Method,
) -> list[Finding]:
    """Report a batch that is far from the others as a whole, by its most unusual features.

    The limit is about the largest score of n batches. The next batch exceeds it by chance once in
    n + 1 times. A feature holds a batch only if it is as far outside as with bands.
    """
    chosen = settings.novelty
    contamination = budget.hold if chosen.contamination is None else chosen.contamination
    detector = OutlierDetector(
        method,
        contamination,
        neighbours=chosen.neighbours or NEIGHBOURS,
        distance=chosen.distance or "euclidean",
        aggregation=chosen.aggregation,
    )
    all_features: Sequence[Features] = history.features
    batch_features: Features = history.features_of(batch)
    if chosen.features == "paper":
        all_features, batch_features = _paper_features(history, batch)
    novelty = judge(
        [_selected(features, settings) for features in all_features], batch_features, detector
    )
    if not novelty.alarm:
        return []
    rate = max(contamination, 1 / (novelty.batches + 1))
    outside = [
        reason for reason in novelty.reasons if not reason.low <= reason.observed <= reason.high
    ]
    farthest = [reason for reason in outside if reason.ratio > 1] or outside
    limits = {ROW_COUNT: TENTH_AS_LIKELY, _UNSEEN_NULLS: Bands().hold}
    findings = [
        _to_finding(
            reason,
            holds=reason.ratio > limits.get(reason.feature, 1.0),
            false_alarm_rate=rate,
        )
        for reason in _without_implied_nulls(farthest)
    ]
    return findings or [_combination_finding(novelty, method, rate)]


def _paper_features(
    history: GateHistory, batch: Fingerprint
) -> tuple[tuple[Features, ...], Features]:
    """Return the paper's features of the batches whose metrics are remembered, and of this one."""
    by_batch = history.metrics.metrics
    recent = history.features[-len(by_batch) :] if by_batch else ()
    earlier = tuple(map(convert_to_paper, recent, by_batch))
    return earlier, compute_paper_features(batch)


def _selected(features: Features, settings: GateSettings) -> Features:
    if not settings.metrics:
        return features
    return {
        feature: value
        for feature, value in features.items()
        if is_selected_metric(feature.metric, settings)
    }


def _combination_finding(novelty: Novelty, method: Method, false_alarm_rate: float) -> Finding:
    """Report a batch whose features each occurred before, but not all together."""
    score = format_number(novelty.score, other_than=[novelty.limit])
    limit = format_number(novelty.limit, other_than=[novelty.score])
    reason = (
        f"the batch as a whole is far from the {counted_batches(novelty.batches)} before: its"
        f" {method} score is {score}, expected at most {limit}. No single feature is unusual;"
        f" {novelty.reasons[0].feature} is the nearest to the edge of its range."
    )
    return Finding(
        "novelty",
        Decision.WARN,
        reason,
        metric="score",
        actual=novelty.score,
        high=novelty.limit,
        false_alarm_rate=false_alarm_rate,
    )


def _to_finding(reason: Reason, *, holds: bool, false_alarm_rate: float) -> Finding:
    column, metric = reason.feature
    return Finding(
        "novelty",
        Decision.HOLD if holds else Decision.WARN,
        str(replace(reason, feature=Feature(None, metric))),
        column,
        metric,
        actual=reason.observed,
        low=reason.low,
        high=reason.high,
        false_alarm_rate=false_alarm_rate,
        severity=reason.ratio,
    )
