"""How numbers are distributed, now and in the batch before: an area, and a line over it."""

from __future__ import annotations

import math

import numpy as np

from assay.learn.fingerprint.column_stats import Floats, WeightedSample
from assay.report.html.markup import Html, element
from assay.report.html.numbers import brief

__all__ = ["distribution"]

_BINS, _WIDTH, _HEIGHT = 32, 256, 44
#: from so many times the least to the greatest, the axis is logarithmic
_WIDE = 1000.0


def distribution(now: WeightedSample | None, before: WeightedSample | None) -> Html | None:
    """The picture, with its ends in words; None where there are no numbers to tell apart."""
    known = [each for each in (now, before) if each is not None and each.total]
    if now is None or not now.total or not known:
        return None
    low = min(float(each.quantiles(np.array([0.005]))[0]) for each in known)
    high = max(float(each.quantiles(np.array([0.995]))[0]) for each in known)
    if not math.isfinite(high - low) or not low < high:
        return None
    logarithmic = low > 0 and high / low > _WIDE
    edges = (np.geomspace if logarithmic else np.linspace)(low, high, _BINS + 1)
    shares = [_shares(each, edges) for each in known]
    top = max(float(each.max()) for each in shares) or 1.0
    area = f"M0 {_HEIGHT}{_steps(shares[0] / top)}L{_WIDTH} {_HEIGHT}Z"
    others = [f"M0 {_HEIGHT}{_steps(each / top)}L{_WIDTH} {_HEIGHT}" for each in shares[1:]]
    ends = f"{brief(low)} to {brief(high)}{', logarithmic' if logarithmic else ''}"
    both = " and in the batch before" if others else ""
    return element(
        "figure",
        element(
            "svg",
            element("title", f"How the numbers are distributed now{both}, from {ends}."),
            element("path", class_="area", d=area),
            *(element("path", class_="line", d=each) for each in others),
            class_="chart",
            viewbox=f"0 0 {_WIDTH} {_HEIGHT}",
            role="img",
        ),
        element("figcaption", f"{ends}; filled: now{', dashed: before' if others else ''}"),
    )


def _shares(numbers: WeightedSample, edges: Floats) -> Floats:
    found: Floats = np.maximum(np.diff(numbers.cumulative_share(edges)), 0.0)
    # what equals the first edge is in the first bin
    found[0] += numbers.cumulative_share(edges[:1])[0]
    return found


def _steps(shares: Floats) -> str:
    heights = (_HEIGHT - np.sqrt(shares) * (_HEIGHT - 2)).round(1).tolist()
    step = _WIDTH / _BINS
    return "".join(f"L{at * step:g} {y:g}H{(at + 1) * step:g}" for at, y in enumerate(heights))
