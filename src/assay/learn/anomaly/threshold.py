"""Compare a metric with fixed limits."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from assay.checks.assertions.expectation import Expectation, Point
from assay.errors import InvalidValueError

__all__ = ["Threshold"]


@dataclass(frozen=True)
class Threshold:
    """Expect values between fixed limits, without any history; None removes that limit."""

    low: float | None = None
    high: float | None = None

    def __post_init__(self) -> None:
        if self.low is None and self.high is None:
            raise InvalidValueError.unexpected("invalid threshold", "low, high or both", None)
        if math.isnan(self._low) or math.isnan(self._high):
            raise InvalidValueError.unexpected(
                "invalid threshold", "numbers other than NaN", (self.low, self.high)
            )
        if self._low > self._high:
            raise InvalidValueError.unexpected(
                "invalid threshold", "low <= high", (self.low, self.high)
            )

    @property
    def _low(self) -> float:
        return -math.inf if self.low is None else self.low

    @property
    def _high(self) -> float:
        return math.inf if self.high is None else self.high

    def expect(self, history: Sequence[Point], time: datetime) -> Expectation:
        """Return the fixed limits."""
        return Expectation(self._low, self._high, 1.0, "fixed limits")
