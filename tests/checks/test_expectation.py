"""An expected range is described without bounds that no share can exceed."""

from __future__ import annotations

from math import inf

import pytest

from assay.checks.assertions.expectation import Expectation


@pytest.mark.parametrize(
    ("low", "high", "share", "text"),
    [
        (0.9515, 1.0229, True, "at least 95.15 %"),
        (-0.01, 0.2, True, "at most 20 %"),
        (-0.01, 1.2, True, "any number"),
        (0.0, 1.0, True, "between 0 % and 100 %"),
        (-5.0, 1.2, False, "between -5.0 and 1.2"),
        (-inf, 3.0, False, "at most 3.0"),
        (2.0, inf, False, "at least 2.0"),
    ],
)
def test_a_range_is_described(low: float, high: float, share: bool, text: str) -> None:
    assert Expectation(low, high, 0.99, "").describe(share=share) == text
