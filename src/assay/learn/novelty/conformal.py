"""Calibrate any detector by its scores of earlier batches (conformal calibration).

Each batch of the history is scored with the batches before it. The next batch is an alarm only if
its score also exceeds the ``⌈(1 - alpha)(n + 1)⌉``-th smallest of those scores. If the batches are
exchangeable, at most a share `alpha` of normal batches exceeds it, for any detector. Leave held and
bad batches out of the history. Otherwise similar batches are accepted.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from assay.checks.assertions.expectation import NotEnough
from assay.learn.novelty.features import Features
from assay.learn.novelty.novelty_result import Detector, Model, Novelty

__all__ = ["Conformal"]


@dataclass(frozen=True)
class Conformal:
    """A detector that is calibrated by its scores of the last `window` batches.

    Parameters
    ----------
    detector
        The detector to calibrate.
    alpha
        The share of batches that may be false alarms.
    window
        The number of latest batches to score.
    """

    detector: Detector
    alpha: float = 0.01
    window: int = 100

    def learn(self, history: Sequence[Features]) -> _Calibrated | NotEnough:
        """Learn from the history, and score its last batches."""
        model = self.detector.learn(history)
        if isinstance(model, NotEnough):
            return model
        scores = []
        for end in range(max(0, len(history) - self.window), len(history)):
            before = self.detector.learn(history[:end])
            if not isinstance(before, NotEnough):
                novelty = before.judge(history[end])
                scores.append(novelty.score - novelty.limit)
        return _Calibrated(model, _quantile(sorted(scores), self.alpha))


def _quantile(scores: Sequence[float], alpha: float) -> float:
    if not scores:
        return 0.0
    rank = math.ceil((1 - alpha) * (len(scores) + 1))
    return max(0.0, scores[min(rank, len(scores)) - 1])


@dataclass(frozen=True)
class _Calibrated:
    model: Model
    extra_limit: float

    def judge(self, observed: Features) -> Novelty:
        novelty = self.model.judge(observed)
        limit = novelty.limit + self.extra_limit
        level = novelty.level if novelty.score > limit else "accept"
        return replace(novelty, limit=limit, level=level)
