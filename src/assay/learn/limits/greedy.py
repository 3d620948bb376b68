"""Choose the constraints that catch the most faults within a false-alarm budget (Algorithm 1).

The algorithm repeatedly adds a constraint, as long as the rates add up to at most the budget. It
takes the one with the most new faults per false-alarm rate. If a single constraint within the
budget catches more than all of these together, the algorithm returns that one instead. The result
catches at least 1/2 - 1/2e of the faults that the best choice catches (Proposition 4, by theorem 3
of Khuller, Moss and Naor).

>>> catches = np.array([[1, 1, 0, 0], [0, 0, 1, 0], [1, 1, 1, 0]], dtype=bool)
>>> greedy(np.array([0.001, 0.004, 0.009]), catches, budget=0.01)
[0, 1]
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from assay.learn.fingerprint.column_stats import Floats

__all__ = ["Bools", "Ints", "greedy"]

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]

#: The relative margin below the budget, so that rounding errors cannot exceed it.
_ROUNDING = 1e-12
#: Avoids a division by zero for a constraint without further cost.
_MIN_PRICE = 1e-300


def greedy(
    rates: Floats,
    catches: Bools,
    budget: float,
    *,
    groups: Sequence[int] | None = None,
    max_groups: int | None = None,
    caught: Bools | None = None,
) -> list[int]:
    """Choose constraints, and return their positions in the order of choice.

    Parameters
    ----------
    rates
        The false-alarm rate of each constraint.
    catches
        Which faults each constraint catches: one row per constraint, one column per fault.
    budget
        The largest sum of rates.
    groups
        The group of each constraint. A group holds limits on the same metric, and the narrowest
        implies the others. A later choice from a group replaces the earlier one, and costs the
        difference of their rates.
    max_groups
        The largest number of groups to choose from. The bound of Proposition 4 ignores it.
    caught
        Faults that other constraints already catch.

    Notes
    -----
    At the end, constraints that catch no fault beyond those of the others are dropped.
    """
    if not len(rates) or max_groups == 0:
        return []
    budget *= 1 - _ROUNDING
    already = np.zeros(catches.shape[1], np.bool_) if caught is None else caught
    new = catches & ~already
    group_of = np.arange(len(rates)) if groups is None else np.asarray(groups)
    count = _caught_by(new)
    chosen = _choose(rates, new, budget, group_of, max_groups, replace=False)
    if groups is not None:
        chosen = max(
            chosen, _choose(rates, new, budget, group_of, max_groups, replace=True), key=count
        )
    single = np.where(rates <= budget, new.sum(axis=1), 0)
    if count(chosen) < single.max():
        best = np.flatnonzero(single == single.max())
        return [int(best[np.argmin(rates[best])])]
    return _drop_superfluous(rates, new, chosen)


def _choose(
    rates: Floats, new: Bools, budget: float, groups: Ints, max_groups: int | None, *, replace: bool
) -> list[int]:
    """Add the constraint with the most new faults for its rate, until the budget is spent."""
    chosen: list[int] = []
    paid = np.zeros(len(rates))
    covered = np.zeros(new.shape[1], np.bool_)
    while True:
        spent = math.fsum(rates[chosen])
        price = np.maximum(rates - paid, 0.0)
        gains = (new & ~covered).sum(axis=1)
        possible = (gains > 0) & (spent + price <= budget)
        chosen_groups = groups[chosen]
        if max_groups is not None and len(np.unique(chosen_groups)) >= max_groups:
            possible &= np.isin(groups, chosen_groups)
        if not possible.any():
            return chosen
        worth = np.where(possible, gains / np.maximum(price, _MIN_PRICE), -1.0)
        # Ties go to the larger gain, then to the last constraint, which has the widest limits.
        # Computed rates have a lower bound, but wider limits still raise fewer false alarms.
        best = int(np.lexsort((gains, worth))[-1])
        if replace:
            chosen = [at for at in chosen if groups[at] != groups[best]]
            paid[groups == groups[best]] = rates[best]
        chosen.append(best)
        covered = covered | new[best]


def _drop_superfluous(rates: Floats, new: Bools, chosen: Sequence[int]) -> list[int]:
    """Drop constraints whose faults the others catch, those with the highest rate first."""
    kept = list(chosen)
    for candidate in sorted(chosen, key=lambda at: -rates[at]):
        others = [at for at in kept if at != candidate]
        if not (new[candidate] & ~new[others].any(axis=0)).any():
            kept = others
    return kept


def _caught_by(new: Bools) -> Callable[[Sequence[int]], int]:
    return lambda chosen: int(new[list(chosen)].any(axis=0).sum())
