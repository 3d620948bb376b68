"""Make keys of batches from the values of partition columns, in the form of Hive partitions."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Any
from urllib.parse import quote

__all__ = ["key_of", "time_of"]

#: Hive's name of the partition of nulls
_NULL = "__HIVE_DEFAULT_PARTITION__"
#: characters that are not escaped; a slash and an equals sign are
_SAFE = " :,;.+-_@()[]'"


def key_of(columns: Sequence[str], values: Sequence[Any]) -> str:
    """Return the key of a partition.

    >>> key_of(["date", "region"], [date(2026, 11, 14), "EU/West"])
    'date=2026-11-14/region=EU%2FWest'
    """
    pairs = zip(columns, values, strict=True)
    return "/".join(f"{quote(name, _SAFE)}={_text(value)}" for name, value in pairs)


def time_of(values: Sequence[Any]) -> datetime | None:
    """Return the first date or timestamp among the values, as a time in UTC."""
    for value in values:
        if isinstance(value, datetime):
            return value if value.tzinfo else value.replace(tzinfo=UTC)
        if isinstance(value, date):
            return datetime(value.year, value.month, value.day, tzinfo=UTC)
    return None


def _text(value: Any) -> str:
    if value is None:
        return _NULL
    if isinstance(value, bool):
        return str(value).lower()
    return quote(str(value), _SAFE)
