"""Test whether the share of values that do not match has risen (auto-validate, section 4).

A test compares two samples: the values of a batch, and the values that a pattern was learned from.
Fisher's exact test and Pearson's test with Yates' correction come from the paper. Both are weak
where a pattern was learned from few values. The beta-binomial test predicts the number of values
that do not match from those seen before.

>>> round(beta_binomial(3, 900, 0, 48), 3), round(beta_binomial(60, 900, 0, 48), 5)
(0.221, 0.00207)
>>> print(ProportionTest((0, 48)).expectation(900).reason)
0 of 48 values did not match when it was learned; up to 4.11 % of 900 may not (beta-binomial, 0.01)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, get_args

from assay.checks.assertions.expectation import Expectation
from assay.checks.assertions.tail_sums import log_beta, log_choose, tail
from assay.checks.formatting import format_value
from assay.errors import CheckError

__all__ = ["ProportionTest", "Test", "beta_binomial", "chi_squared", "fisher"]

Test = Literal["beta-binomial", "fisher", "chi-squared"]

#: values that do not match, added to those seen: columns change a little over time. Compared with
#: 0.1 on the columns of `benchmarks.patterns`: precision .983 and F1 .909 instead of .975 and .901;
#: .66 of 5 % garbage is caught instead of .68
_PRIOR = 0.15
#: log probabilities that differ by less count as equal
_TIE = 1e-7


def fisher(bad: int, n: int, bad_trained: int, n_trained: int) -> float:
    """Return the p-value of Fisher's exact test, two-tailed.

    It is the probability of all tables that are at most as likely as this one.
    """
    drawn, total = bad + bad_trained, n + n_trained
    low, high = max(0, drawn - n_trained), min(n, drawn)
    ways = log_choose(total, drawn)

    def log_term(x: float) -> float:
        return log_choose(n, x) + log_choose(n_trained, drawn - x) - ways

    def ratio(x: int) -> float:
        return (drawn - x) * (n - x) / ((x + 1) * (n_trained - drawn + x + 1))

    mode = (n + 1) * (drawn + 1) // (total + 2)
    if bad == mode:
        return 1.0
    near, far = (low, high) if bad < mode else (high, low)
    near_tail = tail(log_term, ratio, bad, near)
    limit = log_term(bad) + _TIE
    if log_term(far) > limit:
        return min(1.0, near_tail)
    likelier, start = mode, far
    while abs(start - likelier) > 1:
        middle = (start + likelier) // 2
        if log_term(middle) > limit:
            likelier = middle
        else:
            start = middle
    return min(1.0, near_tail + tail(log_term, ratio, start, far))


def chi_squared(bad: float, n: float, bad_trained: float, n_trained: float) -> float:
    """Return the p-value of Pearson's test with Yates' correction; 1 where a margin is empty."""
    good, good_trained, total = n - bad, n_trained - bad_trained, n + n_trained
    margins = n * n_trained * (bad + bad_trained) * (good + good_trained)
    if not margins:
        return 1.0
    difference = max(0.0, abs(bad * good_trained - good * bad_trained) - total / 2)
    return math.erfc(math.sqrt(difference * difference * total / margins / 2))


def beta_binomial(bad: int, n: int, bad_trained: float, n_trained: float) -> float:
    """Return the probability that at least `bad` of `n` values do not match.

    It is the upper tail of the beta-binomial distribution with ``alpha = bad_trained + 0.15`` and
    ``beta = n_trained - bad_trained``. It is 1 if no value matched in training.
    """
    a, b = bad_trained + _PRIOR, float(n_trained - bad_trained)
    if bad <= 0 or b <= 0:
        return 1.0
    if bad > n:
        return 0.0
    normalizer = log_beta(a, b)

    def log_term(k: float) -> float:
        return log_choose(n, k) + log_beta(k + a, n - k + b) - normalizer

    def ratio(k: int) -> float:
        return (n - k) * (k + a) / ((k + 1) * (n - k - 1 + b))

    once = a + b > 2  # the sign of ratio - 1 is that of a line in k, which then falls
    if bad > n * a / (a + b):
        return min(1.0, tail(log_term, ratio, bad, n, falls_once=once))
    return max(0.0, 1.0 - tail(log_term, ratio, bad - 1, 0, falls_once=once))


def _rounded_fisher(bad: int, n: int, bad_trained: float, n_trained: float) -> float:
    return fisher(bad, n, round(bad_trained), round(n_trained))


_TESTS: Mapping[str, Callable[[int, int, float, float], float]] = {
    "beta-binomial": beta_binomial,
    "fisher": _rounded_fisher,
    "chi-squared": chi_squared,
}


@dataclass(frozen=True, slots=True)
class ProportionTest:
    """The share of values that do not match has not risen since a pattern was learned.

    It raises an alarm if the share has risen and the test's p-value is below the significance.

    Attributes
    ----------
    trained
        The number of values that did not match in training, and of all values. Fractions are
        allowed; Fisher's test rounds them.
    test
        The statistical test.
    significance
        Limit of the p-value.
    """

    trained: tuple[float, float]
    test: Test = "beta-binomial"
    significance: float = 0.01

    def __post_init__(self) -> None:
        object.__setattr__(self, "trained", _pair(self.trained))
        if self.test not in get_args(Test):
            legal = " or ".join(map(repr, get_args(Test)))
            raise CheckError.unexpected("invalid test", legal, self.test)
        if not _is_number(self.significance) or not 0 < self.significance < 1:
            raise CheckError.unexpected(
                "invalid significance", "a number between 0 and 1", self.significance
            )

    def most(self, n: int) -> int:
        """Return the largest number of `n` values that may fail to match without an alarm."""
        return _most(n, self.trained, self.test, self.significance)

    def expectation(self, n: int) -> Expectation:
        """Return the range of the share of `n` values that is expected to match."""
        most = self.most(n)
        bad, values = map(_format_count, self.trained)
        may = f"up to {100 * most / n:.3g} % of {n:,} may not" if most else f"all of {n:,} must"
        return Expectation(
            (n - most) / n,
            1.0,
            1 - self.significance,
            f"{bad} of {values} values did not match when it was learned; {may}"
            f" ({self.test}, {format_value(self.significance)})",
        )

    def __str__(self) -> str:
        bad, values = map(_format_count, self.trained)
        return f"as {bad} of {values} that did not match let expect"


@lru_cache(maxsize=4096)
def _most(n: int, trained: tuple[float, float], test: str, significance: float) -> int:
    bad_trained, n_trained = trained
    p = _TESTS[test]

    def alarm(bad: int) -> bool:
        rose = bad * n_trained > bad_trained * n
        return rose and p(bad, n, bad_trained, n_trained) < significance

    allowed, too_many = min(n, math.floor(n * bad_trained / n_trained)), n + 1
    while too_many - allowed > 1:
        middle = (allowed + too_many) // 2
        if alarm(middle):
            too_many = middle
        else:
            allowed = middle
    return allowed


def _pair(trained: Any) -> tuple[float, float]:
    if isinstance(trained, list | tuple) and len(trained) == 2 and all(map(_is_number, trained)):
        bad, values = trained
        if 0 <= bad <= values and 0 < values < math.inf:
            return bad, values
    expected = "the number of values that did not match, and of all values, such as (0, 48)"
    raise CheckError.unexpected("invalid trained", expected, trained)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _format_count(number: float) -> str:
    return format_value(int(number)) if number == int(number) else format_value(round(number, 1))
