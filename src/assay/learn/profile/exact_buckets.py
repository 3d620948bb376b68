"""Count in intervals of equal width from exact counts, which need no sketch."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Mapping
from datetime import UTC, datetime

from assay.analyzers.bins import edges_between, interval
from assay.analyzers.metric import Distribution
from assay.learn.profile.profile_statistics import BUCKETS

__all__ = ["number_of", "numeric_buckets", "seconds_since_epoch"]


def numeric_buckets(
    counts: Mapping[str, float], convert: Callable[[str], float | None]
) -> Distribution | None:
    """Return the counts in ten intervals from the lowest to the highest value.

    Parameters
    ----------
    counts
        The count of each value by its label.
    convert
        A function from a label to a number; None for labels that have none.

    Returns
    -------
    Distribution, optional
        None without two different finite numbers.

    Examples
    --------
    >>> buckets = numeric_buckets({"0": 3, "5": 1, "10": 2, "x": 9}, number_of)
    >>> [int(count) for count in buckets.counts.values()]
    [3, 0, 0, 0, 0, 1, 0, 0, 0, 2]
    """
    numbers: dict[float, float] = {}
    for label, count in counts.items():
        number = convert(label)
        if number is not None:
            numbers[number] = numbers.get(number, 0.0) + count
    if len(numbers) < 2 or not all(map(math.isfinite, numbers)):
        return None
    low, high = min(numbers), max(numbers)
    edges = edges_between(low, high, BUCKETS)
    totals = [0.0] * BUCKETS
    for number, count in numbers.items():
        totals[min(bisect_right(edges, number), BUCKETS) - 1] += count
    labels = (interval(edges[i], edges[i + 1], last=i == BUCKETS - 1) for i in range(BUCKETS))
    return Distribution(dict(zip(labels, totals, strict=True)), edges=edges)


def number_of(label: str) -> float | None:
    """Return the number that a label shows, or None."""
    try:
        return float(label)
    except ValueError:
        return None


def seconds_since_epoch(label: str) -> float | None:
    """Return the seconds since 1970 of a date or timestamp, or None.

    >>> seconds_since_epoch("1970-01-02"), seconds_since_epoch("2026-02-30")
    (86400.0, None)
    """
    try:
        moment = datetime.fromisoformat(label)
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
