"""How good predictions are: precision, recall and F1, weighted by how often each value occurs.

>>> scores({("de", "de"): 3, ("de", "fr"): 1, ("fr", "fr"): 4}).f1
0.873...
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import dataclass

__all__ = ["SCORES", "Scores", "scores"]

SCORES = ("f1", "precision", "recall")


@dataclass(frozen=True, slots=True)
class Scores:
    """The scores of some predictions, each between 0 and 1."""

    precision: float
    recall: float
    f1: float

    def of(self, name: str) -> float:
        """The score of this name."""
        found: float = getattr(self, name)
        return found


def scores(outcomes: Mapping[tuple[Hashable, Hashable], int]) -> Scores | None:
    """The scores of so many pairs of a true and a predicted value; none of none.

    For each value v that occurs n_v times, was predicted m_v times and rightly so h_v times:
    precision ``h_v / m_v`` (0 where it was never predicted), recall ``h_v / n_v``, F1 ``2 h_v /
    (n_v + m_v)``; of these the mean, weighted by n_v (the *weighted* F1 of deequ-vldb18, 5.1).
    """
    true: Counter[Hashable] = Counter()
    predicted: Counter[Hashable] = Counter()
    hits: Counter[Hashable] = Counter()
    for (value, guess), n in outcomes.items():
        true[value] += n
        predicted[guess] += n
        if value == guess:
            hits[value] += n
    rows = true.total()
    if not rows:
        return None
    precise = (n * hits[value] / (predicted[value] or 1) for value, n in true.items())
    balanced = (2 * n * hits[value] / (n + predicted[value]) for value, n in true.items())
    return Scores(math.fsum(precise) / rows, hits.total() / rows, math.fsum(balanced) / rows)
