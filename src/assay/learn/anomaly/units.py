"""A series in units of its own: what is learned then depends on neither unit nor zero point."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median, pstdev, quantiles

__all__ = ["Units"]

#: between the first and the last tenth of a standard normal distribution
_TENTHS = 2.563


@dataclass(frozen=True)
class Units:
    """The median is 0; the middle eight tenths are as wide as those of a standard normal."""

    centre: float
    unit: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Units:
        """The units of these values, which are not all equal."""
        tenths = quantiles(values, n=10, method="inclusive")
        # a single strange value must not set the scale, unless there is nothing else to set it
        width = (tenths[-1] - tenths[0]) / _TENTHS or pstdev(values)
        # the least that can be divided by without overflow
        return cls(median(values), max(width, 1e-300))

    def without(self, values: Sequence[float]) -> list[float]:
        """The values in these units."""
        return [(value - self.centre) / self.unit for value in values]

    def value(self, number: float) -> float:
        """A number in these units, as a value."""
        return self.centre + self.unit * number

    def spread(self, number: float) -> float:
        """A spread in these units, as one of values.

        A season that repeats to the last digit still leaves room for rounding.
        """
        return max(self.unit * max(number, 1e-9), 1e-12 * abs(self.centre))
