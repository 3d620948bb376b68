"""Mean and standard deviation of a history: all of it at once, or on the way along it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import NormalDist, fmean

from assay.checks.anomalies import Expectation, NotEnough, Point
from assay.learn.anomaly.deviations import Deviations, constant
from assay.learn.anomaly.history import values
from assay.learn.anomaly.wording import about

__all__ = ["BatchNormal", "OnlineNormal"]


@dataclass(frozen=True, kw_only=True)
class _Normal(Deviations):
    need: int = 7

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.need < 3:
            raise ValueError(f"need is 3 batches or more, not {self.need!r}.")

    def _around(self, mean: float, sd: float, n: int) -> Expectation:
        if not sd:
            return constant(mean, n)
        reason = f"mean {about(mean)} {self._allowed} sd {about(sd)} of {n} batches"
        return self._plainly(mean, sd, df=n - 1, wobble=1 / n, reason=reason)


@dataclass(frozen=True, kw_only=True)
class BatchNormal(_Normal):
    """Mean ± so many standard deviations over all of the history.

    Every value counts alike, strange ones too: they widen the range. `last` looks at no more than
    so many batches, for metrics whose level wanders.
    """

    last: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.last is not None and self.last < self.need:
            raise ValueError(f"last is at least need, {self.need}, not {self.last!r}.")

    def expect(self, history: Sequence[Point], time: datetime) -> Expectation | NotEnough:
        """``mean - lower·sd`` to ``mean + upper·sd``, with ``sd² = Σ (x - mean)² / (n - 1)``."""
        known = values(history)
        if len(known) < self.need:
            return NotEnough(len(known), self.need)
        if self.last is not None:
            known = known[-self.last :]
        # rounding must not push the mean of equal values beyond them
        mean = min(max(fmean(known), min(known)), max(known))
        sd = math.hypot(*(value - mean for value in known)) / math.sqrt(len(known) - 1)
        return self._around(mean, sd, len(known))


@dataclass(frozen=True, kw_only=True)
class OnlineNormal(_Normal):
    """A running mean ± so many running standard deviations (deequ, listing 1 and section 3.4).

    Unlike `BatchNormal` it goes through the history as though each batch were judged in its turn,
    and what was an anomaly then does not train (unless `ignore_anomalies` is False). At the start,
    where the estimates are poor, values train whatever they are: the first `need`, or the first
    `ignore_start` of the history if that is more. A level that changes for good is therefore never
    learned; for that there is `Seasonal`.

    Values that trained because they were within the limits spread less than all values do: a
    normal distribution cut off at the limits has a smaller variance, and their share of the sum of
    squares is made larger by just that. Without it the range would narrow by itself.
    """

    ignore_start: float = 0.1
    ignore_anomalies: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.ignore_start <= 1:
            raise ValueError(f"ignore_start is a share from 0 to 1, not {self.ignore_start!r}.")

    def expect(self, history: Sequence[Point], time: datetime) -> Expectation | NotEnough:
        """``mean - lower·sd`` to ``mean + upper·sd`` of the values that trained (Welford)."""
        known = values(history)
        if len(known) < self.need:
            return NotEnough(len(known), self.need)
        start = max(self.need, math.ceil(self.ignore_start * len(known)))
        lower = math.inf if self.lower is None else self.lower
        upper = math.inf if self.upper is None else self.upper
        kept = _variance_within(lower, upper) if self.ignore_anomalies else 1.0
        n, mean, squares = 0, 0.0, 0.0
        for at, value in enumerate(known):
            off = value - mean
            if at >= start and self.ignore_anomalies and off:
                sd = math.sqrt(squares / (n - 1))
                # a spread of zero times no limit is no number: compare signs apart
                if off > 0 and upper < math.inf and off > upper * sd:
                    continue
                if off < 0 and lower < math.inf and -off > lower * sd:
                    continue
            n += 1
            mean += off / n
            squares += off * (value - mean) / (kept if at >= start else 1.0)
        return self._around(mean, math.sqrt(squares / (n - 1)), n)


def _variance_within(lower: float, upper: float) -> float:
    """The variance of a standard normal distribution cut off at -lower and upper."""
    normal = NormalDist()
    share = normal.cdf(upper) - normal.cdf(-lower)
    low, high = normal.pdf(lower) / share, normal.pdf(upper) / share
    tails = (k * density for k, density in ((lower, low), (upper, high)) if k < math.inf)
    # limits so narrow that rounding leaves nothing between them
    return max(0.01, 1.0 - sum(tails) - (low - high) ** 2)
