"""Apply a detector to differences, which makes a series stationary (deequ, section 3.4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from datetime import datetime

from assay.checks.assertions.expectation import Detector, Expectation, NotEnough, Point
from assay.errors import InvalidValueError
from assay.learn.anomaly.change import unchanged
from assay.learn.anomaly.series import usable

__all__ = ["Differenced"]


@dataclass(frozen=True)
class Differenced:
    """Apply any detector to the differences of a metric instead of to its values.

    ``Δx[t] = x[t] - x[t - lag]`` is applied `order` times. Order 1 removes a trend; a lag of 7
    removes the weekdays of a daily series. The range is given for the value, not the difference.
    """

    detector: Detector
    _: KW_ONLY
    order: int = 1
    lag: int = 1

    def __post_init__(self) -> None:
        for name, number in (("order", self.order), ("lag", self.lag)):
            if number < 1:
                raise InvalidValueError.unexpected(f"invalid {name}", "at least 1", number)

    def expect(self, history: Sequence[Point], time: datetime) -> Expectation | NotEnough:
        """Return the detector's range for the difference, shifted to a range for the value."""
        points = usable(history)
        reach = self.order * self.lag
        changes = points
        for _ in range(self.order):
            changes = [
                Point(now.time, now.value - before.value)
                for before, now in zip(changes, changes[self.lag :], strict=False)
            ]
        expected = self.detector.expect(changes, time)
        if isinstance(expected, NotEnough):
            return NotEnough(len(points), expected.need + reach)
        if len(points) < reach:
            return NotEnough(len(points), reach)
        base = unchanged([point.value for point in points], self.order, self.lag)
        over = "batch before" if reach == 1 else f"{reach} batches before"
        return replace(
            expected,
            low=expected.low + base,
            high=expected.high + base,
            reason=f"change from the {over}: {expected.reason}",
        )
