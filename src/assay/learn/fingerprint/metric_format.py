"""Write values of batch metrics for people: counts as whole numbers, shares in percent.

>>> format_metric(metrics.ROW_COUNT, 2633.0), format_metric(metrics.COMPLETENESS, 0.985)
('2,633', '98.5 %')
>>> format_metric(metrics.MEAN, 10.0), format_metric(metrics.MEAN, 10.53219)
('10', '10.53')
>>> format_range(metrics.ROW_COUNT, 68.4, 182.1), format_range(metrics.COMPLETENESS, 0.9, 1.0)
('69 to 182', 'at least 90 %')
>>> format_range(metrics.MEAN, 4578.0095, 5423.8177), format_range(metrics.MEAN, 2012.91, 2013.12)
('4,578 to 5,424', '2,012.91 to 2,013.12')
>>> format_metric(metrics.MEAN, 5424.2, limits=(4578.0095, 5423.8177))
'5,424.2'
"""

from __future__ import annotations

import math

from assay.checks.formatting import format_number, format_share
from assay.learn.fingerprint import metrics

__all__ = ["format_metric", "format_range"]

_COUNTS = frozenset((metrics.ROW_COUNT, metrics.DISTINCT_COUNT))


def format_metric(name: str, value: float, *, limits: tuple[float, ...] = ()) -> str:
    """Return a value of a metric in words.

    Parameters
    ----------
    name
        The metric.
    value
        Its value.
    limits
        Numbers that are shown next to it. It has more digits if it would look like one of them.
    """
    if math.isfinite(value):
        if metrics.get(name).share_of is not None:
            return format_share(value)
        if name in _COUNTS:
            return f"{value:,.0f}"
    return format_number(value, other_than=limits)


def format_range(name: str, low: float, high: float) -> str:
    """Return the limits of a metric in words, without a limit at the end of its range."""
    metric = metrics.get(name)
    if name in _COUNTS:
        low = math.ceil(low) if math.isfinite(low) else low
        high = math.floor(high) if math.isfinite(high) else high
    if low <= metric.low:
        return f"at most {format_metric(name, high)}"
    if high >= metric.high:
        return f"at least {format_metric(name, low)}"
    ends = (low, high)
    return f"{format_metric(name, low, limits=ends)} to {format_metric(name, high, limits=ends)}"
