"""Draw ``docs/expected-ranges.svg``: the expected range of each day of flights, and a snow storm.

``python -m tools.expected_ranges`` writes the file. No Spark is needed.
"""

from __future__ import annotations

import csv
import gzip
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from assay.checks.assertions.expectation import Expectation, NotEnough, Point
from assay.data import flights_path
from assay.learn.anomaly import OnlineNormal, ranges

WIDTH, HEIGHT, LEFT, TOP, STEP = 720, 300, 56, 44, 46
LOW, HIGH = 0.4, 1.05
TITLE = "Share of flights that departed, and what OnlineNormal expected"
STYLE = (
    "text{font:12px system-ui,sans-serif;fill:#444}.title{font-size:14px}"
    ".grid{stroke:#8884}.range{fill:#3b82f633;stroke:#3b82f6}.line{fill:none;stroke:#888}"
    ".fine{fill:#444}.odd{fill:#dc2626}"
    "@media(prefers-color-scheme:dark){text,.fine{fill:#ccc}}"
)


def departed() -> list[Point]:
    """Return the share of flights that departed on each day."""
    points = []
    for path in sorted(flights_path().glob("*.csv.gz")):
        with gzip.open(path, "rt", newline="") as file:
            rows = list(csv.DictReader(file))
        share = sum(row["dep_time"] != "NA" for row in rows) / len(rows)
        points.append(Point(datetime.fromisoformat(path.name[:10]).replace(tzinfo=UTC), share))
    return points


def picture(points: Sequence[Point], expected: Sequence[Expectation | NotEnough]) -> str:
    """Return an SVG of points and their expected ranges; points outside of a range are red."""
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}">',
            f"<style>{STYLE}</style>",
            f'<text class="title" x="{LEFT}" y="22">{TITLE}</text>',
            *_grid(),
            *(
                _range(n, expectation)
                for n, expectation in enumerate(expected)
                if isinstance(expectation, Expectation)
            ),
            f'<polyline class="line" points="{_line(points)}"/>',
            *_points(points, expected),
            "</svg>\n",
        ]
    )


def _grid() -> Iterator[str]:
    for percent in range(40, 101, 20):
        y = _y(percent / 100)
        yield f'<path class="grid" d="M{LEFT} {y}H{WIDTH - 12}"/>'
        yield f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{percent} %</text>'


def _range(n: int, expected: Expectation) -> str:
    top, bottom = _y(min(expected.high, HIGH)), _y(max(expected.low, LOW))
    size = f'width="{STEP - 8}" height="{bottom - top:.1f}"'
    words = f"expected {expected.low:.3f} to {expected.high:.3f}: {expected.reason}"
    x = _x(n) - STEP / 2 + 4
    return f'<rect class="range" x="{x}" y="{top}" {size}><title>{words}</title></rect>'


def _points(points: Sequence[Point], expected: Sequence[Expectation | NotEnough]) -> Iterator[str]:
    for n, (point, expectation) in enumerate(zip(points, expected, strict=True)):
        odd = isinstance(expectation, Expectation) and not expectation.holds(point.value)
        x, y = _x(n), _y(point.value)
        words = f"{point.time:%d %B}: {point.value:.3f}"
        yield f'<circle class="{"odd" if odd else "fine"}" cx="{x}" cy="{y}" r="{5 if odd else 3}">'
        yield f"<title>{words}</title></circle>"
        if odd:
            yield f'<text x="{x}" y="{y + 20:.1f}" text-anchor="middle">{point.value:.0%}</text>'
        yield f'<text x="{x}" y="{HEIGHT - 10}" text-anchor="middle">{point.time:%d}</text>'


def _line(points: Sequence[Point]) -> str:
    return " ".join(f"{_x(n)},{_y(point.value)}" for n, point in enumerate(points))


def _x(n: int) -> float:
    return LEFT + STEP * (n + 0.5)


def _y(value: float) -> float:
    return round(TOP + (HIGH - value) / (HIGH - LOW) * (HEIGHT - TOP - 36), 1)


if __name__ == "__main__":
    series = departed()
    drawn = picture(series, ranges(OnlineNormal(need=5), series))
    (Path(__file__).parents[1] / "docs" / "expected-ranges.svg").write_text(drawn, encoding="utf-8")
