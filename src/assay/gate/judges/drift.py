"""The judge of drift: metrics that rise or fall a little in each batch, for weeks.

The share of good batches with such a warning is at most the budget for holds. Each column has the
same part of it, divided by the number of metrics. A drift is reported once: the next report about a
metric compares only later batches.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from assay.checks.formatting import format_number, format_share, visible
from assay.gate.causes.cause import CauseCode
from assay.gate.context import BatchContext
from assay.gate.finding import Finding
from assay.gate.measured_batch import MeasuredBatch
from assay.learn.fingerprint import metrics
from assay.learn.fingerprint.column_stats import Fingerprint
from assay.learn.limits.drift import MIN_BATCHES, Drift, find_drift, threshold
from assay.learn.limits.metric_history import MetricHistory
from assay.store.batch import Batch
from assay.store.verdict import Decision, VerdictRecord

__all__ = ["MIN_CHANGES", "DriftJudge", "judge_drift"]

#: By metric, the smallest change that matters: a share of the value before for means and counts,
#: otherwise a difference. None of these metrics shows a single value of a private column.
MIN_CHANGES: Mapping[str, float] = {
    metrics.MEAN: 0.05,
    metrics.COMPLETENESS: 0.005,
    metrics.TOP_SHARE: 0.02,
    metrics.ROW_COUNT: 0.05,
}
#: metrics that grow by factors
RELATIVE_METRICS = frozenset((metrics.MEAN, metrics.ROW_COUNT))
#: metrics of which only a fall is a fault: a column with fewer nulls is none
_MAY_RISE = frozenset((metrics.COMPLETENESS,))
#: a change of more than this is shown by both values instead of a percentage
_MAX_RELATIVE_SHOWN = 10.0

#: Drifts that start within this number of batches are one event, such as a wave of an epidemic. The
#: first warning about it names its start. Drifts that other columns show later are observations.
_SAME_EVENT_BATCHES = 7

_Subject = tuple[str | None, str]


@dataclass(frozen=True)
class DriftJudge:
    """Warns of metrics that slowly leave their level, and names the start."""

    name: str = "drift"
    holds_alone: bool = False

    def judge(self, context: BatchContext, batch: MeasuredBatch) -> list[Finding]:
        """Return one finding for each metric with a drift that was not reported before."""
        fingerprint, history = batch.fingerprint, context.history
        if not fingerprint.rows or len(history.metrics.batches) + 1 < MIN_BATCHES:
            return []
        return list(
            judge_drift(
                history.metrics,
                fingerprint,
                batch.batch,
                rate=context.budget.hold,
                verdicts=context.verdicts,
                season=context.settings.season,
                left_out=history.labels(fingerprint),
            )
        )


def judge_drift(
    history: MetricHistory,
    fingerprint: Fingerprint,
    batch: Batch,
    *,
    rate: float,
    verdicts: Sequence[VerdictRecord] = (),
    season: int | None = None,
    left_out: frozenset[str] = frozenset(),
) -> Iterator[Finding]:
    """Warn of each metric that drifts.

    Parameters
    ----------
    history
        The metrics of the batches before.
    fingerprint, batch
        The statistics of the batch, and its time.
    rate
        The share of good batches with a warning.
    verdicts
        Earlier verdicts, oldest first: their drifts are not reported again.
    season
        The number of batches of a season. By default the season is a week, by the batches' times.
    left_out
        Columns that are not judged.
    """
    series = _series(history, fingerprint, left_out)
    batches = (*history.batches, batch)
    if season is None:
        phases = [earlier.time.weekday() for earlier in batches]
    else:
        phases = [place % season for place in range(len(batches))]
    reported = _reported(verdicts, history.batches)
    events = _event_starts(verdicts, history.batches)
    rate_of_each = rate / (len(MIN_CHANGES) * max(len(fingerprint.columns), 1))
    for (column, metric), values in series.items():
        first = reported.get((column, metric), 0)
        drift = find_drift(
            values[first:],
            rate=rate_of_each,
            phases=phases[first:],
            min_change=MIN_CHANGES[metric],
            relative=metric in RELATIVE_METRICS,
        )
        if drift is not None and not (drift.rises and metric in _MAY_RISE):
            place = first + drift.start
            finding = _to_finding(column, metric, drift, batches[place].key, rate_of_each)
            is_known = any(abs(place - event) <= _SAME_EVENT_BATCHES for event in events)
            yield replace(finding, level=Decision.ACCEPT) if is_known else finding


def _series(
    history: MetricHistory, fingerprint: Fingerprint, left_out: frozenset[str]
) -> dict[_Subject, list[float]]:
    """Return the values of each judged metric, that of the batch last; NaN for missing ones."""
    all_metrics = (*history.metrics, history.measured(fingerprint))
    subjects: list[_Subject] = [(None, metrics.ROW_COUNT)]
    subjects += [
        (name, metric)
        for name in fingerprint.columns
        if name not in left_out
        for metric in MIN_CHANGES
        if metric != metrics.ROW_COUNT and metric in all_metrics[-1].get(name, {})
    ]
    return {
        (column, metric): [
            _row_count(by_column)
            if column is None
            else by_column.get(column, {}).get(metric, math.nan)
            for by_column in all_metrics
        ]
        for column, metric in subjects
    }


def _row_count(by_column: Mapping[str, metrics.MetricValues]) -> float:
    first = next(iter(by_column.values()), {})
    return first.get(metrics.ROW_COUNT, math.nan)


def _reported(verdicts: Sequence[VerdictRecord], batches: Sequence[Batch]) -> dict[_Subject, int]:
    """Return, by column and metric, the place of the first batch after the last report."""
    places = {batch.key: place for place, batch in enumerate(batches)}
    reported: dict[_Subject, int] = {}
    place = -1
    for verdict in verdicts:
        place = places.get(verdict.key, place)
        for finding in verdict.findings:
            if finding.get("judge") == "drift":
                reported[finding.get("column"), str(finding.get("metric"))] = place + 1
    return reported


def _event_starts(verdicts: Sequence[VerdictRecord], batches: Sequence[Batch]) -> list[int]:
    """Return the places of the batches with which the drifts of earlier warnings started."""
    places = {batch.key: place for place, batch in enumerate(batches)}
    return [
        places[finding["since"]]
        for verdict in verdicts
        for finding in verdict.findings
        if finding.get("judge") == "drift"
        and finding.get("level") != Decision.ACCEPT.value
        and finding.get("since") in places
    ]


def _to_finding(column: str | None, metric: str, drift: Drift, start: str, rate: float) -> Finding:
    label = metrics.label(metric)
    verb = "rose" if drift.rises else "fell"
    before, now = _shown(metric, drift.before), _shown(metric, drift.now)
    change = f"{label} {verb} {_size(metric, drift)} since {visible(start)}"
    subject = "" if column is None else f"{visible(column)}: "
    sentence = f"{change}, a little in each batch."
    return Finding(
        "drift",
        Decision.WARN,
        f"{label} {verb} slowly from {before} to {now} since {visible(start)}.",
        column,
        metric,
        actual=drift.now,
        low=drift.before,
        high=drift.before,
        false_alarm_rate=drift.false_alarm_rate,
        severity=abs(drift.statistic) / threshold(rate),
        cause=subject + (sentence if subject else sentence[:1].upper() + sentence[1:]),
        cause_code=CauseCode.SLOW_DRIFT,
        since=start,
    )


def _size(metric: str, drift: Drift) -> str:
    """Return the size of a change, such as ``by 18 %``."""
    if metric not in RELATIVE_METRICS:
        return f"by {_number(100 * abs(drift.now - drift.before))} percentage points"
    if not abs(drift.relative_change) <= _MAX_RELATIVE_SHOWN:
        return f"from {_shown(metric, drift.before)} to {_shown(metric, drift.now)}"
    return f"by {_number(100 * abs(drift.relative_change))} %"


def _number(value: float) -> str:
    return f"{value:.0f}" if value >= 10 else f"{value:.1f}".removesuffix(".0")


def _shown(metric: str, value: float) -> str:
    if metric not in RELATIVE_METRICS:
        return format_share(round(value, 4))
    return format_number(round(value)) if metric == metrics.ROW_COUNT else format_number(value)
