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
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from assay.learn.fingerprint.column_stats import Floats

__all__ = ["Bools", "greedy"]

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]

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
    need no catching. In a group are limits on the same metric, of which the narrowest implies the
    others: one that is taken later replaces them and costs only what its rate is more, if more is
    caught that way. What catches nothing that the others do not is dropped in the end. At most
    `most` groups are taken, which the bound does not allow for.
    """
    if not len(rates) or most == 0:
        return []
    budget *= 1 - _ROUNDING
    known = np.zeros(catches.shape[1], np.bool_) if caught is None else caught
    new = catches & ~known
    of = np.arange(len(rates)) if groups is None else np.asarray(groups)
    found = _taken(rates, new, budget, of, most, replace=False)
    if groups is not None:
        found = max(found, _taken(rates, new, budget, of, most, replace=True), key=_caught(new))
    alone = np.where(rates <= budget, new.sum(axis=1), 0)
    if _caught(new)(found) < alone.max():
        best = np.flatnonzero(alone == alone.max())
        return [int(best[np.argmin(rates[best])])]
    return _needed(rates, new, found)


def _taken(
    rates: Floats, new: Bools, budget: float, groups: Ints, most: int | None, *, replace: bool
) -> list[int]:
    """One after the other, what is worth the most for its rate, as long as there is budget."""
    found: list[int] = []
    paid = np.zeros(len(rates))
    covered = np.zeros(new.shape[1], np.bool_)
    while True:
        spent = math.fsum(rates[found])
        price = np.maximum(rates - paid, 0.0)
        gains = (new & ~covered).sum(axis=1)
        possible = (gains > 0) & (spent + price <= budget)
        taken = groups[found]
        if most is not None and len(np.unique(taken)) >= most:
            possible &= np.isin(groups, taken)
        if not possible.any():
            return found
        worth = np.where(possible, gains / np.maximum(price, 1e-300), -1.0)
        # of those worth the same, the one that catches more; of such the last, with the widest
        # limits: below some rate none is known, but false alarms become fewer
        best = int(np.lexsort((gains, worth))[-1])
        if replace:
            found = [each for each in found if groups[each] != groups[best]]
            paid[groups == groups[best]] = rates[best]
        found.append(best)
        covered = covered | new[best]


def _needed(rates: Floats, new: Bools, found: Sequence[int]) -> list[int]:
    """Without those, the dearest first, whose issues the others catch."""
    kept = list(found)
    for each in sorted(found, key=lambda at: -rates[at]):
        others = [at for at in kept if at != each]
        if not (new[each] & ~new[others].any(axis=0)).any():
            kept = others
    return kept


def _caught(new: Bools) -> Callable[[Sequence[int]], int]:
    return lambda chosen: int(new[list(chosen)].any(axis=0).sum())
