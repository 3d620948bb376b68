"""Scores held against those of earlier batches (conformal calibration), for any detector.

Every batch of history is judged as it was when it came; the batch is an alarm only if its score
also exceeds the ``⌈(1 - alpha)(n + 1)⌉``-th smallest of theirs, or all where there are fewer.
Whatever the scores are, a share alpha of batches exceed it if they come in no special order. Where
a real incident sits in the history, others like it pass: only with held and bad batches left out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from assay.checks.assertions.expectation import NotEnough
from assay.learn.novelty.metrics import Features
from assay.learn.novelty.novelty_result import Detector, Model, Novelty

__all__ = ["Conformal"]


@dataclass(frozen=True)
class Conformal:
    """Another detector, calibrated by its scores of the last `window` batches."""

    detector: Detector
    alpha: float = 0.01
    window: int = 100

    def learn(self, history: Sequence[Features]) -> _Calibrated | NotEnough:
        """What the detector learns, and how it scored before."""
        model = self.detector.learn(history)
        if isinstance(model, NotEnough):
            return model
        scores = []
        for end in range(max(0, len(history) - self.window), len(history)):
            before = self.detector.learn(history[:end])
            if not isinstance(before, NotEnough):
                judged = before.judge(history[end])
                scores.append(judged.score - judged.limit)
        return _Calibrated(model, _exceeded(sorted(scores), self.alpha))


def _exceeded(scores: Sequence[float], alpha: float) -> float:
    if not scores:
        return 0.0
    rank = math.ceil((1 - alpha) * (len(scores) + 1))
    return max(0.0, scores[min(rank, len(scores)) - 1])


@dataclass(frozen=True)
class _Calibrated:
    model: Model
    more: float

    def judge(self, observed: Features) -> Novelty:
        found = self.model.judge(observed)
        limit = found.limit + self.more
        return replace(found, limit=limit, level=found.level if found.score > limit else "accept")
