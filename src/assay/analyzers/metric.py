"""Metrics: a number, a date, a distribution, or an undefined value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

__all__ = ["Distribution", "Problem", "Undefined", "Value", "plain"]


@dataclass(frozen=True, slots=True)
class Undefined:
    """The metric of no rows or no values. It is neither zero nor an error."""

    reason: str

    def __str__(self) -> str:
        return f"undefined: {self.reason}"


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a metric could not be computed.

    Parameters
    ----------
    code
        A stable code for programs.
    reason
        A sentence for people.
    may_quote_values
        True if the reason comes from an error that may quote values of the data, such as a failed
        cast in Spark. A gate with private columns does not store such a reason.
    """

    code: str
    reason: str
    may_quote_values: bool = field(default=False, compare=False)

    def __str__(self) -> str:
        return self.reason


@dataclass(frozen=True)
class Distribution:
    """Counts by label, the most frequent first.

    Parameters
    ----------
    counts
        The counts of the most frequent labels.
    other
        The sum of the counts of all other labels.
    nulls
        The rows without a value.
    groups
        The number of distinct labels, those in `other` included.
    edges
        The edges of bins, if the labels are bins.

    Examples
    --------
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
        """All rows, including those without a value."""
        return sum(self.counts.values()) + self.other + self.nulls

    @property
    def top(self) -> str | None:
        """The most frequent label; of equally frequent labels, the first in order."""
        return max(sorted(self.counts), key=lambda label: self.counts[label], default=None)

    def count(self, label: str) -> float:
        """Return how many rows have this label; 0 if it is not among the counts."""
        return self.counts.get(label, 0)

    def ratio(self, label: str) -> float:
        """Return the share of all rows that have this label; 0 for an empty distribution."""
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


#: the types of a metric
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
    """Convert a metric to values that JSON can represent: dates, decimals and NaN become text."""
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
