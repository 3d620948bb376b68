"""The document names every detector, and its picture is what its script draws."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from assay.learn import anomaly

docs = Path(__file__).parents[3] / "docs"


def test_every_detector_is_in_the_document() -> None:
    text = (docs / "anomalies.md").read_text(encoding="utf-8")
    for name in anomaly.__all__:
        assert f"**`{name}(" in text or name == "ranges"


def test_the_picture_is_what_the_script_draws() -> None:
    spec = importlib.util.spec_from_file_location("drawing", docs / "expected_ranges.py")
    assert spec is not None
    assert spec.loader is not None
    drawing = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(drawing)
    series = drawing.departed()
    drawn = drawing.picture(series, anomaly.ranges(anomaly.OnlineNormal(need=5), series))
    assert drawn == (docs / "expected-ranges.svg").read_text(encoding="utf-8")
    assert drawn.count('class="odd"') == 3
