"""The judge of arrivals: did a batch come much later after the last than batches do?

Of n past pauses, k were as long as this one: the next is so by chance in ``(k + 1) / (n + 1)`` of
all cases. A pause of less than twice the usual one is no matter of days left out; and batches that
came within minutes were submitted at once, which tells of no rhythm.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from statistics import median

from assay.gate.finding import Finding
from assay.gate.judges import Budget
from assay.gate.knowledge import Knowledge
from assay.store.verdict import Decision

__all__ = ["judge_late"]

_TIMES, _LEAST = 2, timedelta(minutes=5)
_UNITS = (
    ("day", timedelta(days=1)),
    ("hour", timedelta(hours=1)),
    ("minute", timedelta(minutes=1)),
    ("second", timedelta(seconds=1)),
)


def judge_late(known: Knowledge, now: datetime, budget: Budget) -> list[Finding]:
    """A pause that is seldom so long is a warning; a batch that was held has come all the same."""
    times = [each.time for each in known.chronicle.batches]
    pauses = [later - earlier for earlier, later in pairwise(times)]
    if not pauses:
        return []
    last = times[-1] if known.held is None else max(times[-1], known.held[0].time)
    pause, usual = now - last, _usual(pauses)
    risk = (sum(each >= pause for each in pauses) + 1) / (len(pauses) + 1)
    if usual < _LEAST or pause < _TIMES * usual or risk > budget.warn:
        return []
    found = Finding(
        "novelty",
        Decision.WARN,
        f"no batch came for {_long(pause)}, usually one comes after {_long(usual)}"
        f" ({len(times)} batches).",
        None,
        "pause",
        pause.total_seconds(),
        0.0,
        max(pauses).total_seconds(),
        risk,
        pause / usual,
        f"about {_many(round(pause / usual) - 1, 'delivery', 'deliveries')} between them did not"
        " come.",
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
    return _many(round(pause / size, 1 if pause < 10 * size else 0), unit, f"{unit}s")


def _many(number: float, one: str, more: str) -> str:
    return f"{number:g} {one if number == 1 else more}"
