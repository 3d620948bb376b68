"""A sparkline shows every value inside its picture, whatever the numbers."""

from __future__ import annotations

import math
import re

from hypothesis import example, given
from hypothesis import strategies as st

from assay.html.sparkline import MetricSeries, format_range, trend_figure
from tests.report.html.reading import Page

doubles = st.floats()
limits = st.none() | doubles


def draw(
    values: list[float], observed: float | None, low: float | None = None, high: float | None = None
) -> str | None:
    keys = tuple(f"date=2026-11-{number:02d}" for number in range(1, len(values) + 1))
    return trend_figure(MetricSeries(keys, tuple(values)), observed, low, high)


@given(st.lists(doubles, min_size=2, max_size=30), limits, limits, limits)
@example([1.7e308, -1.7e308], 1.7e308, -1.7e308, 1.7e308)
@example([5e-324, 0.0], 1.0, None, None)
@example([3.0, 3.0], 3.0, 3.0, 3.0)
def test_every_value_is_inside_the_picture(
    history: list[float], observed: float | None, low: float | None, high: float | None
) -> None:
    picture = draw(history, observed, low, high)
    finite = [value for value in history if math.isfinite(value)]
    assert (picture is None) == (len(finite) < 2)
    if picture is None:
        return
    assert Page(picture).wrong == []
    points = [
        point.split(",") for run in re.findall(r'points="(.*?)"', picture) for point in run.split()
    ]
    points += re.findall(r'cx="(.*?)" cy="(.*?)"', picture)
    assert len(points) >= len(finite)
    assert all(0 <= float(x) <= 240 and 0 <= float(y) <= 52 for x, y in points)
    for y, height in re.findall(
        r'class="band" x="0" y="(.*?)" width="240" height="(.*?)"', picture
    ):
        assert float(y) >= 0
        assert float(y) + float(height) <= 54


def drawn(observed: float, low: float = 9.0, high: float = 12.0) -> str:
    return str(draw([10.0, 11.0, 10.5], observed, low, high))


def test_this_batch_is_a_dot_or_an_arrow() -> None:
    assert 'circle class="now"' in drawn(12.5)
    above, below = drawn(10_000.0), drawn(-10_000.0)
    # the tip is at the edge, the foot further in
    assert 'class="now" d="M231.0 2L' in above
    assert 'class="now" d="M231.0 50L' in below
    assert 'class="now"' not in drawn(math.nan)


def test_a_batch_without_the_metric_leaves_a_gap() -> None:
    picture = str(draw([1.0, 2.0, math.nan, 3.0, math.nan, 4.0, 5.0], 3.0))
    assert picture.count("<polyline") == 2
    assert picture.count('circle class="past"') == 1


def test_the_picture_has_a_description() -> None:
    words = "3 earlier batches: 10 to 11; this batch: 12.5; expected: 9 to 12."
    assert f"<title>{words}</title>" in drawn(12.5)


def test_limits_are_written_in_words() -> None:
    assert format_range(0.999999999, 1.000000001) == "1"
    assert format_range(-math.inf, 2.5) == "at most 2.5"
    assert format_range(math.nan, None) is None


def test_the_axes_name_the_range_and_the_first_and_last_batch() -> None:
    text = Page(str(draw([10.0, 11.0, 12.0], 11.0))).text
    for label in ("12", "10", "2026-11-01", "2026-11-03", "now"):
        assert label in text
    assert "date=" not in text
