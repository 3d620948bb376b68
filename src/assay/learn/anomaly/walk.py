"""Apply a detector to every point of a series, for charts and experiments."""

from __future__ import annotations

from collections.abc import Sequence

from assay.checks.assertions.expectation import Detector, Expectation, NotEnough, Point

__all__ = ["ranges"]


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
