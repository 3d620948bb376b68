"""Observers of dates: written formats, and dates that stand for something else."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime

from assay.checks.formatting import visible
from assay.learn.profile.column_profile import ColumnProfile
from assay.learn.profile.known_values import MIN_ROWS, Observer, known_values

__all__ = ["DATE_OBSERVERS", "date_formats"]

_EPOCHS = (date(1900, 1, 1), date(1970, 1, 1))
#: dates from this year on stand for "no end"
_FAR_FUTURE = 2100
#: the share of the values that must be dates
_MIN_DATE_SHARE = 0.9
#: a first of January with this share of the values, and as many as five other days, is a default
_MIN_DEFAULT_SHARE, _MIN_DEFAULT_RATIO = 0.02, 5.0
_TIME = r"(?:[ T,]+\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?: ?[AaPp][Mm])?)?(?:Z|[+-]\d{2}:?\d{2})?"
_SLASHED = re.compile(rf"(\d{{1,2}})([/-])(\d{{1,2}})\2(?:\d{{4}}|\d{{2}}){_TIME}")
_FORMATS = {
    "year-month-day": re.compile(rf"\d{{4}}-\d{{1,2}}-\d{{1,2}}{_TIME}"),
    "year/month/day": re.compile(rf"\d{{4}}/\d{{1,2}}/\d{{1,2}}{_TIME}"),
    "day.month.year": re.compile(rf"\d{{1,2}}\.\d{{1,2}}\.(?:\d{{4}}|\d{{2}}){_TIME}"),
    "day month-name year": re.compile(
        rf"\d{{1,2}}[ -][A-Za-z]{{3,9}}\.?[ -](?:\d{{4}}|\d{{2}}){_TIME}"
    ),
    "month-name day, year": re.compile(rf"[A-Za-z]{{3,9}}\.? \d{{1,2}},? \d{{4}}{_TIME}"),
}
_STANDARD = "year-month-day"
_LAST_MONTH = 12


def date_formats(column: ColumnProfile) -> dict[str, str]:
    """Return the formats of dates in a column of strings, each with an example.

    They are empty unless at least nine tenths of the known values are dates. ``01/02/2026`` has the
    format of the other values: it is ``day/month/year`` if another one begins with a number above
    12.
    """
    values = known_values(column)
    if column.texts is None or not values:
        return {}
    examples: dict[str, str] = {}
    slashed: list[str] = []
    n_dates = 0.0
    for label, count in values.items():
        if _SLASHED.fullmatch(label.strip()):
            slashed.append(label)
        else:
            name = _format_of(label.strip())
            if name is None:
                continue
            examples.setdefault(name, label)
        n_dates += count
    if n_dates < _MIN_DATE_SHARE * sum(values.values()):
        return {}
    return examples | _slashed_formats(slashed)


def _format_of(text: str) -> str | None:
    return next((name for name, pattern in _FORMATS.items() if pattern.fullmatch(text)), None)


def _slashed_formats(labels: list[str]) -> dict[str, str]:
    """Return the formats of dates such as ``31/12/2026``; an uncertain one if none is certain."""
    examples: dict[str, str] = {}
    for label in labels:
        match = _SLASHED.fullmatch(label.strip())
        assert match is not None
        first, separator, second = int(match[1]), match[2], int(match[3])
        if first > _LAST_MONTH >= second:
            examples.setdefault(separator.join(("day", "month", "year")), label)
        elif second > _LAST_MONTH >= first:
            examples.setdefault(separator.join(("month", "day", "year")), label)
    if labels and not examples:
        examples["day or month first"] = labels[0]
    return examples


def _observe_date_format(column: ColumnProfile) -> str:
    """Report dates in several formats, or in one that is not year-month-day."""
    formats = date_formats(column)
    if len(formats) > 1:
        listed = " and ".join(f"{name} ({visible(example)!r})" for name, example in formats.items())
        return f"dates have {len(formats)} formats: {listed}"
    for name, example in formats.items():
        if name == _STANDARD:
            return ""
        return f"values are dates, {name}, such as {visible(example)!r}"
    return ""


def _observe_dates(column: ColumnProfile) -> str:
    """Report dates that stand for something else: an epoch, the far future, the future."""
    first, last = _as_date(column.first), _as_date(column.last)
    if last is not None and last.year >= _FAR_FUTURE:
        return f"the latest is {last}, which may stand for no value"
    if first is not None and first in _EPOCHS:
        return f"the earliest is {first}, which may stand for no value"
    today = datetime.now(UTC).date()
    if last is not None and first is not None and last > today > first:
        return f"the latest, {last}, is in the future"
    return ""


def _observe_default_date(column: ColumnProfile) -> str:
    """Report a first of January that is far more frequent than other days."""
    values = known_values(column)
    if not values or column.kind not in {"date", "timestamp"} or column.present < MIN_ROWS:
        return ""
    (label, count), *others = sorted(values.items(), key=lambda pair: -pair[1])[:2]
    if count < _MIN_DEFAULT_SHARE * column.present or (column.exact and not others):
        return ""
    if "-01-01" not in label or (others and count < _MIN_DEFAULT_RATIO * others[0][1]):
        return ""
    return f"{label[:10]!r} may stand for no value ({count:,.0f} times)"


#: the observers of dates by the code of their observation
DATE_OBSERVERS: Mapping[str, Observer] = {
    "date_format": _observe_date_format,
    "time": _observe_dates,
    "default_date": _observe_default_date,
}


def _as_date(value: object) -> date | None:
    if isinstance(value, datetime):
        return value.date()
    return value if isinstance(value, date) else None
