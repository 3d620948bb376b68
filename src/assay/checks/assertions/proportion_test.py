"""Has the share of values that do not match risen? (auto-validate, section 4)

What is known are two numbers of values each: those of a batch, and those that something was
learned from. Fisher's exact test and Pearson's with Yates' correction are the paper's. Both say
little where little was learned; the beta-binomial says how likely so many are or more, after what
was seen.

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

#: of a value that does not match, so much is seen in advance: columns change a little on the way.
#: Measured beside 0.1 on the columns of `benchmarks.patterns`: precision .983 and F1 .909 instead
#: of .975 and .901, for .66 of 5 % garbage caught instead of .68
_PRIOR = 0.15
#: tables that are nearly as likely as the one seen are as likely
_TIE = 1e-7


def fisher(bad: int, n: int, bad_trained: int, n_trained: int) -> float:
    """Fisher's exact test, two-tailed: how likely is a table no likelier than this one?"""
    drawn, every = bad + bad_trained, n + n_trained
    low, high = max(0, drawn - n_trained), min(n, drawn)
    ways = log_choose(every, drawn)

    def log_term(x: float) -> float:
        return log_choose(n, x) + log_choose(n_trained, drawn - x) - ways

    def ratio(x: int) -> float:
        return (drawn - x) * (n - x) / ((x + 1) * (n_trained - drawn + x + 1))

    mode = (n + 1) * (drawn + 1) // (every + 2)
    if bad == mode:
        return 1.0
    near, far = (low, high) if bad < mode else (high, low)
    found = tail(log_term, ratio, bad, near)
    limit = log_term(bad) + _TIE
    if log_term(far) > limit:
        return min(1.0, found)
    likelier, start = mode, far
    while abs(start - likelier) > 1:
        middle = (start + likelier) // 2
        if log_term(middle) > limit:
            likelier = middle
        else:
            start = middle
    return min(1.0, found + tail(log_term, ratio, start, far))


def chi_squared(bad: float, n: float, bad_trained: float, n_trained: float) -> float:
    """Pearson's test with Yates' correction; where a margin is empty, nothing has changed."""
    good, good_trained, every = n - bad, n_trained - bad_trained, n + n_trained
    margins = n * n_trained * (bad + bad_trained) * (good + good_trained)
    if not margins:
        return 1.0
    apart = max(0.0, abs(bad * good_trained - good * bad_trained) - every / 2)
    return math.erfc(math.sqrt(apart * apart * every / margins / 2))


def beta_binomial(bad: int, n: int, bad_trained: float, n_trained: float) -> float:
    """How likely are so many of n, or more, after so many of those that were learned from?

    The beta-binomial's upper tail, of which the parameters are what was seen before: not matching,
    and 0.15; matching. Where nothing matched, any number is as expected.
    """
    a, b = bad_trained + _PRIOR, float(n_trained - bad_trained)
    if bad <= 0 or b <= 0:
        return 1.0
    if bad > n:
        return 0.0
    whole = log_beta(a, b)

    def log_term(k: float) -> float:
        return log_choose(n, k) + log_beta(k + a, n - k + b) - whole

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
    """That no more values fail to match than those let expect that something was learned from.

    `trained` are values that did not match, and values in all; fractions are allowed, which
    Fisher's test rounds. It is an alarm if the share has risen and the test's p is below
    `significance`.
    """

    trained: tuple[float, float]
    test: Test = "beta-binomial"
    significance: float = 0.01

    def __post_init__(self) -> None:
        object.__setattr__(self, "trained", _pair(self.trained))
        if self.test not in get_args(Test):
            known = " or ".join(map(repr, get_args(Test)))
            raise CheckError(f"a test is {known}, not {self.test!r}.")
        if not _is_number(self.significance) or not 0 < self.significance < 1:
            raise CheckError(f"significance is between 0 and 1, not {self.significance!r}.")

    def most(self, n: int) -> int:
        """The largest number of n values that may fail to match without an alarm."""
        return _most(n, self.trained, self.test, self.significance)

    def expectation(self, n: int) -> Expectation:
        """Which share of n values is expected to match."""
        most = self.most(n)
        bad, values = map(_count, self.trained)
        may = f"up to {100 * most / n:.3g} % of {n:,} may not" if most else f"all of {n:,} must"
        return Expectation(
            (n - most) / n,
            1.0,
            1 - self.significance,
            f"{bad} of {values} values did not match when it was learned; {may}"
            f" ({self.test}, {format_value(self.significance)})",
        )

    def __str__(self) -> str:
        bad, values = map(_count, self.trained)
        return f"as {bad} of {values} that did not match let expect"


@lru_cache(maxsize=4096)
def _most(n: int, trained: tuple[float, float], test: str, significance: float) -> int:
    bad_trained, n_trained = trained
    p = _TESTS[test]

    def alarm(bad: int) -> bool:
        rose = bad * n_trained > bad_trained * n
        return rose and p(bad, n, bad_trained, n_trained) < significance

    fine, too_many = min(n, math.floor(n * bad_trained / n_trained)), n + 1
    while too_many - fine > 1:
        middle = (fine + too_many) // 2
        if alarm(middle):
            too_many = middle
        else:
            fine = middle
    return fine


def _pair(trained: Any) -> tuple[float, float]:
    if isinstance(trained, list | tuple) and len(trained) == 2 and all(map(_is_number, trained)):
        bad, values = trained
        if 0 <= bad <= values and 0 < values < math.inf:
            return bad, values
    raise CheckError(
        f"trained is a pair of numbers, of values that did not match and of values in all, such as"
        f" (0, 48), not {trained!r}."
    )


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _count(number: float) -> str:
    return format_value(int(number)) if number == int(number) else format_value(round(number, 1))
