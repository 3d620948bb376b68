"""Detect anomalies by the mean and standard deviation of a metric's history."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import NormalDist, fmean

from assay.checks.assertions.expectation import Expectation, NotEnough, Point
from assay.errors import InvalidValueError
from assay.learn.anomaly.deviation_range import Deviations, constant
from assay.learn.anomaly.format_estimate import format_estimate
from assay.learn.anomaly.series import values

__all__ = ["BatchNormal", "OnlineNormal"]


@dataclass(frozen=True, kw_only=True)
class _Normal(Deviations):
    need: int = 7

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.need < 3:
            raise InvalidValueError.unexpected("invalid need", "at least 3 batches", self.need)

    def _around(self, mean: float, sd: float, n: int) -> Expectation:
        if not sd:
            return constant(mean, n)
        reason = (
            f"mean {format_estimate(mean)} {self._allowed} sd {format_estimate(sd)} of {n} batches"
        )
        return self._fixed_width(mean, sd, df=n - 1, centre_variance=1 / n, reason=reason)


@dataclass(frozen=True, kw_only=True)
class BatchNormal(_Normal):
    """Expect the mean ± `lower` and `upper` standard deviations of the history.

    All values have the same weight, so outliers widen the range. Set `last` to use only that
    number of recent batches, for metrics whose level changes slowly.
    """

    last: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.last is not None and self.last < self.need:
            raise InvalidValueError.unexpected(
                "invalid last", f"at least {self.need} batches, as many as need", self.last
            )

    def expect(self, history: Sequence[Point], time: datetime) -> Expectation | NotEnough:
        """Return ``mean - lower·sd`` to ``mean + upper·sd``; ``sd² = Σ (x - mean)² / (n - 1)``."""
        metric_values = values(history)
        if len(metric_values) < self.need:
            return NotEnough(len(metric_values), self.need)
        if self.last is not None:
            metric_values = metric_values[-self.last :]
        # Rounding can put the mean of equal values outside of them.
        mean = min(max(fmean(metric_values), min(metric_values)), max(metric_values))
        sd = math.hypot(*(value - mean for value in metric_values)) / math.sqrt(
            len(metric_values) - 1
        )
        return self._around(mean, sd, len(metric_values))


@dataclass(frozen=True, kw_only=True)
class OnlineNormal(_Normal):
    """Expect the running mean ± running standard deviations (deequ, listing 1, section 3.4).

    Each earlier batch is judged by the batches before it. Anomalies are left out of the estimates,
    unless `ignore_anomalies` is False. At the start, where the estimates are poor, all
    values count: the first `need` values, or the first `ignore_start` share of the history if that
    is more. A permanent change of level is therefore never learned. Use `Seasonal` for that.

    Leaving out the values beyond the limits makes the variance too small. Each later term of the
    sum of squares is therefore divided by the variance of a truncated normal distribution.
    Without this correction the range would become narrower over time.
    """

    ignore_start: float = 0.1
    ignore_anomalies: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.ignore_start <= 1:
            raise InvalidValueError.unexpected(
                "invalid ignore_start", "a share from 0 to 1", self.ignore_start
            )

    def expect(self, history: Sequence[Point], time: datetime) -> Expectation | NotEnough:
        """Return ``mean - lower·sd`` to ``mean + upper·sd`` of the accepted values (Welford)."""
        metric_values = values(history)
        if len(metric_values) < self.need:
            return NotEnough(len(metric_values), self.need)
        start = max(self.need, math.ceil(self.ignore_start * len(metric_values)))
        lower = math.inf if self.lower is None else self.lower
        upper = math.inf if self.upper is None else self.upper
        variance_within = _variance_within(lower, upper) if self.ignore_anomalies else 1.0
        n, mean, squares = 0, 0.0, 0.0
        for index, value in enumerate(metric_values):
            difference = value - mean
            if index >= start and self.ignore_anomalies and difference:
                sd = math.sqrt(squares / (n - 1))
                # 0 · inf is NaN: compare each side with a finite limit only.
                if difference > 0 and upper < math.inf and difference > upper * sd:
                    continue
                if difference < 0 and lower < math.inf and -difference > lower * sd:
                    continue
            n += 1
            mean += difference / n
            squares += difference * (value - mean) / (variance_within if index >= start else 1.0)
        return self._around(mean, math.sqrt(squares / (n - 1)), n)


def _variance_within(lower: float, upper: float) -> float:
    """Return the variance of a standard normal distribution truncated at -lower and upper."""
    normal = NormalDist()
    share = normal.cdf(upper) - normal.cdf(-lower)
    low, high = normal.pdf(lower) / share, normal.pdf(upper) / share
    tails = (k * density for k, density in ((lower, low), (upper, high)) if k < math.inf)
    # Rounding can make the variance zero or negative if the limits are very narrow.
    return max(0.01, 1.0 - sum(tails) - (low - high) ** 2)
