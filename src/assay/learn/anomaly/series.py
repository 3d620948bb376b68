"""Read the points of a metric's history, and apply a detector to each of them."""

from __future__ import annotations

from collections.abc import Sequence

from assay.checks.assertions.expectation import Detector, Expectation, NotEnough, Point

__all__ = ["ranges", "usable", "values"]

#: The squares of larger values overflow.
_MAX_VALUE = 1e150


def usable(history: Sequence[Point]) -> list[Point]:
    """Drop points whose value is NaN, infinite or beyond 1e150."""
    return [point for point in history if abs(point.value) < _MAX_VALUE]


def values(history: Sequence[Point]) -> list[float]:
    """Return the values of the usable points, oldest first."""
    return [float(point.value) for point in usable(history)]


def ranges(
    detector: Detector, points: Sequence[Point], *, hold: bool = False
) -> tuple[Expectation | NotEnough, ...]:
    """Return the range expected of each point, computed from the points before it.

    With `hold`, points outside of their range are left out of the history of later points, as if
    each had been held and never released.
    """
    expected: list[Expectation | NotEnough] = []
    history: list[Point] = []
    for point in points:
        answer = detector.expect(tuple(history), point.time)
        expected.append(answer)
        if not hold or isinstance(answer, NotEnough) or answer.holds(point.value):
            history.append(point)
    return tuple(expected)
