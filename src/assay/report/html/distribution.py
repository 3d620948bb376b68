"""Draw the distribution of a numeric column: an area for this batch, a line for the previous."""

from __future__ import annotations

import math

import numpy as np

from assay.learn.fingerprint.column_stats import Floats, WeightedSample
from assay.report.html.markup import Html, element
from assay.report.number_format import short_number

__all__ = ["distribution"]

#: bins, and pixels of the picture
_BINS, _WIDTH, _HEIGHT = 32, 256, 44
#: ratio of the largest to the smallest value from which on the axis is logarithmic
_MIN_LOGARITHMIC_RATIO = 1000.0
#: quantiles at the ends of the axis
_ENDS = (0.005, 0.995)


def distribution(now: WeightedSample | None, before: WeightedSample | None) -> Html | None:
    """Draw a column's values now and before; None without two different values."""
    samples = [sample for sample in (now, before) if sample is not None and sample.total]
    if now is None or not now.total:
        return None
    ends = [sample.quantiles(np.array(_ENDS)) for sample in samples]
    low, high = min(float(end[0]) for end in ends), max(float(end[1]) for end in ends)
    if not math.isfinite(high - low) or not low < high:
        return None
    is_logarithmic = low > 0 and high / low > _MIN_LOGARITHMIC_RATIO
    edges = (np.geomspace if is_logarithmic else np.linspace)(low, high, _BINS + 1)
    shares = [_bin_shares(sample, edges) for sample in samples]
    highest = max(float(bins.max()) for bins in shares) or 1.0
    area = f"M0 {_HEIGHT}{_steps(shares[0] / highest)}L{_WIDTH} {_HEIGHT}Z"
    lines = [f"M0 {_HEIGHT}{_steps(bins / highest)}L{_WIDTH} {_HEIGHT}" for bins in shares[1:]]
    axis = f"{short_number(low)} to {short_number(high)}"
    axis += ", logarithmic" if is_logarithmic else ""
    batches = "in this batch and the previous one" if lines else "in this batch"
    return element(
        "figure",
        element(
            "svg",
            element("title", f"Distribution {batches}, {axis}."),
            element("path", class_="area", d=area),
            *(element("path", class_="line", d=line) for line in lines),
            class_="chart",
            viewbox=f"0 0 {_WIDTH} {_HEIGHT}",
            role="img",
        ),
        element("figcaption", f"{axis}; filled: now{', dashed: before' if lines else ''}"),
    )


def _bin_shares(sample: WeightedSample, edges: Floats) -> Floats:
    shares: Floats = np.maximum(np.diff(sample.cumulative_share(edges)), 0.0)
    # values equal to the first edge belong to the first bin
    shares[0] += sample.cumulative_share(edges[:1])[0]
    return shares


def _steps(shares: Floats) -> str:
    """Return the path of a histogram; square roots keep small bins visible."""
    heights = (_HEIGHT - np.sqrt(shares) * (_HEIGHT - 2)).round(1).tolist()
    width = _WIDTH / _BINS
    return "".join(
        f"L{number * width:g} {y:g}H{(number + 1) * width:g}" for number, y in enumerate(heights)
    )
