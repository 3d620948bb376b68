"""Detect anomalies by the median absolute deviation, which outliers hardly change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from math import pi, sqrt
from statistics import NormalDist, fmean, median

from assay.checks.assertions.expectation import Expectation, NotEnough, Point
from assay.errors import InvalidValueError
from assay.learn.anomaly.deviation_range import Deviations, constant
from assay.learn.anomaly.format_estimate import format_estimate
from assay.learn.anomaly.series import values

__all__ = ["MedianDeviation"]

#: Factors that turn the median and the mean absolute deviation of normal values into their
#: standard deviation.
_MEDIAN_TO_SD, _MEAN_TO_SD = 1 / NormalDist().inv_cdf(0.75), sqrt(pi / 2)
#: Efficiency for normal values. The median deviation has 37 % of the degrees of freedom of the
#: standard deviation. The median has 1.57 times the variance of the mean.
_DF_RATIO, _VARIANCE_RATIO = 0.37, 1.57


@dataclass(frozen=True, kw_only=True)
class MedianDeviation(Deviations):
    """Expect the median ± `lower` and `upper` times the median absolute deviation.

    Use it if the history has outliers: up to half of the values may be. The deviation is
    ``1.4826 · median(|x - median|)``. It is zero if more than half of the values are equal;
    ``1.2533 · mean(|x - median|)`` is used then (Iglewicz and Hoaglin, 1993).
    """

    need: int = 7

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.need < 3:
            raise InvalidValueError.unexpected("invalid need", "at least 3 batches", self.need)

    def expect(self, history: Sequence[Point], time: datetime) -> Expectation | NotEnough:
        """Return ``median - lower·deviation`` to ``median + upper·deviation``."""
        metric_values = values(history)
        if len(metric_values) < self.need:
            return NotEnough(len(metric_values), self.need)
        centre = median(metric_values)
        distances = [abs(value - centre) for value in metric_values]
        deviation = _MEDIAN_TO_SD * median(distances) or _MEAN_TO_SD * fmean(distances)
        if not deviation:
            return constant(centre, len(metric_values))
        reason = (
            f"median {format_estimate(centre)} {self._allowed} deviations"
            f" {format_estimate(deviation)} of {len(metric_values)} batches"
        )
        n = len(metric_values)
        return self._fixed_width(
            centre,
            deviation,
            df=max(1.0, _DF_RATIO * (n - 1)),
            centre_variance=_VARIANCE_RATIO / n,
            reason=reason,
        )
