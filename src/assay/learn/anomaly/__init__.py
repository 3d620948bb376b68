"""Anomaly detectors: expected ranges learned from a metric's history (deequ, section 3.4)."""

from assay.checks.assertions.expectation import Expectation, NotEnough, Point
from assay.learn.anomaly.arima import SeasonalArima
from assay.learn.anomaly.by_callable import ByCallable
from assay.learn.anomaly.change import AbsoluteChange, RelativeChange
from assay.learn.anomaly.differenced import Differenced
from assay.learn.anomaly.holt_winters import HoltWinters
from assay.learn.anomaly.median import MedianDeviation
from assay.learn.anomaly.normal import BatchNormal, OnlineNormal
from assay.learn.anomaly.seasonal import Seasonal
from assay.learn.anomaly.series import ranges
from assay.learn.anomaly.threshold import Threshold

__all__ = [
    "DETECTORS",
    "AbsoluteChange",
    "BatchNormal",
    "ByCallable",
    "Differenced",
    "Expectation",
    "HoltWinters",
    "MedianDeviation",
    "NotEnough",
    "OnlineNormal",
    "Point",
    "RelativeChange",
    "Seasonal",
    "SeasonalArima",
    "Threshold",
    "ranges",
]

#: The registered detectors. Suites in YAML name them by their class, all but `ByCallable`.
DETECTORS = (
    AbsoluteChange,
    BatchNormal,
    ByCallable,
    Differenced,
    HoltWinters,
    MedianDeviation,
    OnlineNormal,
    RelativeChange,
    Seasonal,
    SeasonalArima,
    Threshold,
)
