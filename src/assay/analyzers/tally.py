"""Counts by label."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from assay.analyzers.metric import Distribution, Undefined, Value
from assay.analyzers.state import Invertible

__all__ = ["Tally"]


@dataclass(frozen=True, slots=True)
class Tally(Invertible):
    """Counts by label, in a fixed order; no labels at all are the identity."""

    kind: ClassVar[str] = "tally"
    counts: tuple[tuple[str, int], ...]

    @classmethod
    def identity(cls) -> Tally:
        """Nothing counted."""
        return cls(())

    def __add__(self, other: Tally) -> Tally:
        if not self.counts or not other.counts:
            return self if self.counts else other
        pairs = zip(self.counts, other.counts, strict=True)
        return Tally(tuple((label, a + b) for (label, a), (_, b) in pairs))

    @classmethod
    def merged(cls, states: Iterable[Tally]) -> Tally:
        """All of these as one, label by label."""
        full = [state.counts for state in states if state.counts]
        rows = zip(*full, strict=True)
        return cls(tuple((row[0][0], sum([n for _, n in row])) for row in rows))

    def __sub__(self, other: Tally) -> Tally:
        if not other.counts:
            return self
        pairs = zip(self.counts, other.counts, strict=True)
        return Tally(tuple((label, a - b) for (label, a), (_, b) in pairs))

    def count(self, *labels: str) -> int:
        """How many have one of these labels."""
        return sum(n for label, n in self.counts if label in labels)

    def metric(self) -> Value | Undefined:
        """The counts that are not zero, the greatest first; *null* apart."""
        shown = [(label, n) for label, n in self.counts if n and label != "null"]
        ordered = dict(sorted(shown, key=lambda pair: -pair[1]))
        return Distribution(ordered, nulls=self.count("null"), groups=len(shown))
