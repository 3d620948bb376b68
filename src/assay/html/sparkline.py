"""Draw a metric over time: a line for earlier batches, a band for limits, a dot for this batch.

A value far outside the range of the line is drawn as an arrow at the edge, so that the line stays
readable.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assay.html.markup import Html, bidi_text, element, join
from assay.html.short_numbers import short_number
from assay.text import count_noun

__all__ = ["MetricSeries", "format_range", "trend_figure"]

#: pixels: the picture, the space above and below the line, and the space for this batch
_WIDTH, _HEIGHT, _MARGIN, _LAST_WIDTH = 240, 52, 7, 16
#: characters of a batch key at the axis
_MAX_KEY = 24
#: in heights of the line: beyond the first a value becomes an arrow, which needs the second
_FAR, _ARROW_SPACE = 1.5, 0.5


@dataclass(frozen=True)
class MetricSeries:
    """A metric in earlier batches, oldest first; NaN in batches without it."""

    keys: tuple[str, ...]
    values: tuple[float, ...]


def format_range(low: float | None, high: float | None) -> str | None:
    """Write limits in words; None if there are none.

    >>> format_range(1.0, 2.0), format_range(None, 2.0), format_range(3.0, math.inf)
    ('1 to 2', 'at most 2', 'at least 3')
    """
    lower, upper = _finite(low), _finite(high)
    if lower is None:
        return None if upper is None else f"at most {short_number(upper)}"
    if upper is None:
        return f"at least {short_number(lower)}"
    first, last = short_number(lower), short_number(upper)
    return first if first == last else f"{first} to {last}"


def trend_figure(
    series: MetricSeries,
    observed: float | None,
    low: float | None = None,
    high: float | None = None,
    caption: str | None = None,
) -> Html | None:
    """Draw a metric with its axes: the range of the values, and the first and the last batch.

    It has a description for screen readers. It is None with fewer than two values.

    Parameters
    ----------
    series
        The values of earlier batches with their keys.
    observed
        The value of this batch.
    low, high
        The limits.
    caption
        Text below the picture.
    """
    drawn = _draw(series.values, observed, low, high)
    if drawn is None:
        return None
    picture, axis = drawn
    first, last = _short_keys(series.keys[0], series.keys[-1])
    return element(
        "figure",
        element("div", *(element("span", label) for label in axis.labels), class_="y"),
        picture,
        element(
            "div",
            element("span", bidi_text(first, _MAX_KEY)),
            element("span", bidi_text(last, _MAX_KEY) if last != first else None),
            element("span", "now"),
            class_="x",
        ),
        None if caption is None else element("figcaption", caption),
        class_="axes",
    )


def _short_keys(first: str, last: str) -> tuple[str, str]:
    """Remove the folders and the name of the column that both keys begin with.

    >>> _short_keys("date=2026-11-01", "date=2026-11-14"), _short_keys("a", "b")
    (('2026-11-01', '2026-11-14'), ('a', 'b'))
    """
    start = max(first.rfind("="), first.rfind("/")) + 1
    return (first[start:], last[start:]) if last.startswith(first[:start]) else (first, last)


def _draw(
    earlier_values: Sequence[float],
    observed: float | None,
    low: float | None,
    high: float | None,
) -> tuple[Html, _Axis] | None:
    values = [value for value in earlier_values if math.isfinite(value)]
    limits = [limit for limit in (_finite(low), _finite(high)) if limit is not None]
    if len(values) < 2:
        return None
    current = math.nan if observed is None else observed
    axis = _Axis.create([*values, *limits], current)
    step = (_WIDTH - _MARGIN - _LAST_WIDTH) / len(earlier_values)
    points = [(_MARGIN + position * step, value) for position, value in enumerate(earlier_values)]
    picture = element(
        "svg",
        element("title", _description(values, observed, low, high)),
        _draw_limits(axis, _finite(low), _finite(high)),
        join(_draw_past(axis, points)),
        _draw_current(axis, current),
        class_="spark",
        viewbox=f"0 0 {_WIDTH} {_HEIGHT}",
        width=_WIDTH,
        height=_HEIGHT,
        role="img",
    )
    return picture, axis


@dataclass(frozen=True)
class _Axis:
    """Maps values to heights. Values are divided by `unit`, since their range may overflow."""

    low: float
    span: float
    unit: float
    is_constant: bool = False

    @staticmethod
    def create(values: Sequence[float], current: float) -> _Axis:
        unit = max(map(abs, values)) or 1.0
        scaled = [value / unit for value in values]
        low, high = min(scaled), max(scaled)
        # a constant metric gets a range around its value
        span = high - low or abs(high) * 0.1 or 1.0
        position = current / unit
        if low - _FAR * span <= position <= high + _FAR * span:
            low, high = min(low, position), max(high, position)
        elif not math.isnan(position):
            low = low - _ARROW_SPACE * span * (position < low)
            high = high + _ARROW_SPACE * span * (position > high)
        span = high - low
        return _Axis(low, span, unit) if span else _Axis(low - 0.05, 0.1, unit, is_constant=True)

    @property
    def labels(self) -> tuple[str, ...]:
        """The highest and the lowest value, or the only one."""
        if self.is_constant:
            return (short_number((self.low + self.span / 2) * self.unit),)
        high = short_number((self.low + self.span) * self.unit)
        return high, short_number(self.low * self.unit)

    def height(self, value: float) -> float:
        """Return pixels from the top; a value beyond the axis is drawn at its end."""
        share = (value / self.unit - self.low) / self.span
        return round(_HEIGHT - _MARGIN - min(max(share, 0.0), 1.0) * (_HEIGHT - 2 * _MARGIN), 1)

    def side(self, value: float) -> int:
        """Return 1 for a value above the axis, -1 below it, and 0 on it."""
        share = (value / self.unit - self.low) / self.span
        return (share > 1.0 + 1e-9) - (share < -1e-9)


def _draw_limits(axis: _Axis, low: float | None, high: float | None) -> Html | None:
    if low is None and high is None:
        return None
    top = 1.0 if high is None else axis.height(high) - 1.0
    bottom = _HEIGHT - 1.0 if low is None else axis.height(low) + 1.0
    height = round(max(bottom - top, 2.0), 1)
    return element("rect", class_="band", x=0, y=round(top, 1), width=_WIDTH, height=height)


def _draw_past(axis: _Axis, points: Sequence[tuple[float, float]]) -> Iterator[Html]:
    """Draw a line through consecutive values, and a dot for a single one."""
    run: list[tuple[str, float]] = []
    for x, value in [*points, (0.0, math.nan)]:
        if math.isfinite(value):
            run.append((f"{x:.1f}", axis.height(value)))
            continue
        if len(run) == 1:
            yield element("circle", class_="past", cx=run[0][0], cy=run[0][1], r=1.5)
        elif run:
            line = " ".join(f"{point_x},{point_y}" for point_x, point_y in run)
            yield element("polyline", class_="past", points=line)
        run = []


def _draw_current(axis: _Axis, value: float) -> Html | None:
    if math.isnan(value):
        return None
    x, side = _WIDTH - _LAST_WIDTH / 2 - 1, axis.side(value)
    if not side:
        return element("circle", class_="now", cx=x, cy=axis.height(value), r=4)
    tip, foot = (2, 11) if side > 0 else (_HEIGHT - 2, _HEIGHT - 11)
    return element("path", class_="now", d=f"M{x} {tip}L{x + 6} {foot}L{x - 6} {foot}Z")


def _description(
    values: Sequence[float], observed: float | None, low: float | None, high: float | None
) -> str:
    batches = count_noun(len(values), "earlier batch", "earlier batches")
    sentence = f"{batches}: {short_number(min(values))} to {short_number(max(values))}"
    if observed is not None and not math.isnan(observed):
        sentence += f"; this batch: {short_number(observed)}"
    limits = format_range(low, high)
    return f"{sentence}; expected: {limits}." if limits else f"{sentence}."


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
