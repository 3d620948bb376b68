"""The paper's detector and its other candidates: batches as points (section 4, Algorithm 1).

Features are scaled so that those of history lie between 0 and 1 (a constant one is 0 throughout,
and 1 is 1 away). A batch is an alarm if its score exceeds that of all but a share of the batches of
history, the `contamination`; of fewer than 100 that is nearly the largest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from assay.checks.assertions.expectation import NotEnough
from assay.errors import CheckError, nearest
from assay.learn.fingerprint.column_stats import Floats
from assay.learn.novelty.feature_matrix import FeatureMatrix, matrix
from assay.learn.novelty.metrics import METRICS, Features, Metric
from assay.learn.novelty.novelty_result import Level, Method, Novelty, Reason
from assay.learn.novelty.outlier_methods import METHODS

__all__ = ["LearnedOutliers", "OutlierDetector"]

_PLAIN = Metric("", "")
_FAR = 1e6
#: so many features are told of
_TOLD = 20


@dataclass(frozen=True)
class OutlierDetector:
    """One of the paper's seven methods; its own is the mean distance to 5 neighbours."""

    method: Method = "average knn"
    contamination: float = 0.01
    batches: int = 8

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            likely = nearest(self.method, METHODS)
            hint = f"did you mean {likely!r}?" if likely else f"there are {', '.join(METHODS)}."
            raise CheckError(f"there is no method {self.method!r}; {hint}")
        if not 0 <= self.contamination < 1:
            raise ValueError(f"contamination is from 0 to below 1, not {self.contamination!r}.")

    def learn(self, history: Sequence[Features]) -> LearnedOutliers | NotEnough:
        """Scale and score the batches of history."""
        if len(history) < max(3, self.batches):
            return NotEnough(len(history), max(3, self.batches))
        past = matrix(history)
        some = np.flatnonzero(np.isfinite(past.values).any(axis=0))
        past = FeatureMatrix(tuple(past.features[j] for j in some.tolist()), past.values[:, some])
        low, high = np.nanmin(past.values, axis=0), np.nanmax(past.values, axis=0)
        middle = np.nanmean(past.values, axis=0)
        model = _Scaled(past, low, high, middle)
        own, score = METHODS[self.method](model.scaled(past.values))
        finite = np.clip(own, -_FAR, _FAR)
        limit = float(np.quantile(finite, 1 - self.contamination))
        return LearnedOutliers(model, score, limit, len(history))


@dataclass(frozen=True)
class _Scaled:
    """Features from 0 to 1 over history; one that a batch lacks is as it was on average."""

    past: FeatureMatrix
    low: Floats
    high: Floats
    middle: Floats

    def scaled(self, values: Floats) -> Floats:
        width = np.where(self.high > self.low, self.high - self.low, 1.0)
        filled = np.where(np.isfinite(values), values, self.middle)
        with np.errstate(over="ignore"):
            found: Floats = np.clip((filled - self.low) / width, -_FAR, _FAR)
        return found


@dataclass(frozen=True)
class LearnedOutliers:
    """A score, and the largest that is none of an alarm."""

    model: _Scaled
    score: Callable[[Floats], Floats]
    limit: float
    batches: int

    def judge(self, observed: Features) -> Novelty:
        """The paper has two labels: what is an alarm is held."""
        row = self.model.past.row(observed)
        scaled = self.model.scaled(row[None, :])
        found = float(np.clip(self.score(scaled)[0], -_FAR, _FAR))
        # equal distances differ in their last digits
        level: Level = "hold" if found > self.limit + 1e-9 * abs(self.limit) + 1e-12 else "accept"
        return Novelty(level, found, self.limit, self._reasons(row, scaled[0]), self.batches)

    def _reasons(self, row: Floats, scaled: Floats) -> tuple[Reason, ...]:
        """Features by how far they are from the middle of their range; its ends are 1 away."""
        model, found = self.model, []
        middle = np.where(model.high > model.low, 0.5, 0.0)
        for j in np.flatnonzero(np.isfinite(row)).tolist():
            feature = model.past.features[j]
            outward = METRICS.get(feature.metric, _PLAIN).outward
            found.append(
                Reason(
                    feature,
                    2 * abs(float(scaled[j] - middle[j])),
                    outward(float(row[j])),
                    outward(float(model.low[j])),
                    outward(float(model.high[j])),
                    f"the range of {self.batches} batches",
                )
            )
        return tuple(sorted(found, key=lambda each: -each.ratio)[:_TOLD])
