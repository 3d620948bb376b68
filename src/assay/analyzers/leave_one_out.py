"""A multinomial naive Bayes model that predicts each row without having seen it.

The counts of the model are sums. Subtracting a row from them gives the model of all other rows, so
that every row can be held out in turn (leave-one-out cross-validation).

The predicted class is ``argmax_k ln R_k + Σ_i f_i ln((N_ki + s_i) / (N_k + s))``. R_k is the number
of rows of class k. N_ki is the number of times that feature i occurs in them, with the sum N_k. The
smoothing terms s_i have the sum s (deequ-vldb18, section 3.2). Three choices differ from the paper:

- The prior is R_k, not uniform: of two classes that explain a row equally well, the larger wins.
- The smoothing terms follow the feature's share of all features, ``s_i = s N_i / N``. Equal terms
  would favor small classes for features that no class has.
- f_i is the count of the feature in the row, divided by the root of the row's number of features.
  The words of a text are not independent of each other (Rennie et al., ICML 2003, section 4.3).

Features that no other row has are ignored.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

__all__ = ["SMOOTHING", "Model"]

#: the sum of the smoothing terms
SMOOTHING = 1.0
#: scores closer than this are equal, so that the order of adding logarithms does not matter
_EQUAL = 1e-9


@dataclass(frozen=True)
class Model:
    """The counts of a model by feature: for each feature, the classes that have it."""

    rows: Mapping[int, int]
    totals: Mapping[int, int]
    having: Mapping[int, Sequence[tuple[int, int]]]
    occurs: Mapping[int, int]
    features: int
    _ranked: dict[int, list[tuple[float, int]]] = field(default_factory=dict, repr=False)

    @staticmethod
    def of(rows: Mapping[int, int], counts: Mapping[int, Mapping[int, int]]) -> Model:
        """Create the model from rows by class and features by class."""
        having: dict[int, list[tuple[int, int]]] = {}
        for label, class_counts in counts.items():
            for feature, n in class_counts.items():
                having.setdefault(feature, []).append((label, n))
        totals = {label: sum(counts.get(label, {}).values()) for label in rows}
        occurs = {feature: sum([n for _, n in classes]) for feature, classes in having.items()}
        return Model(rows, totals, having, occurs, sum(totals.values()))

    def predicted(self, features: Sequence[int], own_class: int) -> int | None:
        """Predict the class of a row from the model without that row.

        The class with more rows wins if several are equally likely. None without other rows.
        """
        gains, known_count = self._gains(features, own_class)
        weight = 1 / math.sqrt(known_count or 1)
        scored = [
            (self._prior(label, known_count) + weight * gain, label)
            for label, gain in gains.items()
            if label != own_class
        ]
        if self.rows[own_class] > 1:
            remaining = self.totals[own_class] - len(features)
            prior = _prior(self.rows[own_class] - 1, remaining, known_count)
            scored.append((prior + weight * gains.get(own_class, 0.0), own_class))
        scored += self._best_without(known_count, {own_class, *gains})
        best = max((score for score, _ in scored), default=0.0)
        equal = [label for score, label in scored if best - score < _EQUAL]
        rows = {label: self.rows[label] - (label == own_class) for label in equal}
        return min(rows, key=lambda label: (-rows[label], label), default=None)

    def _gains(self, features: Sequence[int], own_class: int) -> tuple[dict[int, float], int]:
        """Return ``Σ_i ln(1 + N_ki / s_i)`` by class, and the number of known features."""
        gains: dict[int, float] = {}
        log1p = math.log1p
        known_count = 0
        for feature, times in Counter(features).items():
            elsewhere = self.occurs[feature] - times
            if not elsewhere:
                continue
            known_count += times
            smoothing = SMOOTHING * elsewhere / (self.features - len(features))
            for label, n in self.having[feature]:
                remaining = n - times if label == own_class else n
                if remaining:
                    gains[label] = gains.get(label, 0.0) + times * log1p(remaining / smoothing)
        return gains, known_count

    def _prior(self, label: int, known_count: int) -> float:
        return _prior(self.rows[label], self.totals[label], known_count)

    def _best_without(self, known_count: int, excluded: Collection[int]) -> list[tuple[float, int]]:
        """Return the likeliest class that has none of the features."""
        if known_count not in self._ranked:
            scored = ((self._prior(label, known_count), label) for label in self.rows)
            order = sorted(scored, key=lambda pair: (-pair[0], -self.rows[pair[1]], pair[1]))
            self._ranked[known_count] = order
        ranking = self._ranked[known_count]
        return next(([pair] for pair in ranking if pair[1] not in excluded), [])


def _prior(rows: int, total: int, known_count: int) -> float:
    """Return the score of a class that has none of the known features."""
    return math.log(rows) - math.sqrt(known_count) * math.log(total + SMOOTHING)
