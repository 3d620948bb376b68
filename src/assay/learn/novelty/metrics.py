"""What is looked at in a batch: one number per column and metric, or per table.

Locations and scales of numbers are taken as their ``asinh``, which is linear near 0 and logarithmic
far from it, so that a column of millions and one of shares are judged alike; numbers of things as
``log(1 + n)``. People are shown them in their own unit.

>>> mean = METRICS["mean"]
>>> round(mean.inward(1000.0), 3), round(mean.outward(mean.inward(1000.0)), 6)
(7.601, 1000.0)
>>> str(Feature("price", "mean")), str(Feature(None, "rows"))
('price: the mean', 'the number of rows')
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from assay.checks.formatting import visible

__all__ = ["METRICS", "UNCHANGED", "Feature", "Features", "Metric", "read", "written"]

Unit = Literal["plain", "share", "asinh", "log"]
_LARGEST = 1.7e308


@dataclass(frozen=True)
class Metric:
    """A number of a column, or of the table.

    A share is one of ``rows``, or of the ``values`` that are not null: what it can be by chance is
    known from how many there are.
    """

    name: str
    says: str
    unit: Unit = "plain"
    of: Literal["rows", "values"] | None = None
    low: float = -math.inf
    high: float = math.inf

    def inward(self, value: float) -> float:
        """As it is judged; what is infinite is as large as a double can be."""
        if value != value:
            return math.nan
        value = min(max(value, -_LARGEST), _LARGEST)
        match self.unit:
            case "asinh":
                return math.asinh(value)
            case "log":
                return math.log1p(value)
            case _:
                return value

    def outward(self, value: float) -> float:
        """As people know it, within its range."""
        match self.unit:
            case "asinh":
                value = math.copysign(math.sinh(min(abs(value), 710.0)), value)
            case "log":
                value = math.expm1(min(value, 700.0))
            case _:
                pass
        # what went in comes out: its last digits are of the way
        return float(f"{min(max(value, self.low), self.high):.12g}")


class Feature(NamedTuple):
    """Which number: of which column, or of the table, and which metric."""

    column: str | None
    metric: str

    def __str__(self) -> str:
        known = METRICS.get(self.metric)
        says = visible(self.metric) if known is None else known.says
        return says if self.column is None else f"{visible(self.column)}: {says}"


UNCHANGED = Feature(None, "unchanged")
#: all numbers of one batch; NaN where undefined
Features = Mapping[Feature, float]


def written(features: Features) -> list[list[str | float | None]]:
    """Features as JSON can hold them: column, metric and number of those that are defined."""
    return [[*feature, value] for feature, value in features.items() if math.isfinite(value)]


def read(document: Iterable[Sequence[Any]]) -> dict[Feature, float]:
    """The inverse of `written`; what is undefined is left out, which is as good."""
    return {Feature(column, metric): value for column, metric, value in document}


def _share(name: str, says: str, of: Literal["rows", "values"] = "values") -> Metric:
    return Metric(name, says, "share", of, 0.0, 1.0)


def _amount(name: str, says: str) -> Metric:
    return Metric(name, says, low=0.0)


METRICS: Mapping[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric("rows", "the number of rows", "log", low=0.0),
        _share("unseen nulls", "the share of rows whose combination of nulls is new", "rows"),
        _share("rare nulls", "the share of rows whose combination of nulls is rare", "rows"),
        Metric("unchanged", "the share of columns that are as in the batch before", low=0, high=1),
        _share("completeness", "the share of rows that are not null", "rows"),
        Metric("filled", "the presence of any value (1 or 0)", low=0.0, high=1.0),
        _share("numeric", "the share of values that are numbers"),
        Metric("distinct", "the number of different values", "log", low=0.0),
        _share("distinct ratio", "the share of different values"),
        _share("top", "the share of the most frequent value"),
        _amount("entropy", "the entropy"),
        Metric("mean", "the mean", "asinh"),
        Metric("sd", "the standard deviation", "asinh", low=0.0),
        Metric("min", "the least number", "asinh"),
        Metric("max", "the greatest number", "asinh"),
        Metric("q25", "the lower quartile", "asinh"),
        Metric("q50", "the median", "asinh"),
        Metric("q75", "the upper quartile", "asinh"),
        _share("zeros", "the share of zeros"),
        _share("negatives", "the share of negative numbers"),
        _share("integers", "the share of whole numbers"),
        _amount("length", "the mean length"),
        _share("letters", "the share of letters among characters"),
        _share("digits", "the share of digits among characters"),
        _share("spaces", "the share of spaces among characters"),
        _share("symbols", "the share of symbols among characters"),
        _share("unseen", "the share of values never seen before"),
        _share("unseen shapes", "the share of values of a shape never seen before"),
        _amount("surprise", "the bits per character, by what followed which before,"),
        Metric("l1", "the distance of frequencies (L1) to all before", low=0.0, high=2.0),
        Metric("l_inf", "the largest change of a value's share", low=0.0, high=1.0),
        # those of the paper that are not above (section 4), as they are
        Metric("count distinct", "the number of different values", low=0.0),
        Metric("plain mean", "the mean"),
        Metric("plain sd", "the standard deviation", low=0.0),
        Metric("plain min", "the least number"),
        Metric("plain max", "the greatest number"),
        Metric("peculiarity", "the index of peculiarity"),
    )
}
