"""Ranges of so many standard deviations around a centre."""

from __future__ import annotations

import math
from dataclasses import dataclass

from assay.checks.anomalies import Expectation
from assay.checks.wording import shown
from assay.learn.anomaly.student import coverage, normal_deviations, student_deviations

__all__ = ["Deviations", "constant"]


@dataclass(frozen=True, kw_only=True)
class Deviations:
    """How many standard deviations are allowed below and above; None is no limit on that side."""

    lower: float | None = 3.0
    upper: float | None = 3.0

    def __post_init__(self) -> None:
        if self.lower is None and self.upper is None:
            raise ValueError("one of lower and upper is needed, or nothing is an anomaly.")
        for name, factor in (("lower", self.lower), ("upper", self.upper)):
            if factor is not None and not 0 < factor < math.inf:
                raise ValueError(f"{name} is a positive number of deviations, not {factor!r}.")

    def _plainly(
        self, centre: float, spread: float, *, df: float, wobble: float, reason: str
    ) -> Expectation:
        """So many times the spread around the centre, both estimated.

        With `wobble` for the variance of the centre relative to that of a value, the next value
        differs by ``spread · sqrt(1 + wobble)`` times Student's t: from that the confidence.
        """
        worth = [
            None if k is None else normal_deviations(k / math.sqrt(1 + wobble), df)
            for k in (self.lower, self.upper)
        ]
        return self._range(centre, spread, self.lower, self.upper, coverage(*worth), reason)

    def _widened(self, centre: float, error: float, *, df: float, reason: str) -> Expectation:
        """As much as so many deviations of the normal cover, for an error estimated with `df`."""
        low, high = (
            None if k is None else student_deviations(k, df) for k in (self.lower, self.upper)
        )
        return self._range(centre, error, low, high, coverage(self.lower, self.upper), reason)

    def _range(
        self,
        centre: float,
        spread: float,
        below: float | None,
        above: float | None,
        confidence: float,
        reason: str,
    ) -> Expectation:
        return Expectation(
            -math.inf if below is None else centre - below * spread,
            math.inf if above is None else centre + above * spread,
            max(0.0, confidence),
            reason,
        )

    @property
    def _allowed(self) -> str:
        """`± 3`, `- 2 + 3` or `+ 3`."""
        if self.lower == self.upper:
            return f"± {self.lower:g}"
        sides = (("-", self.lower), ("+", self.upper))
        return " ".join(f"{sign} {factor:g}" for sign, factor in sides if factor is not None)


def constant(value: float, n: int) -> Expectation:
    """What never changed is expected to stay.

    By Laplace's rule of succession the next value is the same with (n + 1) / (n + 2).
    """
    return Expectation(value, value, (n + 1) / (n + 2), f"{shown(value)} in all of {n} batches")
