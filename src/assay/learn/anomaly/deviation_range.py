"""Ranges of a number of standard deviations around a centre."""

from __future__ import annotations

import math
from dataclasses import dataclass

from assay.checks.assertions.expectation import Expectation
from assay.checks.formatting import format_value
from assay.errors import InvalidValueError
from assay.learn.anomaly.student import coverage, normal_deviations, student_deviations

__all__ = ["Deviations", "constant"]


@dataclass(frozen=True, kw_only=True)
class Deviations:
    """Allow `lower` standard deviations below and `upper` above; None removes that limit."""

    lower: float | None = 3.0
    upper: float | None = 3.0

    def __post_init__(self) -> None:
        if self.lower is None and self.upper is None:
            raise InvalidValueError.unexpected("invalid bounds", "lower, upper or both", None)
        for name, factor in (("lower", self.lower), ("upper", self.upper)):
            if factor is not None and not 0 < factor < math.inf:
                raise InvalidValueError.unexpected(
                    f"invalid {name}", "a positive number of deviations", factor
                )

    def _fixed_width(
        self, centre: float, spread: float, *, df: float, centre_variance: float, reason: str
    ) -> Expectation:
        """Return the range of `lower` and `upper` times the spread; compute its confidence.

        `centre_variance` is the variance of the centre relative to that of a value. The next
        value minus the centre, divided by ``spread · sqrt(1 + centre_variance)``, has Student's t
        distribution with `df` degrees of freedom. The confidence is the range's share of it.
        """
        normal_limits = [
            None if k is None else normal_deviations(k / math.sqrt(1 + centre_variance), df)
            for k in (self.lower, self.upper)
        ]
        return self._range(centre, spread, self.lower, self.upper, coverage(*normal_limits), reason)

    def _student_width(self, centre: float, error: float, *, df: float, reason: str) -> Expectation:
        """Return the range that covers as much as the normal one would; wider for small `df`."""
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
    """Expect a metric that had one value in all `n` batches to keep it.

    The confidence is ``(n + 1) / (n + 2)``, by Laplace's rule of succession.
    """
    return Expectation(
        value, value, (n + 1) / (n + 2), f"{format_value(value)} in all of {n} batches"
    )
