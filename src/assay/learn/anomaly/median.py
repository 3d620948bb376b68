"""Median and median absolute deviation: estimates that strange values hardly move."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import fmean, median

from assay.checks.anomalies import Expectation, NotEnough, Point
from assay.learn.anomaly.deviations import Deviations, constant
from assay.learn.anomaly.history import values
from assay.learn.anomaly.wording import about

__all__ = ["MedianDeviation"]

#: what makes each estimate that of the standard deviation, if values are normal
_MEDIAN, _MEAN = 1.4826, 1.2533
#: of normal values, the median deviation is worth that share of a history's degrees of freedom,
#: and the median has that many times the variance of the mean
_WORTH, _WOBBLE = 0.37, 1.57


@dataclass(frozen=True, kw_only=True)
class MedianDeviation(Deviations):
    """Median ± so many times ``1.4826 · median(|x - median|)``.

    Up to half of the history may be strange without harm. Where more than half of the values are
    equal the median deviation is zero and says nothing of the others: then
    ``1.2533 · mean(|x - median|)`` takes its place (Iglewicz and Hoaglin, 1993).
    """

    need: int = 7

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.need < 3:
            raise ValueError(f"need is 3 batches or more, not {self.need!r}.")

    def expect(self, history: Sequence[Point], time: datetime) -> Expectation | NotEnough:
        """``median - lower·deviation`` to ``median + upper·deviation``."""
        known = values(history)
        if len(known) < self.need:
            return NotEnough(len(known), self.need)
        centre = median(known)
        off = [abs(value - centre) for value in known]
        deviation = _MEDIAN * median(off) or _MEAN * fmean(off)
        if not deviation:
            return constant(centre, len(known))
        reason = (
            f"median {about(centre)} {self._allowed} deviations {about(deviation)}"
            f" of {len(known)} batches"
        )
        n = len(known)
        return self._plainly(
            centre, deviation, df=max(1.0, _WORTH * (n - 1)), wobble=_WOBBLE / n, reason=reason
        )
