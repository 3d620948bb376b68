"""The detectors of novelty-edbt21, which compare batches as points (section 4, Algorithm 1).

Each feature is scaled to 0 to 1 over the history; a constant feature is 0. A batch is an alarm if
its score exceeds the ``1 - contamination`` quantile of the scores of the history.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from assay.checks.assertions.expectation import NotEnough
from assay.errors import CheckError, nearest
from assay.learn.fingerprint.column_stats import Floats
from assay.learn.novelty.feature_matrix import FeatureMatrix, matrix
from assay.learn.novelty.features import Features
from assay.learn.novelty.method_names import Aggregation, Distance
from assay.learn.novelty.novelty_result import Level, Method, Novelty, Reason
from assay.learn.novelty.outlier_methods import METHODS, NEIGHBOURS, scorer_of

__all__ = ["LearnedOutliers", "OutlierDetector"]

#: Larger scores and scaled values are reduced to this, so that distances do not overflow.
_MAX_SCORE = 1e6
#: The largest number of features in a result.
_MAX_REASONS = 20


@dataclass(frozen=True)
class OutlierDetector:
    """One of the seven methods that the paper compares.

    Parameters
    ----------
    method
        The method. The paper recommends ``average knn``, the mean distance to 5 neighbours.
    contamination
        The share of the history that may score above the limit.
    batches
        The smallest number of batches to learn from.
    neighbours, distance, aggregation
        The parameters k, dist and agg of Algorithm 1, for methods of neighbours.
    """

    method: Method = "average knn"
    contamination: float = 0.01
    batches: int = 8
    neighbours: int = NEIGHBOURS
    distance: Distance = "euclidean"
    aggregation: Aggregation | None = None

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            likely = nearest(self.method, METHODS)
            hint = (
                f"Did you mean {likely!r}?" if likely else f"The methods are: {', '.join(METHODS)}."
            )
            raise CheckError(f"unknown method {self.method!r}. {hint}")
        if not 0 <= self.contamination < 1:
            raise ValueError(
                "invalid contamination: expected a share from 0 to below 1,"
                f" got {self.contamination!r}."
            )

    def learn(self, history: Sequence[Features]) -> LearnedOutliers | NotEnough:
        """Scale and score the batches of history."""
        if len(history) < max(3, self.batches):
            return NotEnough(len(history), max(3, self.batches))
        past_batches = matrix(history)
        defined = np.flatnonzero(np.isfinite(past_batches.values).any(axis=0))
        past_batches = FeatureMatrix(
            tuple(past_batches.features[j] for j in defined.tolist()),
            past_batches.values[:, defined],
        )
        low, high = np.nanmin(past_batches.values, axis=0), np.nanmax(past_batches.values, axis=0)
        middle = np.nanmean(past_batches.values, axis=0)
        model = _Scaled(past_batches, low, high, middle)
        scorer = scorer_of(
            self.method,
            neighbours=self.neighbours,
            distance=self.distance,
            aggregation=self.aggregation,
        )
        scores, score = scorer(model.scaled(past_batches.values))
        finite = np.clip(scores, -_MAX_SCORE, _MAX_SCORE)
        limit = float(np.quantile(finite, 1 - self.contamination))
        return LearnedOutliers(model, score, limit, len(history))


@dataclass(frozen=True)
class _Scaled:
    """Scale features to 0 to 1 over the history. A missing feature is replaced by its mean."""

    past: FeatureMatrix
    low: Floats
    high: Floats
    middle: Floats

    def scaled(self, values: Floats) -> Floats:
        width = np.where(self.high > self.low, self.high - self.low, 1.0)
        filled = np.where(np.isfinite(values), values, self.middle)
        with np.errstate(over="ignore"):
            scaled: Floats = np.clip((filled - self.low) / width, -_MAX_SCORE, _MAX_SCORE)
        return scaled


@dataclass(frozen=True)
class LearnedOutliers:
    """The score function and its limit, learned from the history."""

    model: _Scaled
    score: Callable[[Floats], Floats]
    limit: float
    batches: int

    def judge(self, observed: Features) -> Novelty:
        """Score a batch. An alarm always holds the batch, since the paper has no warnings."""
        row = self.model.past.row(observed)
        scaled = self.model.scaled(row[None, :])
        score = float(np.clip(self.score(scaled)[0], -_MAX_SCORE, _MAX_SCORE))
        # Equal distances may differ in their last digits.
        level: Level = "hold" if score > self.limit + 1e-9 * abs(self.limit) + 1e-12 else "accept"
        return Novelty(level, score, self.limit, self._reasons(row, scaled[0]), self.batches)

    def _reasons(self, row: Floats, scaled: Floats) -> tuple[Reason, ...]:
        """Return the features, starting with the one farthest from the middle of its range.

        At the ends of the range, the ratio is 1.
        """
        model = self.model
        reasons = []
        middle = np.where(model.high > model.low, 0.5, 0.0)
        for j in np.flatnonzero(np.isfinite(row)).tolist():
            feature = model.past.features[j]
            reasons.append(
                Reason(
                    feature,
                    2 * abs(float(scaled[j] - middle[j])),
                    feature.from_scale(float(row[j])),
                    feature.from_scale(float(model.low[j])),
                    feature.from_scale(float(model.high[j])),
                    f"the range of {self.batches} batches",
                )
            )
        return tuple(sorted(reasons, key=lambda reason: -reason.ratio)[:_MAX_REASONS])
