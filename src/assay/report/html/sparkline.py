"""A metric's past as a line, where it was expected to be as a band, and this batch as a dot.

What lies far outside of all that was seen is not drawn to scale, or nothing else could be told
apart: an arrow at the edge points to it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assay.report.html.markup import Html, element, joined
from assay.report.html.numbers import brief

__all__ = ["Past", "expected", "sparkline"]

_WIDTH, _HEIGHT, _EDGE, _LAST = 240, 52, 7, 16
#: beyond so many heights of what was seen, an arrow stands for the value
_FAR, _ROOM = 1.5, 0.5


@dataclass(frozen=True)
class Past:
    """A metric in the batches before, oldest first; NaN where a batch did not have it."""

    keys: tuple[str, ...]
    values: tuple[float, ...]


def expected(low: float | None, high: float | None) -> str | None:
    """A band in words.

    >>> expected(1.0, 2.0), expected(None, 2.0), expected(3.0, math.inf), expected(None, None)
    ('1 to 2', 'at most 2', 'at least 3', None)
    """
    below, above = _limit(low), _limit(high)
    if below is None:
        return None if above is None else f"at most {brief(above)}"
    if above is None:
        return f"at least {brief(below)}"
    return brief(below) if brief(below) == brief(above) else f"{brief(below)} to {brief(above)}"


def sparkline(
    past: Sequence[float],
    observed: float | None,
    low: float | None = None,
    high: float | None = None,
) -> Html | None:
    """The picture, with words for those who do not see it; None where there is nothing to draw."""
    seen = [each for each in past if math.isfinite(each)]
    limits = [each for each in (_limit(low), _limit(high)) if each is not None]
    if len(seen) < 2:
        return None
    now = math.nan if observed is None else observed
    axis = _Axis.over([*seen, *limits], now)
    step = (_WIDTH - _EDGE - _LAST) / len(past)
    at = [(_EDGE + place * step, each) for place, each in enumerate(past)]
    return element(
        "svg",
        element("title", _told(seen, observed, low, high)),
        _band(axis, _limit(low), _limit(high)),
        joined(_line(axis, at)),
        _now(axis, now),
        class_="spark",
        viewbox=f"0 0 {_WIDTH} {_HEIGHT}",
        width=_WIDTH,
        height=_HEIGHT,
        role="img",
    )


@dataclass(frozen=True)
class _Axis:
    """From numbers, divided by the largest, which may be any double, to heights."""

    low: float
    span: float
    unit: float

    @staticmethod
    def over(known: Sequence[float], now: float) -> _Axis:
        unit = max(map(abs, known)) or 1.0
        parts = [each / unit for each in known]
        low, high = min(parts), max(parts)
        # what is constant has a band of its own
        span = high - low or abs(high) * 0.1 or 1.0
        this = now / unit
        if low - _FAR * span <= this <= high + _FAR * span:
            low, high = min(low, this), max(high, this)
        elif this == this:
            # an arrow needs its place, too
            low, high = low - _ROOM * span * (this < low), high + _ROOM * span * (this > high)
        span = high - low
        return _Axis(low, span, unit) if span else _Axis(low - 0.05, 0.1, unit)

    def height(self, value: float) -> float:
        """From the top; whatever is beyond the axis stands at its end."""
        share = (value / self.unit - self.low) / self.span
        return round(_HEIGHT - _EDGE - min(max(share, 0.0), 1.0) * (_HEIGHT - 2 * _EDGE), 1)

    def beyond(self, value: float) -> int:
        """1 above the axis, -1 below it, 0 on it."""
        share = (value / self.unit - self.low) / self.span
        return (share > 1.0 + 1e-9) - (share < -1e-9)


def _band(axis: _Axis, low: float | None, high: float | None) -> Html | None:
    if low is None and high is None:
        return None
    top = 1.0 if high is None else axis.height(high) - 1.0
    bottom = _HEIGHT - 1.0 if low is None else axis.height(low) + 1.0
    height = round(max(bottom - top, 2.0), 1)
    return element("rect", class_="band", x=0, y=round(top, 1), width=_WIDTH, height=height)


def _line(axis: _Axis, at: Sequence[tuple[float, float]]) -> Iterator[Html]:
    """A line for each run of batches that have the metric, a dot for one alone."""
    run: list[str] = []
    for x, value in [*at, (0.0, math.nan)]:
        if math.isfinite(value):
            run.append(f"{x:.1f},{axis.height(value)}")
        elif run:
            if len(run) == 1:
                x_, y = run[0].split(",")
                yield element("circle", class_="past", cx=x_, cy=y, r=1.5)
            else:
                yield element("polyline", class_="past", points=" ".join(run))
            run = []


def _now(axis: _Axis, value: float) -> Html | None:
    if value != value:
        return None
    x, beyond = _WIDTH - _LAST / 2 - 1, axis.beyond(value)
    if not beyond:
        return element("circle", class_="now", cx=x, cy=axis.height(value), r=4)
    tip, foot = (2, 11) if beyond > 0 else (_HEIGHT - 2, _HEIGHT - 11)
    return element("path", class_="now", d=f"M{x} {tip}L{x + 6} {foot}L{x - 6} {foot}Z")


def _told(
    seen: Sequence[float], observed: float | None, low: float | None, high: float | None
) -> str:
    band = expected(low, high)
    words = f"{len(seen)} batches before: {brief(min(seen))} to {brief(max(seen))}"
    now = "" if observed is None or observed != observed else f"; this one {brief(observed)}"
    return f"{words}{now}" + (f", expected {band}." if band else ".")


def _limit(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
