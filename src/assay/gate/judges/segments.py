"""The judge of segments: rows, means and shares of one segment that differ from its own history.

The gate splits each batch by the column in the setting `by`, such as a country. A segment's row
count may hold the batch. Metrics of columns, new segments and vanished small ones only warn.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from assay.analyzers.aggregate_expr import sql_string
from assay.analyzers.schema import quote
from assay.checks.formatting import format_number, format_share, visible
from assay.gate.causes.cause import CauseCode, count_of
from assay.gate.causes.numbers import UNIT_FACTORS
from assay.gate.context import BatchContext
from assay.gate.finding import Finding
from assay.gate.measured_batch import MeasuredBatch
from assay.gate.segments.batch_segments import (
    BatchSegments,
    SegmentName,
    name_segment,
    segment_condition,
)
from assay.gate.segments.deviations import Deviation, Rates, find_deviations
from assay.learn.fingerprint import metrics
from assay.store.verdict import Decision
from assay.text import count_noun

__all__ = ["SegmentsJudge", "judge_segments"]

#: a new segment warns if the gate has seen this many batches, and none of them brought a new one
_MIN_BATCHES_WITHOUT_NEW = 20
_MIN_ROWS_OF_NEW = 2
_MAX_NAMED = 3
#: segments explain the missing rows of a batch if they lack this share of them
_MIN_SHARE_OF_MISSING_ROWS = 0.6
#: a factor is that of a unit up to this relative difference
_MAX_DIFFERENCE_OF_UNITS = 0.03


@dataclass(frozen=True)
class SegmentsJudge:
    """Reports the segments that deviate from their own history while others do not."""

    name: str = "segments"
    holds_alone: bool = True

    def judge(self, context: BatchContext, batch: MeasuredBatch) -> list[Finding]:
        """Return one finding for each kind of deviation, and one for new segments."""
        if batch.segments_problem is not None:
            level = context.settings.level_on_error
            return [Finding(self.name, level, batch.segments_problem, context.settings.by)]
        if batch.segments is None:
            return []
        season = context.settings.season
        history = [segments for _, segments in context.segments]
        if season is None:
            batches = (*(earlier for earlier, _ in context.segments), batch.batch)
            phases = [earlier.time.weekday() for earlier in batches]
        else:
            phases = [place % season for place in range(len(history) + 1)]
        rates = Rates(context.budget.hold, context.budget.warn)
        return judge_segments(history, batch.segments, phases, rates)


def judge_segments(
    history: Sequence[BatchSegments], batch: BatchSegments, phases: Sequence[int], rates: Rates
) -> list[Finding]:
    """Compare the segments of a batch with those of earlier batches.

    Parameters
    ----------
    history
        The segments of accepted batches, oldest first.
    batch
        The segments of the batch.
    phases
        The weekday of each batch, or its place in the season, that of the batch last.
    rates
        The shares of good batches that may be held and warned of.
    """
    is_alike = [earlier.by == batch.by for earlier in history]
    history = [earlier for earlier, alike in zip(history, is_alike, strict=True) if alike]
    phases = [phase for phase, alike in zip(phases, [*is_alike, True], strict=True) if alike]
    groups: dict[tuple[str | None, str, bool], list[Deviation]] = {}
    for deviation in find_deviations(history, batch, phases, rates):
        subject = deviation.column, deviation.metric, deviation.actual > deviation.expected
        groups.setdefault(subject, []).append(deviation)
    findings = [
        _to_finding(batch, group, rates)
        for group in groups.values()
        # what most segments show is a change of the table, which other judges report
        if _is_of_few(batch, group)
    ]
    return [*findings, *_new_segments(history, batch)]


def _is_of_few(batch: BatchSegments, group: Sequence[Deviation]) -> bool:
    """Return whether at most half of the segments deviate, or a single one."""
    names = {*batch.names, *(deviation.segment for deviation in group)}
    return len(group) == 1 or len(group) <= len(names) / 2


def _to_finding(batch: BatchSegments, group: Sequence[Deviation], rates: Rates) -> Finding:
    worst = group[0]
    holds = any(deviation.holds for deviation in group)
    condition = _condition(batch.by, [deviation.segment for deviation in group])
    metric, column = worst.metric, worst.column
    where = _names(batch.by, [deviation.segment for deviation in group])
    finding = Finding(
        "segments",
        Decision.HOLD if holds else Decision.WARN,
        f"{where}: {metrics.label(metric)} is {_format(worst, worst.actual)}, expected"
        f" {_format(worst, worst.low)} to {_format(worst, worst.high)}.",
        column,
        metric,
        actual=worst.actual,
        low=worst.low,
        high=worst.high,
        false_alarm_rate=rates.hold if holds else rates.warn,
        severity=worst.severity,
        where=where,
    )
    query = metrics.sql(metric, column)
    row_filter = _row_filter(worst, condition)
    code, sentence = _cause(batch, group)
    return replace(
        finding,
        cause=sentence,
        cause_code=code.value,
        sql=None if query is None else f"{query} WHERE {condition}",
        row_filter=row_filter,
    )


def _row_filter(worst: Deviation, condition: str) -> str | None:
    """Return the condition for rows that the deviation is about; None if rows are missing."""
    if worst.column is None:
        return condition if worst.actual > worst.expected else None
    entry = metrics.get(worst.metric)
    is_low = worst.actual < worst.expected
    rows = entry.rows_if_low if is_low else entry.rows_if_high
    if worst.metric == metrics.MEAN or rows is None:
        return condition
    return f"{condition} AND ({rows.format(c=quote(worst.column), low=worst.low, high=worst.high)})"


def _condition(by: str, names: Sequence[SegmentName]) -> str:
    if len(names) == 1:
        return segment_condition(by, names[0])
    texts = [name for name in names if name is not None]
    listed = f"CAST({quote(by)} AS STRING) IN ({', '.join(map(sql_string, texts))})"
    return listed if len(texts) == len(names) else f"({listed} OR {quote(by)} IS NULL)"


def _names(by: str, names: Sequence[SegmentName]) -> str:
    """Return segments in words: the first ones by name, and how many more."""
    if len(names) == 1:
        return name_segment(by, names[0])
    shown = ", ".join(
        "null" if name is None else repr(visible(name)) for name in names[:_MAX_NAMED]
    )
    n_more = len(names) - _MAX_NAMED
    return f"{visible(by)} = {shown}" + (f" and {n_more} more" if n_more > 0 else "")


def _cause(batch: BatchSegments, group: Sequence[Deviation]) -> tuple[CauseCode, str]:
    """Return what happened in the segments, in words."""
    worst, where = group[0], _names(batch.by, [deviation.segment for deviation in group])
    subject = "" if worst.column is None else f"In {where}"
    if worst.column is None:
        return _cause_of_rows(batch, group, where)
    if worst.metric == metrics.COMPLETENESS:
        n_nulls = (1 - worst.actual) * worst.size
        code = CauseCode.NULLS_ROSE if worst.actual < worst.expected else CauseCode.NULLS_FELL
        counted = count_of(round(n_nulls), worst.size, "values")
        sentence = f"{counted} are null; {format_share(1 - worst.expected)} is usual."
    elif worst.metric == metrics.ZERO_RATIO:
        is_high = worst.actual > worst.expected
        code = CauseCode.ZEROS_ROSE if is_high else CauseCode.VALUES_SHIFTED
        counted = count_of(round(worst.actual * worst.size), worst.size, "values")
        sentence = f"{counted} are 0; {format_share(worst.expected)} is usual."
    elif worst.factor != 1:
        code, sentence = CauseCode.UNIT_CHANGED, _scaled(worst.factor)
    else:
        code = CauseCode.VALUES_SHIFTED
        usual = format_number(float(f"{worst.expected:.4g}"))
        sentence = f"the mean is {format_number(float(f'{worst.actual:.4g}'))}; {usual} is usual."
    others = "" if len(group) > 1 else " Other segments are as usual."
    return code, f"{subject}: {sentence[:1].lower()}{sentence[1:]}{others}"


def _scaled(ratio: float) -> str:
    """Describe numbers that are multiplied by a factor, with the units that it suggests."""
    factor = max(ratio, 1 / ratio)
    near = min(UNIT_FACTORS, key=lambda unit: abs(math.log(unit / factor)))
    is_unit = abs(near / factor - 1) < _MAX_DIFFERENCE_OF_UNITS
    units = UNIT_FACTORS[near].split(" to ") if is_unit and UNIT_FACTORS[near] else []
    first, second = units[:: 1 if ratio > 1 else -1] or ("", "")
    question = (
        f"Was the unit changed from {first} to {second}?" if units else "Was the unit changed?"
    )
    shown = format_number(near if is_unit else float(f"{factor:.3g}"))
    return f"About {shown} times {'larger' if ratio > 1 else 'smaller'} than usual. {question}"


def _cause_of_rows(
    batch: BatchSegments, group: Sequence[Deviation], where: str
) -> tuple[CauseCode, str]:
    worst, n_segments = group[0], len(batch.names) + batch.n_others
    actual, usual = sum(d.actual for d in group), sum(d.expected for d in group)
    if worst.actual > worst.expected:
        others = f"the other {count_noun(n_segments - len(group), 'segment')} as usual."
        rows = f"{actual:,.0f} rows arrived; about {usual:,.0f} are usual; {others}"
        return CauseCode.ROW_COUNT, f"{where}: {rows}"
    if actual == 0:
        rows = f"no row arrived; about {usual:,.0f} are usual"
    else:
        rows = f"{actual:,.0f} of about {usual:,.0f} rows arrived"
    # otherwise the rows that are missing in other segments have the same cause
    if usual - actual < _MIN_SHARE_OF_MISSING_ROWS * worst.missing_rows:
        return CauseCode.ROW_COUNT, f"{where}: {rows}."
    return CauseCode.SEGMENT_MISSING, f"{where}: {rows}; all other segments are complete."


def _new_segments(history: Sequence[BatchSegments], batch: BatchSegments) -> Iterator[Finding]:
    """Name the segments that no earlier batch had. They warn if new ones are rare."""
    if not history or any(earlier.n_others for earlier in history):
        return
    earlier_names: set[SegmentName] = set()
    last_new = 0
    for place, earlier in enumerate(history):
        if not earlier_names.issuperset(earlier.names):
            last_new = place
        earlier_names |= {*earlier.names}
    new = [
        (name, int(rows))
        for name, rows in zip(batch.names, batch.rows.tolist(), strict=True)
        if name not in earlier_names
    ]
    if not new:
        return
    n_rows = sum(rows for _, rows in new)
    names = _names(batch.by, [name for name, _ in new])
    is_rare = len(history) - 1 - last_new >= _MIN_BATCHES_WITHOUT_NEW
    verb = "is" if len(new) == 1 else "are"
    reason = (
        f"{names} {verb} new: {count_noun(n_rows, 'row')}, never seen in"
        f" {count_noun(len(history), 'batch', 'batches')}."
    )
    yield Finding(
        "segments",
        Decision.WARN if is_rare and n_rows >= _MIN_ROWS_OF_NEW else Decision.ACCEPT,
        reason,
        batch.by,
        metrics.UNSEEN_VALUES,
        actual=n_rows / max(1, batch.n_rows),
        high=0.0,
        cause=reason,
        cause_code=CauseCode.VALUES_NEW.value,
        where=names,
        sql=f"SELECT {quote(batch.by)}, count(*) FROM batch GROUP BY 1 ORDER BY 2 DESC",  # noqa: S608
        row_filter=_condition(batch.by, [name for name, _ in new]),
    )


def _format(deviation: Deviation, value: float) -> str:
    if metrics.get(deviation.metric).is_share:
        return format_share(min(1.0, max(0.0, value)))
    return format_number(float(f"{value:.4g}"))
