"""Sums of the tails of discrete distributions, however many terms they have.

Terms are added one by one as long as they count; beyond some thousands, where they change slowly
from one to the next, their sum is the integral over them (the midpoint rule read backwards, whose
error falls with the square of the distribution's width).
"""

from __future__ import annotations

import math
from collections.abc import Callable

__all__ = ["log_beta", "log_choose", "tail"]

#: terms that are added one by one at either end
_SINGLY = 4096
#: what may be left out of a sum
_NOTHING = 1e-12
#: by how much an integral and its halves may differ, which are then right to many more digits: not
#: less than the noise of logarithms near 1e9
_CLOSE = 1e-5
_NARROW = 256
#: Gauss and Legendre's points and weights for an integral from -1 to 1
_POINTS = (
    (0.1834346424956498, 0.3626837833783620),
    (0.5255324099163290, 0.3137066458778873),
    (0.7966664774136267, 0.2223810344533745),
    (0.9602898564975363, 0.1012285362903763),
)
#: Stirling's series: what the logarithm of the gamma function is more than its leading part
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
    """The sum of the terms from `start` to `end`, both included, in either direction.

    ``ratio(k)`` is the term at k + 1 over that at k. `falls_once` promises that terms which have
    begun to fall never rise again, so that the sum may end early.
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
    inner, left = _integral(
        lambda t: math.exp(log_term(start + step * t)),
        singly - 0.5,
        terms - singly - 0.5,
        total,
        falls_once=falls_once,
    )
    if not left:
        return total + inner
    last = range(terms - singly, terms)
    return total + inner + math.fsum(math.exp(log_term(start + step * at)) for at in last)


def _integral(
    f: Callable[[float], float], low: float, high: float, beside: float, *, falls_once: bool
) -> tuple[float, bool]:
    """The integral to as many digits as count beside a sum, and whether there may be more after."""
    total, at, width = 0.0, low, float(_SINGLY)
    while at < high:
        width = min(width, high - at)
        coarse = _gauss(f, at, at + width)
        fine = _gauss(f, at, at + width / 2) + _gauss(f, at + width / 2, at + width)
        if width > _NARROW and abs(fine - coarse) > _CLOSE * (beside + total + fine):
            width /= 2
            continue
        total, at, width = total + fine, at + width, 2 * width
        small = f(at) * (high - at + _SINGLY) < _NOTHING * (beside + total)
        if falls_once and small and f(at) <= f(at - 1):
            return total, False
    return total, True


def _gauss(f: Callable[[float], float], low: float, high: float) -> float:
    middle, half = (low + high) / 2, (high - low) / 2
    return half * math.fsum(
        weight * (f(middle - half * point) + f(middle + half * point)) for point, weight in _POINTS
    )


def log_choose(n: float, k: float) -> float:
    """The logarithm of the number of ways to choose k of n."""
    return -math.log1p(n) - log_beta(n - k + 1, k + 1)


def log_beta(a: float, b: float) -> float:
    """The logarithm of the beta function, without the digits that three gamma functions lose."""
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
    found = 0.0
    for coefficient in reversed(_STIRLING):
        found = found / (x * x) + coefficient
    return found / x
