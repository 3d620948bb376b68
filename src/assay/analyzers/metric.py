"""What a state says: a number, a date, a distribution, or that there is nothing to say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

__all__ = ["Distribution", "Problem", "Undefined", "Value", "plain"]


@dataclass(frozen=True, slots=True)
class Undefined:
    """The metric of nothing: no rows, no values. It is neither zero nor an error."""

    reason: str

    def __str__(self) -> str:
        return f"undefined: {self.reason}"


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a metric could not be had: a code for machines, a sentence for people."""

    code: str
    reason: str

    def __str__(self) -> str:
        return self.reason


@dataclass(frozen=True)
class Distribution:
    """Counts by label, the most frequent first.

    `counts` may be the head only: `other` is what the labels not shown sum up to, `nulls` the rows
    without a value. `groups` is the number of distinct labels, shown or not.

    >>> devices = Distribution({"phone": 3, "tv": 1}, nulls=1)
    >>> devices.ratio("phone"), devices.total, devices.top
    (0.6, 5, 'phone')
    """

    counts: Mapping[str, float]
    other: float = 0
    nulls: int = 0
    groups: int | None = None
    edges: tuple[float, ...] = field(default=())

    @property
    def total(self) -> float:
        """All rows, those without a value included."""
        return sum(self.counts.values()) + self.other + self.nulls

    @property
    def top(self) -> str | None:
        """The most frequent label; of equals the first in order."""
        return max(sorted(self.counts), key=lambda label: self.counts[label], default=None)

    def count(self, label: str) -> float:
        """How many rows have this label; 0 where it is not among those shown."""
        return self.counts.get(label, 0)

    def ratio(self, label: str) -> float:
        """The share of all rows that have this label (0 of an empty distribution)."""
        return self.count(label) / self.total if self.total else 0.0

    def __contains__(self, label: object) -> bool:
        return label in self.counts

    def __len__(self) -> int:
        return len(self.counts)

    def __hash__(self) -> int:
        return hash((tuple(self.counts.items()), self.other, self.nulls, self.edges))

    def __str__(self) -> str:
        shown = ", ".join(f"{label}: {count:,}" for label, count in list(self.counts.items())[:5])
        more = len(self.counts) - 5
        return "{" + shown + (f", … {more:,} more" if more > 0 else "") + "}"


#: what a metric may be
Value = (
    int
    | float
    | Decimal
    | str
    | bool
    | bytes
    | date
    | datetime
    | time
    | timedelta
    | Distribution
    | Mapping[str, float]
)


def plain(value: object) -> Any:
    """A metric as JSON can hold it: dates as ISO text, decimals as text, NaN as text."""
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if value - value == 0 else str(value)
        case Decimal():
            return str(value)
        case date() | time():
            return value.isoformat()
        case timedelta():
            return value.total_seconds()
        case bytes() | bytearray():
            return value.hex()
        case Distribution():
            return {
                "counts": dict(value.counts),
                "other": value.other,
                "nulls": value.nulls,
                "groups": value.groups,
                **({"edges": [plain(edge) for edge in value.edges]} if value.edges else {}),
            }
        case Mapping():
            return {str(key): plain(item) for key, item in value.items()}
        case tuple() | list():
            return [plain(item) for item in value]
        case _:
            return str(value)
