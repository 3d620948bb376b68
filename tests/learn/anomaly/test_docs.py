"""The document names every detector, and its picture is what its script draws."""

from __future__ import annotations

from pathlib import Path

from assay.learn import anomaly
from tools import expected_ranges

docs = Path(__file__).parents[3] / "docs"


def test_every_detector_is_in_the_document() -> None:
    text = (docs / "anomalies.md").read_text(encoding="utf-8")
    detectors = [name for name in anomaly.__all__ if hasattr(getattr(anomaly, name), "expect")]
    assert len(detectors) == 11
    for name in detectors:
        assert f"**`{name}(" in text


def test_the_script_draws_the_stored_picture() -> None:
    series = expected_ranges.departed()
    drawn = expected_ranges.picture(series, anomaly.ranges(anomaly.OnlineNormal(need=5), series))
    assert drawn == (docs / "expected-ranges.svg").read_text(encoding="utf-8")
    assert drawn.count('class="odd"') == 3
