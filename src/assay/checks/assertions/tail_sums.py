"""Sum the tails of discrete distributions, at a cost that does not grow with their length.

The first thousands of terms are added one by one. The following terms change slowly, and their sum
is replaced by an integral. This is the midpoint rule in reverse: its error falls with the square of
the distribution's width.
"""

from __future__ import annotations

import math
from collections.abc import Callable

__all__ = ["log_beta", "log_choose", "tail"]

#: terms that are added one by one at either end
_SINGLY = 4096
#: share of a sum that may be left out
_NOTHING = 1e-12
#: relative difference allowed between an integral and the sum of its halves. The halves are then
#: right to many more digits. A smaller value would be below the noise of logarithms near 1e9.
_CLOSE = 1e-5
_NARROW = 256
#: points and weights of the Gauss-Legendre quadrature from -1 to 1
_POINTS = (
    (0.1834346424956498, 0.3626837833783620),
    (0.5255324099163290, 0.3137066458778873),
    (0.7966664774136267, 0.2223810344533745),
    (0.9602898564975363, 0.1012285362903763),
)
#: coefficients of Stirling's series for the logarithm of the gamma function
_STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188)
_LARGE = 10.0


def tail(
    log_term: Callable[[float], float],
    ratio: Callable[[int], float],
    start: int,
    end: int,
    *,
    falls_once: bool = True,
) -> float:
    """Return the sum of the terms from `start` to `end`, both included, in either direction.

    Parameters
    ----------
    log_term
        Logarithm of the term at a position.
    ratio
        The term at ``k + 1`` divided by the term at ``k``.
    start, end
        The first and the last position.
    falls_once
        True if terms that have begun to fall never rise again. The sum may then end early.
    """
    step = 1 if end >= start else -1
    terms = abs(end - start) + 1
    singly = terms if terms <= 2 * _SINGLY else _SINGLY
    total, term = 0.0, math.exp(log_term(start))
    for at in range(singly):
        total += term
        here = start + step * at
        if at + 1 == terms:
            return total
        change = ratio(here) if step > 0 else 1 / ratio(here - 1)
        if falls_once and change < 1 and term * (terms - at) < _NOTHING * total:
            return total
        term *= change
    inner, has_more = _integral(
        lambda t: math.exp(log_term(start + step * t)),
        singly - 0.5,
        terms - singly - 0.5,
        total,
        falls_once=falls_once,
    )
    if not has_more:
        return total + inner
    last = range(terms - singly, terms)
    return total + inner + math.fsum(math.exp(log_term(start + step * at)) for at in last)


def _integral(
    f: Callable[[float], float], low: float, high: float, sum_before: float, *, falls_once: bool
) -> tuple[float, bool]:
    """Return the integral, and whether terms after it may still matter for the sum."""
    total, at, width = 0.0, low, float(_SINGLY)
    while at < high:
        width = min(width, high - at)
        coarse = _gauss(f, at, at + width)
        fine = _gauss(f, at, at + width / 2) + _gauss(f, at + width / 2, at + width)
        if width > _NARROW and abs(fine - coarse) > _CLOSE * (sum_before + total + fine):
            width /= 2
            continue
        total, at, width = total + fine, at + width, 2 * width
        small = f(at) * (high - at + _SINGLY) < _NOTHING * (sum_before + total)
        if falls_once and small and f(at) <= f(at - 1):
            return total, False
    return total, True


def _gauss(f: Callable[[float], float], low: float, high: float) -> float:
    middle, half = (low + high) / 2, (high - low) / 2
    return half * math.fsum(
        weight * (f(middle - half * point) + f(middle + half * point)) for point, weight in _POINTS
    )


def log_choose(n: float, k: float) -> float:
    """Return the logarithm of the number of ways to choose k of n."""
    return -math.log1p(n) - log_beta(n - k + 1, k + 1)


def log_beta(a: float, b: float) -> float:
    """Return the logarithm of the beta function, without cancellation of large terms."""
    a, b = min(a, b), max(a, b)
    share = a / (a + b)
    if a >= _LARGE:
        beyond = _stirling(a) + _stirling(b) - _stirling(a + b)
        leading = (a - 0.5) * math.log(share) + b * math.log1p(-share)
        return 0.5 * math.log(2 * math.pi / b) + leading + beyond
    if b >= _LARGE:
        beyond = _stirling(b) - _stirling(a + b)
        leading = a - a * math.log(a + b) + (b - 0.5) * math.log1p(-share)
        return math.lgamma(a) + leading + beyond
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)


def _stirling(x: float) -> float:
    total = 0.0
    for coefficient in reversed(_STIRLING):
        total = total / (x * x) + coefficient
    return total / x
