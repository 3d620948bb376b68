"""A detector along a whole series, for pictures and for trying it out."""

from __future__ import annotations

from collections.abc import Sequence

from assay.checks.anomalies import Detector, Expectation, NotEnough, Point

__all__ = ["ranges"]


def ranges(
    detector: Detector, points: Sequence[Point], *, hold: bool = False
) -> tuple[Expectation | NotEnough, ...]:
    """What was expected of each point, had it been judged in its turn from those before it.

    With `hold`, points outside of their range do not train for later ones, as though each had
    been held and never released.
    """
    expected: list[Expectation | NotEnough] = []
    history: list[Point] = []
    for point in points:
        here = detector.expect(tuple(history), point.time)
        expected.append(here)
        if not hold or isinstance(here, NotEnough) or here.holds(point.value):
            history.append(point)
    return tuple(expected)
