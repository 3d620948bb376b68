"""Names of partition columns, and keys of batches in the form of Hive partitions."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Any

from assay.engine.frame import names_of
from assay.io.batch_names import NULL_PARTITION, key_of_partitions

__all__ = ["key_of", "names_of", "time_of"]


def key_of(columns: Sequence[str], values: Sequence[Any]) -> str:
    """Return the key of a partition.

    >>> key_of(["date", "region"], [date(2026, 11, 14), "EU/West"])
    'date=2026-11-14/region=EU%2FWest'
    """
    return key_of_partitions(dict(zip(columns, map(_text, values), strict=True)))


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
        return NULL_PARTITION
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)
