"""The range in which a detector expects the next value of a metric.

A detector gets the batches before the judged one, never the judged value itself (deequ, section
3.4). It returns a range, or how many batches it needs.

>>> expected = Expectation(10.0, 14.0, 0.99, "mean 12.0 ± 2 sd 1.0 of 9 batches")
>>> expected.holds(13.5), expected.holds(14.5), expected.holds(float("nan"))
(True, False, False)
>>> print(expected)
between 10.0 and 14.0: mean 12.0 ± 2 sd 1.0 of 9 batches
>>> print(NotEnough(have=3, need=7))
not enough history: 3 batches, 7 needed
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from math import inf
from typing import Protocol

from assay.checks.formatting import counted_batches, format_share, format_value
from assay.errors import InvalidValueError

__all__ = ["Detector", "Expectation", "NotEnough", "Point"]


@dataclass(frozen=True, slots=True)
class Point:
    """The metric of one batch.

    Attributes
    ----------
    time
        The time of the batch.
    value
        The metric.
    """

    time: datetime
    value: float


@dataclass(frozen=True, slots=True)
class Expectation:
    """The range in which the next value is expected.

    Attributes
    ----------
    low, high
        Ends of the range. They belong to it, and may be infinite.
    confidence
        1 minus the probability of a false alarm, as the detector's model computes it. Limits that a
        person has set have confidence 1.
    reason
        How the range was computed, in words.
    """

    low: float
    high: float
    confidence: float
    reason: str

    def __post_init__(self) -> None:
        if not self.low <= self.high:
            raise InvalidValueError.unexpected(
                "invalid range", "low <= high", (self.low, self.high)
            )
        if not 0 <= self.confidence <= 1:
            raise InvalidValueError.unexpected(
                "invalid confidence", "a number from 0 to 1", self.confidence
            )

    def holds(self, value: float) -> bool:
        """Return whether the value lies in the range. NaN does not."""
        return self.low <= value <= self.high

    def describe(self, *, share: bool = False) -> str:
        """Return the range in words, as percentages if the metric is a `share`.

        Examples
        --------
        >>> Expectation(0.98, 1.0, 0.99, "").describe(share=True)
        'between 98 % and 100 %'
        >>> Expectation(0.95, 1.02, 0.99, "").describe(share=True)  # no share exceeds 1
        'at least 95 %'
        >>> Expectation(10, float("inf"), 0.99, "").describe()
        'at least 10'
        """
        format_end = format_share if share else format_value
        low = None if self.low == -inf or (share and self.low < 0) else format_end(self.low)
        high = None if self.high == inf or (share and self.high > 1) else format_end(self.high)
        if low is None:
            return "any number" if high is None else f"at most {high}"
        return f"at least {low}" if high is None else f"between {low} and {high}"

    def __str__(self) -> str:
        return f"{self.describe()}: {self.reason}"


@dataclass(frozen=True, slots=True)
class NotEnough:
    """The history has too few batches for an expectation.

    Attributes
    ----------
    have
        The number of batches.
    need
        The number of batches that the detector needs.
    """

    have: int
    need: int

    def __str__(self) -> str:
        return f"not enough history: {counted_batches(self.have)}, {self.need} needed"


class Detector(Protocol):
    """Computes the range of the next value of a metric from its history."""

    def expect(self, history: Sequence[Point], time: datetime) -> Expectation | NotEnough:
        """Return the expected range.

        Parameters
        ----------
        history
            The batches before the judged one, oldest first, without those held or marked bad.
        time
            The time of the judged batch.
        """
        ...
