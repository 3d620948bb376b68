"""Read keys and times of batches from the names of files and folders."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from itertools import takewhile
from pathlib import Path
from urllib.parse import quote, unquote

from assay.io.compression import COMPRESSIONS
from assay.io.formats import all_formats

__all__ = [
    "NULL_PARTITION",
    "choose_key_columns",
    "has_data_name",
    "key_of_partitions",
    "key_of_path",
    "partition_type",
    "partitions_of",
    "time_in_key",
    "time_in_name",
    "time_of_partitions",
    "without_time",
]

#: Hive's name of the partition of nulls
NULL_PARTITION = "__HIVE_DEFAULT_PARTITION__"
#: characters of a key that are not escaped; a slash and an equals sign are
_SAFE = " :,;.+-_@()[]'"
#: extensions of files that are not tables, but may be delivered in the place of one
_OTHER_EXTENSIONS = ("avro", "html", "xz", "zip")
#: a day, and a time after it that is not the year of another day
_TIME = re.compile(
    r"(\d{4})-?(\d{2})-?(\d{2})(?:[T_ -]?(\d{2})[:.-]?(\d{2})(?!-?\d{2}-?\d{2}(?!\d)))?"
)
_NUMBER = re.compile(r"\d+")
_PARTITION = re.compile(r"([^=]+)=(.*)", re.S)
_MONTH = re.compile(r"(\d{4})-?(\d{2})")
#: partition columns that name a time together, from the longest unit
_UNITS = ("year", "month", "day", "hour")
#: folders such as 11 and 14 in 2026/11/14, whose parents belong to the key
_SHORT_NUMBER = re.compile(r"\d{1,2}")
_INT32 = 1 << 31
_INT64 = 1 << 63


def time_in_name(name: str) -> datetime | None:
    """Return the first time that a name contains, or None.

    Examples
    --------
    >>> time_in_name("orders-2026-11-14T0630.csv").isoformat(), time_in_name("orders-2026-99-99")
    ('2026-11-14T06:30:00+00:00', None)
    """
    at_numbers = (_TIME.match(name, number.start()) for number in _NUMBER.finditer(name))
    # a time may also follow other digits
    for match in filter(None, (*at_numbers, _TIME.search(name))):
        year, month, day, hour, minute = (int(group or 0) for group in match.groups())
        try:
            return datetime(year, month, day, hour, minute, tzinfo=UTC)
        except ValueError:
            continue
    return None


def time_in_key(key: str) -> datetime | None:
    """Return the time in the key of a batch; the key may consist of names of folders.

    >>> time_in_key("2026/1/5").isoformat(), time_in_key("date=2026-01-05/country=de").day
    ('2026-01-05T00:00:00+00:00', 5)
    """
    return time_in_name("-".join(part.zfill(2) for part in key.split("/")))


def without_time(name: str) -> str:
    """Return a name without the times that it contains.

    >>> without_time("orders-2026-11-14T0630"), without_time("orders-7")
    ('orders-', 'orders-7')
    """
    return _TIME.sub("", name)


def key_of_path(path: Path, *, is_folder: bool) -> str:
    """Return the key of the batch in a file or folder.

    Examples
    --------
    >>> key_of_path(Path("in/orders.2026-11-14.csv.gz"), is_folder=False)
    'orders.2026-11-14'
    >>> key_of_path(Path("in/2026/11/14"), is_folder=True)
    '2026/11/14'
    """
    key = _without_extensions(path.name)
    if is_folder:
        for parent in path.parents:
            if not _SHORT_NUMBER.fullmatch(key.partition("/")[0]) or not parent.name:
                break
            key = f"{parent.name}/{key}"
    return key


def has_data_name(name: str) -> bool:
    """Return whether a file has the extension of a table, or of an error page saved as one."""
    return _without_extensions(name) != name


def partitions_of(folder: Path) -> dict[str, str]:
    """Return the columns and values that the last folders of a path name, as Hive writes them.

    >>> partitions_of(Path("lake/date=2026-11-14/region=EU%2FWest"))
    {'date': '2026-11-14', 'region': 'EU/West'}
    """
    names = (part.name for part in (folder, *folder.parents))
    matches = takewhile(bool, map(_PARTITION.fullmatch, names))
    pairs = [(unquote(match[1]), unquote(match[2])) for match in matches if match]
    return dict(reversed(pairs))


def key_of_partitions(partitions: Mapping[str, str]) -> str:
    """Return the key of a batch from the partitions that it consists of."""
    return "/".join(
        f"{quote(name, _SAFE)}={quote(value, _SAFE)}" for name, value in partitions.items()
    )


def choose_key_columns(partitions: Sequence[Mapping[str, str]]) -> tuple[str, ...]:
    """Choose the partition columns that name batches: those of the time, else the first.

    Parameters
    ----------
    partitions
        Columns and values of each folder; all have the same columns.

    Examples
    --------
    >>> choose_key_columns([{"country": "de", "date": "2026-11-14"}])
    ('date',)
    >>> choose_key_columns([{"year": "2026", "month": "1", "shop": "7"}])
    ('year', 'month')
    >>> choose_key_columns([{"shop": "7", "kind": "b"}])
    ('shop',)
    """
    columns = tuple(partitions[0])
    by_lower_name = {name.lower(): name for name in columns}
    if "year" in by_lower_name:
        return tuple(by_lower_name[unit] for unit in _UNITS if unit in by_lower_name)
    for name in columns:
        values = {folder[name] for folder in partitions} - {NULL_PARTITION}
        if values and all(_time_in_value(value) for value in values):
            return (name,)
    return columns[:1]


def time_of_partitions(partitions: Mapping[str, str]) -> datetime | None:
    """Return the time that partitions name, such as those of a day or of year, month and day."""
    by_lower_name = {name.lower(): value for name, value in partitions.items()}
    units = [by_lower_name[unit] for unit in _UNITS if unit in by_lower_name]
    if "year" in by_lower_name and all(map(str.isdecimal, units)):
        year, month, day, hour = (
            int(by_lower_name.get(unit, default))
            for unit, default in zip(_UNITS, ("1", "1", "1", "0"), strict=True)
        )
        try:
            return datetime(year, month, day, hour, tzinfo=UTC)
        except ValueError:
            return None
    return next(filter(None, map(_time_in_value, partitions.values())), None)


def partition_type(values: Sequence[str]) -> str:
    """Return the SQL type that Spark gives a partition column of these values.

    >>> partition_type(["7", "08"]), partition_type(["2026-11-14"]), partition_type(["EU", "7"])
    ('int', 'date', 'string')
    """
    stated = [value for value in values if value != NULL_PARTITION]
    if stated and all(re.fullmatch(r"[+-]?\d{1,19}", value) for value in stated):
        largest = max(abs(int(value)) for value in stated)
        if largest < _INT64:
            return "int" if largest < _INT32 else "bigint"
    if stated and all(map(_is_day, stated)):
        return "date"
    return "string"


def _is_day(value: str) -> bool:
    try:
        return date.fromisoformat(value).isoformat() == value
    except ValueError:
        return False


def _time_in_value(value: str) -> datetime | None:
    """Return the time that a value of a partition column is; a month is its first day."""
    if _TIME.match(value):
        return time_in_name(value)
    month = _MONTH.fullmatch(value)
    try:
        return datetime(int(month[1]), int(month[2]), 1, tzinfo=UTC) if month else None
    except ValueError:
        return None


def _without_extensions(name: str) -> str:
    """Remove extensions that only say how the file is written.

    >>> _without_extensions("orders.2026-11-14.csv.gz"), _without_extensions("v1.5")
    ('orders.2026-11-14', 'v1.5')
    """
    stem, dot, extension = name.rpartition(".")
    extensions = {name for file_format in all_formats() for name in file_format.extensions}
    extensions.update(COMPRESSIONS, _OTHER_EXTENSIONS)
    return _without_extensions(stem) if dot and stem and extension.lower() in extensions else name
