"""The judge of counters: totals that only grew, and are smaller now.

A column of numbers is a counter if its sum never fell in 20 batches or more, and rose in most of
them. An example is the number of cases of each country in a table of snapshots. A smaller sum means
that an older state of the table was delivered, or that values were corrected.

The false-alarm rate of one counter is the rate at which a metric changes that never changed before
(`constant_rate`). If most counters fall in one batch, this is one event.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from assay.checks.formatting import counted_batches, format_number, visible
from assay.gate.budget import Budget
from assay.gate.causes.cause import CauseCode
from assay.gate.context import BatchContext
from assay.gate.finding import Finding
from assay.gate.measured_batch import MeasuredBatch
from assay.learn.fingerprint import metrics
from assay.learn.fingerprint.column_stats import Fingerprint, Stat
from assay.learn.limits.metric_history import MetricHistory
from assay.learn.limits.tail_bounds import constant_rate
from assay.store.verdict import Decision

__all__ = ["CountersJudge", "judge_counters"]

#: A sum is that of a counter if it never fell in this number of batches, ...
MIN_BATCHES = 20
#: ... and rose in this share of them. A column that seldom changes does not count.
_MIN_RISING = 0.5
#: A smaller fall than this part of a usual rise is a correction.
_MIN_FALL = 0.5
#: With fewer rows than this part of the last batch, rows are missing, and all sums fall.
_MIN_ROWS = 0.95
_ROUNDING = 1e-9


@dataclass(frozen=True)
class CountersJudge:
    """Reports sums that fall for the first time."""

    name: str = "counters"
    holds_alone: bool = True

    def judge(self, context: BatchContext, batch: MeasuredBatch) -> list[Finding]:
        """Return one finding for the table if most counters fell, or one for each counter."""
        budget = context.budget.of_judge(self.name)
        return list(judge_counters(context.history.metrics, batch.fingerprint, budget))


@dataclass(frozen=True, slots=True)
class _Fall:
    """A counter whose sum is now smaller than in the last batch."""

    column: str
    last: float
    now: float
    batches: int


def judge_counters(history: MetricHistory, batch: Fingerprint, budget: Budget) -> Iterator[Finding]:
    """Warn of counters that fell for the first time.

    Parameters
    ----------
    history
        The metrics of earlier batches.
    batch
        The statistics of the batch.
    budget
        The budget of this judge.
    """
    last = history.last
    if last is None or batch.rows < _MIN_ROWS * last.rows:
        return
    counters = {
        name: sums
        for name, stats in batch.columns.items()
        if stats.kind == "numeric" and _is_counter(sums := _sums(history, name))
    }
    falls = [
        fall
        for name, sums in counters.items()
        if (fall := _fall(name, sums, batch.columns[name][Stat.SUM])) is not None
    ]
    if len(falls) > 1 and 2 * len(falls) >= len(counters):
        rate = constant_rate(min(fall.batches for fall in falls))
        if rate <= budget.warn:
            yield _of_table(falls, len(counters), rate, budget)
        return
    for fall in falls:
        # Each counter is tested, and each test can be wrong by chance: multiply the rate.
        rate = constant_rate(fall.batches) * len(counters)
        if rate <= budget.warn:
            yield _of_column(fall, rate)


def _sums(history: MetricHistory, name: str) -> list[float]:
    values = [of_batch.get(metrics.SUM, math.nan) for of_batch in history.of(name)]
    return [value for value in values if math.isfinite(value)]


def _is_counter(sums: list[float]) -> bool:
    if len(sums) < MIN_BATCHES:
        return False
    rises = [later - earlier for earlier, later in pairwise(sums)]
    room = _ROUNDING * max(map(abs, sums))
    return min(rises) >= -room and sum(rise > room for rise in rises) >= _MIN_RISING * len(rises)


def _fall(name: str, sums: list[float], now: float) -> _Fall | None:
    usual_rise = median(later - earlier for earlier, later in pairwise(sums))
    if not sums[-1] - now > _MIN_FALL * usual_rise:
        return None
    return _Fall(name, sums[-1], now, len(sums))


def _of_table(falls: list[_Fall], n_counters: int, rate: float, budget: Budget) -> Finding:
    worst = max(falls, key=lambda fall: (fall.last - fall.now) / max(abs(fall.last), 1.0))
    numbers = f"{format_number(worst.now)} after {format_number(worst.last)}"
    cause = (
        f"{len(falls)} of {n_counters} columns whose totals only grew are smaller now, such as"
        f" {visible(worst.column)}: {numbers}. Was an older state of the table delivered?"
    )
    return Finding(
        "counters",
        Decision.HOLD if rate <= budget.hold else Decision.WARN,
        f"the totals of {len(falls)} columns fell; none of {n_counters} fell in"
        f" {counted_batches(worst.batches)} before.",
        None,
        "counters",
        actual=float(len(falls)),
        low=0.0,
        high=0.0,
        false_alarm_rate=rate,
        severity=len(falls) / n_counters,
        cause=cause,
        cause_code=CauseCode.REDELIVERED,
    )


def _of_column(fall: _Fall, rate: float) -> Finding:
    numbers = f"{format_number(fall.now)} after {format_number(fall.last)}"
    return Finding(
        "counters",
        Decision.WARN,
        f"the sum fell to {numbers}; it fell in none of {counted_batches(fall.batches)} before.",
        fall.column,
        metrics.SUM,
        actual=fall.now,
        low=fall.last,
        high=math.inf,
        false_alarm_rate=rate,
        severity=(fall.last - fall.now) / max(abs(fall.last), 1.0),
        cause=f"The total only grew before, and is smaller now: {numbers}.",
        cause_code=CauseCode.COUNTER_FELL,
    )
