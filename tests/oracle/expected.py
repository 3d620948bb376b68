"""The results of oracles: a value, an undefined metric, or bounds."""

from __future__ import annotations

import math
import struct
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Final

from assay import Metric
from assay.analyzers import Distribution
from tests.oracle.duck import hashable


@dataclass(frozen=True)
class Undefined:
    """The metric of no rows or no values."""


UNDEFINED: Final = Undefined()


@dataclass(frozen=True)
class Close:
    """A number computed in doubles; `scale` is the size of the terms that were added."""

    value: float
    scale: float = 0.0

    def admits(self, value: object) -> bool:
        if isinstance(value, Decimal):
            value = float(value)
        if not isinstance(value, int | float):
            return False
        return same(value, self.value) or math.isclose(
            value, self.value, rel_tol=1e-9, abs_tol=1e-12 * self.scale
        )


@dataclass(frozen=True)
class Within:
    """A number that a sketch estimates."""

    low: float
    high: float

    def admits(self, value: object) -> bool:
        if not isinstance(value, int | float):
            return False
        return self.low <= value <= self.high or same(value, self.low)


@dataclass(frozen=True)
class Each:
    """Several by name."""

    parts: Mapping[str, object]

    def admits(self, value: object) -> bool:
        return (
            isinstance(value, Mapping)
            and value.keys() == self.parts.keys()
            and all(admitted(value[name], part) for name, part in self.parts.items())
        )


@dataclass(frozen=True)
class Bins:
    """Counts between edges, each within `slack`."""

    counts: tuple[int, ...]
    edges: tuple[float, ...]
    nulls: int = 0
    slack: float = 0.0

    def admits(self, value: object) -> bool:
        if not isinstance(value, Distribution) or len(value.counts) != len(self.counts):
            return False
        near = zip(value.counts.values(), self.counts, strict=True)
        return (
            value.nulls == self.nulls
            and all(map(math.isclose, value.edges, self.edges))
            and len(value.edges) == len(self.edges)
            and all(abs(actual - expected) <= self.slack for actual, expected in near)
        )


@dataclass(frozen=True)
class Head:
    """The most frequent values, by their text."""

    counts: Counter[Any]
    spelling: str = "string"
    k: int = 1000
    nulls: int = 0
    groups: bool = True
    slack: float = 0.0

    def admits(self, value: object) -> bool:
        if not isinstance(value, Distribution):
            return False
        read = READERS[self.spelling]
        shown = {hashable(read(label)): n for label, n in value.counts.items()}
        ordered = sorted(value.counts.items(), key=lambda pair: (-pair[1], pair[0]))
        most = [n for _, n in self.counts.most_common(self.k)]
        return (
            len(shown) == len(value.counts) == min(self.k, len(self.counts))
            and all(abs(self.counts[key] - n) <= self.slack for key, n in shown.items())
            and all(abs(a - b) <= self.slack for a, (_, b) in zip(most, ordered, strict=True))
            and list(value.counts.items()) == ordered
            and value.other == self.counts.total() - sum(shown.values())
            and value.nulls == self.nulls
            and (not self.groups or value.groups == len(self.counts))
        )


@dataclass(frozen=True)
class Multiplicities:
    """The counts of the most frequent items, whatever their names, within `slack`."""

    counts: list[int]
    k: int
    slack: float = 0.0

    def admits(self, value: object) -> bool:
        if not isinstance(value, Distribution):
            return False
        shown = sorted(value.counts.values(), reverse=True)
        pairs = zip(shown, self.counts[: self.k], strict=True)
        total = sum(shown) + value.other
        return total == sum(self.counts) and all(abs(a - b) <= self.slack for a, b in pairs)


READERS: Mapping[str, Callable[[str], Any]] = {
    "integral": int,
    "fractional": float,
    "float": lambda text: struct.unpack("f", struct.pack("f", float(text)))[0],
    "decimal": Decimal,
    "string": str,
    "date": date.fromisoformat,
    "timestamp": datetime.fromisoformat,
    "timestamp_ntz": datetime.fromisoformat,
    "boolean": {"true": True, "false": False}.__getitem__,
    "binary": bytes.fromhex,
}


def same(a: object, b: object) -> bool:
    """Equal, or both NaN."""
    return a == b or (a != a and b != b)


def admitted(value: object, expected: object) -> bool:
    """Return whether a value agrees with the oracle."""
    if isinstance(expected, Close | Within | Each | Bins | Head | Multiplicities):
        return expected.admits(value)
    return same(value, expected) and isinstance(value, float) == isinstance(expected, float)


def agrees(metric: Metric, expected: object) -> bool:
    """Return whether a metric agrees with the oracle."""
    if expected is UNDEFINED:
        return metric.problem is not None and metric.problem.code == "undefined"
    return metric.problem is None and admitted(metric.value, expected)
