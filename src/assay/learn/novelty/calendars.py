"""Calendars: what a batch's time says about its values, such as its weekday.

A calendar divides batches into groups by their time. The mean of the latest batches of a group
predicts the next batch of the group.

>>> from datetime import datetime
>>> sunday = datetime(2013, 11, 24)
>>> [calendar.phrase(sunday, frozenset()) for calendar in CALENDARS[:2]]
['on Sundays', 'at 00:00']
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np

from assay.learn.fingerprint.column_stats import Floats

__all__ = ["CALENDARS", "Calendar", "Holidays"]

#: Days on which data differs from other days of the same weekday, as ISO dates.
Holidays = Collection[str]

#: The mean of this many latest batches of a group predicts the next one.
_BATCHES_OF_GROUP = 8
#: The smallest number of batches of a group from which the next one is predicted.
_MIN_OF_GROUP = 3
_SATURDAY = 5
_HOLIDAY = 7
_WEEKDAYS = ("Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Fridays", "Saturdays", "Sundays",
             "holidays")  # fmt: skip


@dataclass(frozen=True)
class Calendar:
    """A division of batches into groups.

    Parameters
    ----------
    name
        What the groups differ in.
    group
        Returns the group of a time, given whether its day is a holiday.
    words
        Returns words for the batches of a group: *on Sundays*.
    """

    name: str
    group: Callable[[datetime, bool], int]
    words: Callable[[int], str]

    def phrase(self, time: datetime, holidays: Holidays) -> str:
        """Return words for the group of a time."""
        return self.words(self._group(time, holidays))

    def divides(self, times: Sequence[datetime], holidays: Holidays) -> bool:
        """Return whether batches of these times are in several groups."""
        return len({self._group(time, holidays) for time in times}) > 1

    def predict(self, values: Floats, times: Sequence[datetime], holidays: Holidays) -> Floats:
        """Predict each row, and the next row, from earlier rows of its group.

        Parameters
        ----------
        values
            One row per batch, oldest first.
        times
            The times of the batches, and that of the next one.
        holidays
            The holidays.
        """
        groups = np.array([self._group(time, holidays) for time in times])
        predicted = np.full((len(values) + 1, values.shape[1]), np.nan)
        for group in np.unique(groups).tolist():
            places = np.flatnonzero(groups == group)
            for at in range(_MIN_OF_GROUP, len(places)):
                earlier = values[places[max(0, at - _BATCHES_OF_GROUP) : at]]
                defined = np.isfinite(earlier)
                counts = defined.sum(axis=0)
                sums = np.where(defined, earlier, 0.0).sum(axis=0)
                enough = counts >= _MIN_OF_GROUP
                np.divide(sums, counts, out=predicted[places[at]], where=enough)
        return predicted

    def _group(self, time: datetime, holidays: Holidays) -> int:
        return self.group(time, time.date().isoformat() in holidays)


def _weekday(time: datetime, is_holiday: bool) -> int:
    return _HOLIDAY if is_holiday else time.weekday()


def _is_business_day(time: datetime, is_holiday: bool) -> int:
    return int(time.weekday() < _SATURDAY and not is_holiday)


def _is_month_end(time: datetime, _: bool) -> int:
    return int((time + timedelta(days=1)).day == 1)


CALENDARS = (
    Calendar("weekday", _weekday, lambda group: f"on {_WEEKDAYS[group]}"),
    Calendar("hour", lambda time, _: time.hour, lambda group: f"at {group:02}:00"),
    Calendar(
        "business day",
        _is_business_day,
        lambda group: "on business days" if group else "on weekends and holidays",
    ),
    Calendar("day of month", lambda time, _: time.day, lambda group: f"on day {group} of a month"),
    Calendar(
        "month end",
        _is_month_end,
        lambda group: "on the last day of a month" if group else "before the last day of a month",
    ),
)
