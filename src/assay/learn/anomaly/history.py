"""The values of a history that can be computed with."""

from __future__ import annotations

from collections.abc import Sequence

from assay.checks.anomalies import Point

__all__ = ["usable", "values"]

#: beyond it squares overflow
_LARGEST = 1e150


def usable(history: Sequence[Point]) -> list[Point]:
    """The points with a number; NaN, infinities and numbers beyond 1e150 tell nothing."""
    return [point for point in history if abs(point.value) < _LARGEST]


def values(history: Sequence[Point]) -> list[float]:
    """The numbers of the usable points, oldest first."""
    return [float(point.value) for point in usable(history)]
