"""Scale a series by its own median and spread, so that its unit and origin do not matter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median, pstdev, quantiles

__all__ = ["Units"]

#: distance between the first and the ninth decile of a standard normal distribution
_NORMAL_DECILE_RANGE = 2.563


@dataclass(frozen=True)
class Units:
    """Scale in which the median is 0 and the decile range that of a standard normal."""

    centre: float
    unit: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Units:
        """Return the scale of values that are not all equal."""
        tenths = quantiles(values, n=10, method="inclusive")
        # A single outlier must not set the scale, unless all other values are equal.
        width = (tenths[-1] - tenths[0]) / _NORMAL_DECILE_RANGE or pstdev(values)
        # Division by a smaller width could overflow.
        return cls(median(values), max(width, 1e-300))

    def scaled(self, values: Sequence[float]) -> list[float]:
        """Return the values on this scale."""
        return [(value - self.centre) / self.unit for value in values]

    def value(self, number: float) -> float:
        """Convert a number on this scale back to a value."""
        return self.centre + self.unit * number

    def spread(self, number: float) -> float:
        """Convert a spread on this scale back to one of values.

        The spread is never zero: a season that repeats exactly still has rounding errors.
        """
        return max(self.unit * max(number, 1e-9), 1e-12 * abs(self.centre))
