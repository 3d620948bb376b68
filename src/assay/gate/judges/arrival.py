"""The judge of arrivals: did a batch come much later after the last than batches ever do?

All that came counts, whatever became of it. A schedule has pauses of its own, at night or on
Sundays, and keeps to them: only a pause that is longer than any before, by more than a little, is
told. The next of n is the longest by chance in ``1 / (n + 1)`` of all cases. Batches that came
within minutes were submitted at once, which tells of no rhythm.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from statistics import median

from assay.gate.budget import Budget
from assay.gate.context import BatchContext
from assay.gate.finding import Finding
from assay.gate.history import GateHistory
from assay.gate.measured_batch import MeasuredBatch
from assay.store.verdict import Decision

__all__ = ["ArrivalJudge", "judge_arrival"]

#: a pause is told from so many times the usual one on, and so many times the longest
_USUAL, _LONGEST = 1.7, 1.1
_LEAST = timedelta(minutes=5)
#: of more that did not come, their number says nothing
_MANY = 100
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
    spends_budget: bool = True

    def judge(self, context: BatchContext, batch: MeasuredBatch) -> list[Finding]:
        """Return a warning if the batch came after a longer gap than ever."""
        return judge_arrival(context.history, batch.batch.time, context.budget)


def judge_arrival(history: GateHistory, now: datetime, budget: Budget) -> list[Finding]:
    """A pause as there never was is a warning."""
    times = history.arrivals
    pauses = [later - earlier for earlier, later in pairwise(times)]
    risk = 1 / (len(pauses) + 1)
    if not pauses or risk > budget.warn:
        return []
    pause, usual, longest = now - times[-1], _usual(pauses), max(pauses)
    if usual < _LEAST or pause < _USUAL * usual or pause < _LONGEST * longest:
        return []
    missing = round(pause / usual) - 1
    which = "delivery" if missing == 1 else "deliveries"
    found = Finding(
        "arrival",
        Decision.WARN,
        f"no batch came for {_long(pause)}; usually one comes after {_long(usual)}, and after"
        f" {_long(longest)} at the latest ({len(times)} batches).",
        None,
        "pause",
        pause.total_seconds(),
        0.0,
        longest.total_seconds(),
        risk,
        pause / longest,
        f"about {missing} {which} did not come." if missing < _MANY else None,
    )
    return [found]


def _usual(pauses: Sequence[timedelta]) -> timedelta:
    return timedelta(seconds=median(each.total_seconds() for each in pauses))


def _long(pause: timedelta) -> str:
    """In the largest unit of which there is one.

    >>> _long(timedelta(days=8)), _long(timedelta(minutes=90)), _long(timedelta(0))
    ('8 days', '1.5 hours', '0 seconds')
    """
    unit, size = next((each for each in _UNITS if pause >= each[1]), _UNITS[-1])
    number = round(pause / size, 1 if pause < 10 * size else 0)
    return f"{number:g} {unit if number == 1 else f'{unit}s'}"
