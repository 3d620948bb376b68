"""A multinomial naive Bayes model that predicts a row as if it had never seen it.

The counts are sums, so that one row is taken out of them again by subtraction: every row is held
out in turn, and the model is trained on all others (leave-one-out cross-validation).

The class predicted is ``argmax_k ln R_k + Σ_i f_i ln((N_ki + s_i) / (N_k + s))``, where R_k are the
rows of class k, N_ki how often feature i occurs in them, N_k the sum of those, and s the sum of the
smoothing terms s_i (deequ-vldb18, section 3.2). Three choices are ours:

- The prior is R_k, not uniform: of two classes that explain a row equally well, the larger one.
- The smoothing terms follow the feature's share of all features, ``s_i = s N_i / N``: what a class
  lacks then speaks no more for a small class than for a large one, as it does with equal terms.
- f_i is how often the row has the feature, over the root of how many it has: words of one text do
  not speak independently of each other (Rennie et al., ICML 2003, 4.3).

A feature that no other row has says nothing.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

__all__ = ["SMOOTHING", "Model"]

#: the sum of the smoothing terms
SMOOTHING = 1.0
#: scores closer than this are equal: the order in which logarithms are added must not decide
_EQUAL = 1e-9


@dataclass(frozen=True)
class Model:
    """The counts, turned round: by feature, the classes that have it."""

    rows: Mapping[int, int]
    totals: Mapping[int, int]
    having: Mapping[int, Sequence[tuple[int, int]]]
    occurs: Mapping[int, int]
    features: int
    _ranked: dict[int, list[tuple[float, int]]] = field(default_factory=dict, repr=False)

    @staticmethod
    def of(rows: Mapping[int, int], counts: Mapping[int, Mapping[int, int]]) -> Model:
        """The model of these counts: rows by class, and features by class."""
        having: dict[int, list[tuple[int, int]]] = {}
        for label, found in counts.items():
            for feature, n in found.items():
                having.setdefault(feature, []).append((label, n))
        totals = {label: sum(counts.get(label, {}).values()) for label in rows}
        occurs = {feature: sum([n for _, n in found]) for feature, found in having.items()}
        return Model(rows, totals, having, occurs, sum(totals.values()))

    def predicted(self, features: Sequence[int], own: int) -> int | None:
        """The class of a row of these features, without that row, which is of class `own`.

        Of classes that are equally likely the one of more rows; None where there is no other row.
        """
        gains, known = self._gains(features, own)
        weight = 1 / math.sqrt(known or 1)
        scored = [
            (self._prior(label, known) + weight * gain, label)
            for label, gain in gains.items()
            if label != own
        ]
        if self.rows[own] > 1:
            prior = _prior(self.rows[own] - 1, self.totals[own] - len(features), known)
            scored.append((prior + weight * gains.get(own, 0.0), own))
        scored += self._best_without(known, {own, *gains})
        best = max((score for score, _ in scored), default=0.0)
        equal = [label for score, label in scored if best - score < _EQUAL]
        rows = {label: self.rows[label] - (label == own) for label in equal}
        return min(rows, key=lambda label: (-rows[label], label), default=None)

    def _gains(self, features: Sequence[int], own: int) -> tuple[dict[int, float], int]:
        """``Σ_i ln(1 + N_ki / s_i)`` for the classes that have a feature; how many are known."""
        gains: dict[int, float] = {}
        log1p = math.log1p
        known = 0
        for feature, times in Counter(features).items():
            others = self.occurs[feature] - times
            if not others:
                continue
            known += times
            smoothing = SMOOTHING * others / (self.features - len(features))
            for label, n in self.having[feature]:
                left = n - times if label == own else n
                if left:
                    gains[label] = gains.get(label, 0.0) + times * log1p(left / smoothing)
        return gains, known

    def _prior(self, label: int, known: int) -> float:
        return _prior(self.rows[label], self.totals[label], known)

    def _best_without(self, known: int, but: Collection[int]) -> list[tuple[float, int]]:
        """The likeliest of the classes that have none of the features: they are ranked once."""
        if known not in self._ranked:
            scored = ((self._prior(label, known), label) for label in self.rows)
            order = sorted(scored, key=lambda pair: (-pair[0], -self.rows[pair[1]], pair[1]))
            self._ranked[known] = order
        return next(([each] for each in self._ranked[known] if each[1] not in but), [])


def _prior(rows: int, total: int, known: int) -> float:
    """What speaks for a class of so many rows and features if it has none of so many features."""
    return math.log(rows) - math.sqrt(known) * math.log(total + SMOOTHING)
