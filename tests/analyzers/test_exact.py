"""Sums that round nothing."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.analyzers.exact import Exact
from assay.analyzers.moments import CoMoments, Moments
from assay.errors import StateError


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=30))
def test_a_sum_of_doubles_is_rounded_once(numbers: list[float]) -> None:
    total = Exact()
    for number in numbers:
        total = total + Exact.of(number)
    exact = sum(map(Fraction, numbers), Fraction(0))
    assert total.fraction() == exact
    try:
        rounded = float(exact)
    except OverflowError:
        rounded = math.inf if exact > 0 else -math.inf
    assert total.value() == rounded


@given(st.lists(st.decimals(allow_nan=False, allow_infinity=False, places=10), max_size=30))
def test_a_sum_of_decimals_stays_exact(numbers: list[Decimal]) -> None:
    total = Exact()
    for number in numbers:
        total = total + Exact.of(number)
    assert total.fraction() == sum(map(Fraction, numbers), Fraction(0))
    assert Fraction(total.value()) == total.fraction()


def test_infinities_meet_in_nan() -> None:
    both = Exact.of(math.inf) + Exact.of(-math.inf)
    assert math.isnan(float(both.value()))
    assert math.isinf(float((Exact.of(math.inf) + Exact.of(1.0)).value()))


def test_a_decimal_and_a_double_do_not_mix() -> None:
    with pytest.raises(StateError) as refused:
        Exact.of(0.1) + Exact.of(Decimal("0.1"))
    assert refused.value.code == "kinds_differ"


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=40), st.integers(1, 39))
def test_moments_of_parts_are_those_of_the_whole(numbers: list[float], cut: int) -> None:
    """Far from zero the textbook formula would lose every digit; this one loses none."""
    shifted = [1e9 + x for x in numbers]
    parts = [shifted[:cut], shifted[cut:]]
    merged = Moments.merged(_moments(part) for part in parts)
    total = [Fraction(x) for x in shifted]
    mean = sum(total) / len(total)
    variance = sum((x - mean) ** 2 for x in total) / len(total)
    assert math.isclose(float(merged.central(2)), float(variance), rel_tol=1e-6, abs_tol=1e-6)


def _moments(numbers: list[float]) -> Moments:
    if not numbers:
        return Moments.identity()
    mean = math.fsum(numbers) / len(numbers)
    return Moments.of(len(numbers), mean, math.fsum((x - mean) ** 2 for x in numbers))


def test_correlation_of_a_line_is_one() -> None:
    n, xs = 5, [1.0, 2.0, 3.0, 4.0, 5.0]
    spread = sum((x - 3.0) ** 2 for x in xs)
    assert CoMoments.of(n, 3.0, 6.0, spread, 4 * spread, 2 * spread).metric() == 1.0
    assert CoMoments.of(n, 3.0, 6.0, spread, 4 * spread, -2 * spread).metric() == -1.0
