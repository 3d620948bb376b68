"""Draw shares as steps: an area for now, a dashed line for before."""

from __future__ import annotations

import math
from collections.abc import Sequence

from assay.html.markup import Html, element

__all__ = ["histogram", "histogram_figure"]

_WIDTH, _HEIGHT = 256, 44


def histogram(now: Sequence[float], before: Sequence[float] = (), *, title: str) -> Html | None:
    """Draw a bar for each share. Heights are square roots, so that small shares are visible.

    Parameters
    ----------
    now, before
        The shares of the same bins or values; `before` may be empty.
    title
        A description for screen readers.

    Returns
    -------
    Html, optional
        None if there is nothing to draw.
    """
    highest = max((*now, *before), default=0.0)
    if not highest:
        return None
    lines = [f"M0 {_HEIGHT}{_steps(before, highest)}L{_WIDTH} {_HEIGHT}"] if any(before) else []
    return element(
        "svg",
        element("title", title),
        element(
            "path",
            class_="area",
            d=f"M0 {_HEIGHT}{_steps(now, highest)}L{_WIDTH} {_HEIGHT}Z",
        ),
        *(element("path", class_="line", d=line) for line in lines),
        class_="chart",
        viewbox=f"0 0 {_WIDTH} {_HEIGHT}",
        preserveaspectratio="none",
        role="img",
    )


def histogram_figure(picture: Html, low: str, high: str, legend: str | None = None) -> Html:
    """Put the ends of the axis below a histogram, and a legend.

    Parameters
    ----------
    picture
        The histogram.
    low, high
        The ends of the axis in words.
    legend
        What is drawn.
    """
    axis = element("div", element("span", low), element("span", high), class_="x")
    caption = None if legend is None else element("figcaption", legend)
    return element("figure", picture, axis, caption, class_="axes flat")


def _steps(shares: Sequence[float], highest: float) -> str:
    width = _WIDTH / len(shares)
    heights = (round(_HEIGHT - math.sqrt(share / highest) * (_HEIGHT - 2), 1) for share in shares)
    return "".join(
        f"L{number * width:g} {y:g}H{(number + 1) * width:g}" for number, y in enumerate(heights)
    )
