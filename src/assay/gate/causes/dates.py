"""Causes about dates and times: a shifted time zone, shifted dates, dates that do not advance."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date

from assay.gate.causes.cause import Cause, CauseCode
from assay.gate.causes.column_change import ColumnChange

__all__ = ["dates_stale", "time_shifted"]

_TIMESTAMP = re.compile(
    r"(\d{4}-\d{2}-\d{2})"
    r"(?:[T ](\d{2}):\d{2}(?::\d{2}(?:\.\d+)?)?)?"
    r"(?:Z|[+-]\d{2}:?\d{2})?"
)
_HOURS = 24
#: shifts of dates that occur, in days: days, weeks, months, a year
_DAYS = (*range(1, 8), 28, 30, 31, 365, 366)
#: this share of the values must be dates
MIN_SHARE_OF_DATES = 0.99
#: Dates are shifted if at least this share of the values is elsewhere. One hour later, 12 % of the
#: hours of a schedule are others; on the next day, up to 8 % are (nycflights13_daily).
MIN_MOVED, MIN_MOVED_HOURS = 0.25, 0.1
#: dates are compared with those of the batch before if at most this share is elsewhere
MAX_MOVED = 0.95
#: dates are stale if at most this share of them is new
MAX_SHARE_OF_NEW_DATES = 0.05


@dataclass(frozen=True, slots=True)
class _Times:
    """The counts of dates, as days since year 1, and of hours of the day."""

    days: Counter[int]
    hours: Counter[int]

    @staticmethod
    def of(counts: Mapping[str, int]) -> _Times | None:
        """Parse values; None if more than a few of them are not dates."""
        days: Counter[int] = Counter()
        hours: Counter[int] = Counter()
        for value, count in counts.items():
            match = _TIMESTAMP.fullmatch(value)
            if match is None:
                continue
            try:
                days[date.fromisoformat(match[1]).toordinal()] += count
            except ValueError:
                continue
            if match[2] is not None:
                hours[int(match[2]) % _HOURS] += count
        n_values = sum(counts.values())
        are_dates = n_values and days.total() >= MIN_SHARE_OF_DATES * n_values
        return _Times(days, hours) if are_dates else None


def time_shifted(change: ColumnChange) -> Cause | None:
    """Find times that are some hours, or dates that are some days, later or earlier."""
    if not change.have_counts:
        return None
    now, before = _Times.of(change.now.value_counts), _Times.of(change.before.value_counts)
    if now is None or before is None:
        return None
    # the time of a delivery differs from batch to batch
    if now.hours and len(before.hours) > 1:
        half_a_day = range(1 - _HOURS // 2, _HOURS // 2 + 1)
        hours = _best_shift(now.hours, before.hours, half_a_day, _HOURS)
        if hours:
            begin, begin_before = _first_hour(now.hours), _first_hour(before.hours)
            is_visible = (begin - begin_before - hours) % _HOURS == 0
            begin_at = f": they begin at {begin:02}:00; at {begin_before:02}:00 before"
            sentence = (
                f"Times are {_shift(hours, 'hour')} than before{begin_at if is_visible else ''}."
                " Was the time zone changed?"
            )
            return Cause(CauseCode.TIME_SHIFTED, sentence)
    if _moved(now.days, before.days) > MAX_MOVED:
        return None
    # dates that usually advance are expected to be later
    later = () if change.usually_has_new_values else _DAYS
    days = _best_shift(now.days, before.days, (0, *later, *(-days for days in _DAYS)))
    if not days:
        return None
    last, last_before = (date.fromordinal(max(times.days)) for times in (now, before))
    sentence = (
        f"Dates are {_shift(days, 'day')} than before: the last is {last}; {last_before} before."
    )
    return Cause(CauseCode.TIME_SHIFTED, sentence)


def _first_hour(hours: Counter[int]) -> int:
    """Return the hour after the longest time without values, which may be around midnight.

    >>> _first_hour(Counter({22: 5, 23: 8, 0: 9, 1: 4}))
    22
    """
    present = sorted(hour for hour, count in hours.items() if count)
    gaps = {
        hour: (hour - previous) % _HOURS
        for previous, hour in zip([present[-1], *present], present, strict=False)
    }
    return max(gaps, key=gaps.__getitem__)


def _best_shift(
    now: Counter[int], before: Counter[int], shifts: Iterable[int], cycle: int | None = None
) -> int:
    """Return the shift that leaves least, if it explains at least half of the change; else 0."""
    moved: dict[int, float] = {}
    for shift in shifts:
        undone = {at - shift if cycle is None else (at - shift) % cycle: n for at, n in now.items()}
        moved[shift] = _moved(Counter(undone), before)
    best = min(moved, key=lambda shift: (moved[shift], abs(shift)))
    min_moved = MIN_MOVED if cycle is None else MIN_MOVED_HOURS
    return best if moved[0] >= min_moved and moved[best] <= moved[0] / 2 else 0


def _moved(now: Counter[int], before: Counter[int]) -> float:
    """Return the share of values that are elsewhere, from 0 to 1."""
    n_now, n_before = now.total(), before.total()
    places = now.keys() | before.keys()
    return sum(abs(now[place] / n_now - before[place] / n_before) for place in places) / 2


def _shift(amount: int, unit: str) -> str:
    """Describe a shift.

    >>> _shift(5, "hour"), _shift(-1, "day")
    ('5 hours later', '1 day earlier')
    """
    plural = "" if abs(amount) == 1 else "s"
    return f"{abs(amount)} {unit}{plural} {'later' if amount > 0 else 'earlier'}"


def dates_stale(change: ColumnChange) -> Cause | None:
    """Find dates that were delivered before, in a column that usually has later ones."""
    if not change.have_counts or change.share_of_new_values > MAX_SHARE_OF_NEW_DATES:
        return None
    now, before = _Times.of(change.now.value_counts), _Times.of(change.before.value_counts)
    is_label = change.now.n_distinct == change.before.n_distinct == 1
    if now is None or before is None or not (is_label or change.usually_has_new_values):
        return None
    latest, latest_before = max(now.days), max(before.days)
    if latest > latest_before:
        return None
    day, day_before = date.fromordinal(latest), date.fromordinal(latest_before)
    than = "as in the batch before" if day == day_before else f"{day_before} before"
    return Cause(CauseCode.DATES_STALE, f"The dates did not advance: the last is {day}, {than}.")
