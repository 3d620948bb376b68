"""What a metric's history lets one expect of the next value, and who says so.

A detector sees the batches before the judged one, never the judged value itself (deequ, section
3.4). It answers with a range, or with how much more history it needs.

>>> expected = Expectation(10.0, 14.0, 0.99, "mean 12.0 ± 2 sd 1.0 of 9 batches")
>>> expected.holds(13.5), expected.holds(14.5), expected.holds(float("nan"))
(True, False, False)
>>> print(expected)
in [10.0, 14.0]: mean 12.0 ± 2 sd 1.0 of 9 batches
>>> print(NotEnough(have=3, need=7))
not enough history: 3 batches, 7 needed
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from assay.checks.formatting import format_value

__all__ = ["Detector", "Expectation", "NotEnough", "Point"]


@dataclass(frozen=True, slots=True)
class Point:
    """A metric of one batch."""

    time: datetime
    value: float


@dataclass(frozen=True, slots=True)
class Expectation:
    """The range in which the next value is expected; its ends belong to it and may be infinite.

    `confidence` is 1 - the risk of a false alarm: how likely the detector's model holds it that a
    value which is no anomaly lies within. Limits that a person has set have confidence 1.
    """

    low: float
    high: float
    confidence: float
    reason: str

    def __post_init__(self) -> None:
        if not self.low <= self.high:
            raise ValueError(f"no value lies between {self.low!r} and {self.high!r}.")
        if not 0 <= self.confidence <= 1:
            raise ValueError(f"confidence is between 0 and 1, not {self.confidence!r}.")

    def holds(self, value: float) -> bool:
        """Whether the value is as expected. A NaN never is."""
        return self.low <= value <= self.high

    def __str__(self) -> str:
        return f"in [{format_value(self.low)}, {format_value(self.high)}]: {self.reason}"


@dataclass(frozen=True, slots=True)
class NotEnough:
    """Too few batches to expect anything: never a guess."""

    have: int
    need: int

    def __str__(self) -> str:
        batches = "batch" if self.have == 1 else "batches"
        return f"not enough history: {self.have} {batches}, {self.need} needed"


class Detector(Protocol):
    """Says what to expect of the next value of a metric."""

    def expect(self, history: Sequence[Point], time: datetime) -> Expectation | NotEnough:
        """The range for the batch of this time.

        `history` holds batches strictly before it, oldest first, without those held or marked
        bad.
        """
        ...
