"""The judge of arrivals: is the gap before a batch longer than every earlier gap?

All batches that arrived count, also held ones. A schedule has regular gaps, such as nights and
Sundays, so only a gap longer than every earlier one is reported. The next of n gaps is the longest
by chance in ``1 / (n + 1)`` of all cases. Batches that arrive within minutes of each other were
submitted together and show no schedule.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from statistics import median

from assay.checks.formatting import counted_batches
from assay.gate.budget import Budget
from assay.gate.causes.cause import CauseCode
from assay.gate.context import BatchContext
from assay.gate.finding import Finding
from assay.gate.history import GateHistory
from assay.gate.measured_batch import MeasuredBatch
from assay.store.verdict import Decision

__all__ = ["ArrivalJudge", "judge_arrival"]

#: a gap is reported if it is at least this many times the usual gap, and the longest gap
MIN_RATIO_TO_USUAL, MIN_RATIO_TO_LONGEST = 1.7, 1.1
#: shorter usual gaps do not show a schedule
MIN_USUAL_GAP = timedelta(minutes=5)
#: the number of missing deliveries is given only up to here; a larger one says nothing
MAX_MISSING_SHOWN = 100
_UNITS = (
    ("day", timedelta(days=1)),
    ("hour", timedelta(hours=1)),
    ("minute", timedelta(minutes=1)),
    ("second", timedelta(seconds=1)),
)


@dataclass(frozen=True)
class ArrivalJudge:
    """Warns if the gap before a batch is longer than every earlier gap."""

    name: str = "arrival"
    holds_alone: bool = False

    def judge(self, context: BatchContext, batch: MeasuredBatch) -> list[Finding]:
        """Return a warning if the batch came after a longer gap than ever."""
        return judge_arrival(context.history, batch.batch.time, context.budget)


def judge_arrival(history: GateHistory, now: datetime, budget: Budget) -> list[Finding]:
    """Warn if the gap since the last batch is longer than every earlier gap."""
    times = history.arrivals
    gaps = [later - earlier for earlier, later in pairwise(times)]
    rate = 1 / (len(gaps) + 1)
    if not gaps or rate > budget.warn:
        return []
    gap, usual, longest = now - times[-1], _usual_gap(gaps), max(gaps)
    if (
        usual < MIN_USUAL_GAP
        or gap < MIN_RATIO_TO_USUAL * usual
        or gap < MIN_RATIO_TO_LONGEST * longest
    ):
        return []
    return [
        Finding(
            "arrival",
            Decision.WARN,
            f"no batch arrived for {_format_gap(gap)}; the usual gap is {_format_gap(usual)}, the"
            f" longest was {_format_gap(longest)} ({counted_batches(len(times))}).",
            metric="pause",
            actual=gap.total_seconds(),
            low=0.0,
            high=longest.total_seconds(),
            false_alarm_rate=rate,
            severity=gap / longest,
            cause=_missing_deliveries(gap, usual),
            cause_code=CauseCode.ARRIVAL_GAP,
        )
    ]


def _missing_deliveries(gap: timedelta, usual: timedelta) -> str | None:
    n_missing = round(gap / usual) - 1
    if n_missing >= MAX_MISSING_SHOWN:
        return None
    deliveries = "1 delivery is" if n_missing == 1 else f"{n_missing} deliveries are"
    return f"About {deliveries} missing before this batch."


def _usual_gap(gaps: Sequence[timedelta]) -> timedelta:
    return timedelta(seconds=median(gap.total_seconds() for gap in gaps))


def _format_gap(gap: timedelta) -> str:
    """Format a gap in the largest unit that it fills.

    >>> _format_gap(timedelta(days=8)), _format_gap(timedelta(minutes=90))
    ('8 days', '1.5 hours')
    >>> _format_gap(timedelta(0))
    '0 seconds'
    """
    unit, size = next((entry for entry in _UNITS if gap >= entry[1]), _UNITS[-1])
    number = round(gap / size, 1 if gap < 10 * size else 0)
    return f"{number:g} {unit if number == 1 else f'{unit}s'}"
