"""Select the values of a metric's history that detectors can use."""

from __future__ import annotations

from collections.abc import Sequence

from assay.checks.assertions.expectation import Point

__all__ = ["usable", "values"]

#: the squares of larger values overflow
_MAX_VALUE = 1e150


def usable(history: Sequence[Point]) -> list[Point]:
    """Drop points whose value is NaN, infinite or beyond 1e150."""
    return [point for point in history if abs(point.value) < _MAX_VALUE]


def values(history: Sequence[Point]) -> list[float]:
    """Return the values of the usable points, oldest first."""
    return [float(point.value) for point in usable(history)]
