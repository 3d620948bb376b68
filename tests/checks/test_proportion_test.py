"""The tests for a rise of the share that does not match: against scipy, and on any numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.checks.assertions.proportion_test import (
    ProportionTest,
    beta_binomial,
    chi_squared,
    fisher,
)
from assay.errors import CheckError

special: Any = pytest.importorskip("scipy.special")
stats: Any = pytest.importorskip("scipy.stats")

TESTS = ("beta-binomial", "fisher", "chi-squared")


@st.composite
def tables(draw: st.DrawFn, most: int = 3000) -> tuple[int, int, int, int]:
    """A table of four: not matching and all values, of a batch and of what was learned from."""
    n, n_trained = draw(st.integers(1, most)), draw(st.integers(1, most))
    few = st.integers(0, 20)
    bad = draw(few.filter(lambda x: x <= n) | st.integers(0, n))
    bad_trained = draw(few.filter(lambda x: x <= n_trained) | st.integers(0, n_trained))
    return bad, n, bad_trained, n_trained


def observed(table: tuple[int, int, int, int]) -> list[list[int]]:
    bad, n, bad_trained, n_trained = table
    return [[bad, n - bad], [bad_trained, n_trained - bad_trained]]


@given(tables())
def test_fisher_is_scipys(table: tuple[int, int, int, int]) -> None:
    assert fisher(*table) == pytest.approx(stats.fisher_exact(observed(table))[1], rel=1e-8)


@given(tables())
def test_chi_squared_is_scipys(table: tuple[int, int, int, int]) -> None:
    both = observed(table)
    if 0 in np.sum(both, axis=0):
        assert chi_squared(*table) == 1.0  # scipy refuses
    else:
        assert chi_squared(*table) == pytest.approx(stats.chi2_contingency(both)[1], rel=1e-9)


@given(tables(), st.floats(0, 0.999))
def test_beta_binomial_is_scipys(table: tuple[int, int, int, int], more: float) -> None:
    bad, n, bad_trained, n_trained = table
    fraction = min(bad_trained + more, n_trained)
    if fraction == n_trained:
        assert beta_binomial(bad, n, fraction, n_trained) == 1.0
        return
    terms = stats.betabinom.pmf(np.arange(bad, n + 1), n, fraction + 0.15, n_trained - fraction)
    assert beta_binomial(bad, n, fraction, n_trained) == pytest.approx(
        math.fsum(terms), rel=1e-7, abs=1e-12
    )


@pytest.mark.parametrize(
    "case",
    [
        (120_000, 10**6, 0, 48),
        (2000, 10**6, 3, 1000),
        (105_000, 10**6, 1000, 10_000),
        (900_000, 10**6, 0.5, 1.2),
        (999_000, 10**6, 40, 40.5),
        (500_500, 10**6, 5 * 10**8, 10**9),
        (20_000, 10**6, 0.1, 1.5),
        (10, 10**6, 0, 10**9),
    ],
)
def test_the_terms_of_a_million_values(case: tuple[int, int, float, float]) -> None:
    """All terms, added up one by one."""
    bad, n, bad_trained, n_trained = case
    a, b, k = bad_trained + 0.15, n_trained - bad_trained, np.arange(bad, n + 1, dtype=float)
    ways = -np.log1p(n) - special.betaln(n - k + 1, k + 1)
    terms = np.exp(ways + special.betaln(k + a, n - k + b) - special.betaln(a, b))
    assert beta_binomial(*case) == pytest.approx(math.fsum(terms), rel=1e-5)


@pytest.mark.parametrize(
    ("bad", "bad_trained", "n_trained"), [(10**7, 0, 48), (10**8, 0, 48), (3 * 10**6, 2.5, 2000)]
)
def test_the_share_of_a_billion_values_is_nearly_exact(
    bad: int, bad_trained: float, n_trained: int
) -> None:
    expected = stats.beta.sf(bad / 10**9, bad_trained + 0.15, n_trained - bad_trained)
    assert beta_binomial(bad, 10**9, bad_trained, n_trained) == pytest.approx(expected, rel=1e-4)


def test_both_tests_are_nearly_normal_for_a_billion_values() -> None:
    deviation = math.sqrt(10**9 / 4 * 2)
    bad = 5 * 10**8 + round(3 * deviation)
    table = (bad, 10**9, 5 * 10**8, 10**9)
    assert beta_binomial(*table) == pytest.approx(stats.norm.sf(3), rel=1e-3)
    assert fisher(*table) == pytest.approx(2 * stats.norm.sf(3), rel=1e-3)
    assert fisher(10, 10**9, 0, 10**9) == pytest.approx(2 * 0.5**10, rel=1e-6)


@pytest.mark.parametrize("test", TESTS)
@given(table=tables(200), significance=st.sampled_from([0.001, 0.01, 0.1]))
@settings(max_examples=40)
def test_the_largest_allowed_number_of_failures_is_no_alarm(
    test: Any, table: tuple[int, int, int, int], significance: float
) -> None:
    _, n, *trained = table
    judge: Any = {"beta-binomial": beta_binomial, "fisher": fisher, "chi-squared": chi_squared}
    most = ProportionTest((trained[0], trained[1]), test, significance).most(n)

    def alarm(bad: int) -> bool:
        rose = bad / n > trained[0] / trained[1]
        return rose and judge[test](bad, n, *trained) < significance

    assert not alarm(most)
    assert most == n or alarm(most + 1)


@pytest.mark.parametrize(
    ("test", "n", "trained", "most"),
    [
        ("beta-binomial", 900, (0, 48), 37),
        ("fisher", 900, (0, 48), 97),
        ("chi-squared", 900, (0, 48), 126),
        ("beta-binomial", 1000, (100, 1000), 133),
        ("beta-binomial", 1, (0, 5), 1),
        ("beta-binomial", 1, (0, 5000), 0),
        ("beta-binomial", 10, (7, 7), 10),
        ("fisher", 900, (0.4, 48), 97),
        ("beta-binomial", 10**9, (3, 1000), 8_637_549),
    ],
)
def test_known_numbers(test: Any, n: int, trained: tuple[float, float], most: int) -> None:
    assert ProportionTest(trained, test).most(n) == pytest.approx(most, rel=1e-5)


def test_the_beta_binomial_test_allows_fewer_failures_than_fishers_test() -> None:
    """5 % of garbage in 900 values, after 48 without any."""
    assert ProportionTest((0, 48)).most(900) < 45 < ProportionTest((0, 48), "fisher").most(900)


def test_an_expectation_says_why() -> None:
    expected = ProportionTest((0, 48)).expectation(900)
    assert (expected.low, expected.high, expected.confidence) == (863 / 900, 1.0, 0.99)
    assert expected.reason == (
        "0 of 48 values did not match when it was learned; up to 4.11 % of 900 may not"
        " (beta-binomial, 0.01)"
    )
    strict = ProportionTest((0.5, 100_000), "fisher", 0.05).expectation(7)
    assert strict.low == 1.0
    assert strict.reason.startswith("0.5 of 100,000 values did not match")
    assert strict.reason.endswith("all of 7 must (fisher, 0.05)")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (((0, 0),), r"trained.*got \(0, 0\)"),
        (((3, 2),), r"trained.*got \(3, 2\)"),
        (((-1, 2),), r"trained.*got \(-1, 2\)"),
        (((0, math.nan),), r"trained.*got \(0, nan\)"),
        (((0, 1, 2),), r"trained.*got \(0, 1, 2\)"),
        ((48,), "trained.*got 48"),
        (((0, 48), "t"), "test.*got 't'"),
        (((0, 48), "fisher", 0), "significance.*got 0"),
    ],
)
def test_invalid_arguments_are_refused(arguments: Any, complaint: str) -> None:
    with pytest.raises(CheckError, match=complaint):
        ProportionTest(*arguments)
