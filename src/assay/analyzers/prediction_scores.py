"""Scores of predictions: precision, recall and F1, weighted by how often each value occurs.

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
        """Return the score of this name."""
        score: float = getattr(self, name)
        return score


def scores(outcomes: Mapping[tuple[Hashable, Hashable], int]) -> Scores | None:
    """Score counts of pairs of a true and a predicted value; None without pairs.

    Value v occurs n_v times, is predicted m_v times, and correctly h_v times. Its precision is
    ``h_v / m_v``, or 0 if it is never predicted. Its recall is ``h_v / n_v``. Its F1 score is
    ``2 h_v / (n_v + m_v)``. The result is the mean weighted by n_v (deequ-vldb18, section 5.1).
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
