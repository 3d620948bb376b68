"""A column may change its type from one batch to the next: its states still merge."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from assay.analyzers.extremes import Greatest, Least, Scalar


@pytest.mark.parametrize(
    ("one", "other", "least", "greatest"),
    [
        (3, 2.5, 2.5, 3),
        (Decimal("2.25"), 2.5, Decimal("2.25"), 2.5),
        (3, float("nan"), 3, float("nan")),
        ("a", 2, 2, "a"),
        (True, 7, 7, True),
        (date(2026, 1, 1), "b", date(2026, 1, 1), "b"),
    ],
)
def test_extremes_of_values_of_two_types(
    one: Scalar, other: Scalar, least: Scalar, greatest: Scalar
) -> None:
    for a, b in ((one, other), (other, one)):
        assert repr((Least(a) + Least(b)).value) == repr(least)
        assert repr((Greatest(a) + Greatest(b)).value) == repr(greatest)
        payloads = [Least(a).payload(), Least(b).payload()]
        assert repr(Least.merged_payloads(payloads).value) == repr(least)
