"""The judge of early batches: too few batches to learn from, but a first one to compare with.

The first batch suggests generous limits (`assay.learn.suggest.provisional`), by which the next
eight are judged. These limits only warn. Then limits and novelty are learned from the batches.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from assay.analyzers.literal import read_names
from assay.checks.formatting import counted_batches, percent, visible
from assay.gate.causes.cause import CauseCode
from assay.gate.causes.nulls import cause_of_nulls, risen_nulls
from assay.gate.context import BatchContext
from assay.gate.finding import Finding
from assay.gate.history import GateHistory
from assay.gate.measured_batch import MeasuredBatch
from assay.gate.repro_sql import filter_of_nulls, with_repro_sql
from assay.learn.fingerprint import metrics
from assay.learn.fingerprint.column_stats import Fingerprint, Stat
from assay.learn.fingerprint.metric_format import format_metric, format_range
from assay.learn.novelty.contents import BatchContents
from assay.learn.novelty.features import Feature
from assay.learn.suggest.provisional import MAX_BATCHES, ProvisionalLimit
from assay.store.verdict import Decision

__all__ = ["ProvisionalJudge", "judge_early_batch"]

#: The share of good batches among the first eight that raise a warning (benchmarks.cold_start).
FALSE_ALARM_RATE = 0.03
#: A share of fewer rows than this is not judged.
_MIN_ROWS = 3
#: From this number of batches on, the judges of keys and of repeated rows compare.
_MIN_BATCHES_OF_ROWS = 3
#: The share of repeated rows may rise by this much. Fewer rows repeat by chance.
_MAX_REPEATED_RISE, _MIN_SAMPLED_ROWS = 0.1, 20


@dataclass(frozen=True)
class ProvisionalJudge:
    """Warns of gross changes in the batches from which nothing is learned yet."""

    name: str = "provisional"
    holds_alone: bool = False

    def judge(self, context: BatchContext, batch: MeasuredBatch) -> list[Finding]:
        """Return one warning for each limit that is broken."""
        return judge_early_batch(context.history, batch.fingerprint)


def judge_early_batch(history: GateHistory, batch: Fingerprint) -> list[Finding]:
    """Compare a batch with the limits of the first one, if there are at most eight batches.

    If the number of rows is unusual, columns differ because of it. Then only the rows are reported.
    """
    n_batches = len(history.metrics.batches)
    if history.provisional is None or not batch.rows or not 1 <= n_batches <= MAX_BATCHES:
        return []
    repeated = _judge_repeated_rows(history, batch)
    if repeated:
        return repeated
    findings: list[Finding] = []
    for limit in history.provisional.limits:
        finding = _judge_limit(limit, history, batch)
        if finding is not None:
            findings.append(with_repro_sql(finding, batch, history.metrics.last))
        if finding is not None and limit.metric == metrics.ROW_COUNT:
            break
    return _merge_nulls(findings, batch, history.metrics.last)


def _merge_nulls(
    findings: list[Finding], batch: Fingerprint, last: Fingerprint | None
) -> list[Finding]:
    """Report columns that are null in the same rows once."""
    combination = None if last is None else risen_nulls(batch, last)
    names = () if combination is None else read_names(combination)
    of_nulls = [f for f in findings if f.metric == metrics.COMPLETENESS and f.column in names]
    cause = None if last is None or len(of_nulls) < 2 else cause_of_nulls(batch, last)
    if cause is None:
        return findings
    row_filter = filter_of_nulls(batch, last)
    merged = replace(
        of_nulls[0],
        reason=f"{', '.join(visible(name) for name in names)}: {of_nulls[0].reason}",
        column=None,
        cause=cause.sentence,
        cause_code=cause.code,
        sql=metrics.sql(of_nulls[0].metric, None, row_filter),
        row_filter=row_filter,
    )
    return [merged, *(finding for finding in findings if finding not in of_nulls)]


def _judge_limit(
    limit: ProvisionalLimit, history: GateHistory, batch: Fingerprint
) -> Finding | None:
    n_batches = len(history.metrics.batches)
    is_left_to_keys = n_batches >= _MIN_BATCHES_OF_ROWS and limit.metric == metrics.REPEATED_VALUES
    if is_left_to_keys or (limit.column is not None and limit.column not in batch.columns):
        return None
    actual, later = _values(limit, history, batch)
    low, high = limit.after(later)
    metric = metrics.get(limit.metric)
    low, high = max(low, metric.low), min(high, metric.high)
    if actual is None or low <= actual <= high or not _matters(limit, actual, low, high, batch):
        return None
    excess = max(low - actual, actual - high)
    is_key = limit.metric == metrics.REPEATED_VALUES
    return Finding(
        "provisional",
        Decision.WARN,
        f"{metric.label} is {format_metric(metric.name, actual, limits=(low, high))}, expected"
        f" {format_range(metric.name, low, high)} (compared with {counted_batches(n_batches)}).",
        limit.column,
        metric.name,
        actual=actual,
        low=low,
        high=high,
        false_alarm_rate=FALSE_ALARM_RATE,
        severity=excess / max(abs(high - low), abs(limit.value), 1e-9),
        cause=_cause_of_repeated_keys(limit.column or "", actual, batch) if is_key else None,
        cause_code=CauseCode.KEY_DUPLICATED.value if is_key else None,
    )


def _cause_of_repeated_keys(column: str, n_repeated: float, batch: Fingerprint) -> str:
    sampled, n_values = (batch.columns[column][name] for name in (Stat.SAMPLED, Stat.VALUES))
    noun = "values" if sampled == n_values else "sampled values"
    return (
        f"{visible(column)}: {n_repeated:,.0f} of {sampled:,.0f} {noun} repeat another value"
        f" ({percent(n_repeated / sampled)}). The name is that of a key."
    )


def _values(
    limit: ProvisionalLimit, history: GateHistory, batch: Fingerprint
) -> tuple[float | None, Sequence[float]]:
    """Return the metric in this batch, and in the batches after the first one."""
    feature, column = Feature(limit.column, limit.metric), limit.column
    now = history.features_of(batch)
    if feature in now:
        earlier = [features.get(feature) for features in history.features[1:]]
        later = [feature.from_scale(value) for value in earlier if value is not None]
        return feature.from_scale(now[feature]), later
    by_column = history.metrics.measured(batch).get(column or "", {})
    stored = [values.get(column or "", {}) for values in history.metrics.metrics[1:]]
    return by_column.get(limit.metric), [v[limit.metric] for v in stored if limit.metric in v]


def _matters(
    limit: ProvisionalLimit, actual: float, low: float, high: float, batch: Fingerprint
) -> bool:
    """Return whether a share of enough rows or values changed."""
    metric = metrics.get(limit.metric)
    if actual != actual:
        return False
    if limit.column is None:
        return True
    stats = batch.columns[limit.column]
    if limit.metric == metrics.DISTINCT_COUNT:
        return stats.n_values >= limit.value
    if metric.share_of is None:
        return stats.n_values >= _MIN_ROWS
    return max(low - actual, actual - high) * stats[metric.share_of] >= _MIN_ROWS - 1


def _judge_repeated_rows(history: GateHistory, batch: Fingerprint) -> list[Finding]:
    """Report repeated rows before the judge of repeated rows does."""
    n_batches = len(history.metrics.batches)
    if n_batches >= _MIN_BATCHES_OF_ROWS:
        return []
    now, usual = BatchContents.of(batch), max(map(_repeated_share, history.contents), default=0.0)
    share = _repeated_share(now)
    if now.sampled < _MIN_SAMPLED_ROWS or share <= usual + _MAX_REPEATED_RISE:
        return []
    times = min(batch.row_counts.values())
    if times > 1:
        cause = f"Every row was delivered {'twice' if times == 2 else f'{times:,} times'}."
        code = CauseCode.ROWS_REPEATED
    else:
        cause = f"About {percent(share)} of the rows repeat another row; {percent(usual)} before."
        code = CauseCode.ROWS_DUPLICATED
    return [
        Finding(
            "provisional",
            Decision.WARN,
            f"{percent(share)} of the rows repeat another row, expected at most"
            f" {percent(usual + _MAX_REPEATED_RISE)} (compared with {counted_batches(n_batches)}).",
            metric="repeated_rows",
            actual=share,
            low=0.0,
            high=usual + _MAX_REPEATED_RISE,
            false_alarm_rate=FALSE_ALARM_RATE,
            severity=share,
            cause=cause,
            cause_code=code,
        )
    ]


def _repeated_share(contents: BatchContents) -> float:
    return contents.repeated / contents.sampled if contents.sampled else 0.0
