"""Limit how much a metric may change from batch to batch.

Changes are counted in batches, not in days. Batches without a finite value are ignored.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from assay.checks.assertions.expectation import Expectation, NotEnough, Point
from assay.errors import InvalidValueError
from assay.learn.anomaly.format_estimate import format_estimate
from assay.learn.anomaly.series import values

__all__ = ["AbsoluteChange", "RelativeChange", "unchanged"]


def unchanged(history: Sequence[float], order: int, lag: int = 1) -> float:
    """Return the next value for which the difference of this order is zero.

    The difference is ``Σ_k (-1)^k C(order, k) x[t - k·lag]``. The factor of x[t] is 1, so the
    result is the negated sum of the other terms.
    """
    return math.fsum(
        (-1) ** (k + 1) * math.comb(order, k) * history[-k * lag] for k in range(1, order + 1)
    )


@dataclass(frozen=True, kw_only=True)
class AbsoluteChange:
    """Limit the rise and the fall of a metric, or its difference of a higher order.

    Order 1 is the change since the previous batch. Order 2 is the change of that change.
    """

    at_most_rise: float | None = None
    at_most_fall: float | None = None
    order: int = 1

    def __post_init__(self) -> None:
        if self.at_most_rise is None and self.at_most_fall is None:
            raise InvalidValueError.unexpected(
                "invalid change", "at_most_rise, at_most_fall or both", None
            )
        _positive_order(self.order)
        _amounts(at_most_rise=self.at_most_rise, at_most_fall=self.at_most_fall)

    def expect(self, history: Sequence[Point], time: datetime) -> Expectation | NotEnough:
        """Return the limits around the value that has a difference of zero."""
        metric_values = values(history)
        if len(metric_values) < self.order:
            return NotEnough(len(metric_values), self.order)
        base = unchanged(metric_values, self.order)
        moves = (("rise", self.at_most_rise), ("fall", self.at_most_fall))
        limits = " and ".join(
            f"{verb} by at most {format_estimate(limit)}"
            for verb, limit in moves
            if limit is not None
        )
        since = "from" if self.order == 1 else f"in the difference of order {self.order}, from"
        return Expectation(
            -math.inf if self.at_most_fall is None else base - self.at_most_fall,
            math.inf if self.at_most_rise is None else base + self.at_most_rise,
            1.0,
            f"{limits} {since} {format_estimate(base)}",
        )


@dataclass(frozen=True, kw_only=True)
class RelativeChange:
    """Limit the ratio of a metric to its value `order` batches ago.

    The limits are multiples of the earlier value. If that value is negative, the greater multiple
    is the lower limit. If it is zero, only zero lies between two limits.
    """

    at_most: float | None = None
    at_least: float | None = None
    order: int = 1

    def __post_init__(self) -> None:
        if self.at_most is None and self.at_least is None:
            raise InvalidValueError.unexpected("invalid change", "at_most, at_least or both", None)
        _positive_order(self.order)
        _amounts(at_most=self.at_most, at_least=self.at_least)
        if (self.at_least or 0.0) > (math.inf if self.at_most is None else self.at_most):
            raise InvalidValueError.unexpected(
                "invalid change", "at_least <= at_most", (self.at_least, self.at_most)
            )

    def expect(self, history: Sequence[Point], time: datetime) -> Expectation | NotEnough:
        """Return the limits as multiples of the earlier value."""
        metric_values = values(history)
        if len(metric_values) < self.order:
            return NotEnough(len(metric_values), self.order)
        earlier = metric_values[-self.order]
        low = -math.inf if self.at_least is None else self.at_least * earlier
        high = math.inf if self.at_most is None else self.at_most * earlier
        if earlier < 0:
            low = -math.inf if self.at_most is None else self.at_most * earlier
            high = math.inf if self.at_least is None else self.at_least * earlier
        multiples = (("at least", self.at_least), ("at most", self.at_most))
        limits = " and ".join(
            f"{words} {limit:g} times" for words, limit in multiples if limit is not None
        )
        ago = "the batch before" if self.order == 1 else f"{self.order} batches before"
        zero = ", of which only 0 is a multiple" if earlier == 0 else ""
        return Expectation(
            low, high, 1.0, f"{limits} the {format_estimate(earlier)} of {ago}{zero}"
        )


def _positive_order(order: int) -> None:
    if order < 1:
        raise InvalidValueError.unexpected("invalid order", "at least 1", order)


def _amounts(**amounts: float | None) -> None:
    for name, amount in amounts.items():
        if amount is not None and not 0 <= amount < math.inf:
            raise InvalidValueError.unexpected(f"invalid {name}", "a number of at least 0", amount)
