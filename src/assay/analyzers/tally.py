"""Counts by label."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from assay.analyzers.codec import decode, encode, plain
from assay.analyzers.metric import Distribution, Undefined, Value
from assay.analyzers.state import Invertible

__all__ = ["Tally"]


@dataclass(frozen=True, slots=True)
class Tally(Invertible):
    """Counts by label, in a fixed order; without labels, the identity."""

    kind: ClassVar[str] = "tally"
    version: ClassVar[int] = 2
    counts: tuple[tuple[str, int], ...]

    @classmethod
    def identity(cls) -> Tally:
        """Return the state of no rows."""
        return cls(())

    def __add__(self, other: Tally) -> Tally:
        if not self.counts or not other.counts:
            return self if self.counts else other
        pairs = zip(self.counts, other.counts, strict=True)
        return Tally(tuple((label, a + b) for (label, a), (_, b) in pairs))

    @classmethod
    def merged(cls, states: Iterable[Tally]) -> Tally:
        """Merge counts label by label."""
        return cls._summed([state.counts for state in states])

    @classmethod
    def _summed(cls, many: Iterable[tuple[tuple[str, int], ...]]) -> Tally:
        rows = zip(*(pairs for pairs in many if pairs), strict=True)
        return cls(tuple((row[0][0], sum([n for _, n in row])) for row in rows))

    def payload(self) -> bytes:
        """Return the numbers in one line and the labels, equal for many states, in the next."""
        numbers = encode(tuple(n for _, n in self.counts))
        return numbers + b"\n" + encode(tuple(label for label, _ in self.counts))

    @classmethod
    def from_payload(cls, payload: bytes) -> Tally:
        """Create the state from a payload; version 1 had pairs of a label and a number."""
        numbers, line, labels = payload.partition(b"\n")
        if not line:
            return cls(*decode(payload))
        return cls(tuple(zip(decode(labels), decode(numbers), strict=True)))

    @classmethod
    def merged_payloads(cls, payloads: Sequence[bytes]) -> Tally:
        """Add the numbers of all payloads that have the same labels."""
        lines: dict[bytes, list[bytes]] = {}
        for payload in payloads:
            numbers, _, labels = payload.partition(b"\n")
            lines.setdefault(labels, []).append(numbers)
        if b"" in lines:  # version 1
            return cls.merged(map(cls.from_payload, payloads))
        totals = []
        for labels, encoded in lines.items():
            sums = map(sum, zip(*plain(encoded), strict=True))
            totals.append(tuple(zip(decode(labels), sums, strict=True)))
        return cls._summed(totals)

    def __sub__(self, other: Tally) -> Tally:
        if not other.counts:
            return self
        pairs = zip(self.counts, other.counts, strict=True)
        return Tally(tuple((label, a - b) for (label, a), (_, b) in pairs))

    def count(self, *labels: str) -> int:
        """Return how many rows have one of these labels."""
        return sum(n for label, n in self.counts if label in labels)

    def metric(self) -> Value | Undefined:
        """Return the counts above zero in descending order; *null* is counted separately."""
        shown = [(label, n) for label, n in self.counts if n and label != "null"]
        ordered = dict(sorted(shown, key=lambda pair: -pair[1]))
        return Distribution(ordered, nulls=self.count("null"), groups=len(shown))
