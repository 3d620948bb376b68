"""Which constraints to demand: the most issues caught within a budget of false alarms (Algorithm 1).

The constraint with the most issues that no other catches, for its rate, is taken as long as the
rates add up to no more than the budget. If one alone that fits catches more than all of those, it
is taken instead: so the issues caught are at least 1/2 - 1/2e of what is possible (Proposition 4,
by Khuller, Moss and Naor's theorem 3).

>>> catches = np.array([[1, 1, 0, 0], [0, 0, 1, 0], [1, 1, 1, 0]], dtype=bool)
>>> greedy(np.array([0.001, 0.004, 0.009]), catches, budget=0.01)
[0, 1]
"""  # noqa: E501

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from assay.learn.history.facts import Floats

__all__ = ["Bools", "greedy"]

Bools = NDArray[np.bool_]

#: the sum of rates keeps so far from the budget, for rounding
_ROUNDING = 1e-12


def greedy(
    rates: Floats,
    catches: Bools,
    budget: float,
    *,
    groups: Sequence[int] | None = None,
    most: int | None = None,
    caught: Bools | None = None,
) -> list[int]:
    """The constraints to demand, in the order in which they are taken.

    `catches` has a row for each constraint and a column for each issue; `caught` are issues that
    need no catching. Of a group, which are limits on the same metric, the narrowest implies the
    others: these are dropped, and their rates can be spent again. At most `most` groups are taken,
    which the bound does not allow for.
    """
    budget *= 1 - _ROUNDING
    groups = range(len(rates)) if groups is None else groups
    known = np.zeros(catches.shape[1], np.bool_) if caught is None else caught
    chosen: list[int] = []
    while True:
        more = _taken(rates, catches, budget, groups, most, chosen, known)
        size = catches.sum(axis=1)
        ordered = sorted(more, key=lambda each: (size[each], rates[each]))
        narrowest = {groups[each]: each for each in ordered}
        kept = [each for each in more if narrowest[groups[each]] == each]
        if kept == chosen:
            break
        chosen = kept
    gains = (catches & ~known).sum(axis=1)
    gains[rates > budget] = 0
    if most != 0 and len(rates) and _gain(catches, chosen, known) < gains.max():
        best = np.flatnonzero(gains == gains.max())
        return [int(best[np.argmin(rates[best])])]
    return chosen


def _taken(
    rates: Floats,
    catches: Bools,
    budget: float,
    groups: Sequence[int],
    most: int | None,
    chosen: Sequence[int],
    known: Bools,
) -> list[int]:
    """What is chosen, and what is worth the most for its rate as long as there is budget."""
    found = list(chosen)
    spent = math.fsum(rates[found])
    covered = known | catches[found].any(axis=0)
    while True:
        gains = (catches & ~covered).sum(axis=1)
        possible = (gains > 0) & (spent + rates <= budget)
        taken = {groups[each] for each in found}
        if most is not None and len(taken) >= most:
            possible &= np.fromiter((each in taken for each in groups), np.bool_, len(rates))
        if not possible.any():
            return found
        worth = np.where(possible, gains / np.maximum(rates, 1e-300), -1.0)
        # of those worth the same, the one that catches more; of such, the last
        best = int(np.lexsort((gains, worth))[-1])
        found.append(best)
        spent = math.fsum(rates[found])
        covered = covered | catches[best]


def _gain(catches: Bools, chosen: Sequence[int], known: Bools) -> int:
    return int((catches[list(chosen)].any(axis=0) & ~known).sum())
