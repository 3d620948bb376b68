"""The document names every detector, and its picture is what its script draws."""

from __future__ import annotations

from pathlib import Path

from assay.learn import anomaly
from tools import expected_ranges

docs = Path(__file__).parents[3] / "docs"


def test_every_detector_is_in_the_document() -> None:
    text = (docs / "anomalies.md").read_text(encoding="utf-8")
    for detector in anomaly.DETECTORS:
        assert f"**`{detector.__name__}(" in text


def test_the_script_draws_the_stored_picture() -> None:
    series = expected_ranges.departed()
    drawn = expected_ranges.picture(series, anomaly.ranges(anomaly.OnlineNormal(need=5), series))
    assert drawn == (docs / "expected-ranges.svg").read_text(encoding="utf-8")
    assert drawn.count('class="odd"') == 3
