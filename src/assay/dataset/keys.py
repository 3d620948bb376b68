"""Keys of batches from the values of partition columns, as Hive writes them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Any
from urllib.parse import quote

__all__ = ["key_of", "time_of"]

_NULL = "__HIVE_DEFAULT_PARTITION__"
#: what may stand in a key as it is; a slash or an equals sign may not
_SAFE = " :,;.+-_@()[]'"


def key_of(columns: Sequence[str], values: Sequence[Any]) -> str:
    """The key of a partition.

    >>> key_of(["date", "region"], [date(2026, 11, 14), "EU/West"])
    'date=2026-11-14/region=EU%2FWest'
    """
    pairs = zip(columns, values, strict=True)
    return "/".join(f"{quote(name, _SAFE)}={_text(value)}" for name, value in pairs)


def time_of(values: Sequence[Any]) -> datetime | None:
    """When a partition came, if one of its values tells: the first date or timestamp."""
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
